"""Parts that all recorders of calls share: the call's id, and a guard so that a failure to record fails no call."""

from collections.abc import Generator
from contextlib import contextmanager

import structlog

_log = structlog.get_logger(__name__)


def call_id(otherwise: str) -> str:
    """Return the correlation id of the current call; *otherwise* if there is none."""
    return str(structlog.contextvars.get_contextvars().get("correlation_id", otherwise))


@contextmanager
def harmless(event: str) -> Generator[None]:
    """Log exceptions of the block as *event* instead of raising them: recording must not fail a call."""
    try:
        yield
    except Exception:  # noqa: BLE001  whatever it is, it is none of the caller's
        _log.exception(event)
