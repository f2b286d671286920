"""A database copied into another of any kind: all of it, once, verified, also if it is killed on the way."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from itertools import count, product
from pathlib import Path

import pytest
import sqlalchemy as sa

from conftest import DATABASES
from sagacity.auth.tokens import hash_token
from sagacity.domain.errors import CopyMismatch, IndexMismatch, InvalidInput
from sagacity.domain.memory import MemoryKind
from sagacity.domain.query import Filter
from sagacity.domain.tenant import Tenant
from sagacity.storage.open import open_storage
from sagacity.storage.schema.tables import (
    entities,
    evaluations,
    interactions,
    leases,
    memories,
    search_documents,
    search_index,
    search_scopes,
)
from sagacity.storage.transaction import Storage
from sagacity.storage.transfer.copy import OnProgress, Step, compare, copy, is_empty
from sagacity.storage.transfer.rows import TABLES, Part
from support.furnished import (
    DIMENSION,
    FURNISHED,
    QUESTION,
    furnished_database,
    furnished_file,
    numbers_of,
    sums_of,
)
from support.parts import ANNA, BEN, ORG, OTHER_ORG, CountingIds, StoppedClock, new_memory, said

pytestmark = pytest.mark.own_database

PAIRS = [f"{one}-to-{other}" for one, other in product(DATABASES, DATABASES)]
CROSSED = [f"{one}-to-{other}" for one, other in zip(DATABASES, reversed(DATABASES), strict=True)]
__all__ = ["furnished_database", "furnished_file"]
EVERYTHING = Filter(kinds=tuple(MemoryKind), interactions=True, statuses=())


class KilledError(Exception):
    """The process ended here."""


def quiet(_: Step) -> None:
    """Tell nobody."""


def killing_after(pages: int) -> OnProgress:
    """What ends a run when it has said so many times that a page is copied."""
    left = iter(range(pages - 1))

    def tell(step: Step) -> None:
        if step.doing.startswith("copying") and next(left, None) is None:
            raise KilledError

    return tell


async def _open(url: str, prefix: str) -> Storage:
    return await open_storage(url, clock=StoppedClock(), ids=CountingIds(prefix))


@pytest.fixture(params=[CROSSED[0], pytest.param(CROSSED[1], marks=pytest.mark.full)])
def urls(request: pytest.FixtureRequest) -> tuple[str, str]:
    """
    A furnished database and an empty one: each kind is once the source and once the target.

    Most users move from a file to a server; the way back runs for every test in the full suite.
    """
    one, other = request.param.split("-to-")
    return FURNISHED[one](request), DATABASES[other](request)


@pytest.fixture
async def source(urls: tuple[str, str]) -> AsyncIterator[Storage]:
    """Two organisations with rows in every table."""
    storage = await _open(urls[0], "s")
    yield storage
    await storage.close()


@pytest.fixture
async def target(urls: tuple[str, str]) -> AsyncIterator[Storage]:
    """A database without any organisation."""
    storage = await _open(urls[1], "t")
    yield storage
    await storage.close()


@pytest.fixture
async def bare(database_url: str) -> AsyncIterator[Storage]:
    """A database of each kind, without any organisation."""
    storage = await _open(database_url, "n")
    yield storage
    await storage.close()


async def said_by(storage: Storage, tenant: Tenant) -> dict[str, object]:
    """What the repositories tell of an organisation."""
    async with storage.read(tenant) as tx:
        by_terms = await tx.search.by_terms(EVERYTHING, "turn rule ärger 東京", 50)
        by_vector = (await tx.search.by_vector(EVERYTHING, QUESTION, 50)).hits
        assert by_terms
        assert by_vector
        return {
            "log": [await tx.interactions.log(user, after_seq=0, limit=500) for user in (ANNA, BEN)],
            "memories": [await tx.memories.list_newest(kind, limit=99) for kind in MemoryKind],
            "changes": await tx.changes.list_runs(MemoryKind.PROFILE, limit=9),
            "letters": await tx.dead_letters.list_newest(),
            "cursors": await tx.cursors.of_user(ANNA),
            "ties": await tx.relationships.list_page(ANNA),
            "evaluations": await tx.evaluations.list_newest(limit=9),
            "tokens": await tx.tokens.list_page(limit=9),
            "config": await tx.organisation.config(),
            "by terms": [(hit.document_id, hit.kind, round(hit.score, 5)) for hit in by_terms],
            "by vector": [(hit.document_id, hit.kind, round(hit.score, 3)) for hit in by_vector],
        }


@pytest.mark.parametrize(
    "urls",
    [pytest.param(pair, marks=() if pair in CROSSED else pytest.mark.full) for pair in PAIRS],
    indirect=True,
)
async def test_a_copy_is_equal(source: Storage, target: Storage) -> None:
    """Every row of every table arrives, and the repositories say the same of both."""
    before = await sums_of(source)
    tables = await copy(source.backend, target.backend, quiet)
    assert {table.table: table.rows for table in tables} == {
        table.name: sum(found.count for part, found in before.items() if part.table is table)
        for table in TABLES
    }
    assert all(table.rows >= 2 for table in tables)
    assert await sums_of(target) == before == await sums_of(source)
    for tenant in (ORG, OTHER_ORG):
        assert await said_by(target, tenant) == await said_by(source, tenant)
    assert (await target.find_token(hash_token("theirs"))).org_id == OTHER_ORG.org_id
    await target.claim_index("model", DIMENSION)
    assert await compare(source.backend, target.backend, quiet) == tables


async def test_what_belongs_to_living_processes_stays_behind(source: Storage, target: Storage) -> None:
    """Leases are not copied; a vector store has nothing of the copy."""
    async with source.backend.write(ORG.org_id) as connection:
        await connection.execute(sa.update(search_scopes).values(copied_revision=1))
    await copy(source.backend, target.backend, quiet)
    for tenant in (ORG, OTHER_ORG):
        async with target.backend.read(tenant.org_id) as connection:
            copied = sa.select(search_scopes.c.copied_revision).distinct()
            assert (await connection.execute(copied)).scalars().all() == [0]
            assert (await connection.execute(sa.select(leases))).all() == []


@pytest.mark.parametrize(
    "urls",
    [pytest.param(pair, marks=() if pair == CROSSED[0] else pytest.mark.full) for pair in PAIRS],
    indirect=True,
)
async def test_killed_after_any_page_it_goes_on_there(source: Storage, target: Storage) -> None:
    """Each run ends some pages further; nothing is sent twice, and the last one finds both equal."""
    for pages in count(1, 3):
        with suppress(KilledError):
            await copy(source.backend, target.backend, killing_after(pages))
            break
    assert pages > 40
    assert await sums_of(target) == await sums_of(source)


async def test_copied_again_it_changes_nothing(source: Storage, target: Storage) -> None:
    """What is complete is only compared."""
    first = await copy(source.backend, target.backend, quiet)
    steps: list[Step] = []
    assert await copy(source.backend, target.backend, steps.append) == first
    assert {step.doing for step in steps if step.doing.startswith("comparing")}


async def test_numbers_go_on_after_the_largest(source: Storage, target: Storage) -> None:
    """What is stored in the copy afterwards gets numbers of its own, in every organisation."""
    await copy(source.backend, target.backend, quiet)
    columns = (interactions.c.interaction_id, memories.c.memory_id, search_documents.c.document_id)
    for tenant in (ORG, OTHER_ORG):
        before = {column: await numbers_of(target, tenant, column) for column in columns}
        await target.append(tenant, said("new", request_id="new"))
        async with target.begin(tenant) as tx:
            await tx.memories.add([new_memory("new", uid="new")])
        for column in columns:
            added = [
                number for number in await numbers_of(target, tenant, column) if number not in before[column]
            ]
            assert added
            assert min(added) > max(before[column])
    async with target.backend.write(ORG.org_id) as connection:
        row = {
            "org_id": ORG.org_id,
            "session_id": "new",
            "is_success": True,
            "created_at": StoppedClock().now(),
        }
        await connection.execute(evaluations.insert(), row)
    assert len(await numbers_of(target, ORG, evaluations.c.result_id)) == 2
    assert len(await numbers_of(target, ORG, entities.c.entity_id)) > 2


@pytest.mark.parametrize("urls", CROSSED, indirect=True)
async def test_a_writer_goes_on_and_the_copy_is_of_one_moment(source: Storage, target: Storage) -> None:
    """Whatever is stored meanwhile is there completely or not at all."""
    done = asyncio.Event()

    async def write() -> int:
        for number in count():
            await source.append(ORG, said("a", "b", "c", request_id=f"meanwhile-{number}"))
            if done.is_set():
                return number
            await asyncio.sleep(0.001)
        raise AssertionError

    async with asyncio.TaskGroup() as group:
        writer = group.create_task(write())
        await asyncio.sleep(0.05)
        await copy(source.backend, target.backend, quiet)
        done.set()
    assert writer.result() > 5
    async with target.read(ORG) as tx:
        log = await tx.interactions.log(ANNA, after_seq=0, limit=10_000)
        assert [turn.seq for turn in log] == list(range(1, len(log) + 1))
        assert await tx.cursors.log_head(ANNA) is not None
        requests = {turn.request_id for turn in log if turn.request_id.startswith("meanwhile")}
        assert len([turn for turn in log if turn.request_id in requests]) == 3 * len(requests)
    turns = len(await numbers_of(target, ORG, interactions.c.interaction_id))
    async with target.backend.read(ORG.org_id) as connection:
        documents = sa.select(sa.func.count()).where(
            search_documents.c.org_id == ORG.org_id, search_documents.c.kind == "interaction"
        )
        assert (await connection.execute(documents)).scalar_one() == turns
    with pytest.raises(CopyMismatch, match="interactions"):
        await compare(source.backend, target.backend, quiet)


async def test_a_target_with_other_data_is_left_untouched(source: Storage, target: Storage) -> None:
    """An organisation that the source has not, or rows that differ, end it before anything is written."""
    stranger = Tenant(org_id="stranger")
    async with target.begin(stranger) as tx:
        await tx.organisation.ensure()
    await target.append(stranger, said("soup"))
    before = await sums_of(target)
    with pytest.raises(InvalidInput, match="'stranger'"):
        await copy(source.backend, target.backend, quiet)
    assert await sums_of(target) == before


@pytest.mark.parametrize("other_content", [True, False])
async def test_rows_of_one_organisation_that_differ_are_refused(
    source: Storage, target: Storage, *, other_content: bool
) -> None:
    """As many rows with other content, or more rows than there are at the source."""
    await copy(source.backend, target.backend, quiet)
    if other_content:
        async with target.backend.write(OTHER_ORG.org_id) as connection:
            statement = sa.update(memories).where(memories.c.uid == "theirs-0").values(content="changed")
            await connection.execute(statement)
    else:
        await target.append(OTHER_ORG, said("one more", request_id="more"))
    before = await sums_of(target)
    with pytest.raises(InvalidInput, match=r"of organisation 'org-b'"):
        await copy(source.backend, target.backend, quiet)
    assert await sums_of(target) == before


async def test_verification_names_what_differs(source: Storage, target: Storage) -> None:
    """The table, the organisation, and both counts."""
    await copy(source.backend, target.backend, quiet)
    async with target.backend.write(OTHER_ORG.org_id) as connection:
        statement = sa.update(memories).where(memories.c.uid == "theirs-0").values(confidence=0.5)
        await connection.execute(statement)
    with pytest.raises(
        CopyMismatch, match=r"table memories of organisation 'org-b': 7 rows .*, 7 .* other content"
    ):
        await compare(source.backend, target.backend, quiet)
    async with target.backend.write(OTHER_ORG.org_id) as connection:
        await connection.execute(sa.delete(memories).where(memories.c.uid == "theirs-0"))
    with pytest.raises(
        CopyMismatch, match=r"table memories of organisation 'org-b': 7 rows .*, 6 at the target"
    ):
        await compare(source.backend, target.backend, quiet)


async def test_a_bare_organisation_is_no_data(source: Storage, target: Storage) -> None:
    """Rows that any program makes that opens a database are in nobody's way."""
    for tenant in (ORG, Tenant(org_id="bare")):
        async with target.begin(tenant) as tx:
            await tx.organisation.ensure("another name")
    await target.claim_index("another model", 3)
    assert await is_empty(target.backend)
    await copy(source.backend, target.backend, quiet)
    found = await sums_of(target)
    assert {part: found[part] for part in found if part.org_id != "bare"} == await sums_of(source)
    await target.claim_index("model", DIMENSION)
    assert not await is_empty(target.backend)


async def test_an_index_of_another_embedder_is_refused(source: Storage, target: Storage) -> None:
    """Vectors of two embedders never come together; the message says what to do."""
    with pytest.raises(KilledError):
        await copy(source.backend, target.backend, killing_after(60))
    async with target.backend.write(ORG.org_id) as connection:
        await connection.execute(sa.update(search_index).values(embedder="another"))
    before = await sums_of(target)
    assert any(part.table is memories for part in before)
    with pytest.raises(IndexMismatch, match="sagacity reindex"):
        await copy(source.backend, target.backend, quiet)
    assert await sums_of(target) == before


async def test_an_empty_database_is_copied(target: Storage, tmp_path: Path) -> None:
    """There is nothing to do, and nothing to complain about."""
    empty = await _open(f"sqlite:///{tmp_path / 'empty.db'}", "e")
    assert [table.rows for table in await copy(empty.backend, target.backend, quiet)] == [0] * len(TABLES)
    assert await sums_of(target) == {}
    await empty.close()


def test_every_table_is_copied_or_known_to_stay() -> None:
    """A new table cannot be forgotten: it is copied unless it is named in the one list of those that are not."""
    assert {table.name for table in TABLES} == {
        table.name for table in interactions.metadata.tables.values()
    } - {
        "leases",
        "search_index",
    }
    assert Part(interactions, ORG.org_id) != Part(interactions, OTHER_ORG.org_id)
