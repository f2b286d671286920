"""Open the shared state at a URL; the only file that names where it can be."""

from sagacity.coordination.base import SharedState
from sagacity.coordination.local import open_local
from sagacity.domain.errors import ConfigError


def open_shared(redis_url: str) -> SharedState:
    """
    Return the state shared by all processes with this *redis_url*; if it is empty, the state of this process alone.

    Nothing connects before first use. A server that is down causes no error: each process then continues alone.

    Raises:
        ConfigError: the URL is malformed, or the package for it is not installed.
    """
    if not redis_url:
        return open_local()
    try:
        from sagacity.coordination.redis import open_redis  # noqa: PLC0415  it needs a package of an extra
    except ModuleNotFoundError as error:
        raise ConfigError(
            "setting SAGACITY_REDIS_URL needs one more package: uv pip install -e '.[redis]' in the checkout"
        ) from error
    return open_redis(redis_url)
