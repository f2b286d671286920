"""When to retry an e-mail that could not be sent."""

from datetime import datetime, timedelta

CLAIM = timedelta(minutes=2)
"""How long an e-mail is reserved for the process that is sending it: longer than a mail server may take."""
FIRST_PAUSE, LONGEST_PAUSE = timedelta(seconds=30), timedelta(hours=1)
MOST_ATTEMPTS = 8


def next_try(now: datetime, *, attempts: int) -> datetime | None:
    """Return when to retry after *attempts* earlier failures; None to give up."""
    if attempts + 1 >= MOST_ATTEMPTS:
        return None
    return now + min(LONGEST_PAUSE, FIRST_PAUSE * 2**attempts)
