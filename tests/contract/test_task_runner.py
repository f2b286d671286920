"""What the runner of background tasks promises, whatever the tasks are."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest

from sagacity.domain.cursor import Lease
from sagacity.domain.ids import ORGANISATION, UserId
from sagacity.domain.memory import MemoryKind
from sagacity.domain.tenant import DueScope
from sagacity.learning.retention import Retain
from sagacity.learning.tasks.base import Look, Subject, TaskReport, TaskScope
from sagacity.learning.tasks.runner import TaskRunner
from sagacity.storage.transaction import Storage, Transaction
from support.learning import WordEmbedder, due_at, task_parts
from support.parts import ANNA, ORG, START, CountingIds, StoppedClock, new_memory
from support.tenancy import Tenancy

pytestmark = pytest.mark.either_database

SCOPES = [
    pytest.param(TaskScope.USER, id="a user"),
    pytest.param(TaskScope.ORGANISATION, id="the organisation"),
]


BROKEN = RuntimeError("secret")


@dataclass
class Small:
    """A task that is due until it has written that it was done."""

    name: str
    storage: Storage
    scope: TaskScope
    error: Exception | None = None
    looks_at: datetime | None = None
    """When it wants to be looked at next."""
    tries: int = 0

    async def look(self, snapshot: Transaction, subject: Subject) -> Look:
        held = await snapshot.distillations.get(self.name, str(subject.scope.user_id), "")
        return Look(self.looks_at, is_due=held.last_read == 0)

    async def run(self, subject: Subject, lease: Lease, *, until: float | None) -> TaskReport:
        async with self.storage.begin(ORG) as transaction:
            await transaction.leases.check(lease)
            held = await transaction.distillations.lock(self.name, str(subject.scope.user_id), "")
            await transaction.distillations.save(held.model_copy(update={"last_read": held.last_read + 1}))
            self.tries += 1
            if self.error is not None:
                raise self.error
        return TaskReport()

    async def done(self, user_id: UserId | None) -> int:
        """How often it has written that it was done."""
        async with self.storage.read(ORG) as snapshot:
            return (await snapshot.distillations.get(self.name, str(user_id), "")).last_read


class Scene:
    """Small tasks of one scope, and their runner."""

    def __init__(self, storage: Storage, clock: StoppedClock, ids: CountingIds, scope: TaskScope) -> None:
        self.storage = storage
        self.scope = scope
        self.user_id = ORGANISATION if scope is TaskScope.ORGANISATION else ANNA
        self._parts = task_parts(storage, WordEmbedder(), clock, ids)

    def task(self, name: str, **fields: object) -> Small:
        return Small(name, self.storage, self.scope, **fields)

    async def run(self, tasks: Sequence[Small]) -> TaskReport:
        return await TaskRunner(self._parts, tasks).run(DueScope(tenant=ORG, user_id=self.user_id))

    async def done(self, tasks: Sequence[Small]) -> list[int]:
        return [await task.done(self.user_id) for task in tasks]

    async def due_at(self) -> datetime | None:
        return await due_at(self.storage, self.user_id)

    async def is_due(self) -> bool:
        """Whether a dispatcher that looks now finds the scope."""
        return self.user_id in [scope.user_id for scope in await self.storage.due_scopes(limit=9)]


@pytest.fixture(params=SCOPES)
async def scene(
    storage: Storage, clock: StoppedClock, ids: CountingIds, request: pytest.FixtureRequest
) -> Scene:
    scene = Scene(storage, clock, ids, request.param)
    async with storage.begin(ORG) as transaction:
        await transaction.cursors.ensure_due(scene.user_id)
    return scene


async def test_a_task_that_fails_stops_no_other_and_is_run_again(scene: Scene, clock: StoppedClock) -> None:
    """It is named in the report, has written nothing, and comes again after a minute, alone."""
    tasks = [scene.task("first"), scene.task("broken", error=BROKEN), scene.task("last")]
    report = await scene.run(tasks)
    assert report.failed == {"broken": "internal error (RuntimeError); see the server's log"}
    assert await scene.done(tasks) == [1, 0, 1]
    assert await scene.due_at() == START + timedelta(seconds=60)
    clock.advance(59)
    assert not await scene.is_due()
    clock.advance(1)
    assert await scene.is_due()
    tasks[1].error = None
    assert (await scene.run(tasks)).failed == {}
    assert await scene.done(tasks) == [1, 1, 1]
    assert [task.tries for task in tasks] == [1, 2, 1]
    assert await scene.due_at() is None


async def test_a_lease_held_elsewhere_makes_its_task_wait(scene: Scene, clock: StoppedClock) -> None:
    """The others are run; the scope is looked at again soon, and the task is run once the lease is given back."""
    tasks = [scene.task("held"), scene.task("free")]
    async with scene.storage.begin(ORG) as transaction:
        held = await transaction.leases.claim("held", "elsewhere", 3_600, user_id=scene.user_id)
    assert held is not None
    report = await scene.run(tasks)
    assert (report.busy, report.failed) == (True, {})
    assert await scene.done(tasks) == [0, 1]
    assert await scene.due_at() == START + timedelta(seconds=5)
    async with scene.storage.begin(ORG) as transaction:
        await transaction.leases.finish(held)
    clock.advance(5)
    assert await scene.is_due()
    assert not (await scene.run(tasks)).busy
    assert await scene.done(tasks) == [1, 1]
    assert await scene.due_at() is None


async def test_a_configuration_that_cannot_be_used_postpones_all(scene: Scene, clock: StoppedClock) -> None:
    """No task is run; once the configuration is mended, all are."""
    tasks = [scene.task("first"), scene.task("last")]
    async with scene.storage.begin(ORG) as transaction:
        await transaction.organisation.set_config('"not a configuration"')
    report = await scene.run(tasks)
    assert list(report.failed) == ["configuration"]
    assert await scene.done(tasks) == [0, 0]
    assert await scene.due_at() == START + timedelta(seconds=60)
    async with scene.storage.begin(ORG) as transaction:
        await transaction.organisation.set_config("{}")
    clock.advance(60)
    assert await scene.is_due()
    assert (await scene.run(tasks)).failed == {}
    assert await scene.done(tasks) == [1, 1]


@pytest.mark.parametrize(
    ("wanted", "error", "least"),
    [
        ([90, None, 30], None, 30),
        ([None, None, None], None, None),
        ([90, None, 30], BROKEN, 30),
        ([90, None, None], BROKEN, 60),
    ],
    ids=["one of several", "none", "sooner than a retry", "later than a retry"],
)
async def test_a_scope_is_due_when_the_first_of_its_tasks_is(
    scene: Scene, wanted: list[int | None], error: Exception | None, least: int | None
) -> None:
    """Of all moments that its tasks name, and of the retry of what failed, the earliest."""
    moments = [None if one is None else START + timedelta(seconds=one) for one in wanted]
    tasks = [scene.task(f"task {place}", looks_at=moment) for place, moment in enumerate(moments)]
    tasks[0].error = error
    await scene.run(tasks)
    assert await scene.due_at() == (None if least is None else START + timedelta(seconds=least))


async def test_tasks_of_another_scope_are_left_alone(scene: Scene) -> None:
    """Neither are they run, nor does it count when they are due."""
    other = next(scope for scope in TaskScope if scope is not scene.scope)
    stranger = Small("stranger", scene.storage, other, looks_at=START)
    await scene.run([scene.task("own"), stranger])
    assert stranger.tries == 0
    assert await scene.due_at() is None


async def test_retention_and_distilling_of_one_organisation_go_side_by_side(
    storage: Storage, clock: StoppedClock, ids: CountingIds
) -> None:
    """What has expired is deleted between reading and writing of a playbook for all: both are done, nothing fails."""
    tenancy = Tenancy(storage, clock, ids)
    await tenancy.choose(reaggregation_trigger_count=2)
    await tenancy.teach("use pnpm for packages", "use pnpm for packages here", "use pnpm for all packages")
    expired = new_memory("Is in Lyon.", expires_at=START - timedelta(days=9))
    async with storage.begin(ORG) as transaction:
        await transaction.memories.add([expired])
    parts = task_parts(storage, WordEmbedder(), clock, ids)
    reports: list[TaskReport] = []

    async def clean_up() -> None:
        tenancy.embedder.before = None
        runner = TaskRunner(parts, [Retain(parts)])
        reports.append(await runner.run(DueScope(tenant=ORG, user_id=ORGANISATION)))
        async with storage.read(ORG) as snapshot:
            assert await snapshot.memories.list_newest(MemoryKind.PROFILE, limit=9) == []

    tenancy.embedder.before = clean_up
    await tenancy.note()
    reports.append(await tenancy.run())
    assert [(report.failed, report.busy) for report in reports] == [({}, False)] * 2
    assert len(await tenancy.shared()) == 1
    assert await tenancy.due_at() is None
