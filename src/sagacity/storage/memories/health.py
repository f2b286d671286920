"""Count the problems of current memories in one pass, with a few examples of each."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import sqlalchemy as sa

from sagacity.domain.kinds import KINDS
from sagacity.domain.memory import MemoryKind, Status, Visibility
from sagacity.domain.memory_health import (
    BOILERPLATE,
    DENIALS,
    EXAMPLES,
    LEAST_CHARACTERS,
    MOST_CHARACTERS,
    Counts,
    HealthQuery,
    MemoryProblem,
    SickMemory,
)
from sagacity.domain.query import Filter
from sagacity.storage.analytics.usage import usage_by_item
from sagacity.storage.base import Scope
from sagacity.storage.memories.lineage import successors_of
from sagacity.storage.memories.review_queue import is_kept, is_stale, microseconds, wire_id
from sagacity.storage.schema.tables import duplicate_pairs, interactions, memories
from sagacity.storage.search.filters import has_document, values_of
from sagacity.storage.statements.array_params import one_of
from sagacity.storage.statements.json_lists import is_listed

_SHOWN_CHARACTERS = 200
_LONG_KINDS = [str(MemoryKind.EPISODIC), str(MemoryKind.SKILL)]
_AROUND = " .\n\t"
Flags = Mapping[MemoryProblem, sa.ColumnElement[bool]]


class HealthRepository:
    """Counts of problems of a tenant's memories."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def counts(self, wanted: HealthQuery) -> Counts:
        """Return how many current memories have each problem; reads each memory once, and pairs by index."""
        now = self._scope.clock.now()
        successors = await successors_of(self._scope, tuple(KINDS), wanted.user_id)
        flagged = self._flagged(wanted, list(successors)).subquery("flagged")
        served = values_of(Filter(statuses=(), visibility=(Visibility.SERVED,), valid_at=now))
        sums = [sa.func.sum(sa.case((flagged.c[one], 1), else_=0)).label(one) for one in MemoryProblem]
        [row] = await self._scope.all(sa.select(sa.func.count().label("total"), *sums), served)
        counts = {problem: row._mapping[problem] or 0 for problem in MemoryProblem}
        examples = {
            problem: await self._examples(flagged, problem, served)
            for problem, count in counts.items()
            if count
        }
        return Counts(total=row.total, counts=counts, examples=examples)

    async def _examples(
        self, flagged: sa.Subquery, problem: MemoryProblem, served: Mapping[str, Any]
    ) -> tuple[SickMemory, ...]:
        names = ("kind", "memory_id", "uid", "user_id", "content")
        statement = sa.select(*(flagged.c[name] for name in names)).where(flagged.c[problem])
        rows = await self._scope.all(statement.order_by(flagged.c.memory_id).limit(EXAMPLES), served)
        return tuple(SickMemory.model_validate(dict(row._mapping)) for row in rows)

    def _flagged(self, wanted: HealthQuery, superseded: list[int]) -> sa.Select[*tuple[Any, ...]]:
        """Return the statement for all served memories, with a flag for each problem."""
        column, now = memories.c, self._scope.clock.now()
        usage = usage_by_item(self._scope, now - timedelta(days=wanted.days_back)).subquery("usage")
        injections = sa.func.coalesce(usage.c.surfaced_count, 0)
        changed_at = sa.type_coerce(column.updated_at, sa.BigInteger)
        stale = is_stale(injections, changed_at, wanted.days_back, microseconds(now))
        flags: Flags = {
            MemoryProblem.JUNK: _is_junk(),
            MemoryProblem.DUPLICATE: sa.and_(self._repeats(), ~is_kept(now)),
            MemoryProblem.CONTRADICTION: sa.or_(
                one_of(column.memory_id, superseded),
                self._is_contradicted(wanted.exclusive_slots),
            ),
            MemoryProblem.STALE: sa.and_(stale, ~is_kept(now)),
            MemoryProblem.ORPHANED: self._is_orphaned(),
        }
        is_used = sa.and_(usage.c.entity_type == column.kind, usage.c.entity_id == wire_id())
        return (
            sa.select(
                *(column[name] for name in ("kind", "memory_id", "uid", "user_id")),
                sa.func.substr(column.content, 1, _SHOWN_CHARACTERS).label("content"),
                *(sa.func.coalesce(flag, sa.false()).label(problem) for problem, flag in flags.items()),
            )
            .select_from(memories.outerjoin(usage, is_used))
            .where(
                column.org_id == self._scope.org_id,
                *([] if wanted.user_id is None else [column.user_id == wanted.user_id]),
                column.status == str(Status.CURRENT),
                has_document(column.memory_id, column.kind, ("visibility", "valid_at")),
            )
        )

    def _repeats(self) -> sa.ColumnElement[bool]:
        """Return the condition that an older current memory says nearly the same, so one of each pair is counted."""
        pair, other = duplicate_pairs.c, memories.alias("other")
        return (
            sa.exists()
            .where(
                pair.memory_id == memories.c.memory_id,
                pair.org_id == self._scope.org_id,
                pair.other_id < pair.memory_id,
                other.c.memory_id == pair.other_id,
                other.c.status == str(Status.CURRENT),
            )
            .correlate(memories)
        )

    def _is_contradicted(self, slots: tuple[str, ...]) -> sa.ColumnElement[bool]:
        """Return the condition that a newer memory of the user and kind has another value for an exclusive slot."""
        column, other = memories.c, memories.alias("newer").c
        newer = (
            sa.exists()
            .where(
                other.org_id == column.org_id,
                other.kind == column.kind,
                other.user_id == column.user_id,
                other.slot == column.slot,
                other.slot != "",
                other.status == str(Status.CURRENT),
                other.memory_id > column.memory_id,
                sa.func.lower(other.content) != sa.func.lower(column.content),
                ~_denies(other.content),
            )
            .correlate(memories)
        )
        return sa.and_(column.slot != "", one_of(column.slot, slots), ~_denies(column.content), newer)

    def _is_orphaned(self) -> sa.ColumnElement[bool]:
        turns, named = interactions.c, memories.c.source_interaction_ids
        is_there = (
            sa.exists()
            .where(self._scope.owns(interactions), is_listed(turns.interaction_id, named))
            .correlate(memories)
        )
        return sa.and_(sa.cast(named, sa.Text) != "[]", ~is_there)


def _denies(content: sa.ColumnElement[str]) -> sa.ColumnElement[bool]:
    said = sa.func.lower(content)
    return sa.or_(*(said.like(pattern) for pattern in DENIALS))


def _is_junk() -> sa.ColumnElement[bool]:
    column = memories.c
    said = sa.func.lower(sa.func.trim(column.content, _AROUND))
    length = sa.func.length(said)
    is_long = sa.and_(length > MOST_CHARACTERS, column.kind.not_in(_LONG_KINDS))
    return sa.or_(length < LEAST_CHARACTERS, is_long, said.in_(BOILERPLATE))
