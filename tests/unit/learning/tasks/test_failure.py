"""What people and the log are told of failed work."""

import pytest
import structlog

from sagacity.dispatch.retry import RetryPolicy
from sagacity.domain.errors import ProviderTimeout, StorageError
from sagacity.learning.compute import REPLACED, ReplacedError
from sagacity.learning.tasks.failure import Retrying
from support.parts import StoppedClock


@pytest.mark.parametrize(
    ("error", "told", "has_traceback"),
    [
        (ReplacedError(REPLACED), REPLACED, False),
        (ProviderTimeout("too late"), "too late", False),
        (StorageError("secret"), "internal error (StorageError); see the server's log", False),
        (KeyError("slot"), "internal error (KeyError); see the server's log", True),
    ],
)
def test_what_is_told_of_a_failure(error: Exception, told: str, *, has_traceback: bool) -> None:
    """Our own texts say what to do next; of what nobody foresaw, the log has the traceback."""
    retrying = Retrying(RetryPolicy(), StoppedClock())
    with structlog.testing.capture_logs() as logs:
        failure = retrying.failed("profile:one", error, attempts=0)
    assert failure.error == told
    [record] = logs
    assert (record["event"], record["error"], record["exc_info"] is error) == (
        "task.failed",
        told,
        has_traceback,
    )
