"""Group rows by hour, day or week in SQL. All in UTC; weeks begin on Monday."""

from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa

from sagacity.domain.analytics_reports import Granularity, length_of

_MONDAY = datetime(1970, 1, 5, tzinfo=UTC)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def step_number(moment: sa.ColumnElement[Any], granularity: Granularity) -> sa.Label[int]:
    """Return the step of a column of times as a number to group by; `beginning_of` converts it back."""
    first = (_MONDAY - _EPOCH) // _MICROSECOND
    length = length_of(granularity) // _MICROSECOND
    return (sa.cast(moment, sa.BigInteger) - first).op("/", precedence=8)(length).label("step")


def beginning_of(step: int, granularity: Granularity) -> datetime:
    """Return when the step with that number begins."""
    return _MONDAY + step * length_of(granularity)
