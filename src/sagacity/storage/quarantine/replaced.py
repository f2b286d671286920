"""While a memory is held, put the memory that it replaced in force again; archive that one again afterwards."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from sagacity.domain.base import Value
from sagacity.domain.change import ChangeAction
from sagacity.domain.ids import MemoryId
from sagacity.domain.memory import ArchivedBy, Memory, MemoryKind, Status
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import changes, memories
from sagacity.storage.search.documents import SearchRepository
from sagacity.storage.statements.array_params import one_of

_IN_FORCE = frozenset({Status.CURRENT, Status.PENDING})
_column = memories.c


class _Replaced(Value):
    """The state of a replaced memory before its successor was held."""

    status: Status
    superseded_by: MemoryId
    valid_to: datetime | None
    archived_at: datetime | None
    archived_by: ArchivedBy
    updated_at: datetime


class _Row(Value):
    """The columns of a memory that say what replaced it."""

    memory_id: MemoryId
    kind: MemoryKind
    status: Status
    is_held: bool
    superseded_by: MemoryId | None
    valid_to: datetime | None
    archived_at: datetime | None
    archived_by: ArchivedBy
    updated_at: datetime
    replaced_state: _Replaced | None

    @property
    def successor(self) -> MemoryId | None:
        """The memory that replaced it, now or after the quarantine."""
        return self.superseded_by if self.replaced_state is None else self.replaced_state.superseded_by


_read = sa.select(*(_column[name] for name in _Row.model_fields))


async def settle_replaced(scope: Scope, search: SearchRepository) -> None:
    """
    Put memories in force whose successors are held, and archive them again when a successor is served again.

    A memory takes the place and status of its held successor, or of the last of several successors that are all held.
    If a served memory replaced the held one, nothing is restored. Memories that were changed meanwhile are not touched.
    """
    waiting = await _rows(scope, _column.replaced_state.is_not(None))
    known = {one.memory_id: one for one in waiting}
    await _follow(scope, known, [one.successor for one in waiting])
    over = [one for one in waiting if _stand_in(one, known) is None]
    for one in over:
        await _put_back(scope, one, known)
    successor = memories.alias()
    is_replaced = (
        sa.exists()
        .where(successor.c.memory_id == _column.superseded_by, successor.c.is_held)
        .correlate(memories)
    )
    archived = _column.status == str(Status.ARCHIVED)
    lost = await _rows(scope, archived, _column.superseded_by.is_not(None), ~_column.is_held, is_replaced)
    known = {one.memory_id: one for one in lost}
    await _follow(scope, known, [one.successor for one in lost])
    back = [(one, last) for one in lost if (last := _stand_in(one, known)) and last.status in _IN_FORCE]
    for one, last in back:
        await _put_into_force(scope, one, last.status)
    changed = [*over, *(one for one, _ in back)]
    for kind in sorted({one.kind for one in changed}):
        ids = [one.memory_id for one in changed if one.kind is kind]
        await search.refresh_status(kind, sa.select(_column.memory_id).where(one_of(_column.memory_id, ids)))


def _stand_in(one: _Row, known: dict[MemoryId, _Row]) -> _Row | None:
    """Return the held memory whose place *one* takes; None if any of its successors is served or deleted."""
    last, met = one, {one.memory_id}
    while (number := last.successor) is not None and number not in met:
        following = known.get(number)
        if following is None or not following.is_held:
            return None
        met.add(number)
        last = following
    return None if last is one else last


async def _follow(scope: Scope, known: dict[MemoryId, _Row], numbers: Iterable[MemoryId | None]) -> None:
    """Read the successors *numbers*, and theirs in turn, into *known*."""
    missing = sorted({it for it in numbers if it is not None} - known.keys())
    while missing:
        found = await _rows(scope, one_of(_column.memory_id, missing))
        known |= {one.memory_id: one for one in found}
        missing = sorted({one.successor for one in found if one.successor is not None} - known.keys())


async def _put_into_force(scope: Scope, one: _Row, status: Status) -> None:
    was = _Replaced.model_validate(one.model_dump(include=set(_Replaced.model_fields)))
    values = {
        "status": str(status),
        "superseded_by": None,
        "valid_to": await _valid_to(scope, one),
        "archived_at": None,
        "archived_by": str(ArchivedBy.VERSION),
        "replaced_state": was.model_dump(mode="json"),
    }
    await scope.run(sa.update(memories).where(_is(scope, one)).values(values))


async def _put_back(scope: Scope, one: _Row, known: dict[MemoryId, _Row]) -> None:
    was = one.replaced_state
    values: dict[str, Any] = {"replaced_state": None}
    is_untouched = was is not None and (one.superseded_by, one.updated_at) == (None, was.updated_at)
    if was is not None and is_untouched and one.status in _IN_FORCE and was.superseded_by in known:
        values |= was.model_dump(exclude={"status", "archived_by", "updated_at"})
        values |= {"status": str(was.status), "archived_by": str(was.archived_by)}
    await scope.run(sa.update(memories).where(_is(scope, one)).values(values))


async def _valid_to(scope: Scope, one: _Row) -> datetime | None:
    """Return until when a memory was valid before it was replaced."""
    column = changes.c
    statement = (
        sa.select(column.before)
        .where(
            column.org_id == scope.org_id,
            column.memory_id == one.memory_id,
            column.action == str(ChangeAction.REMOVED),
            column.before.is_not(None),
        )
        .order_by(column.change_id.desc())
        .limit(1)
    )
    rows = await scope.all(statement)
    return Memory.model_validate(rows[0].before).valid_to if rows else None


def _is(scope: Scope, one: _Row) -> sa.ColumnElement[bool]:
    return sa.and_(_column.org_id == scope.org_id, _column.memory_id == one.memory_id)


async def _rows(scope: Scope, *conditions: sa.ColumnElement[bool]) -> Sequence[_Row]:
    wanted = _read.where(_column.org_id == scope.org_id, *conditions).order_by(_column.memory_id)
    return [_Row.model_validate(row._mapping) for row in await scope.all(scope.locked(wanted))]
