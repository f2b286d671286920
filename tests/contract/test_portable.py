"""One user, or one organisation, as a file: written, read into any database, once, also if it is killed on the way."""

import json
from bisect import bisect_left
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from conftest import DATABASES
from sagacity.domain.ids import UserId
from sagacity.domain.kinds import USER_KINDS
from sagacity.domain.query import Filter
from sagacity.domain.tenant import Tenant
from sagacity.storage.open import open_file, open_storage
from sagacity.storage.portable.arriving import Imported, arrive
from sagacity.storage.portable.files import write_file
from sagacity.storage.portable.references import What, turned
from sagacity.storage.portable.staging import staged
from sagacity.storage.portable.writing import lines_of
from sagacity.storage.transaction import Storage
from sagacity.storage.transfer.copy import Step
from support.furnished import DIMENSION, FURNISHED, QUESTION, furnished_database, furnished_file
from support.parts import ANNA, ORG, OTHER_ORG, START, CountingIds, StoppedClock

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


@pytest.fixture(params=["sqlite-to-sqlite", "sqlite-to-postgresql", "postgresql-to-sqlite"])
def urls(request: pytest.FixtureRequest) -> tuple[str, str]:
    """A furnished database and an empty one."""
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


async def read_into(
    storage: Storage, tenant: Tenant, path: Path, tell: Callable[[Step], None] = quiet
) -> Imported:
    """Read a file into an organisation."""
    async with staged(path, tenant.org_id, open_file, tell) as found:
        return await arrive(storage, tenant, found, tell)


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
            return found.index(number) if number in found else None
        found = numbers["memories" if what is What.MEMORY_UP_TO else "interactions"]
        return bisect_left(found, number + 1) or None

    told = []
    for table, row in rows:
        new = turned(table, row, place)
        if table in NUMBERED:
            new[NUMBERED[table]] = numbers[table].index(row[NUMBERED[table]])
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
    source: Storage, target: Storage, tmp_path: Path
) -> None:
    """Rows, references, searches with their scores; killed after every page it goes on, and again changes nothing."""
    file = await exported(source, ORG, ANNA, tmp_path / "anna.jsonl")
    place = 0
    while True:
        try:
            done = await read_into(target, OTHER_ORG, file, killing_at(place))
        except KilledError:
            place = 0 if place else 1
            continue
        break
    assert done.went_on
    again = await exported(target, OTHER_ORG, ANNA, tmp_path / "again.jsonl")
    assert rows_of(file) == rows_of(again)
    assert await found_in(source, ORG, ANNA) == await found_in(target, OTHER_ORG, ANNA)
    assert (await read_into(target, OTHER_ORG, file)).was_complete
    assert rows_of(again) == rows_of(await exported(target, OTHER_ORG, ANNA, tmp_path / "third.jsonl"))
