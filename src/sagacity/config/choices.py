"""The parts of other rooms that the settings choose: the embedder, PostgreSQL, keys."""

from collections.abc import Callable
from pathlib import Path

from sagacity.auth.end_users import TokenRules, UserTokens
from sagacity.auth.erasure_key import ErasureKey, OpenKey, read_or_make
from sagacity.auth.key_ring import KEY_FILE, KeyRing, KeyService, OpenRing, open_key_file, read_keys
from sagacity.auth.key_sets import fetch_from
from sagacity.auth.secret_file import read_or_make_secret
from sagacity.config.kms import KmsKeys
from sagacity.config.settings import Settings
from sagacity.config.traces import collector_headers
from sagacity.domain.clock import Clock
from sagacity.observability.tracing import TraceChoice
from sagacity.providers.embedders.open import EmbedderChoice
from sagacity.storage.open import PostgresOptions


def embedder_choice(settings: Settings) -> EmbedderChoice:
    """Return the embedder that the settings name."""
    return EmbedderChoice(
        name=settings.embedder,
        api_key=settings.embedder_api_key if settings.embedder_api_key.get_secret_value() else None,
        api_base=settings.embedder_api_base or None,
        dimension=settings.embedder_dimension or None,
        cache_entries=settings.embedding_cache_entries,
        shared_cache_seconds=settings.shared_embedding_cache_seconds,
    )


def trace_choice(settings: Settings) -> TraceChoice | None:
    """Return the collector and the share of traces; None if no collector is set."""
    if not settings.traces_url:
        return None
    return TraceChoice(
        url=settings.traces_url,
        headers=collector_headers(settings.traces_headers),
        service_name=settings.traces_service,
        share=settings.traces_share,
    )


def postgres_options(settings: Settings, owner_url: str) -> PostgresOptions:
    """Return how to connect to PostgreSQL; *owner_url* connects as the role that owns the tables, empty for none."""
    return PostgresOptions(
        owner_url=owner_url,
        connections=settings.database_pool_size,
        pooler=settings.database_pooler,
    )


def erasure_key(settings: Settings) -> OpenKey:
    """Return a function that loads the key of erasures: from the settings, else from the home folder."""

    def opened() -> ErasureKey:
        if secret := settings.erasure_key.get_secret_value():
            return ErasureKey(secret.encode())
        return read_or_make(settings.home.expanduser() / "erasure.key")

    return opened


def config_keys(settings: Settings) -> OpenRing:
    """
    Return a function that loads the keys of configurations: from the settings, else from the home folder.

    Raises:
        ConfigError: a key service wrapped them and cannot unwrap them now.
    """
    service, path = key_service(settings), config_key_file(settings)

    def opened(*, make: bool) -> KeyRing:
        if text := settings.config_key.get_secret_value():
            return KeyRing(read_keys(text, service))
        return open_key_file(path, make=make, service=service)

    if service is not None and (settings.config_key.get_secret_value() or path.exists()):
        opened(make=False)  # the service is asked now, and in no call
    return opened


def key_service(settings: Settings) -> KeyService | None:
    """Return the service that wraps the keys of configurations; None: they are stored in the clear."""
    return KmsKeys(settings.config_key_kms) if settings.config_key_kms else None


def config_key_file(settings: Settings) -> Path:
    """Return the file of the keys of configurations, which counts unless they are in the settings."""
    return settings.home.expanduser() / KEY_FILE


def account_key(settings: Settings) -> Callable[[], bytes]:
    """Return a function that loads the key of accounts: from the settings, else from the home folder."""

    def read() -> bytes:
        if secret := settings.account_key.get_secret_value():
            return secret.encode()
        path = settings.home.expanduser() / "accounts.key"
        return read_or_make_secret(path, use="accounts", setting="SAGACITY_ACCOUNT_KEY")

    return read


def user_tokens(settings: Settings, clock: Clock) -> UserTokens | None:
    """Return the verifier of end users' tokens; None if the settings name no issuer."""
    secret, url = settings.jwt_secret.get_secret_value(), settings.jwt_jwks_url
    if not secret and not url:
        return None
    rules = TokenRules(
        issuer=settings.jwt_issuer,
        audience=settings.jwt_audience,
        leeway_seconds=settings.jwt_leeway_seconds,
    )
    return UserTokens(rules, clock=clock, secret=secret, fetch_keys=fetch_from(url) if url else None)
