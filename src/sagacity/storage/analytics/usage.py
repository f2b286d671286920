"""Usage events, one row each, and their counts by memory."""

import re
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from sagacity.domain.errors import StorageError
from sagacity.domain.ids import UserId
from sagacity.domain.kinds import KINDS
from sagacity.domain.memory import MemoryKind
from sagacity.domain.usage import ItemUsage, UsageEvent, UsageEventName
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import memories, usage_events
from sagacity.storage.statements.array_params import one_of
from sagacity.storage.statements.user_key import user_key

COLUMN = usage_events.c
_IDS_A_STATEMENT = 1_000
_NUMBER = re.compile(r"[0-9]{1,18}")


class UsageRepository:
    """A tenant's measured uses. Rows are added and never changed."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def add(self, events: Sequence[UsageEvent]) -> None:
        """
        Store events; one whose uid is stored already stays unchanged.

        Raises:
            StorageError: an event belongs to another organisation; none is written.
        """
        if any(one.org_id != self._scope.org_id for one in events):
            raise StorageError("org_id mismatch: a usage event is of another organisation")
        if events:
            rows = [_row(one) for one in events]
            await self._scope.run(self._scope.insert_new(usage_events), rows)

    async def known(self, events: Sequence[UsageEvent]) -> list[UsageEvent]:
        """
        Return *events* without citations of things that are not memories, or of other users' memories.

        A citation may name its memory by number or by uid; the returned events use the id that the API uses.
        """
        cited = {one.entity_id for one in events if _is_citation(one) and one.entity_id is not None}
        if not cited:
            return list(events)
        column = memories.c
        columns = (column.kind, column.memory_id, column.uid, column.user_id)
        numbers = [int(one) for one in cited if _NUMBER.fullmatch(one)]
        by_number = sa.select(*columns).where(self._scope.owns(memories), one_of(column.memory_id, numbers))
        mine = column.org_id == self._scope.org_id
        by_uid = sa.select(*columns).where(mine, one_of(column.uid, sorted(cited)))
        found: dict[tuple[str, str], tuple[str, str | None]] = {}
        for row in [*await self._scope.all(by_number), *await self._scope.all(by_uid)]:
            name = row.uid if KINDS[MemoryKind(row.kind)].is_known_by_uid else str(row.memory_id)
            found[row.kind, str(row.memory_id)] = found[row.kind, row.uid] = name, row.user_id
        return [one for one in (_as_known(event, found) for event in events) if one is not None]

    async def injected(
        self, since: datetime, *, user_id: UserId | None = None, limit: int | None = None
    ) -> list[ItemUsage]:
        """
        Return how often each memory was surfaced and cited since a time, most often surfaced first.

        Args:
            since: the time from which events count.
            user_id: only uses for this user; None for all.
            limit: the most memories; None for all.
        """
        names = (UsageEventName.INJECTION, UsageEventName.CITATION)
        conditions = [COLUMN.event_name.in_(map(str, names)), COLUMN.created_at >= since]
        if user_id is not None:
            conditions.append(COLUMN.user_id == user_id)
        was_surfaced = sa.func.max(sa.case((COLUMN.event_name == str(UsageEventName.INJECTION), 1))) == 1
        columns = usage_by_item(self._scope, since).where(*conditions).having(was_surfaced)
        surfaced = sa.literal_column("surfaced_count", sa.BigInteger).desc()
        ordered = columns.order_by(surfaced, COLUMN.entity_type, COLUMN.entity_id).limit(limit)
        return [_usage_of(row) for row in await self._scope.all(ordered)]

    async def of_items(
        self, kind: MemoryKind, ids: Collection[str], *, since: datetime
    ) -> dict[str, ItemUsage]:
        """
        Return how often memories were surfaced and cited since a time, by the ids that the API uses.

        The times of last use are taken from all stored events, including those before *since*. Memories that were never
        used are left out.
        """
        wanted, found = sorted(ids), dict[str, ItemUsage]()
        for start in range(0, len(wanted), _IDS_A_STATEMENT):
            some = wanted[start : start + _IDS_A_STATEMENT]
            statement = usage_by_item(self._scope, since).where(
                COLUMN.entity_type == str(kind), one_of(COLUMN.entity_id, some)
            )
            found |= {row.entity_id: _usage_of(row) for row in await self._scope.all(statement)}
        return found

    async def forget_user(self, user_id: UserId, *, limit: int) -> int:
        """Delete events of a user, up to *limit*; returns how many."""
        mine = COLUMN.org_id == self._scope.org_id
        chosen = sa.select(COLUMN.event_id).where(mine, COLUMN.user_id == user_id).limit(limit)
        return await self._scope.run(sa.delete(usage_events).where(mine, COLUMN.event_id.in_(chosen)))


def usage_by_item(scope: Scope, since: datetime) -> sa.Select[*tuple[Any, ...]]:
    """
    Return the statement for how often each memory was used: one row per memory, with the fields of `ItemUsage`.

    Counts cover the events since a time; times of last use cover all stored events. Memories that were never used have
    no row. Rows are grouped by kind and number, because kinds number their memories independently.
    """
    is_recent = COLUMN.created_at >= since
    is_injection = COLUMN.event_name == str(UsageEventName.INJECTION)
    is_citation = COLUMN.event_name == str(UsageEventName.CITATION)
    surfaced = sa.and_(is_injection, is_recent)
    session = sa.case((sa.and_(surfaced, COLUMN.session_id != ""), COLUMN.session_id))
    return (
        sa.select(
            COLUMN.entity_type,
            COLUMN.entity_id,
            _sum(surfaced, COLUMN.count_value).label("surfaced_count"),
            _sum(surfaced, sa.func.coalesce(COLUMN.prompt_tokens, 0)).label("total_prompt_tokens"),
            sa.func.count(session.distinct()).label("distinct_session_count"),
            sa.func.max(sa.case((is_injection, COLUMN.created_at))).label("last_injected_at"),
            _sum(sa.and_(is_citation, is_recent), COLUMN.count_value).label("citation_count"),
            sa.func.max(sa.case((is_citation, COLUMN.created_at))).label("last_cited_at"),
        )
        .where(COLUMN.org_id == scope.org_id, COLUMN.entity_id.is_not(None), COLUMN.entity_type.is_not(None))
        .group_by(COLUMN.entity_type, COLUMN.entity_id)
    )


def _is_citation(event: UsageEvent) -> bool:
    return event.event_name is UsageEventName.CITATION


def _as_known(
    event: UsageEvent, found: Mapping[tuple[str, str], tuple[str, str | None]]
) -> UsageEvent | None:
    """Return an event with the id that the API uses for its memory; None if its user may see no such memory."""
    if not _is_citation(event):
        return event
    name, user_id = found.get((str(event.entity_type), event.entity_id or ""), ("", None))
    if not name or user_id not in (None, event.user_id):
        return None
    return event.model_copy(update={"entity_id": name})


def _sum(condition: sa.ColumnElement[bool], value: sa.ColumnElement[Any]) -> sa.ColumnElement[int]:
    return sa.cast(sa.func.coalesce(sa.func.sum(sa.case((condition, value), else_=0)), 0), sa.BigInteger)


def _usage_of(row: Any) -> ItemUsage:
    return ItemUsage.model_validate(row._mapping, extra="ignore")


def _row(event: UsageEvent) -> dict[str, Any]:
    names = {name: _text(getattr(event, name)) for name in ("pipeline", "entity_type", "event_name")}
    return vars(event) | names | {"user_id": user_key(event.user_id)}


def _text(value: str | None) -> str | None:
    return None if value is None else str(value)
