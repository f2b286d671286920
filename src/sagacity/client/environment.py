"""The two environment variables that the SDK reads, so that scripts need not say where the server is."""

import os

DEFAULT_URL = "http://127.0.0.1:8081"


def default_url(otherwise: str = DEFAULT_URL) -> str:
    """Return the server's address as SAGACITY_URL gives it, else the one that `sagacity serve` uses by itself."""
    return os.environ.get("SAGACITY_URL") or otherwise  # noqa: TID251  the SDK may not import config


def default_api_key() -> str | None:
    """Return SAGACITY_API_KEY; None without one."""
    return os.environ.get("SAGACITY_API_KEY") or None  # noqa: TID251  the SDK may not import config
