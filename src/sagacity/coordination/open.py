"""Open the shared state at a URL; the only file that names where it can be."""

from sagacity.coordination.base import SharedState
from sagacity.coordination.local import open_local
from sagacity.domain.errors import ConfigError


def open_shared(redis_url: str) -> SharedState:
    """
    Return the state shared by all processes with this *redis_url*; empty: by this process alone.

    Nothing connects before first use. A server that is down is no error: each process then goes on alone.

    Raises:
        ConfigError: the URL is malformed, or the package for it is not installed.
    """
    if not redis_url:
        return open_local()
    try:
        from sagacity.coordination.redis import open_redis  # noqa: PLC0415  an extra brings what it needs
    except ModuleNotFoundError as error:
        raise ConfigError(
            "setting SAGACITY_REDIS_URL needs one more package: uv pip install -e '.[redis]' in the checkout"
        ) from error
    return open_redis(redis_url)
