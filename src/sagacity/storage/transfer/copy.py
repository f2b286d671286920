"""
Copy a database into another of any backend: every row, with its number, and verify the copy.

    checksums of the target → snapshot of the source → check that the target is its beginning → copy the rest, page by
    page → counters → checksums of the target → equal, or an error

The source is read in one snapshot, so that the copy is consistent while others write. Each part of a table is copied in
the order of its keys, one page per transaction. After a crash, the target therefore has the beginning of each part, and
the next run finds its place by counting, without a stored state. Rows that the target has already are compared before
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
    """The progress of a long operation."""

    doing: str
    done: int
    total: int


OnProgress = Callable[[Step], None]


class Copied(Value):
    """What a table holds, both in the source and in the target."""

    table: str
    rows: int
    checksum: str


@dataclass(frozen=True, slots=True)
class _Place:
    """Where to continue a part of a table: how much is left, after which key, and the checksum of what is before it."""

    left: int
    after: Key | None = None
    before: Sum = NOTHING
    replaces: bool = False
    """Whether the target's only row is that of an otherwise empty organisation."""


async def copy(
    source: Backend, target: Backend, on_progress: OnProgress, *, now: datetime | None = None
) -> list[Copied]:
    """
    Copy every row of *source* into *target*, which is empty or holds the beginning of an earlier copy.

    Args:
        source: the database to read, in one snapshot.
        target: a database with the same schema; nobody else may write to it meanwhile.
        on_progress: called after each page.
        now: the new creation time of the target's search index, which gives its vectors a collection of their own in a
            vector store; None for a copy that is only stored.

    Returns:
        What every table now holds in both databases.

    Raises:
        InvalidInput: the target holds other data; nothing was changed.
        IndexMismatch: another embedder made the target's search index; nothing was changed.
        CopyMismatch: the target's rows differ from the source's.
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
    """Return whether a database holds only empty organisations, such as opening it creates."""
    async with backend.read(None) as connection:
        snapshot = Snapshot(backend, connection)
        for org_id in await snapshot.organisations():
            for table in TABLES:
                if table is not organisations and await snapshot.count(Part(table, org_id)):
                    return False
    return True


async def _counts(snapshot: Snapshot, on_progress: OnProgress) -> dict[Part, int]:
    """Return the number of rows of every table and organisation, parent tables first."""
    names = await snapshot.organisations()
    for number, org_id in enumerate(names):
        on_progress(Step(doing="counting organisations", done=number, total=len(names)))
        for table in TABLES:
            await snapshot.count(Part(table, org_id))
    return {
        part: await snapshot.count(part) for table in TABLES for part in (Part(table, org) for org in names)
    }


async def _sums(backend: Backend, on_progress: OnProgress, doing: str) -> Sums:
    """Return the checksum of every part of a database, in one snapshot."""
    async with backend.read(None) as connection:
        snapshot = Snapshot(backend, connection)
        counts = await _counts(snapshot, on_progress)
        told = _Progress(on_progress, doing, counts)
        return {part: (await _read(snapshot, part, counts[part], told))[0] for part in counts}


async def _read(snapshot: Snapshot, part: Part, limit: int, told: "_Progress") -> tuple[Sum, Key | None]:
    """Return the checksum of the first *limit* rows of *part*, and the key of the last of them."""
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
    Return where to continue each part of the source.

    Raises:
        InvalidInput: the target's rows are not the beginning of the source's.
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
    """Copy the rest of each part; returns the checksums of the whole source."""
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
    Record in the target what made the search index, unless that is recorded.

    Raises:
        IndexMismatch: another embedder or analyzer made the target's index.
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
    """Return the organisations that have more than their own row, which opening a database creates."""
    return {part.org_id for part, found in sums.items() if found.count and part.table is not organisations}


def _equal(here: Sums, there: Sums) -> list[Copied]:
    """
    Return what each table holds in both databases.

    Raises:
        CopyMismatch: the databases differ.
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
    """Reports the progress of a step: rows of a table, over all organisations."""

    def __init__(self, on_progress: OnProgress, doing: str, counts: Mapping[Part, int]) -> None:
        self._on_progress = on_progress
        self._doing = doing
        self._done: dict[sa.Table, int] = defaultdict(int)
        self._totals: dict[sa.Table, int] = defaultdict(int)
        for part, count in counts.items():
            self._totals[part.table] += count

    def more(self, part: Part, count: int) -> None:
        """Report that *count* more rows are done."""
        self._done[part.table] += count
        if count:
            doing = f"{self._doing} {part.table.name}"
            step = Step(doing=doing, done=self._done[part.table], total=self._totals[part.table])
            self._on_progress(step)
