"""Reranking by a cross-encoder, which reads question and text together, from a folder that the user names."""

import math
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn, cast

import numpy as np
from tokenizers import Tokenizer

from sagacity.domain.errors import ConfigError, ProviderError
from sagacity.providers.base import Vectors
from sagacity.providers.batching import readable
from sagacity.providers.in_time import score_in_time
from sagacity.providers.lanes import Lanes
from sagacity.providers.onnx import OnnxModel

MODEL_FILE = "model.onnx"
TOKENIZER_FILE = "tokenizer.json"
MAX_TOKENS = 512
"""Of question and text together, if the tokenizer's own limit is not lower."""
MAX_CHARACTERS = 8_192  # of each; far over 512 tokens of any prose
INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})


class CrossEncoder:
    """Loaded at the first call or by `warm`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._pairs: _Pairs | None = None
        self._loading = threading.Lock()
        self._lanes = Lanes("cross-encoder")

    @property
    def name(self) -> str:
        """`cross-encoder`."""
        return "cross-encoder"

    async def rank(self, query: str, texts: Sequence[str], *, seconds: float) -> Vectors:
        """
        Score each text by the model.

        Raises:
            ConfigError: the folder does not hold a cross-encoder; the message says what is wrong with it.
            ProviderError: the runtime failed.
        """

        async def look(text: str) -> float:
            return await self._lanes.run(lambda: self._loaded().score(query, text), background=False)

        return await score_in_time(look, texts, seconds=seconds)

    async def warm(self) -> None:
        """
        Load the model and score one pair.

        Raises:
            ConfigError: the folder does not hold a cross-encoder; the message says what is wrong with it.
        """
        await self._lanes.run(self._loaded, background=False)

    def _loaded(self) -> "_Pairs":
        with self._loading:
            if self._pairs is None:
                self._pairs = _load_pairs(self._folder)
        return self._pairs


class _Pairs:
    """The loaded model; safe to call from several threads at once."""

    def __init__(self, tokenizer: Tokenizer, model: OnnxModel) -> None:
        self._tokenizer = tokenizer
        self._model = model

    def logits(self, query: str, text: str) -> Vectors:
        """Return what the model says of the pair, float32 [1, scores] if it is a cross-encoder."""
        pair = self._tokenizer.encode(
            readable(query, limit=MAX_CHARACTERS), readable(text, limit=MAX_CHARACTERS)
        )
        given = {
            "input_ids": pair.ids,
            "attention_mask": pair.attention_mask,
            "token_type_ids": pair.type_ids,
        }
        inputs = {name: np.array([given[name]], np.int64) for name in self._model.inputs}
        return np.asarray(self._model.run(inputs), np.float32)

    def score(self, query: str, text: str) -> float:
        """Return how well *text* answers *query*, in [0, 1]."""
        return probability(self.logits(query, text)[0])


def probability(logits: Vectors) -> float:
    """
    Return the probability of "yes".

    Args:
        logits: float32 [1], of yes, or [2], of no and yes.

    Raises:
        ProviderError: they are no numbers.
    """
    # The softmax of two logits is the sigmoid of their difference.
    margin = float(logits[0] if len(logits) == 1 else logits[1] - logits[0])
    if not math.isfinite(margin):
        raise ProviderError("the reranking model gave no number; export it in float32")
    return 0.5 + 0.5 * math.tanh(margin / 2)


def _load_pairs(folder: Path) -> _Pairs:
    """Load what *folder* holds, and try it."""
    for name in (MODEL_FILE, TOKENIZER_FILE):
        if not (folder / name).is_file():
            _refuse(
                folder, f"has no file {name}", "export the model to ONNX and save its tokenizer beside it"
            )
    model = OnnxModel(folder / MODEL_FILE, purpose="reranking")
    if "input_ids" not in model.inputs or not INPUTS.issuperset(model.inputs):
        _refuse(
            folder,
            f"holds a model that takes {', '.join(model.inputs) or 'nothing'}",
            "a cross-encoder takes input_ids and, if it wants, attention_mask and token_type_ids",
        )
    pairs = _Pairs(_load_tokenizer(folder), model)
    try:
        shape = pairs.logits("question", "text").shape
    except ProviderError as error:
        reason = " ".join(str(error).split())
        _refuse(
            folder, f"holds a model that fails: {reason}", "export it with int64 inputs of any length", error
        )
    if shape not in {(1, 1), (1, 2)}:
        _refuse(
            folder,
            f"holds a model whose output for a pair has shape {list(shape)}",
            "a cross-encoder gives one or two logits: export it for sequence classification",
        )
    return pairs


def _load_tokenizer(folder: Path) -> Tokenizer:
    try:
        tokenizer = Tokenizer.from_file(str(folder / TOKENIZER_FILE))
    except Exception as error:
        if type(error) is not Exception:  # the library raises nothing narrower
            raise
        _refuse(
            folder, f"holds a {TOKENIZER_FILE} that does not read: {error}", "save the tokenizer again", error
        )
    own = cast("dict[str, int] | None", tokenizer.truncation)  # pyright: ignore[reportUnknownMemberType]  its stub has a bare dict
    tokenizer.enable_truncation(min(own["max_length"] if own else MAX_TOKENS, MAX_TOKENS))  # pyright: ignore[reportUnknownMemberType]  its stub has bare **kwargs
    tokenizer.no_padding()
    return tokenizer


def _refuse(folder: Path, wrong: str, mend: str, cause: Exception | None = None) -> NoReturn:
    raise ConfigError(f"SAGACITY_RERANKER: the folder {folder} {wrong}; {mend}") from cause
