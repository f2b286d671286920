"""
Import a checked file into an organisation, page by page; each page is one transaction, with how far the import got.

    check for existing data → learners' cursors and logs → turns → memories → rows that name both → due

An import that was killed continues where it stopped. The database gives rows new numbers. A row that others refer to is
found by a natural key: a memory by its uid, a turn by its place in its user's log. So no mapping of numbers is stored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

import sqlalchemy as sa

from sagacity.domain.base import Value
from sagacity.domain.errors import Conflict
from sagacity.domain.tenant import Tenant
from sagacity.storage.portable.carried import VECTORED, number_of, tables_of
from sagacity.storage.portable.imports import KEYS, TAKEN
from sagacity.storage.portable.lines import Row
from sagacity.storage.portable.references import NAMED_LATER, What, numbers_in, turned
from sagacity.storage.portable.staging import Staged, vectors
from sagacity.storage.schema.tables import (
    cursors,
    interactions,
    memories,
    requests,
    sessions,
    users,
)
from sagacity.storage.statements.array_params import one_of
from sagacity.storage.transaction import Storage, Transaction
from sagacity.storage.transfer.copy import OnProgress, Step
from sagacity.storage.transfer.rows import Part, Snapshot

_KEYS = 500
_FIRST: Final = (cursors, users, sessions, requests, interactions, memories)
"""
Tables in the order of the import: without its cursors a log would be learned from again, and memories name turns. What
memories name of each other is written in a second pass.
"""
Numbers = Mapping[tuple[What, int], int]


class Imported(Value):
    """The outcome of an import."""

    rows: dict[str, int]
    was_complete: bool = False
    """Everything had been imported before."""
    went_on: bool = False
    """An interrupted import was continued."""
    embeds_again: bool = False
    """The vectors are computed again, because another model made those in the file."""


@dataclass(frozen=True, slots=True)
class _Pass:
    """A pass over all rows of one table: a first that writes them, or a second that completes them."""

    table: sa.Table
    again: bool = False

    @property
    def name(self) -> str:
        return f"{self.table.name}, again" if self.again else self.table.name


async def arrive(storage: Storage, tenant: Tenant, staged: Staged, on_progress: OnProgress) -> Imported:
    """
    Import a file, or what is left of it after an interruption.

    Raises:
        Conflict: the organisation has other data already, or a quarantine; nothing was changed.
    """
    before = await _begun(storage, tenant, staged)
    if before is None:
        return Imported(rows=dict(staged.rows), was_complete=True)
    step, done = before
    async with storage.read(tenant) as transaction:
        made_by = await transaction.portable.made_by()
    keeps_vectors = made_by == (staged.manifest.embedder, staged.manifest.dimension)
    passes = _passes(whole=staged.manifest.whole)
    names = [one.name for one in passes]
    start = names.index(step) if step else 0
    for place, one in enumerate(passes[start:], start=start):
        skipped = done if place == start else 0
        moving = _Moving(storage, tenant, staged, one, keeps_vectors=keeps_vectors)
        await moving.all(skipped, on_progress)
    async with storage.begin(tenant) as transaction:
        await transaction.imports.finish(staged.import_id)
    return Imported(
        rows=dict(staged.rows),
        went_on=bool(step),
        embeds_again=bool(staged.manifest.dimension) and not keeps_vectors,
    )


def _passes(*, whole: bool) -> list[_Pass]:
    """Return the passes, referenced tables first; the last makes the imported logs due."""
    completed = [_Pass(table, again=True) for table in (memories, sessions, interactions)]
    others = [_Pass(table) for table in tables_of(whole=whole) if table not in _FIRST]
    return [*map(_Pass, _FIRST), *completed, *others, _Pass(users, again=True)]


async def _begun(storage: Storage, tenant: Tenant, staged: Staged) -> tuple[str, int] | None:
    """
    Begin the import, or return how far it got; None if it is complete.

    Raises:
        Conflict: the organisation has other data already, or a quarantine.
    """
    async with storage.begin(tenant) as transaction:
        known = await transaction.imports.find(staged.import_id)
        there = await _there(transaction, staged)
        if known is not None and there and (known.step or known.finished_at is not None):
            return None if known.finished_at is not None else (known.step, known.done_count)
        if there:
            raise Conflict(
                f"{there}. An import does not mix: erase it first, or import into another organisation (--org). "
                "Nothing was changed."
            )
        if await transaction.quarantines.list_newest(is_standing=True, limit=1):
            raise Conflict(
                "a quarantine is in force in this organisation, and would not hold what is imported: release it, or "
                "import into another organisation (--org). Nothing was changed."
            )
        for column in TAKEN:
            await _refuse_taken(transaction, staged, column)
        await transaction.imports.begin(staged.import_id)
    return "", 0


async def _there(transaction: Transaction, staged: Staged) -> str:
    """Return a message if the organisation has data of the file's user or organisation; empty if not."""
    user_id = staged.manifest.user_id
    if user_id is None:
        return "" if await transaction.imports.is_empty() else "the organisation holds data already"
    found = await transaction.portable.stored([user_id])
    return f"the organisation holds data of the user {user_id!r} already" if found else ""


async def _refuse_taken(transaction: Transaction, staged: Staged, column: sa.Column[str]) -> None:
    """Check that no other user has an id that occurs in the file."""
    after = ""
    while True:
        wanted = sa.select(column).where(column > after).order_by(column).limit(_KEYS)
        ids = [cast("str", row[0]) for row in await staged.all(wanted)]
        if not ids:
            return
        if (taken := await transaction.imports.taken(column, ids)) is not None:
            raise Conflict(
                f"the organisation has {column.table.name} with the {column.name} {taken!r:.200} of somebody else. "
                "Import into another organisation (--org). Nothing was changed."
            )
        after = ids[-1]


class _Moving:
    """The import of one table."""

    def __init__(
        self, storage: Storage, tenant: Tenant, staged: Staged, one: _Pass, *, keeps_vectors: bool
    ) -> None:
        self._storage = storage
        self._tenant = tenant
        self._staged = staged
        self._pass = one
        self._keeps_vectors = keeps_vectors

    async def all(self, skipped: int, on_progress: OnProgress) -> None:
        """Store all rows except the first *skipped*."""
        table, done = self._pass.table, 0
        part = Part(table, self._staged.org_id)
        async with self._staged.backend.read(None) as connection:
            snapshot = Snapshot(self._staged.backend, connection)
            total = await snapshot.count(part)
            async for page in snapshot.pages(part):
                rows = page[max(0, skipped - done) :]
                done += len(page)
                if rows:
                    await self._store(rows, done)
                    on_progress(Step(doing=f"storing {self._pass.name}", done=done, total=total))

    async def _store(self, rows: Sequence[Row], done: int) -> None:
        table, name = self._pass.table, self._pass.table.name
        if self._pass.again and table is not users:
            rows = [row for row in rows if any(what is What.MEMORY for what, _ in numbers_in(name, row))]
            if not rows:  # most turns cite nothing; skip the transaction that would note progress
                return
        wanted = set[tuple[What, int]]().union(*(numbers_in(name, row) for row in rows))
        if self._pass.again and (number := number_of(table)) is not None:
            own = What.MEMORY if table is memories else What.TURN
            wanted |= {(own, row[number.name]) for row in rows}
        keys = await self._keys(wanted)
        found = await self._vectors(rows) if self._keeps_vectors and not self._pass.again else {}

        async def once() -> None:
            async with self._storage.begin(self._tenant) as transaction:
                new = await _resolved(transaction, keys)
                if self._pass.again:
                    await self._complete(transaction, rows, new)
                else:
                    await self._add(transaction, rows, new, found)
                await transaction.imports.note(self._staged.import_id, self._pass.name, done)

        await self._storage.retry(once)

    async def _add(
        self, transaction: Transaction, rows: Sequence[Row], new: Numbers, found: Mapping[int, bytes]
    ) -> None:
        table = self._pass.table
        later = NAMED_LATER.get(table.name, frozenset())
        written = [_turned(table, row, new, later) for row in rows]
        await transaction.imports.add(table, written)
        if table not in VECTORED:
            return
        what = What.MEMORY if table is memories else What.TURN
        _, names = KEYS[what]
        given = await transaction.imports.numbers(
            what, [tuple(row[name] for name in names) for row in written]
        )
        number = cast("sa.Column[int]", number_of(table)).name
        became = {row[number]: given[tuple(row[name] for name in names)] for row in rows}
        carried = {became[old]: vector for old, vector in found.items()}
        show = transaction.imports.show_memories if table is memories else transaction.imports.show_turns
        await show(sorted(became.values()), carried)

    async def _complete(self, transaction: Transaction, rows: Sequence[Row], new: Numbers) -> None:
        """Write the references to rows that were imported later."""
        table = self._pass.table
        if table is users:
            await transaction.imports.let_look_at([row["user_id"] for row in rows])
            return
        names = sorted(NAMED_LATER[table.name])
        changed: list[Row] = []
        for row in rows:
            now, then = (
                _turned(table, row, new, frozenset()),
                _turned(table, row, new, NAMED_LATER[table.name]),
            )
            if any(now[name] != then[name] for name in names):
                changed.append(now)
        if (number := number_of(table)) is not None:
            what = What.MEMORY if table is memories else What.TURN
            changed = [row | {number.name: new[what, row[number.name]]} for row in changed]
        await transaction.imports.change(table, changed, names)
        if table is memories and changed:
            await transaction.imports.show_memories([row["memory_id"] for row in changed], {})

    async def _keys(
        self, wanted: set[tuple[What, int]]
    ) -> dict[tuple[What, int], tuple[What, tuple[Any, ...]]]:
        """Return the natural keys of those *wanted* rows that are in the file."""
        found: dict[tuple[What, int], tuple[What, tuple[Any, ...]]] = {}
        for what in KEYS:
            numbers = sorted(number for one, number in wanted if one is what)
            found |= {(what, old): (what, key) for old, key in (await self._known_by(what, numbers)).items()}
        for what, nearest in ((What.TURN_UP_TO, What.TURN), (What.MEMORY_UP_TO, What.MEMORY)):
            number = cast("sa.Column[int]", number_of(KEYS[nearest][0]))
            for one, old in sorted((one for one in wanted if one[0] is what), key=lambda pair: pair[1]):
                rows = await self._staged.all(sa.select(sa.func.max(number)).where(number <= old))
                last = rows[0][0]
                if last is not None:
                    keys = await self._known_by(nearest, [cast("int", last)])
                    found[one, old] = (nearest, next(iter(keys.values())))
        return found

    async def _known_by(self, what: What, numbers: Sequence[int]) -> dict[int, tuple[Any, ...]]:
        table, names = KEYS[what]
        number = cast("sa.Column[int]", number_of(table))
        found: dict[int, tuple[Any, ...]] = {}
        for at in range(0, len(numbers), _KEYS):
            statement = sa.select(number, *(table.c[name] for name in names)).where(
                one_of(number, numbers[at : at + _KEYS])
            )
            found |= {cast("int", row[0]): tuple(row[1:]) for row in await self._staged.all(statement)}
        if what is What.RELATIONSHIP and found:  # its key contains old numbers of entities
            ends = {end for source, _, target in found.values() for end in (source, target)}
            known = await self._known_by(What.ENTITY, sorted(ends))
            return {old: (known[key[0]], key[1], known[key[2]]) for old, key in found.items()}
        return found

    async def _vectors(self, rows: Sequence[Row]) -> dict[int, bytes]:
        table = self._pass.table
        if table not in VECTORED:
            return {}
        number = cast("sa.Column[int]", number_of(table)).name
        is_one = one_of(vectors.c.number, [row[number] for row in rows])
        statement = sa.select(vectors.c.number, vectors.c.vector).where(
            vectors.c.of_table == table.name, is_one
        )
        return {cast("int", row[0]): cast("bytes", row[1]) for row in await self._staged.all(statement)}


async def _resolved(
    transaction: Transaction, keys: Mapping[tuple[What, int], tuple[What, tuple[Any, ...]]]
) -> dict[tuple[What, int], int]:
    """Return the numbers that rows have in this database."""
    by_kind: dict[What, set[tuple[Any, ...]]] = {}
    for what, key in keys.values():
        by_kind.setdefault(what, set()).add(key)
    ties = by_kind.pop(What.RELATIONSHIP, set())
    for source, _, target in ties:
        by_kind.setdefault(What.ENTITY, set()).update((source, target))
    here: dict[tuple[What, tuple[Any, ...]], int] = {}
    for what, some in by_kind.items():
        numbers = await transaction.imports.numbers(what, sorted(some))
        here |= {(what, key): number for key, number in numbers.items()}
    if ties:
        told = {tie: (here[What.ENTITY, tie[0]], tie[1], here[What.ENTITY, tie[2]]) for tie in ties}
        numbers = await transaction.imports.numbers(What.RELATIONSHIP, sorted(told.values()))
        here |= {(What.RELATIONSHIP, tie): numbers[key] for tie, key in told.items()}
    return {old: here[key] for old, key in keys.items() if key in here}


def _turned(table: sa.Table, row: Row, new: Numbers, without: frozenset[str]) -> Row:
    """Return a row with the numbers of this database, but without numbers of memories in the columns *without*."""

    def number(what: What, old: int) -> int | None:
        is_later = what is What.MEMORY and bool(without)
        return None if is_later else new.get((what, old))

    return turned(table.name, row, number)
