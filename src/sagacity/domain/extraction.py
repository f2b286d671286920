"""Counts of what became of the entries that learners proposed."""

from datetime import datetime
from enum import StrEnum

from sagacity.domain.base import Value
from sagacity.domain.ids import RunId, UserId
from sagacity.domain.memory import Status


class Rejection(StrEnum):
    """Why an entry that an extractor proposed is in no memory."""

    EMPTY = "empty"
    """It has no text, or none that can be read."""
    UNSUPPORTED = "unsupported"
    """No unread turn says it."""
    REPEATED = "repeated"
    """It says the same as an entry before it."""
    OVER_LIMIT = "over_limit"
    """The answer had more entries than are read."""
    CONTACT_DATA = "contact_data"
    """It says how to reach the user, and the tenant does not want that noted."""
    OUTDATED = "outdated"
    """A newer turn, or a newer memory, says otherwise."""
    CONFIRMED = "confirmed"
    """It would change a memory that a person has written or confirmed since."""
    DELETED = "deleted"
    """The turns that say it were deleted meanwhile."""
    SWITCHED_OFF = "switched_off"
    """The user switched learning it off while it was read."""
    OVER_QUOTA = "over_quota"
    """The organisation has as many memories as it may have."""


class EntryCounts(Value):
    """How many entries were proposed, and what became of them: kept, merged and dropped add up to proposed."""

    proposed: int = 0
    kept: int = 0
    """Stored as memories of their own, whether or not they replaced others; or done, as what asks to forget others."""
    merged: int = 0
    """Merged into a memory or another entry that says the same or belongs with it."""
    dropped: int = 0
    reasons: dict[Rejection, int] = {}
    """Dropped entries by reason."""

    def __add__(self, other: "EntryCounts") -> "EntryCounts":
        """Return the sums of both."""
        every = {*self.reasons, *other.reasons}
        return EntryCounts(
            proposed=self.proposed + other.proposed,
            kept=self.kept + other.kept,
            merged=self.merged + other.merged,
            dropped=self.dropped + other.dropped,
            reasons={why: self.reasons.get(why, 0) + other.reasons.get(why, 0) for why in sorted(every)},
        )


class ExtractionRecord(EntryCounts):
    """The outcome of the entries of one window, as stored."""

    learner: str
    user_id: UserId
    version: Status
    """The version that was written."""
    run_id: RunId | None = None
    """The run under which its changes are recorded; None if there were none."""
    first_seq: int
    last_seq: int
    """The turns that were read, by their `seq`."""
    prompt: str = ""
    """The prompt's name and version; empty for rules."""
    model: str = ""
    created_at: datetime
