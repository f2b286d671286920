"""What all recorders of calls share: the call's id, and that a failure to record fails no call."""

from collections.abc import Generator
from contextlib import contextmanager

import structlog

_log = structlog.get_logger(__name__)


def call_id(otherwise: str) -> str:
    """Return the correlation id of the call that goes on; *otherwise* where there is none."""
    return str(structlog.contextvars.get_contextvars().get("correlation_id", otherwise))


@contextmanager
def harmless(event: str) -> Generator[None]:
    """Let no failure out, and log it as *event*: a call is answered, whether it is recorded or not."""
    try:
        yield
    except Exception:  # noqa: BLE001  whatever it is, it is none of the caller's
        _log.exception(event)
