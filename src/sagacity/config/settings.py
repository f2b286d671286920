"""The settings of this process, read once from the environment."""

import os
from collections.abc import Mapping
from ipaddress import ip_address
from pathlib import Path

from pydantic import Field, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict, SettingsError

from sagacity.domain.errors import ConfigError

_KEY_SUFFIX = "_API_KEY"


class Settings(BaseSettings):
    """What one server process is told from outside; each is read from `SAGACITY_<NAME>`."""

    model_config = SettingsConfigDict(
        env_prefix="SAGACITY_", frozen=True, extra="ignore", allow_inf_nan=False
    )

    home: Path = Field(default=Path("~/.sagacity"), description="Folder of the embedded database.")
    database_url: str = Field(
        default="", description="Database; empty means `sagacity.db` in the home folder."
    )
    migration_url: str = Field(
        default="",
        description="The same PostgreSQL database as its owner, who makes tables; only migrations use it.",
    )
    database_pool_size: int = Field(
        default=10, ge=2, le=500, description="Most connections to PostgreSQL that one process opens."
    )
    database_pooler: bool = Field(
        default=False,
        description="Whether PostgreSQL is reached through a transaction pooler (PgBouncer, Supavisor).",
    )
    redis_url: str = Field(
        default="",
        description="Redis or Valkey, shared by all processes; empty means that there is one process.",
    )
    vector_url: str = Field(
        default="", description="Qdrant, to search a copy of the vectors; empty: the database."
    )
    vector_api_key: SecretStr = Field(default=SecretStr(""), description="Key of Qdrant.")
    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(default=8081, ge=0, le=65535, description="Port to listen on; 0 takes a free one.")
    embedder: str = Field(
        default="minilm", description="`minilm`, `multilingual`, or an embedding model as LiteLLM names it."
    )
    embedder_api_base: str = Field(
        default="", description="Address of a remote embedder, if not its usual one."
    )
    embedder_api_key: SecretStr = Field(default=SecretStr(""), description="Key of a remote embedder.")
    embedder_dimension: int = Field(
        default=0, ge=0, le=16_000, description="Dimensions of a remote embedder."
    )
    embedding_cache_entries: int = Field(default=10_000, ge=0, description="Embeddings kept in memory.")
    shared_embedding_cache_seconds: float = Field(
        default=0,
        ge=0,
        description="How long embeddings of questions are kept in Redis for all processes; 0: not.",
    )
    reranker: str = Field(
        default="",
        description="Orders the first results of a search that asks for it: a reranking model as LiteLLM names it; "
        "empty: none.",
    )
    reranker_api_base: str = Field(default="", description="Address of the reranker, if not its usual one.")
    reranker_api_key: SecretStr = Field(default=SecretStr(""), description="Key of the reranker.")
    model_timeout_seconds: float = Field(default=120, gt=0, description="Longest wait for one model call.")
    model_attempts: int = Field(default=3, ge=1, le=10, description="Tries of one model call.")
    learn_concurrency: int = Field(default=16, ge=1, le=256, description="Users learned side by side.")
    tenant_concurrency: int = Field(
        default=8,
        ge=1,
        le=10_000,
        description="Users of one organisation learned side by side, over all workers.",
    )
    drain_seconds: float = Field(
        default=30, ge=0, description="How long a worker that is told to stop finishes what it began."
    )
    learn_attempts: int = Field(default=5, ge=1, le=20, description="Tries of a window before it is parked.")
    retry_base_seconds: float = Field(
        default=5, gt=0, description="Wait before the second try; then doubling."
    )
    quiet_seconds: float = Field(
        default=30,
        ge=0,
        description="After this long without news, turns short of a full interval are learned too.",
    )
    evaluation_delay_seconds: float = Field(
        default=600, ge=0, description="How long a session has to be quiet before it is judged."
    )
    interaction_limit: int = Field(
        default=0,
        ge=0,
        description="Turns that an organisation keeps; the oldest go once every version has read them. 0: all stay.",
    )
    expired_days: float = Field(
        default=30, ge=0, le=36_500, description="How long memories are kept after they expired."
    )
    sweep_seconds: float = Field(
        default=30, gt=0, description="Between two looks at the database for due work."
    )
    lease_seconds: float = Field(
        default=60, gt=0, description="How long a worker may be silent and keep its work."
    )
    max_body_bytes: int = Field(default=5 * 2**20, ge=1024, description="Largest request body.")
    request_timeout_seconds: float = Field(default=60, gt=0, description="Longest time for one call.")
    wait_timeout_seconds: float = Field(
        default=600, gt=0, description="Longest time for a call that waits for learning."
    )
    block_private_urls: bool = Field(
        default=False, description="Refuse URLs of private networks in configuration and images."
    )
    cors_origins: tuple[str, ...] = Field(
        default=(), description="Web origins that may call the API (JSON list)."
    )
    rate_limits: bool = Field(default=True, description="Whether calls a minute are limited.")
    log_level: str = Field(default="info", description="debug, info, warning or error.")
    log_format: str = Field(default="auto", description="json, text, or auto: text on a terminal.")

    @field_validator("log_level")
    @classmethod
    def _known_level(cls, value: str) -> str:
        if value.lower() not in {"debug", "info", "warning", "error"}:
            raise ValueError("has to be debug, info, warning or error")
        return value.lower()

    @field_validator("log_format")
    @classmethod
    def _known_format(cls, value: str) -> str:
        if value.lower() not in {"json", "text", "auto"}:
            raise ValueError("has to be json, text or auto")
        return value.lower()

    @property
    def storage_url(self) -> str:
        """Where the data is."""
        return self.database_url or f"sqlite:///{(self.home.expanduser() / 'sagacity.db').absolute()}"

    @property
    def is_sqlite(self) -> bool:
        """Whether the data is in a file of this machine."""
        return self.storage_url.startswith("sqlite")

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        if self.host == "localhost":
            return True
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return False


def load_settings(**given: object) -> Settings:
    """
    Read the environment; *given* goes before it.

    Raises:
        ConfigError: a setting is wrong; the message names it.
    """
    try:
        return Settings(**given)  # pyright: ignore[reportArgumentType]  # pydantic checks each
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise ConfigError(f"setting SAGACITY_{name.upper()}: {first['msg']}") from error
    except SettingsError as error:  # names the field; a list that is no JSON
        raise ConfigError(f"a SAGACITY_ setting does not read: {error}") from error


def provider_keys(environment: Mapping[str, str] | None = None) -> dict[str, SecretStr]:
    """Return the API keys that the environment holds, by the names of their variables, such as OPENAI_API_KEY."""
    source = os.environ if environment is None else environment  # noqa: TID251  the one place that may
    return {
        name: SecretStr(value.strip())
        for name, value in source.items()
        if name.endswith(_KEY_SUFFIX) and not name.startswith("SAGACITY_") and value.strip()
    }
