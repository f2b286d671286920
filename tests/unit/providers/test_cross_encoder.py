"""A cross-encoder from a folder: what it is given, what it says, what a wrong folder is told."""

from pathlib import Path

import numpy as np
import pytest

from sagacity.domain.errors import ConfigError, ProviderError
from sagacity.providers.base import Vectors
from sagacity.providers.cross_encoder import CrossEncoder, probability
from support.cross_encoders import BIAS, write_cross_encoder

QUESTION = "where does anna live"
TEXTS = ["anna lives in lisbon", "tea is hot", "anna does live in lisbon"]
SHARED = [1, 0, 3]


def sigmoid(logit: float) -> float:
    return 1 / (1 + float(np.exp(-logit)))


async def ranked(folder: Path, query: str = QUESTION, texts: list[str] = TEXTS) -> Vectors:
    return await CrossEncoder(folder).rank(query, texts, seconds=30)


@pytest.mark.parametrize("logits", [1, 2])
async def test_score_is_the_probability_of_yes(tmp_path: Path, logits: int) -> None:
    """One logit is yes; of two the second is, and the first, which is 0 here, no."""
    scores = await ranked(write_cross_encoder(tmp_path, logits=logits))
    assert scores == pytest.approx([sigmoid(BIAS + shared) for shared in SHARED], abs=1e-6)
    assert scores.dtype == np.float32


async def test_only_declared_inputs_are_given(tmp_path: Path) -> None:
    """A model without types of tokens runs; it counts repetitions in the whole pair: 8 words and their squares."""
    folder = write_cross_encoder(tmp_path, inputs=["input_ids", "attention_mask"])
    assert await ranked(folder, "anna", ["tea", "anna"]) == pytest.approx(
        [sigmoid(BIAS + 2), sigmoid(BIAS + 4)]
    )


async def test_pair_is_cut_at_the_tokenizers_limit_and_not_padded(tmp_path: Path) -> None:
    """Twelve tokens: three special ones, four of the question, so five of the text."""
    folder = write_cross_encoder(tmp_path, limit=12)
    cut, whole = await ranked(folder, texts=["tea is hot at noon anna", "tea is hot at anna noon"])
    assert cut == pytest.approx(sigmoid(BIAS))
    assert whole == pytest.approx(sigmoid(BIAS + 1))


async def test_pair_is_cut_at_512_tokens_without_a_limit_of_its_own(tmp_path: Path) -> None:
    """Three special tokens and one of the question leave 508 for the text."""
    folder = write_cross_encoder(tmp_path)
    last, behind = await ranked(folder, "anna", ["tea " * 507 + "anna", "tea " * 508 + "anna"])
    assert last == pytest.approx(sigmoid(BIAS + 1))
    assert behind == pytest.approx(sigmoid(BIAS))


async def test_higher_limit_of_the_tokenizer_is_not_followed(tmp_path: Path) -> None:
    """A model for pages of text would keep a processor busy for minutes."""
    folder = write_cross_encoder(tmp_path, limit=1_000)
    [behind] = await ranked(folder, "anna", ["tea " * 508 + "anna"])
    assert behind == pytest.approx(sigmoid(BIAS))


def test_probability_of_any_logits_is_in_range() -> None:
    """Neither overflow nor a range left; the two are compared, whatever their level."""
    assert probability(np.array([1e30], np.float32)) == 1.0
    assert probability(np.array([-1e30], np.float32)) == 0.0
    assert probability(np.array([0.0], np.float32)) == 0.5
    assert probability(np.array([7.0, 9.0], np.float32)) == pytest.approx(sigmoid(2))


async def test_score_that_is_no_number_is_a_provider_error(tmp_path: Path) -> None:
    """As half precision gives it when it overflows: it must not pass for a text without time."""
    with pytest.raises(ProviderError, match="no number; export it in float32"):
        await ranked(write_cross_encoder(tmp_path, yes=float("nan")))


@pytest.mark.parametrize("missing", ["model.onnx", "tokenizer.json"])
async def test_missing_file_is_named(tmp_path: Path, missing: str) -> None:
    """And what to put there; a second call says it again."""
    (write_cross_encoder(tmp_path) / missing).unlink()
    encoder = CrossEncoder(tmp_path)
    for _ in range(2):
        with pytest.raises(ConfigError, match=rf"SAGACITY_RERANKER: .* has no file {missing}; export"):
            await encoder.warm()


@pytest.mark.parametrize(
    ("model", "told"),
    [
        (
            {"inputs": ["input_ids", "attention_mask", "position_ids"]},
            r"takes input_ids, attention_mask, position_ids; a cross-encoder takes input_ids and",
        ),
        ({"logits": 3}, r"shape \[1, 3\]; .* export it for sequence classification"),
        ({"pooled": False}, r"shape \[1, 1, 21\]; .* export it for sequence classification"),
        (
            {"tokens": 4},
            r"holds a model that fails: .* Expected: 4 .*; export it with int64 inputs of any",
        ),
    ],
    ids=["inputs", "three classes", "an embedding model", "a fixed length"],
)
async def test_model_that_is_no_cross_encoder_is_refused(tmp_path: Path, model: dict, told: str) -> None:
    """The error says what was found and how to export it."""
    with pytest.raises(ConfigError, match=told):
        await CrossEncoder(write_cross_encoder(tmp_path, **model)).warm()


async def test_files_that_do_not_read_are_refused(tmp_path: Path) -> None:
    """Neither library's own error comes out."""
    write_cross_encoder(tmp_path)
    (tmp_path / "tokenizer.json").write_text("{}")
    with pytest.raises(ConfigError, match=r"holds a tokenizer\.json that does not read: .*; save"):
        await CrossEncoder(tmp_path).warm()
    (tmp_path / "model.onnx").write_bytes(b"no model")
    with pytest.raises(ConfigError, match="cannot load the reranking model"):
        await CrossEncoder(tmp_path).warm()
