"""The settings of this process, read once from the environment."""

import os
import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationError, ValidationInfo, field_validator, model_validator
from pydantic_settings import NoDecode, SettingsConfigDict

from sagacity.config.account_settings import AccountSettings, mail_of_others
from sagacity.config.config_store_settings import UNPREFIXED, ConfigStoreSettings, refuse_supabase
from sagacity.config.limits import read_limits
from sagacity.config.origins import ANY_ORIGIN, checked_origin, read_list
from sagacity.config.quota_settings import QuotaSettings
from sagacity.config.secrets import LEAST_SECRET_BYTES, checked_secret
from sagacity.config.sign_in_settings import SignInSettings
from sagacity.config.traces import TraceSettings
from sagacity.domain.addresses import is_this_machine
from sagacity.domain.errors import ConfigError
from sagacity.domain.retention import CALLS, TABLES, Record
from sagacity.domain.tenant import LOCAL_ORG

_PREFIX = "SAGACITY_"
_KEY_SUFFIX = "_API_KEY"
_ALIKE = 0.7
"""Minimum similarity of two names, from 0 to 1, to suggest one for the other."""
_OF_CLIENTS = ("SAGACITY_API_KEY", "SAGACITY_URL")
"""Read by the SDK and the program's commands."""
_TABLES = f"Tables: {', '.join(f'`{table}`' for table in TABLES)}."
_OTHER_NAMES = {"usage_events": "REFLEXIO_ENABLE_USAGE_EVENT_SINK"} | {
    name: name.upper() for name in UNPREFIXED
}
"""Other programs' names of some settings."""
_SERVICE_LINK = re.compile(r"SAGACITY(_\w+)?_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_\w+)?)")
"""Variables that Kubernetes sets in every container if there is a service of such a name."""


class Settings(TraceSettings, SignInSettings, AccountSettings, ConfigStoreSettings, QuotaSettings):
    """The settings of one process; each is read from `SAGACITY_<NAME>`."""

    model_config = SettingsConfigDict(
        env_prefix="SAGACITY_", frozen=True, extra="ignore", allow_inf_nan=False
    )

    home: Path = Field(default=Path("~/.sagacity"), description="Folder for the SQLite database.")
    database_url: str = Field(
        default="", description="Database URL; empty: `sagacity.db` in the home folder."
    )
    migration_url: str = Field(
        default="",
        description="The same PostgreSQL database, as the owner of its tables; used only for migrations.",
    )
    database_pool_size: int = Field(
        default=10, ge=2, le=500, description="Maximum PostgreSQL connections per process."
    )
    database_pooler: bool = Field(
        default=False,
        description="Set to true behind a transaction pooler (PgBouncer, Supavisor).",
    )
    redis_url: str = Field(
        default="",
        description="Redis or Valkey, shared by all processes; empty: servers learn by themselves, and each counts "
        "limits for itself.",
    )
    vector_url: str = Field(
        default="", description="Qdrant, for vector search; empty: the database searches vectors."
    )
    vector_api_key: SecretStr = Field(default=SecretStr(""), description="API key for Qdrant.")
    environment: Literal["development", "staging", "production"] = Field(
        default="production",
        description="What this installation is for: `development`, `staging` or `production`; health checks report it.",
    )
    host: str = Field(default="127.0.0.1", description="Address to listen on.")
    port: int = Field(default=8081, ge=0, le=65535, description="Port to listen on; 0: any free port.")
    processes: int = Field(
        default=1,
        ge=1,
        le=64,
        description="Server processes on one port. Each uses a core and the memory of a server.",
    )
    worker_host: str = Field(
        default="127.0.0.1", description="Address on which a worker serves its health and its metrics."
    )
    worker_port: int | None = Field(
        default=None,
        ge=0,
        le=65535,
        description="Port for a worker's health and metrics; unset: none, 0: any free port.",
    )
    embedder: str = Field(
        default="minilm", description="`minilm`, `multilingual`, or the LiteLLM name of an embedding model."
    )
    embedder_api_base: str = Field(
        default="", description="Address of a remote embedder, if not the default of its provider."
    )
    embedder_api_key: SecretStr = Field(default=SecretStr(""), description="API key for a remote embedder.")
    embedder_dimension: int = Field(
        default=0, ge=0, le=16_000, description="Vector dimension of a remote embedder."
    )
    embedding_cache_entries: int = Field(default=10_000, ge=0, description="Embeddings cached in memory.")
    shared_embedding_cache_seconds: float = Field(
        default=0,
        ge=0,
        description="How long embeddings of queries are cached in Redis for all processes; 0: not cached.",
    )
    reranker: str = Field(
        default="",
        description="LiteLLM name of the model that reorders the first results of a search that asks for it; "
        "empty: none.",
    )
    reranker_api_base: str = Field(
        default="", description="Address of the reranker, if not the default of its provider."
    )
    reranker_api_key: SecretStr = Field(default=SecretStr(""), description="API key for the reranker.")
    model_timeout_seconds: float = Field(default=120, gt=0, description="Timeout of one model call.")
    model_first_piece_seconds: float = Field(
        default=120,
        gt=0,
        description="How long a model may be silent before the first piece of a streamed answer.",
    )
    model_piece_seconds: float = Field(
        default=60,
        gt=0,
        description="How long a model may be silent between two pieces of a streamed answer.",
    )
    model_attempts: int = Field(default=3, ge=1, le=10, description="Attempts per model call.")
    learn_concurrency: int = Field(
        default=16, ge=1, le=256, description="Users whose turns one process learns from in parallel."
    )
    tenant_concurrency: int = Field(
        default=8,
        ge=1,
        le=10_000,
        description="Users of one organisation whose turns are learned from in parallel, across all workers.",
    )
    chat_on_disconnect: Literal["finish", "cancel"] = Field(
        default="finish",
        description="What to do with an answer that nobody reads any more: finish it, or stop the model.",
    )
    chat_idle_seconds: float = Field(
        default=1_800,
        ge=0,
        description="How long a conversation must be quiet before it is summed up; long ones are summed up earlier.",
    )
    chat_wait_seconds: float = Field(
        default=30,
        ge=0,
        description="How long a message waits while another one of its conversation is being answered.",
    )
    chat_keep_alive_seconds: float = Field(
        default=15,
        ge=0.05,
        le=3_600,
        description="How long a stream may be silent before a comment keeps it open; many proxies close it after 30.",
    )
    analytics_enabled: bool = Field(
        default=True, description="Record how long answers, searches and contexts took, and what they found."
    )
    analytics_buffer_size: int = Field(
        default=10, ge=1, le=10_000, description="How many recorded calls are written together."
    )
    analytics_flush_seconds: float = Field(
        default=10, gt=0, description="How long a recorded call waits at most before it is written."
    )
    usage_events: bool = Field(
        default=True,
        description="Record how often each memory is surfaced and cited; "
        "`REFLEXIO_ENABLE_USAGE_EVENT_SINK` is read where this is unset.",
    )
    retention_days: Annotated[dict[str, int], NoDecode] = Field(
        default={Record.USAGE_EVENTS: 365, CALLS: 90},
        description=f"After how many days rows are deleted, by table, such as `model_calls=400,interactions=730`; "
        f"0: never. {_TABLES}",
    )
    retention_rows: Annotated[dict[str, int], NoDecode] = Field(
        default={Record.USAGE_EVENTS: 1_000_000, CALLS: 1_000_000},
        description="How many of its newest rows an organisation keeps, by table, such as `interactions=250000`; "
        "0: all.",
    )
    retain_evidence: bool = Field(
        default=True, description="Keep turns that support a current memory, whatever their age and number."
    )
    drain_seconds: float = Field(
        default=30, ge=0, description="How long a stopping worker may take to finish its work."
    )
    learn_attempts: int = Field(
        default=5, ge=1, le=20, description="Attempts per window before it is parked as a dead letter."
    )
    retry_base_seconds: float = Field(
        default=5, gt=0, description="Wait before the second attempt; doubles each time."
    )
    quiet_seconds: float = Field(
        default=30,
        ge=0,
        description="After this long without new turns, fewer turns than a full interval are learned from too.",
    )
    evaluation_delay_seconds: float = Field(
        default=600, ge=0, description="How long a session must be quiet before it is evaluated."
    )
    expired_days: float | None = Field(
        default=None,
        ge=0,
        le=36_500,
        description="After how many days expired memories are deleted; unset: never.",
    )
    sweep_seconds: float = Field(
        default=30, gt=0, description="Interval at which the database is searched for due work."
    )
    lease_seconds: float = Field(
        default=60, gt=0, description="How long a worker may be silent before another takes over its work."
    )
    max_body_bytes: int = Field(default=5 * 2**20, ge=1024, description="Largest request body.")
    request_timeout_seconds: float = Field(default=60, gt=0, description="Timeout of one call.")
    header_timeout_seconds: float = Field(
        default=20, gt=0, description="How long a client may take to send the headers of a call."
    )
    max_connections: int = Field(
        default=800,
        ge=1,
        description="Maximum simultaneous connections; further ones get 503. Keep it below the system's limit of "
        "open files (`ulimit -n`).",
    )
    least_free_megabytes: int = Field(
        default=100,
        ge=0,
        description="A server is not ready if the disk of its SQLite file has less free space than this.",
    )
    strategy_timeout_seconds: float = Field(
        default=5,
        gt=0,
        description="Timeout of one search strategy, including embedding the question, and of rewriting the question; "
        "the search then answers without it.",
    )
    wait_timeout_seconds: float = Field(
        default=600,
        gt=0,
        description="Timeout of a call that waits for learning, or for the whole answer of a chat.",
    )
    block_private_urls: bool = Field(
        default=False,
        description="Refuse private network addresses in configurations and image URLs, and models whose host name "
        "resolves to one.",
    )
    cors_origins: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Web origins that may call the API, such as `https://app.example.com`; separated by commas, or a "
        "JSON list. `*`: any.",
    )
    cors_credentials: bool = Field(
        default=False,
        description="Let pages of those origins send cookies and other browser credentials; the API needs none.",
    )
    rate_limits: bool = Field(default=True, description="Limit the number of calls per minute.")
    rate_limit_factor: float = Field(
        default=1, gt=0, le=1_000, description="Multiplies every limit on calls per minute."
    )
    jwt_secret: SecretStr = Field(
        default=SecretStr(""),
        description="Secret with which the tokens of end users are signed (HS256); at least 32 bytes.",
    )
    jwt_jwks_url: str = Field(
        default="",
        description="URL of the public keys that verify the tokens of end users (RS256, ES256).",
    )
    jwt_issuer: str = Field(
        default="", description="Issuer that the tokens of end users must name; empty: any."
    )
    jwt_audience: str = Field(
        default="", description="Audience that the tokens of end users must name; empty: any, or none."
    )
    jwt_leeway_seconds: float = Field(
        default=30, ge=0, le=600, description="How much the issuer's clock may differ from the server's."
    )
    jwt_org: str = Field(default=LOCAL_ORG, description="Organisation to which end users belong.")
    erasure_key: SecretStr = Field(
        default=SecretStr(""),
        description="Secret with which erasure reports are signed, at least 32 bytes, the same for all processes. "
        "Empty: one is generated and kept as `erasure.key` in the home folder.",
    )
    log_level: str = Field(default="info", description="`debug`, `info`, `warning` or `error`.")
    log_format: str = Field(default="auto", description="`json`, `text`, or `auto` (text on a terminal).")

    @field_validator("retention_days", "retention_rows", mode="before")
    @classmethod
    def _read_limits(cls, value: object, info: ValidationInfo) -> object:
        default = cls.model_fields[info.field_name or ""].default
        return default | read_limits(value) if isinstance(value, str) else value

    @field_validator("cors_origins", mode="before")
    @classmethod
    def _read_origins(cls, value: object) -> object:
        return read_list(value) if isinstance(value, str) else value

    @field_validator("cors_origins")
    @classmethod
    def _checked_origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(map(checked_origin, value)))

    @model_validator(mode="after")
    def _knows_who_sends_credentials(self) -> Self:
        if self.cors_credentials and ANY_ORIGIN in self.cors_origins:
            raise ValueError(
                "SAGACITY_CORS_ORIGINS=* and SAGACITY_CORS_CREDENTIALS exclude each other: any web page could act "
                "for whoever visits it; list the origins"
            )
        return self

    @field_validator("log_level")
    @classmethod
    def _known_level(cls, value: str) -> str:
        if value.lower() not in {"debug", "info", "warning", "error"}:
            raise ValueError("must be debug, info, warning or error")
        return value.lower()

    @field_validator("log_format")
    @classmethod
    def _known_format(cls, value: str) -> str:
        if value.lower() not in {"json", "text", "auto"}:
            raise ValueError("must be json, text or auto")
        return value.lower()

    @model_validator(mode="after")
    def _one_way_to_verify(self) -> Self:
        secret = self.jwt_secret.get_secret_value()
        if secret and self.jwt_jwks_url:
            raise ValueError("SAGACITY_JWT_SECRET and SAGACITY_JWT_JWKS_URL exclude each other; set one")
        if secret and len(secret.encode()) < LEAST_SECRET_BYTES:
            raise ValueError(f"SAGACITY_JWT_SECRET must have at least {LEAST_SECRET_BYTES} bytes (RFC 7518)")
        if self.jwt_jwks_url and not self.jwt_jwks_url.startswith(("https://", "http://")):
            raise ValueError("SAGACITY_JWT_JWKS_URL must be an http or https URL")
        return self

    @model_validator(mode="after")
    def _nobody_signs_in(self) -> Self:
        if self.self_host and self.knows_users:
            raise ValueError(
                "SELF_HOST is for one organisation in which nobody signs in: leave out SAGACITY_SIGN_UP, "
                "SAGACITY_JWT_SECRET and SAGACITY_JWT_JWKS_URL"
            )
        return self

    @field_validator("erasure_key")
    @classmethod
    def _long_enough(cls, value: SecretStr) -> SecretStr:
        return checked_secret(value)

    @property
    def storage_url(self) -> str:
        """The URL of the database."""
        return self.database_url or f"sqlite:///{(self.home.expanduser() / 'sagacity.db').absolute()}"

    @property
    def storage_place(self) -> str:
        """The same for people: a file, or a URL without its password."""
        if self.is_sqlite:
            return self.storage_url.removeprefix("sqlite:///")
        address = urlsplit(self.storage_url)
        return f"{address.scheme}://{address.netloc.rpartition('@')[2]}{address.path}"

    @property
    def is_sqlite(self) -> bool:
        """Whether the database is a file on this machine."""
        return self.storage_url.startswith("sqlite")

    @property
    def is_loopback(self) -> bool:
        """Whether only this machine can reach the server."""
        return is_this_machine(self.host)

    @property
    def is_worker_loopback(self) -> bool:
        """Whether only this machine can reach the workers."""
        return is_this_machine(self.worker_host)

    @property
    def knows_users(self) -> bool:
        """Whether users sign in or have tokens of their own; then no call is accepted without a token."""
        return bool(self.jwt_secret.get_secret_value() or self.jwt_jwks_url) or self.sign_up != "closed"


def load_settings(**given: object) -> Settings:
    """
    Read the settings from the environment; *given* overrides it.

    Raises:
        ConfigError: a setting is wrong or unknown; the message names it.
    """
    _refuse_unknown(os.environ)  # noqa: TID251  the one place that may
    for name, other in _OTHER_NAMES.items():
        if f"{_PREFIX}{name.upper()}" not in os.environ and other in os.environ:  # noqa: TID251  the one place that may
            given = {name: os.environ[other], **given}  # noqa: TID251  the one place that may
    given = {**mail_of_others(os.environ), **given}  # noqa: TID251  the one place that may
    try:
        settings = Settings(**given)  # pyright: ignore[reportArgumentType]  # pydantic checks each
        if not settings.self_host:  # where accounts are in a document, whatever else is set
            refuse_supabase(os.environ)  # noqa: TID251  the one place that may
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        told = first["msg"].removeprefix("Value error, ")
        raise ConfigError(f"setting SAGACITY_{name.upper()}: {told}" if name else told) from error
    return settings


def _refuse_unknown(environment: Iterable[str]) -> None:
    """Refuse an unknown variable with our prefix, because it would silently have no effect."""
    known = [*(f"{_PREFIX}{name.upper()}" for name in Settings.model_fields), *_OF_CLIENTS]
    for name in sorted(environment):
        if (
            name.upper().startswith(_PREFIX)
            and name.upper() not in known
            and not _SERVICE_LINK.fullmatch(name)
        ):
            bare = [one.removeprefix(_PREFIX) for one in known]  # the prefix would make any two alike
            near = get_close_matches(name.upper().removeprefix(_PREFIX), bare, n=1, cutoff=_ALIKE)
            hint = f"; did you mean {_PREFIX}{near[0]}?" if near else ""
            raise ConfigError(f"environment variable {name} is not known{hint}")


def provider_keys(environment: Mapping[str, str] | None = None) -> dict[str, SecretStr]:
    """Return the API keys in the environment, by the names of their variables, such as OPENAI_API_KEY."""
    source = os.environ if environment is None else environment  # noqa: TID251  the one place that may
    return {
        name: SecretStr(value.strip())
        for name, value in source.items()
        if name.endswith(_KEY_SUFFIX) and not name.startswith("SAGACITY_") and value.strip()
    }
