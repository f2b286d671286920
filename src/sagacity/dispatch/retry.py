"""When to try again; pure."""

from datetime import datetime, timedelta

from sagacity.domain.base import Value


class RetryPolicy(Value):
    """How often, and after which waits, a failed window is retried."""

    attempts: int = 5
    base_seconds: float = 5.0
    longest_seconds: float = 3600.0

    def next_try(self, attempts: int, now: datetime) -> datetime | None:
        """
        Return when to retry after *attempts* failures; None: give up.

        The wait doubles with each failure, from `base_seconds` up to `longest_seconds`.
        """
        if attempts >= self.attempts:
            return None
        wait = min(self.base_seconds * 2.0 ** (attempts - 1), self.longest_seconds)
        return now + timedelta(seconds=wait)
