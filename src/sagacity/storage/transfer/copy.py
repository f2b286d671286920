"""
One database copied into another of any backend: every row, with its number, and verified.

    what the target holds → one snapshot of the source → is the one the beginning of the other? → the rest, page by page
    → counters → what the target holds now → equal, or an error

A source is read in one snapshot, so that a copy is of one moment while others write. A part of a table goes over in the
order of its keys and a page a transaction. So what a target holds of it after a crash is the beginning of the source's,
and the next run finds its place by counting: nothing else has to be kept. What is there already is compared before
anything is changed.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from sagacity.domain.base import Value
from sagacity.domain.errors import CopyMismatch, IndexMismatch, InvalidInput
from sagacity.domain.ids import OrgId
from sagacity.storage.base import Backend
from sagacity.storage.schema.tables import organisations, search_index
from sagacity.storage.transfer.rows import NOTHING, TABLES, Key, Part, Row, Snapshot, Sum, key_of, sum_of

_SHOWN = 5
Sums = Mapping[Part, Sum]


class Step(Value):
    """How far a long piece of work is."""

    doing: str
    done: int
    total: int


OnProgress = Callable[[Step], None]


class Copied(Value):
    """What a table holds at both ends."""

    table: str
    rows: int
    checksum: str


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a part of a table goes on: how much is left, behind which key, and what lies before that."""

    left: int
    after: Key | None = None
    before: Sum = NOTHING
    replaces: bool = False
    """The target's row is a bare organisation's."""


async def copy(
    source: Backend, target: Backend, on_progress: OnProgress, *, now: datetime | None = None
) -> list[Copied]:
    """
    Copy every row of *source* into *target*, which is empty or holds the beginning of an earlier copy.

    Args:
        source: only read, all of it as it is at one moment.
        target: of the same schema; nobody else may write to it meanwhile.
        on_progress: told after each page.
        now: when the target's search index is said to be made, which gives its vectors a place of their own in a
            vector store; None for a copy that is only kept.

    Returns:
        What every table holds now, at both ends.

    Raises:
        InvalidInput: the target holds other data; nothing was changed.
        IndexMismatch: the target's search index was made by another embedder; nothing was changed.
        CopyMismatch: what arrived is not what was sent.
    """
    present = await _sums(target, on_progress, "looking at the target")
    async with source.read(None) as connection:
        snapshot = Snapshot(source, connection)
        counts = await _counts(snapshot, on_progress)
        places = await _places(snapshot, counts, present, on_progress)
        await _take_index(snapshot, target, present, now)
        sent = await _send(snapshot, target, places, on_progress)
    for org_id in dict.fromkeys(part.org_id for part in sent):
        async with target.write(org_id) as connection:
            await target.renumber(connection)
    return _equal(sent, await _sums(target, on_progress, "verifying"))


async def compare(source: Backend, target: Backend, on_progress: OnProgress) -> list[Copied]:
    """
    Compare every row of *source* with *target*, without writing.

    Raises:
        CopyMismatch: a table differs; the message names it, its organisation and both counts.
    """
    here = await _sums(source, on_progress, "reading the source")
    return _equal(here, await _sums(target, on_progress, "reading the target"))


async def is_empty(backend: Backend) -> bool:
    """Return whether a database holds nothing but bare organisations, such as any program makes that opens it."""
    async with backend.read(None) as connection:
        snapshot = Snapshot(backend, connection)
        for org_id in await snapshot.organisations():
            for table in TABLES:
                if table is not organisations and await snapshot.count(Part(table, org_id)):
                    return False
    return True


async def _counts(snapshot: Snapshot, on_progress: OnProgress) -> dict[Part, int]:
    """Return the rows of every table and organisation, tables of parents first."""
    names = await snapshot.organisations()
    for number, org_id in enumerate(names):
        on_progress(Step(doing="counting organisations", done=number, total=len(names)))
        for table in TABLES:
            await snapshot.count(Part(table, org_id))
    return {
        part: await snapshot.count(part) for table in TABLES for part in (Part(table, org) for org in names)
    }


async def _sums(backend: Backend, on_progress: OnProgress, doing: str) -> Sums:
    """Return the checksum of every part of a database at one moment."""
    async with backend.read(None) as connection:
        snapshot = Snapshot(backend, connection)
        counts = await _counts(snapshot, on_progress)
        told = _Progress(on_progress, doing, counts)
        return {part: (await _read(snapshot, part, counts[part], told))[0] for part in counts}


async def _read(snapshot: Snapshot, part: Part, limit: int, told: "_Progress") -> tuple[Sum, Key | None]:
    """Return the checksum of the first rows of *part*, and the key of the last of them."""
    found, last = NOTHING, None
    async for page in snapshot.pages(part, limit=limit):
        found += sum_of(part.table, page)
        last = key_of(part.table, page[-1])
        told.more(part, len(page))
    return found, last


async def _places(
    snapshot: Snapshot, counts: Mapping[Part, int], present: Sums, on_progress: OnProgress
) -> dict[Part, _Place]:
    """
    Return where each part of the source goes on.

    Raises:
        InvalidInput: the target holds what is not the beginning of the source.
    """
    furnished = _furnished(present)
    for org_id in sorted(furnished - {part.org_id for part in counts}):
        raise InvalidInput(
            f"the target has data of the organisation {org_id!r}, which the source does not have. "
            "Name an empty database. Nothing was changed."
        )
    told = _Progress(on_progress, "comparing", {part: found.count for part, found in present.items()})
    places: dict[Part, _Place] = {}
    for part, count in counts.items():
        there = present.get(part, NOTHING)
        is_bare = part.table is organisations and part.org_id not in furnished
        if is_bare or not there.count:
            places[part] = _Place(left=count, replaces=bool(there.count))
            continue
        here, last = await _read(snapshot, part, there.count, told)
        if here != there:
            raise InvalidInput(
                f"the target has other rows than the source: {part}, {there.count} there and {count} here. "
                "Name an empty database; or, if the source changed after a copy was interrupted, empty the "
                "target and start again. Nothing was changed."
            )
        places[part] = _Place(left=count - here.count, after=last, before=here)
    return places


async def _send(
    snapshot: Snapshot, target: Backend, places: Mapping[Part, _Place], on_progress: OnProgress
) -> dict[Part, Sum]:
    """Copy what is left of each part; returns the checksums of all that the source holds."""
    sent: dict[Part, Sum] = {}
    told = _Progress(
        on_progress, "copying", {part: place.before.count + place.left for part, place in places.items()}
    )
    for part, place in places.items():
        sent[part] = place.before
        told.more(part, place.before.count)
        async for page in snapshot.pages(part, after=place.after, limit=place.left):
            async with target.write(part.org_id) as connection:
                if place.replaces:
                    await connection.execute(
                        sa.delete(organisations).where(organisations.c.org_id == part.org_id)
                    )
                await target.load(connection, part.table, page)
            sent[part] += sum_of(part.table, page)
            told.more(part, len(page))
    return sent


async def _take_index(snapshot: Snapshot, target: Backend, present: Sums, now: datetime | None) -> None:
    """
    Let the target know what made the search index, unless it does.

    Raises:
        IndexMismatch: another embedder or analyzer made the target's.
    """
    names = await snapshot.organisations()
    made = await snapshot.index(names[0]) if names else None
    if made is None:
        return
    async with target.read(None) as connection:
        there = await Snapshot(target, connection).index(names[0])
    if there is not None and _maker(there) == _maker(made):
        return
    if there is not None and _furnished(present):
        raise IndexMismatch(
            f"the source's search index was made with {_maker(made)}, and the target's with {_maker(there)}. "
            "Run `sagacity reindex` on one of them, or name an empty target. Nothing was changed."
        )
    async with target.write(names[0]) as connection:
        await connection.execute(sa.delete(search_index))
        await connection.execute(search_index.insert(), made | ({} if now is None else {"created_at": now}))


def _maker(index: Row) -> str:
    return f"{index['embedder']} ({index['dimension']} dimensions, analyzer {index['analyzer']})"


def _furnished(sums: Sums) -> set[OrgId]:
    """Return the organisations that have more than their own row, which whoever opens a database makes."""
    return {part.org_id for part, found in sums.items() if found.count and part.table is not organisations}


def _equal(here: Sums, there: Sums) -> list[Copied]:
    """
    Return what each table holds.

    Raises:
        CopyMismatch: both ends differ.
    """
    known = {part.org_id for part in here} | _furnished(there)
    parts = [Part(table, org_id) for table in TABLES for org_id in sorted(known)]
    pairs = {part: (here.get(part, NOTHING), there.get(part, NOTHING)) for part in parts}
    differences = [
        f"{part}: {one.count} rows at the source, {other.count} at the target"
        + (" with other content" if one.count == other.count else "")
        for part, (one, other) in pairs.items()
        if one != other
    ]
    if differences:
        more = f"; and {len(differences) - _SHOWN} more" if len(differences) > _SHOWN else ""
        raise CopyMismatch("the databases differ: " + "; ".join(differences[:_SHOWN]) + more)
    tables = dict.fromkeys((table.name for table in TABLES), NOTHING)
    for part, (one, _) in pairs.items():
        tables[part.table.name] += one
    return [Copied(table=name, rows=found.count, checksum=found.checksum) for name, found in tables.items()]


class _Progress:
    """Tells how far a step is: rows of a table, over all organisations."""

    def __init__(self, on_progress: OnProgress, doing: str, counts: Mapping[Part, int]) -> None:
        self._on_progress = on_progress
        self._doing = doing
        self._done: dict[sa.Table, int] = defaultdict(int)
        self._totals: dict[sa.Table, int] = defaultdict(int)
        for part, count in counts.items():
            self._totals[part.table] += count

    def more(self, part: Part, count: int) -> None:
        """Say that *count* more rows are done."""
        self._done[part.table] += count
        if count:
            doing = f"{self._doing} {part.table.name}"
            step = Step(doing=doing, done=self._done[part.table], total=self._totals[part.table])
            self._on_progress(step)
