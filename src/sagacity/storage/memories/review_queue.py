"""The review queue in one statement: each memory's signals, its score, and the requested page."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import sqlalchemy as sa

from sagacity.domain.ids import MemoryId, UserId
from sagacity.domain.kinds import KINDS
from sagacity.domain.memory import MemoryKind, Status, Visibility
from sagacity.domain.query import Filter
from sagacity.domain.review_queue import (
    COST_SCORES,
    DUPLICATE_COSINE,
    DUPLICATE_SCORES,
    HARMS_SCORE,
    HELPS_SCORE,
    LEAST_CITED_SHARE,
    LEAST_INJECTIONS,
    STALE_SCORES,
    SUPERSEDEABLE_SCORE,
    RelatedMemory,
    ReviewCandidate,
    ReviewQuery,
    ReviewSignal,
    ReviewStep,
)
from sagacity.storage.analytics.usage import usage_by_item
from sagacity.storage.base import Scope
from sagacity.storage.memories.lineage import Successor, successors_of
from sagacity.storage.schema.tables import duplicate_pairs, memories, review_actions
from sagacity.storage.search.filters import has_document, values_of
from sagacity.storage.statements.array_params import one_of

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_FIRST = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND
_DAY = timedelta(days=1) // _MICROSECOND
_DAYS_A_POINT = 7
_PARTS = 10_000
"""Parts of 1 in which cosines are counted, because databases round differently."""
_RELATED = 3
"""How many related memories are shown for each signal."""
_COUNTS = ("injection_count", "citation_count")
_BY_EFFECT = (ReviewSignal.HARMS, ReviewSignal.HELPS)
Effects = Mapping[ReviewSignal, Collection[tuple[MemoryKind, str]]]
"""Which memories help or harm, by kind and by the id that the API uses."""
_NO_EFFECTS: Effects = {}


class _Numbers(NamedTuple):
    """The SQL expressions from which signals are computed."""

    injections: sa.ColumnElement[int]
    citations: sa.ColumnElement[int]
    similarity: sa.ColumnElement[float | None]
    changed_at: sa.ColumnElement[int]
    """The time of the last change in microseconds since 1970, on every database."""


class ReviewQueueRepository:
    """Memories of a tenant that a person should look at."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def page(
        self, wanted: ReviewQuery, *, effects: Effects = _NO_EFFECTS, limit: int, offset: int = 0
    ) -> list[ReviewCandidate]:
        """
        Return current memories that have a signal, highest score first, ties by number.

        Memories that a person decided to keep are left out until that time is over.

        Args:
            wanted: the user, kinds and signals.
            effects: which memories help or harm.
            limit: the most memories.
            offset: how many to skip.
        """
        if wanted.signals is not None and not wanted.signals:
            return []
        successors = await successors_of(self._scope, wanted.kinds, wanted.user_id)
        scored = self._scored(wanted, successors, effects).subquery("scored")
        signals = wanted.signals or frozenset(ReviewSignal)
        statement = (
            sa.select(scored)
            .where(sa.or_(*(scored.c[signal] for signal in sorted(signals))))
            .order_by(scored.c.score.desc(), scored.c.memory_id)
            .limit(limit)
            .offset(offset)
        )
        served = Filter(statuses=(), visibility=(Visibility.SERVED,), valid_at=self._scope.clock.now())
        rows = await self._scope.all(statement, values_of(served))
        found = [_candidate(row) for row in rows]
        related = await self._related([one.memory_id for one in found], successors)
        return [one.model_copy(update={"related": tuple(related.get(one.memory_id, ()))}) for one in found]

    def _scored(
        self, wanted: ReviewQuery, successors: Mapping[MemoryId, Successor], effects: Effects
    ) -> sa.Select[*tuple[Any, ...]]:
        """Return the statement for all current memories, with signals and score; most have no signal."""
        column, now = memories.c, self._scope.clock.now()
        usage = usage_by_item(self._scope, now - timedelta(days=wanted.days_back)).subquery("usage")
        pairs = self._nearest().subquery("pairs")
        numbers = _Numbers(
            injections=sa.func.coalesce(usage.c.surfaced_count, 0),
            citations=sa.func.coalesce(usage.c.citation_count, 0),
            similarity=pairs.c.similarity,
            changed_at=sa.type_coerce(column.updated_at, sa.BigInteger),
        )
        flags = _signals(numbers, wanted.days_back, microseconds(now), list(successors))
        for signal in _BY_EFFECT:
            names = [f"{kind}:{name}" for kind, name in effects.get(signal, ())]
            flags[signal] = one_of(column.kind.concat(":").concat(wire_id()), names)
        score = _score(numbers, flags, microseconds(now))
        is_used = sa.and_(usage.c.entity_type == column.kind, usage.c.entity_id == wire_id())
        return (
            sa.select(
                column.memory_id,
                *(column[name] for name in ("uid", "kind", "user_id", "name", "trigger", "content")),
                numbers.changed_at.label("changed_at"),
                numbers.injections.label("injection_count"),
                numbers.citations.label("citation_count"),
                usage.c.last_injected_at,
                usage.c.last_cited_at,
                *(flag.label(signal) for signal, flag in flags.items()),
                score.label("score"),
            )
            .select_from(
                memories.outerjoin(usage, is_used).outerjoin(pairs, pairs.c.memory_id == column.memory_id)
            )
            .where(*self._reached(wanted), ~is_kept(now))
        )

    def _reached(self, wanted: ReviewQuery) -> list[sa.ColumnElement[bool]]:
        """Return the conditions for the memories to consider: those that are served."""
        column = memories.c
        return [
            column.org_id == self._scope.org_id,
            column.kind.in_([str(kind) for kind in wanted.kinds]),
            *([] if wanted.user_id is None else [column.user_id == wanted.user_id]),
            column.status == str(Status.CURRENT),
            has_document(column.memory_id, column.kind, ("visibility", "valid_at")),
        ]

    def _nearest(self) -> sa.Select[*tuple[Any, ...]]:
        """Return the statement for the similarity of each memory's nearest duplicate that is current."""
        pair, other = duplicate_pairs.c, memories.alias("other")
        return (
            sa.select(pair.memory_id, sa.func.max(pair.similarity).label("similarity"))
            .join(other, other.c.memory_id == pair.other_id)
            .where(pair.org_id == self._scope.org_id, other.c.status == str(Status.CURRENT))
            .group_by(pair.memory_id)
        )

    async def _related(
        self, ids: Sequence[MemoryId], successors: Mapping[MemoryId, Successor]
    ) -> dict[MemoryId, list[RelatedMemory]]:
        """Return what the memories of a page are compared with: their successors and duplicates."""
        found: dict[MemoryId, list[RelatedMemory]] = {one: [] for one in ids}
        named = {one: successors[one] for one in ids if one in successors}
        texts = await self._texts({successor.memory_id for successor in named.values()})
        for one, successor in named.items():
            if successor.memory_id in texts:
                found[one].append(_shown(texts[successor.memory_id], ReviewSignal.SUPERSEDEABLE, None))
        pair, other = duplicate_pairs.c, memories.c
        statement = (
            sa.select(
                pair.memory_id.label("of_id"),
                pair.similarity,
                *(other[name] for name in ("memory_id", "uid", "kind", "name", "content")),
            )
            .join(memories, other.memory_id == pair.other_id)
            .where(one_of(pair.memory_id, ids), self._scope.owns(duplicate_pairs))
            .where(other.status == str(Status.CURRENT))
            .order_by(pair.similarity.desc(), other.memory_id)
        )
        counts: dict[MemoryId, int] = {}
        for row in await self._scope.all(statement) if ids else ():
            counts[row.of_id] = counts.get(row.of_id, 0) + 1
            if counts[row.of_id] <= _RELATED:
                found[row.of_id].append(_shown(row, ReviewSignal.DUPLICATE, min(row.similarity, 1.0)))
        return found

    async def _texts(self, ids: Iterable[int]) -> dict[int, Any]:
        """Return the contents of current memories, by number."""
        column, wanted = memories.c, sorted(ids)
        if not wanted:
            return {}
        statement = sa.select(
            *(column[name] for name in ("memory_id", "uid", "kind", "name", "content"))
        ).where(
            one_of(column.memory_id, wanted),
            self._scope.owns(memories),
            column.status == str(Status.CURRENT),
        )
        return {row.memory_id: row for row in await self._scope.all(statement)}


def is_kept(now: datetime) -> sa.ColumnElement[bool]:
    """Return the condition that a person decided to keep the memory until a time after *now*."""
    action = review_actions.c
    return (
        sa.exists()
        .where(
            action.memory_id == memories.c.memory_id,
            action.step == str(ReviewStep.KEEP),
            action.undone_at.is_(None),
            action.kept_until > sa.literal(now, action.kept_until.type),
        )
        .correlate(memories)
    )


def _signals(
    numbers: _Numbers, days_back: int, now: int, superseded: Sequence[int]
) -> dict[ReviewSignal, sa.ColumnElement[bool]]:
    """Return the condition of each signal. A column that holds no date never counts as old."""
    cited_rarely = numbers.citations < numbers.injections * LEAST_CITED_SHARE
    return {
        ReviewSignal.STALE: is_stale(numbers.injections, numbers.changed_at, days_back, now),
        ReviewSignal.DUPLICATE: numbers.similarity.is_not(None),
        ReviewSignal.HIGH_COST_LOW_CITE: sa.and_(numbers.injections >= LEAST_INJECTIONS, cited_rarely),
        ReviewSignal.SUPERSEDEABLE: one_of(memories.c.memory_id, superseded),
    }


def is_stale(
    injections: sa.ColumnElement[int], changed_at: sa.ColumnElement[int], days_back: int, now: int
) -> sa.ColumnElement[bool]:
    """Return the condition that a memory was neither surfaced nor changed in *days_back* days."""
    return sa.and_(injections == 0, changed_at.between(_FIRST, now - days_back * _DAY))


def _score(
    numbers: _Numbers, flags: Mapping[ReviewSignal, sa.ColumnElement[bool]], now: int
) -> sa.ColumnElement[int]:
    """Return the highest score of a memory's signals; a stale memory costs nothing, because it was never surfaced."""
    low, high = STALE_SCORES
    weeks = (now - numbers.changed_at) // (_DAY * _DAYS_A_POINT)
    stale = sa.case((weeks > high - low, high), else_=low + weeks)
    low, high = DUPLICATE_SCORES
    beyond = sa.cast(sa.func.round(numbers.similarity * _PARTS), sa.Integer) - round(
        DUPLICATE_COSINE * _PARTS
    )
    points = beyond * (high - low) // round((1 - DUPLICATE_COSINE) * _PARTS)
    duplicate = sa.case((points >= high - low, high), (points <= 0, low), else_=low + points)
    low, high = COST_SCORES
    cost = sa.case((numbers.injections > high - low, high), else_=low + numbers.injections)
    is_staler = sa.or_(~flags[ReviewSignal.DUPLICATE], stale >= duplicate)
    return sa.case(
        (flags[ReviewSignal.SUPERSEDEABLE], SUPERSEDEABLE_SCORE),
        (flags[ReviewSignal.HARMS], HARMS_SCORE),
        (sa.and_(flags[ReviewSignal.STALE], is_staler), stale),
        (flags[ReviewSignal.DUPLICATE], duplicate),
        (flags[ReviewSignal.HELPS], HELPS_SCORE),
        (flags[ReviewSignal.HIGH_COST_LOW_CITE], cost),
        else_=0,
    )


def wire_id() -> sa.ColumnElement[str]:
    """Return the id that the API uses for a memory, under which its uses are counted."""
    by_uid = [str(kind) for kind, spec in KINDS.items() if spec.is_known_by_uid]
    number = sa.cast(memories.c.memory_id, sa.Text)
    return sa.case((memories.c.kind.in_(by_uid), memories.c.uid), else_=number)


def _candidate(row: Any) -> ReviewCandidate:
    values = row._mapping
    return ReviewCandidate(
        kind=MemoryKind(row.kind),
        memory_id=MemoryId(row.memory_id),
        uid=row.uid,
        user_id=None if row.user_id is None else UserId(row.user_id),
        name=row.name,
        trigger=row.trigger,
        content=row.content,
        signals=tuple(signal for signal in ReviewSignal if values[signal]),
        score=row.score,
        injection_count=row.injection_count,
        citation_count=row.citation_count,
        last_injected_at=row.last_injected_at,
        last_cited_at=row.last_cited_at,
        last_modified_at=_moment(row.changed_at),
    )


def _shown(row: Any, signal: ReviewSignal, similarity: float | None) -> RelatedMemory:
    return RelatedMemory(
        kind=MemoryKind(row.kind),
        memory_id=row.memory_id,
        uid=row.uid,
        signal=signal,
        name=row.name,
        content=row.content,
        similarity=similarity,
    )


def microseconds(moment: datetime) -> int:
    """Return a time in microseconds since 1970."""
    return (moment - _EPOCH) // _MICROSECOND


def _moment(value: object) -> datetime | None:
    """Return the time that a column holds; None if it holds none."""
    if not isinstance(value, int):
        return None
    try:
        return _EPOCH + value * _MICROSECOND
    except OverflowError:
        return None
