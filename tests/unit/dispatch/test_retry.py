"""When to try again."""

from datetime import UTC, datetime, timedelta

import pytest

from sagacity.dispatch.retry import RetryPolicy

NOW = datetime(2026, 5, 1, tzinfo=UTC)
POLICY = RetryPolicy(attempts=5, base_seconds=5, longest_seconds=30)


@pytest.mark.parametrize(("failures", "wait"), [(1, 5), (2, 10), (3, 20), (4, 30)])
def test_wait_doubles_up_to_the_longest(failures: int, wait: float) -> None:
    """Five seconds, ten, twenty, and then the longest."""
    assert POLICY.next_try(failures, NOW) == NOW + timedelta(seconds=wait)


@pytest.mark.parametrize("failures", [5, 6, 100])
def test_last_attempt_gives_up(failures: int) -> None:
    """After as many failures as there are attempts there is no next one."""
    assert POLICY.next_try(failures, NOW) is None


def test_one_attempt_is_never_repeated() -> None:
    """A policy of one try gives up after it."""
    assert RetryPolicy(attempts=1).next_try(1, NOW) is None


def test_many_attempts_wait_no_longer_than_the_longest() -> None:
    """The doubling has an end, also after very many failures."""
    assert RetryPolicy(attempts=10_000).next_try(900, NOW) == NOW + timedelta(hours=1)
