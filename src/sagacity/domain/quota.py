"""Quotas: how much an organisation may store, and how many members and tokens it may have."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from sagacity.domain.base import Value
from sagacity.domain.errors import QuotaExceeded, RateLimited, SagacityError

LARGEST_QUOTA: Final = 1_000_000_000_000
"""The largest limit; it is as good as none."""


class QuotaName(StrEnum):
    """What is limited."""

    MEMBERS = "members"
    TOKENS = "tokens"
    USERS = "users"
    INTERACTIONS = "interactions"
    MEMORIES = "memories"
    INTERACTIONS_PER_DAY = "interactions_per_day"


class Quota(Value):
    """One limit of an organisation, and how much of it is used."""

    name: QuotaName
    most: int | None
    """None: there is no limit."""
    used: int


Limits = Mapping[QuotaName, int | None]
"""The limit; None: unlimited."""

_WORDS: Mapping[QuotaName, tuple[str, str]] = {
    QuotaName.MEMBERS: ("members and open invitations", "remove members or revoke invitations"),
    QuotaName.TOKENS: ("API tokens that work", "revoke some"),
    QuotaName.USERS: ("users", "erase users who are no longer needed"),
    QuotaName.INTERACTIONS: ("stored interactions", "delete old ones"),
    QuotaName.MEMORIES: ("stored memories", "delete some"),
    QuotaName.INTERACTIONS_PER_DAY: ("interactions a day", "wait until midnight in UTC"),
}
OVER_QUOTA: Final = "the organisation may store no more memories"
"""The message if learning stored less than it learned."""


def over(quota: Quota, *, wanted: int, now: datetime) -> SagacityError:
    """Return the error of a call that would add *wanted* to *quota*, which has no room for that."""
    name = quota.name
    what, to_do = _WORDS[name]
    text = (
        f"the quota {name} of this organisation is {quota.most or 0:,}: it has {quota.used:,} {what}, and this call "
        f"would add {wanted:,}; {to_do}, or ask the operator for a higher limit"
    )
    if name is QuotaName.INTERACTIONS_PER_DAY:
        return RateLimited(text, retry_after_seconds=seconds_left(now))
    return QuotaExceeded(text, quota=str(name))


def day_of(moment: datetime) -> int:
    """Return the day of a moment, counted from 1970 in UTC."""
    return int(moment.timestamp()) // 86_400


def seconds_left(now: datetime) -> int:
    """Return the seconds left of a day in UTC; at least 1."""
    midnight = now.replace(hour=0, minute=0, second=0, microsecond=0) + timedelta(days=1)
    return max(1, int((midnight - now).total_seconds()) + 1)
