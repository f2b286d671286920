"""One user, or one organisation, as a file: written, read into any database, once, also if it is killed on the way."""

import hashlib
import json
import re
import shutil
from bisect import bisect_left
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import suppress
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest

from conftest import DATABASES
from sagacity.domain.errors import Conflict, InvalidInput, NotFound
from sagacity.domain.ids import OrgId, UserId
from sagacity.domain.kinds import USER_KINDS
from sagacity.domain.quarantine import QuarantineTarget
from sagacity.domain.query import Filter
from sagacity.domain.tenant import Tenant
from sagacity.storage.base import Backend
from sagacity.storage.open import open_file, open_storage
from sagacity.storage.portable.arriving import Imported, arrive
from sagacity.storage.portable.carried import CARRIED, Carried, tables_of
from sagacity.storage.portable.checks import check_row
from sagacity.storage.portable.files import write_file
from sagacity.storage.portable.lines import MAX_LINE_BYTES, read_line, read_manifest, read_row, table_of
from sagacity.storage.portable.references import What, turned
from sagacity.storage.portable.staging import OpenFile, staged
from sagacity.storage.portable.writing import lines_of
from sagacity.storage.transaction import Storage
from sagacity.storage.transfer.copy import Step
from support.furnished import DIMENSION, FURNISHED, QUESTION, furnished_database, furnished_file
from support.parts import ANNA, BEN, ORG, OTHER_ORG, START, CountingIds, StoppedClock, new_memory, said

EMPTY = Tenant(org_id=OrgId("org-empty"))
__all__ = ["furnished_database", "furnished_file"]
pytestmark = pytest.mark.own_database
EVERYTHING = Filter(kinds=tuple(USER_KINDS), interactions=True, statuses=())
NUMBERED = {"memories": "memory_id", "interactions": "interaction_id", "entities": "entity_id"}
NUMBERED |= {"relationships": "relationship_id", "changes": "change_id", "review_actions": "action_id"}
NUMBERED |= {"dead_letters": "dead_letter_id", "evaluations": "result_id", "usage_events": "event_id"}
NUMBERED |= {"model_calls": "call_id", "extractions": "extraction_id"}
TABLE_OF = {What.MEMORY: "memories", What.TURN: "interactions", What.ENTITY: "entities"}
TABLE_OF |= {What.RELATIONSHIP: "relationships"}


def quiet(_: Step) -> None:
    """Tell nobody."""


class KilledError(Exception):
    """The process ended here."""


def killing_at(place: int) -> Callable[[Step], None]:
    """What ends a run when it has stored so many pages."""
    left = iter(range(place))

    def tell(step: Step) -> None:
        if step.doing.startswith("storing") and next(left, None) is None:
            raise KilledError

    return tell


async def _open(url: str, prefix: str) -> Storage:
    return await open_storage(url, clock=StoppedClock(), ids=CountingIds(prefix))


async def released(storage: Storage) -> None:
    """Let go of what the quarantines hold that are among the rows: it would be in no file."""
    for tenant in (ORG, OTHER_ORG):
        async with storage.begin(tenant) as tx:
            for one in await tx.quarantines.list_newest(is_standing=True, limit=None):
                await tx.quarantines.release(one.quarantine_id, reason="", actor="")


@pytest.fixture(
    params=[
        pytest.param("sqlite-to-sqlite", marks=pytest.mark.full),
        "sqlite-to-postgresql",
        pytest.param("postgresql-to-sqlite", marks=pytest.mark.full),
    ]
)
def urls(request: pytest.FixtureRequest) -> tuple[str, str]:
    """A furnished database and an empty one."""
    one, other = request.param.split("-to-")
    return FURNISHED[one](request), DATABASES[other](request)


@pytest.fixture
async def source(urls: tuple[str, str]) -> AsyncIterator[Storage]:
    """Two organisations with rows in every table."""
    storage = await _open(urls[0], "s")
    await released(storage)
    yield storage
    await storage.close()


@pytest.fixture
async def target(urls: tuple[str, str]) -> AsyncIterator[Storage]:
    """A database with an organisation that has nothing."""
    storage = await _open(urls[1], "t")
    async with storage.begin(OTHER_ORG) as transaction:
        await transaction.organisation.ensure()
    await storage.claim_index("model", DIMENSION)
    yield storage
    await storage.close()


async def exported(storage: Storage, tenant: Tenant, user_id: UserId | None, path: Path) -> Path:
    """The file of a user, or with None of the organisation."""
    async with storage.read(tenant) as tx:
        await write_file(lines_of(tx.portable, tenant.org_id, user_id, now=START), path, quiet)
    return path


@pytest.fixture
def open_copy(migrated_file: Path) -> OpenFile:
    """Opens a file as the program does; its tables are copied, which takes no time."""

    async def opened(path: Path) -> Backend:
        shutil.copyfile(migrated_file, path)
        return await open_file(path)

    return opened


async def read_into(
    storage: Storage, tenant: Tenant, path: Path, opens: OpenFile, kills: Iterable[int] = ()
) -> Imported:
    """Read a file into an organisation, from the beginning after each kill."""
    async with staged(path, tenant.org_id, opens, quiet) as found:
        for place in kills:
            with suppress(KilledError):
                return await arrive(storage, tenant, found, killing_at(place))
        return await arrive(storage, tenant, found, quiet)


def rows_of(path: Path) -> list[tuple[str, dict[str, Any]]]:
    """The rows of a file, each number replaced by its place among those of its table."""
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    rows = [(line["table"], line["row"]) for line in lines if "row" in line]
    numbers = {
        table: sorted(row[name] for one, row in rows if one == table) for table, name in NUMBERED.items()
    }

    def place(what: What, number: int) -> int | None:
        if what in TABLE_OF:
            found = numbers[TABLE_OF[what]]
            at = bisect_left(found, number)
            return at if found[at : at + 1] == [number] else None
        found = numbers["memories" if what is What.MEMORY_UP_TO else "interactions"]
        return bisect_left(found, number + 1) or None

    told = []
    for table, row in rows:
        new = turned(table, row, place)
        if table in NUMBERED:
            new[NUMBERED[table]] = bisect_left(numbers[table], row[NUMBERED[table]])
        told.append((table, new))
    return sorted(told, key=lambda one: (one[0], json.dumps(one[1], sort_keys=True)))


async def found_in(storage: Storage, tenant: Tenant, user_id: UserId) -> list[Any]:
    """What searches of a user find, with their scores."""
    wanted = EVERYTHING.model_copy(update={"user_id": user_id})
    async with storage.read(tenant) as tx:
        hits = [*await tx.search.by_terms(wanted, "turn ärger 東京 quotes", 200)]
        assert hits
        hits += (await tx.search.by_vector(wanted, QUESTION, 200)).hits
        known = {(one.uid): one for one in await tx.memories.get_many([hit.owner_id for hit in hits])}
        uids = {one.memory_id: one.uid for one in known.values()}
        log = {
            one.interaction_id: one.seq for one in await tx.interactions.log(user_id, after_seq=0, limit=999)
        }
    return [
        (hit.kind, log.get(hit.owner_id) if hit.kind == "interaction" else uids[hit.owner_id], hit.score)
        for hit in hits
    ]


async def test_a_user_is_the_same_elsewhere_also_if_killed_on_the_way(
    source: Storage, target: Storage, tmp_path: Path, open_copy: OpenFile
) -> None:
    """Rows, references, searches with their scores. Killed after every page it goes on; again it changes nothing."""
    file = await exported(source, ORG, ANNA, tmp_path / "anna.jsonl")
    assert (await read_into(target, OTHER_ORG, file, open_copy, kills=repeat(0, 200))).went_on
    again = await exported(target, OTHER_ORG, ANNA, tmp_path / "again.jsonl")
    assert len({table for table, _ in rows_of(file)}) > 18
    assert rows_of(file) == rows_of(again)
    assert await found_in(source, ORG, ANNA) == await found_in(target, OTHER_ORG, ANNA)
    assert (await read_into(target, OTHER_ORG, file, open_copy)).was_complete
    assert again.read_bytes() == (await exported(target, OTHER_ORG, ANNA, tmp_path / "3")).read_bytes()
    async with target.read(OTHER_ORG) as tx:
        assert (await tx.cursors.log_head(ANNA)).due_at == START
    await target.append(OTHER_ORG, said("later", request_id="later", user_id=ANNA))


async def test_an_organisation_is_the_same_elsewhere_without_its_secrets(
    source: Storage, target: Storage, tmp_path: Path, open_copy: OpenFile
) -> None:
    """With what serves all users; tokens, accounts, keys and configurations stay. It goes into an empty one alone."""
    file = await exported(source, ORG, None, tmp_path / "all.jsonl")
    assert not (await read_into(target, OTHER_ORG, file, open_copy, kills=(3, 9))).was_complete
    assert rows_of(file) == rows_of(await exported(target, OTHER_ORG, None, tmp_path / "again.jsonl"))
    tables = {table for table, _ in rows_of(file)}
    assert tables >= {"playbook_clusters", "distillations", "model_calls", "exchanges", "changes"}
    secret = {table for table, one in CARRIED.items() if one in {Carried.SECRET, Carried.LOCAL}}
    assert not tables & secret
    assert b"mine hash" not in file.read_bytes()
    with pytest.raises(Conflict, match="holds data already"):
        await read_into(target, OTHER_ORG, await exported(source, OTHER_ORG, None, tmp_path / "o"), open_copy)


@pytest.fixture
def plain_url(request: pytest.FixtureRequest) -> str:
    """The furnished database of SQLite."""
    return FURNISHED["sqlite"](request)


@pytest.fixture
async def plain(plain_url: str) -> AsyncIterator[Storage]:
    """Two organisations with rows in every table, and one that has nothing."""
    storage = await _open(plain_url, "p")
    await released(storage)
    async with storage.begin(EMPTY) as transaction:
        await transaction.organisation.ensure()
    yield storage
    await storage.close()


async def test_what_is_there_is_not_mixed_with_and_what_is_gone_comes_again(
    plain: Storage, tmp_path: Path, open_copy: OpenFile
) -> None:
    """A user who is there, an id that somebody has; a user who was erased since can be imported again."""
    file = await exported(plain, ORG, ANNA, tmp_path / "anna.jsonl")
    with pytest.raises(Conflict, match="holds data of the user 'anna' already"):
        await read_into(plain, ORG, file, open_copy)
    async with plain.begin(EMPTY) as tx:
        await tx.memories.add([new_memory("x", uid="mine-1", user_id=BEN)])
    with pytest.raises(Conflict, match="has memories with the uid 'mine-1' of somebody else"):
        await read_into(plain, EMPTY, file, open_copy)
    async with plain.begin(EMPTY) as tx:
        assert not await tx.portable.stored([ANNA])
        await tx.erased_rows.all(BEN)
    for number in range(2):
        assert not (await read_into(plain, EMPTY, file, open_copy)).was_complete
        again = await exported(plain, EMPTY, ANNA, tmp_path / f"{number}.jsonl")
        assert rows_of(file) == rows_of(again)
        async with plain.begin(EMPTY) as tx:
            await tx.erased_rows.all(ANNA)
    with pytest.raises(NotFound, match="nothing is stored of the user 'anna'"):
        await exported(plain, EMPTY, ANNA, tmp_path / "gone.jsonl")


async def test_what_a_quarantine_holds_is_in_no_file(
    plain: Storage, target: Storage, tmp_path: Path, open_copy: OpenFile
) -> None:
    """Neither turns nor what was learned of them; and nothing comes in where one stands, which would not hold it."""
    await plain.append(ORG, said("poison", request_id="bad", source="web"))
    await plain.append(ORG, said("tea", request_id="good"))
    async with plain.begin(ORG) as tx:
        await tx.memories.add([new_memory("poisoned", source_request_ids=("bad",)), new_memory("likes tea")])
        await tx.quarantines.begin(QuarantineTarget.SOURCE, "web", reason="", actor="")
    path = await exported(plain, ORG, ANNA, tmp_path / "anna.jsonl")
    assert "poison" not in path.read_text()
    assert {"tea", "likes tea"} <= {row.get("content") for _, row in rows_of(path)}
    async with target.begin(EMPTY) as tx:
        await tx.organisation.ensure()
        standing = await tx.quarantines.begin(QuarantineTarget.SOURCE, "web", reason="", actor="")
    with pytest.raises(Conflict, match="quarantine"):
        await read_into(target, EMPTY, path, open_copy)
    async with target.begin(EMPTY) as tx:
        await tx.quarantines.release(standing.quarantine_id, reason="", actor="")
    assert not (await read_into(target, EMPTY, path, open_copy)).was_complete


async def test_of_a_user_who_is_held_there_is_a_file_that_can_be_read(
    plain: Storage, tmp_path: Path, open_copy: OpenFile
) -> None:
    """It has nothing that was said or learned, and no row that names one which is not there."""
    async with plain.begin(ORG) as tx:
        await tx.quarantines.begin(QuarantineTarget.USER, ANNA, reason="", actor="")
    path = await exported(plain, ORG, ANNA, tmp_path / "anna.jsonl")
    assert not {"interactions", "memories", "entities", "relationships"} & {
        table for table, _ in rows_of(path)
    }
    await read_into(plain, EMPTY, path, open_copy)


async def test_vectors_of_another_model_are_computed_again(
    plain: Storage, tmp_path: Path, open_copy: OpenFile
) -> None:
    """They would be wrong here; words find everything at once, and the rest waits for its vector."""
    file = await exported(plain, ORG, ANNA, tmp_path / "anna.jsonl")
    other = file.with_name("other.jsonl")
    other.write_bytes(b"".join(rewritten(file, manifest(embedder="another"))))
    before = await plain.unembedded_count()
    done = await read_into(plain, EMPTY, other, open_copy)
    assert done.embeds_again
    assert await plain.unembedded_count() - before == done.rows["memories"] + done.rows["interactions"]


async def test_a_killed_export_leaves_no_file(plain: Storage, tmp_path: Path) -> None:
    """Nor does it replace one that is there."""
    file = tmp_path / "anna.jsonl"

    def kill(step: Step) -> None:
        assert (tmp_path / "anna.jsonl.partial").stat().st_mode & 0o077 == 0
        if step.done > 20:
            raise KilledError

    async with plain.read(ORG) as tx:
        with pytest.raises(KilledError):
            await write_file(lines_of(tx.portable, ORG.org_id, ANNA, now=START), file, kill)
        assert list(tmp_path.glob("anna*")) == []
        file.write_text("mine")
        with pytest.raises(InvalidInput, match="already exists"):
            await write_file(lines_of(tx.portable, ORG.org_id, ANNA, now=START), file, quiet)
    assert file.read_text() == "mine"


def rewritten(file: Path, change: Callable[[list[Any]], object]) -> list[bytes]:
    """The lines of a file after a change, with counts and a hash that fit it."""
    lines = [json.loads(line) for line in file.read_text().splitlines()][:-1]
    change(lines)
    told = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    body = [f"{line}\n".encode() for line in told]
    counts = Counter(line["table"] for line in lines if not isinstance(line, str) and "row" in line)
    end = {"end": {"rows": counts, "sha256": hashlib.sha256(b"".join(body)).hexdigest()}}
    return [*body, f"{json.dumps(end)}\n".encode()]


def first(lines: list[Any], table: str) -> dict[str, Any]:
    return next(line["row"] for line in lines if line.get("table") == table)


def having(table: str, **fields: object) -> Callable[[list[Any]], object]:
    """A change of the first row of a table."""
    return lambda lines: first(lines, table).update(fields)


def manifest(**fields: object) -> Callable[[list[Any]], object]:
    return lambda lines: lines[0]["manifest"].update(fields)


def twice(lines: list[Any]) -> None:
    lines.append(next(line for line in lines if line.get("table") == "memories"))


DEEP: dict[str, Any] = {}
_at = DEEP
for _ in range(200):
    _at["x"] = _at = {}
HOSTILE: dict[str, tuple[Callable[[list[Any]], object], str]] = {
    "another organisation": (having("memories", org_id="org-b"), "has no column 'org_id'"),
    "another user": (having("memories", user_id="ben"), "another user than the manifest"),
    "for all users": (having("memories", user_id=None, kind="skill"), "another user"),
    "a user's skill": (having("memories", kind="skill"), "belongs to a user if, and only if"),
    "unknown kind": (having("memories", kind="wish"), "kind: Input should be"),
    "unknown column": (having("users", is_admin=True), "has no column 'is_admin'"),
    "missing column": (lambda lines: first(lines, "users").pop("last_seq"), "last_seq of users is missing"),
    "unknown table": (lambda lines: lines[1].update(table="pets"), "no table 'pets'"),
    "secret table": (lambda lines: lines[1].update(table="api_tokens"), "no table 'api_tokens' in a file"),
    "organisation's table": (
        lambda lines: lines[1].update(table="distillations"),
        "no table 'distillations'",
    ),
    "version": (manifest(version=2), "reads version 1 of the format, and the file has 2"),
    "format": (manifest(format="zip"), "not a file that `sagacity export` wrote"),
    "no user": (manifest(user_id=None), "must name a user"),
    "manifest": (manifest(exported_at="soon", more=1), "no valid value for: exported_at, more"),
    "no manifest": (lambda lines: lines.pop(0), "first line is not a manifest"),
    "NUL": (having("memories", content="a\0b"), "memories.content holds a NUL"),
    "NUL within": (having("memories", metadata={"a": ["\0"]}), "memories.metadata holds a NUL"),
    "surrogate": (having("memories", content="\ud800"), "holds a lone surrogate"),
    "long key": (having("memories", uid="u" * 2_000), "memories.uid may have at most 1024 bytes"),
    "no text": (having("memories", content=7), "memories.content must be a text"),
    "null": (having("memories", content=None), "memories.content must not be null"),
    "large number": (having("users", last_seq=2**63), "users.last_seq must be a whole number"),
    "large count": (having("memories", access_count=2**31), "memories.access_count must be a whole number"),
    "not finite": (lambda lines: lines.append('{"table":"users","row":NaN}'), "NaN is not valid JSON"),
    "infinite": (
        lambda lines: first(lines, "memories").update(metadata=float("inf")),
        "Infinity is not valid JSON",
    ),
    "no JSON": (lambda lines: lines.append("{"), "not valid JSON"),
    "no object": (lambda lines: lines.append("[]"), "must be a JSON object"),
    "deep": (having("memories", metadata=DEEP), "nested more than 100 levels"),
    "deeper": (lambda lines: lines.append("[" * 100_000), "not valid JSON"),
    "key twice": (lambda lines: lines.append('{"table":"users","table":"users"}'), "has a key twice"),
    "wrong time": (having("users", created_at="2026-13-01T00:00:00Z"), "a time in ISO 8601"),
    "no zone": (having("users", created_at="2026-01-01T00:00:00"), "a time in ISO 8601 with its zone"),
    "long vector": (having("memories", vector="AAAA"), "must have 16 numbers"),
    "wrong vector": (having("memories", vector="AAAA" * 10 + "AAA="), "16 numbers|length 1|not base64"),
    "list": (having("memories", keywords={}), "memories.keywords must be a list"),
    "snapshot": (having("changes", after={"memory_id": 1}), "changes: after"),
    "confidence": (having("memories", confidence=2), "confidence must be from 0 to 1"),
    "exchange": (having("exchanges", status="asleep"), "exchanges: status"),
}
"""What is seen by a line alone."""
CONTRADICTING: dict[str, tuple[Callable[[list[Any]], object], str]] = {
    "row twice": (twice, "two rows of memories have one key"),
    "no parent": (having("changes", memory_id=10**9), "names a row that does not come before it"),
    "short log": (having("users", last_seq=1), "a log is shorter than its last turn"),
    "cursor": (having("cursors", seq=10**6), "a cursor is beyond the end"),
}
"""What is seen by all of them together."""


def read_lines(lines: list[bytes]) -> None:
    """Read lines one by one, as an import does before it stores anything."""
    tables, said = {table.name: table for table in tables_of(whole=False)}, read_manifest(lines[0])
    for line in lines[1:-1]:
        found = read_line(line)
        table = table_of(found, tables)
        row, _ = read_row(table, found["row"], said.dimension)
        check_row(table, row, said)


async def test_hostile_lines_are_refused(plain: Storage, tmp_path: Path) -> None:
    """Each says what is wrong with it."""
    file = await exported(plain, ORG, ANNA, tmp_path / "anna.jsonl")
    for name, (change, what) in HOSTILE.items():
        bad = rewritten(file, change)
        with pytest.raises(InvalidInput) as refused:
            read_lines(bad)
        assert re.search(what, str(refused.value)), name


async def test_files_that_are_not_whole_leave_nothing(
    plain: Storage, tmp_path: Path, open_copy: OpenFile
) -> None:
    """They were cut short, changed, or contradict themselves; the message names the line where one is to blame."""
    file, bad = await exported(plain, ORG, BEN, tmp_path / "ben.jsonl"), tmp_path / "bad.jsonl"
    whole = file.read_bytes()
    cases: list[tuple[bytes, str]] = [
        (whole[: len(whole) // 2], "is not whole: it breaks off at line"),
        (whole[: whole.rindex(b'{"end"')], "is not whole"),
        (whole.replace(b"mine turn 7", b"your turn 7"), "content has another hash"),
        (whole + b"{}\n", "something follows the last line"),
        (re.sub(rb'("end":.*"users"):1', rb"\1:2", whole), "other counts of rows"),
        (whole.replace(b"mine turn 7", b"\xff\xfe"), r"line \d+: it is not UTF-8"),
        (b" " * (MAX_LINE_BYTES + 1), "has more than 67,108,864 bytes"),
    ]
    anna = await exported(plain, ORG, ANNA, tmp_path / "anna.jsonl")
    cases += [(b"".join(rewritten(anna, change)), what) for change, what in CONTRADICTING.values()]
    for content, what in cases:
        bad.write_bytes(content)
        with pytest.raises(InvalidInput, match=what):
            await read_into(plain, EMPTY, bad, open_copy)
    async with plain.read(EMPTY) as tx:
        assert await tx.imports.is_empty()
        assert not await tx.portable.stored([ANNA, BEN])


@pytest.mark.full
async def test_a_user_of_20_000_turns(plain: Storage, tmp_path: Path, open_copy: OpenFile) -> None:
    """All of them arrive once, in order, in bounded pages."""
    for number in range(200):
        contents = [f"turn {number} {place} about tea" for place in range(100)]
        await plain.append(ORG, said(*contents, request_id=f"many {number}", user_id="many"))
    file = await exported(plain, ORG, UserId("many"), tmp_path / "many.jsonl")
    await read_into(plain, EMPTY, file, open_copy, kills=(5, 50, 150))
    again = await exported(plain, EMPTY, UserId("many"), tmp_path / "again.jsonl")
    assert rows_of(file) == rows_of(again)
