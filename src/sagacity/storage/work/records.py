"""Delete records that only report what happened, when they are too old or too many."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from sagacity.domain.cursor import DeadLetterStatus
from sagacity.domain.operation import OperationStatus
from sagacity.domain.retention import Record
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import (
    dead_letters,
    evaluations,
    extractions,
    model_calls,
    operations,
    review_actions,
    usage_events,
)

SPENDING_COUNTS = timedelta(days=32)
"""Requests to models count towards the spending cap of their calendar month, so they are kept for longer than that."""


def _any(_now: datetime) -> sa.ColumnElement[bool]:
    return sa.true()


@dataclass(frozen=True, slots=True)
class _Place:
    table: sa.Table
    key: str
    may_go: Callable[[datetime], sa.ColumnElement[bool]] = _any
    """Returns the condition for rows that nothing needs at a given time."""


def _counted(now: datetime) -> sa.ColumnElement[bool]:
    return model_calls.c.created_at < now - SPENDING_COUNTS


def _replayed(_now: datetime) -> sa.ColumnElement[bool]:
    return dead_letters.c.status == str(DeadLetterStatus.REPLAYED)


def _finished(_now: datetime) -> sa.ColumnElement[bool]:
    return operations.c.status != str(OperationStatus.IN_PROGRESS)


def _over(now: datetime) -> sa.ColumnElement[bool]:
    until = review_actions.c.kept_until
    return sa.or_(until.is_(None), until <= now)


_PLACES: Mapping[Record, _Place] = {
    Record.DEAD_LETTERS: _Place(dead_letters, "dead_letter_id", _replayed),
    Record.EVALUATIONS: _Place(evaluations, "result_id"),
    Record.EXTRACTIONS: _Place(extractions, "extraction_id"),
    Record.MODEL_CALLS: _Place(model_calls, "call_id", _counted),
    Record.OPERATIONS: _Place(operations, "operation_id", _finished),
    Record.REVIEW_ACTIONS: _Place(review_actions, "action_id", _over),
    Record.USAGE_EVENTS: _Place(usage_events, "event_id"),
}


class RecordRepository:
    """A tenant's records: how many there are, and their clean-up, a limited number of rows at a time."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def count(self, record: Record) -> int:
        """Return how many rows there are."""
        table = _PLACES[record].table
        statement = sa.select(sa.func.count()).where(table.c.org_id == self._scope.org_id)
        return (await self._scope.all(statement))[0][0]

    async def first_at(self, record: Record) -> datetime | None:
        """Return when the oldest row was written; None if there is none."""
        column = _PLACES[record].table.c
        oldest = sa.select(column.created_at).where(column.org_id == self._scope.org_id)
        rows = await self._scope.all(oldest.order_by(column.created_at).limit(1))
        return rows[0].created_at if rows else None

    async def drop(self, record: Record, *, before: datetime | None = None, limit: int) -> int:
        """
        Delete up to *limit* of the oldest rows that nothing needs.

        Still needed are parked windows, running operations, memories that a review set aside, and model calls that
        count towards a spending cap.

        Args:
            record: the type of record.
            before: delete only rows written before this time.
            limit: the most rows to delete.

        Returns:
            How many were deleted.
        """
        place = _PLACES[record]
        column = place.table.c
        key: sa.ColumnElement[Any] = column[place.key]
        mine = column.org_id == self._scope.org_id
        oldest = sa.select(key).where(mine, place.may_go(self._scope.clock.now()))
        if before is not None:
            oldest = oldest.where(column.created_at < before)
        chosen = oldest.order_by(column.created_at, key).limit(limit)
        return await self._scope.run(sa.delete(place.table).where(mine, key.in_(chosen)))
