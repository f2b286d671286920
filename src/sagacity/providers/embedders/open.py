"""Open the embedder of a choice; the only file that names them all."""

from pydantic import Field, SecretStr

from sagacity.domain.base import Value
from sagacity.domain.errors import ConfigError
from sagacity.providers.base import Embedder
from sagacity.providers.embedders.cached import CachedEmbedder
from sagacity.providers.embedders.minilm import MiniLM
from sagacity.providers.embedders.multilingual import MultilingualUSE
from sagacity.providers.embedders.remote import RemoteEmbedder
from sagacity.providers.embedders.shared_cache import SharedCacheEmbedder, VectorCache
from sagacity.providers.retry_policy import Limits, Retry


class EmbedderChoice(Value):
    """Which embedder, where and with which key. Embedders in this process need only the name."""

    name: str = "minilm"
    """`minilm`, `multilingual`, or a model in LiteLLM's naming, provider first."""
    api_key: SecretStr | None = None
    api_base: str | None = None
    dimension: int | None = Field(default=None, ge=1)
    """The dimension of the vectors; required for a remote model, and checked if given for another."""
    timeout_seconds: float = Field(default=20.0, gt=0)
    retries: int = Field(default=2, ge=0)
    batch_size: int = Field(default=64, ge=1)
    max_characters: int = Field(default=8_000, ge=1)
    cache_entries: int = Field(default=10_000, ge=0)
    """How many vectors of recent questions are kept in memory, about 2 kB each; 0 for none."""
    shared_cache_seconds: float = Field(default=0.0, ge=0)
    """How long vectors of questions are kept in the shared cache; 0: they are not."""


def open_embedder(choice: EmbedderChoice, cache: VectorCache | None = None) -> Embedder:
    """
    Build the embedder of *choice*; nothing is loaded or called before its first use.

    Args:
        choice: which, and how.
        cache: shared with other processes, if *choice* uses it.

    Raises:
        ConfigError: the name is unknown, or the dimension is missing or not the model's.
    """
    inner = _open(choice)
    if choice.dimension not in {None, inner.dimension}:
        raise ConfigError(
            f"embedder {choice.name} gives vectors of {inner.dimension} numbers, but {choice.dimension} are configured"
        )
    if cache is not None and choice.shared_cache_seconds:
        inner = SharedCacheEmbedder(inner, cache, seconds=choice.shared_cache_seconds)
    return CachedEmbedder(inner, capacity=choice.cache_entries) if choice.cache_entries else inner


def _open(choice: EmbedderChoice) -> Embedder:
    match choice.name:
        case "minilm":
            return MiniLM()
        case "multilingual":
            return MultilingualUSE()
        case name if "/" in name and choice.dimension:
            return RemoteEmbedder(
                name,
                dimension=choice.dimension,
                api_key=choice.api_key,
                api_base=choice.api_base,
                limits=Limits(
                    timeout_seconds=choice.timeout_seconds, retry=Retry(attempts=choice.retries + 1)
                ),
                batch_size=choice.batch_size,
                max_characters=choice.max_characters,
            )
        case name if "/" in name:
            raise ConfigError(
                f"the remote embedder {name} needs a dimension: "
                "set SAGACITY_EMBEDDER_DIMENSION to the number of values in its vectors"
            )
        case name:
            raise ConfigError(
                f"SAGACITY_EMBEDDER: no embedder {name!r}; write minilm, multilingual, or a model as provider/name"
            )
