"""Versions in any order of upgrades, downgrades, reruns and people's own writes, against a model of a few lines."""

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, replace

import pytest
import sqlalchemy as sa
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from conftest import DATABASES
from sagacity.domain.ids import OrgId
from sagacity.domain.memory import Approval, ArchivedBy, MemoryKind, Status
from sagacity.domain.tenant import Tenant
from sagacity.domain.version import Downgraded, Upgraded, VersionFilter
from sagacity.storage.open import open_storage
from sagacity.storage.schema.tables import search_documents
from sagacity.storage.transaction import Storage, Transaction
from support.parts import ANNA, BEN, CountingIds, StoppedClock, new_memory

KIND = MemoryKind.USER_PLAYBOOK
CURRENT, PENDING, ARCHIVED = Status.CURRENT, Status.PENDING, Status.ARCHIVED
OWNERS = [(user_id, name) for user_id in (ANNA, BEN) for name in ("one", "two")]
EXAMPLES_A_RUN = {"sqlite": 2, "postgresql": 8}
"""How many examples elsewhere take as long as one here: a run of twenty commands, on a server longer still."""
_orgs = itertools.count(1)


@dataclass(frozen=True)
class Row:
    """What the model knows of a memory."""

    user_id: str
    name: str
    status: Status
    by: ArchivedBy = ArchivedBy.VERSION
    successor: int | None = None

    @property
    def version(self) -> Status | None:
        """The version that it belongs to; None for history."""
        is_history = self.status is ARCHIVED and (self.by, self.successor) != (ArchivedBy.VERSION, None)
        return None if is_history else self.status


Rows = dict[int, Row]
filters = st.builds(
    VersionFilter,
    kind=st.just(KIND),
    user_ids=st.sampled_from([(), (), (ANNA,), (BEN,)]),
    names=st.sampled_from([(), (), ("one",), ("two",)]),
    only_affected_users=st.booleans(),
)
owners = st.sampled_from(OWNERS)


def chosen(rows: Rows, wanted: VersionFilter, version: Status) -> set[int]:
    """The memories of a version that a filter names."""
    return {
        number
        for number, row in rows.items()
        if row.version is version
        and (not wanted.user_ids or row.user_id in wanted.user_ids)
        and (not wanted.names or row.name in wanted.names)
    }


def of_affected(rows: Rows, numbers: set[int], by: set[int], wanted: VersionFilter) -> set[int]:
    """Those of *numbers* whose users have something in *by*, if that is asked for."""
    users = {rows[number].user_id for number in by}
    return {one for one in numbers if not wanted.only_affected_users or rows[one].user_id in users}


def without(rows: Rows, gone: set[int]) -> Rows:
    """What is left when some are deleted, with all that they had superseded."""
    while (
        more := {n for n, row in rows.items() if row.successor in gone and row.by is not ArchivedBy.PERSON}
        - gone
    ):
        gone = gone | more
    return {number: row for number, row in rows.items() if number not in gone}


def moved(rows: Rows, numbers: set[int], status: Status) -> Rows:
    """A version put where it goes."""
    put = {number: replace(rows[number], status=status, by=ArchivedBy.VERSION) for number in numbers}
    return rows | put


class Versions(RuleBasedStateMachine):
    """Every step is done to the database and to the model, and both are compared."""

    run: Callable[[Awaitable], object]
    storage: Storage

    @initialize()
    def begin(self) -> None:
        self.rows: Rows = {}
        self.tenant = Tenant(org_id=OrgId(f"versions-{next(_orgs)}"))
        self.write(lambda tx: tx.organisation.ensure("versions"))
        for owner in OWNERS:
            for version in (ARCHIVED, CURRENT, CURRENT, PENDING):
                self.add(owner, version)

    def write(self, work: Callable[[Transaction], Awaitable]):
        async def done():
            async with self.storage.begin(self.tenant) as tx:
                return await work(tx)

        return self.run(done())

    def add(self, owner: tuple[str, str], status: Status) -> int:
        user_id, name = owner
        new = new_memory("tea", kind=KIND, user_id=user_id, name=name, status=status)
        [memory] = self.write(lambda tx: tx.memories.add([new]))
        self.rows[memory.memory_id] = Row(user_id, name, status)
        return memory.memory_id

    def save(self, number: int, **update: object) -> None:
        async def edit(tx: Transaction) -> None:
            found = await tx.memories.get(number)
            await tx.memories.save([found.model_copy(update=update)])

        self.write(edit)

    def pick(self, data: st.DataObject, version: Status, owner: tuple[str, str] | None = None) -> int | None:
        found = [
            number
            for number, row in self.rows.items()
            if row.version is version and owner in (None, (row.user_id, row.name))
        ]
        return data.draw(st.sampled_from(found)) if found else None

    def supersede(self, number: int, successor: int) -> None:
        self.save(number, status=ARCHIVED, archived_by=ArchivedBy.LEARNER, superseded_by=successor)
        self.rows[number] = replace(
            self.rows[number], status=ARCHIVED, by=ArchivedBy.LEARNER, successor=successor
        )

    @rule(owner=owners, data=st.data(), replaces=st.booleans())
    def learn(self, owner: tuple[str, str], data: st.DataObject, *, replaces: bool) -> None:
        before = self.pick(data, CURRENT, owner) if replaces else None
        number = self.add(owner, CURRENT)
        if before is not None:
            self.supersede(before, number)
        self.compare(self.rows)

    @rule(wanted=filters, data=st.data())
    def rerun(self, wanted: VersionFilter, data: st.DataObject) -> None:
        everybody = wanted.model_copy(update={"only_affected_users": False})
        left = without(self.rows, chosen(self.rows, everybody, PENDING))
        discarded = self.write(lambda tx: tx.versions.discard_pending(everybody))
        assert discarded == len(self.rows) - len(left)
        self.compare(left)
        for owner in OWNERS:
            fits = chosen({0: Row(*owner, PENDING)}, wanted, PENDING)
            numbers = [self.add(owner, PENDING) for _ in range(data.draw(st.integers(1, 2)) if fits else 0)]
            if len(numbers) > 1:
                self.supersede(*numbers)
        self.compare(self.rows)

    def has(self, version: Status) -> bool:
        return bool(chosen(self.rows, VersionFilter(kind=KIND), version))

    @precondition(lambda self: self.has(PENDING))
    @rule(wanted=filters, archive=st.sampled_from([True, True, True, False]))
    def upgrade(self, wanted: VersionFilter, *, archive: bool) -> None:
        promoted = chosen(self.rows, wanted, PENDING)
        doomed, away = set[int](), set[int]()
        if promoted and archive:
            doomed, away = (
                of_affected(self.rows, chosen(self.rows, wanted, version), promoted, wanted)
                for version in (ARCHIVED, CURRENT)
            )
        left = without(self.rows, doomed)
        expected = Upgraded(
            deleted_count=len(self.rows) - len(left),
            archived_count=len(away),
            promoted_count=len(promoted),
        )
        done = self.write(lambda tx: tx.versions.upgrade(wanted, archive_current=archive))
        assert done == expected
        self.compare(moved(moved(left, away, ARCHIVED), promoted, CURRENT))

    @precondition(lambda self: self.has(ARCHIVED))
    @rule(wanted=filters)
    def downgrade(self, wanted: VersionFilter) -> None:
        restored = chosen(self.rows, wanted, ARCHIVED)
        away = (
            of_affected(self.rows, chosen(self.rows, wanted, CURRENT), restored, wanted)
            if restored
            else set()
        )
        done = self.write(lambda tx: tx.versions.downgrade(wanted))
        assert done == Downgraded(demoted_count=len(away), restored_count=len(restored))
        self.compare(moved(moved(self.rows, away, ARCHIVED), restored, CURRENT))

    @precondition(lambda self: self.rows)
    @rule(data=st.data(), approval=st.sampled_from(Approval), content=st.sampled_from(["tea", "green tea"]))
    def edit(self, data: st.DataObject, approval: Approval, content: str) -> None:
        self.save(data.draw(st.sampled_from(sorted(self.rows))), approval=approval, content=content)
        self.compare(self.rows)

    @precondition(lambda self: self.rows)
    @rule(data=st.data())
    def delete(self, data: st.DataObject) -> None:
        number = data.draw(st.sampled_from(sorted(self.rows)))
        assert self.write(lambda tx: tx.memories.delete(KIND, ids=[number])) == 1
        left = without(self.rows, {number})
        assert {self.rows[gone].status for gone in self.rows.keys() - left.keys() - {number}} <= {ARCHIVED}
        self.rows = left
        self.compare(left)

    @rule(data=st.data(), version=st.sampled_from([CURRENT, PENDING, ARCHIVED]))
    def person_archives(self, data: st.DataObject, version: Status) -> None:
        number = self.pick(data, version)
        if number is not None:
            self.save(number, status=ARCHIVED, archived_by=ArchivedBy.PERSON)
            self.rows[number] = replace(self.rows[number], status=ARCHIVED, by=ArchivedBy.PERSON)
        self.compare(self.rows)

    def compare(self, expected: Rows) -> None:
        """The database holds what the model does, and nothing that was current is lost."""
        assert chosen(self.rows, VersionFilter(kind=KIND), CURRENT) <= expected.keys()
        self.rows = expected

        async def read() -> tuple[Rows, dict[int, str]]:
            async with self.storage.read(self.tenant) as snapshot:
                found = await snapshot.memories.list_newest(KIND, limit=999)
            async with self.storage.backend.read(self.tenant.org_id) as connection:
                column = search_documents.c
                mine = sa.select(column.owner_id, column.status).where(column.org_id == self.tenant.org_id)
                documents = {row.owner_id: row.status for row in await connection.execute(mine)}
            rows = {
                one.memory_id: Row(
                    one.user_id or "", one.name, one.status, one.archived_by, one.superseded_by
                )
                for one in found
            }
            return rows, documents

        rows, documents = self.run(read())
        assert rows == expected
        assert documents == {number: str(row.status) for number, row in expected.items()}


@pytest.fixture
def machine(database_url: str) -> Iterator[type[Versions]]:
    """The machine on a database, which stays open for all examples; each is an organisation of its own."""
    with asyncio.Runner() as runner:
        storage = runner.run(open_storage(database_url, clock=StoppedClock(), ids=CountingIds()))
        try:
            yield type("Opened", (Versions,), {"run": staticmethod(runner.run), "storage": storage})
        finally:
            runner.run(storage.close())


@pytest.mark.examples
def test_versions_are_what_the_model_says(machine: type[Versions], request: pytest.FixtureRequest) -> None:
    """In any order: one version at most is current, nothing current is lost, counts and documents agree."""
    database = next(name for name in DATABASES if name in request.node.name)
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=settings.default.max_examples // EXAMPLES_A_RUN[database],
            stateful_step_count=20,
        ),
    )
