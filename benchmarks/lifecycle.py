"""
What the lifecycle of memories takes: learning a log, learning it again, comparing, swapping, exporting.

    python benchmarks/lifecycle.py [--quick | --full]

One process, SQLite, the rule-based learner and the real embedder. `--full` takes 100,000 turns.
"""

import asyncio
import os
import sqlite3
import time
from collections.abc import Awaitable, Callable
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from conversation_log import logs
from corpus import TENANT, sentences
from harness import Effort, Place, Report, Table, folder, number, run, unheard

from sagacity.bootstrap import open_database
from sagacity.config.database import DatabaseConfigs
from sagacity.config.settings import Settings
from sagacity.dispatch.base import Handler
from sagacity.domain.clock import SystemClock
from sagacity.domain.ids import MemoryUid, TimeOrderedIds
from sagacity.domain.memory import Approval, MemoryKind, NewMemory, SkillFacts, Status
from sagacity.domain.operation import OperationName, OperationParameters, OperationStatus
from sagacity.domain.version import VersionFilter
from sagacity.learning.distil.skills.export import as_zip, skill_folders
from sagacity.learning.prompt_runner import ModelGateway
from sagacity.learning.tasks.open import open_task_runner
from sagacity.memories.diff import diff_versions
from sagacity.memories.version_diff import pages
from sagacity.providers.embedders.minilm import MiniLM
from sagacity.storage.transaction import Storage

KINDS = (MemoryKind.PROFILE, MemoryKind.USER_PLAYBOOK)
RERUNS = (OperationName.PROFILE_GENERATION, OperationName.PLAYBOOK_GENERATION)
FULL = 100_000
SKILLS, SENTENCES_A_SKILL = 1_000, 30
_REQUESTS_AT_ONCE = 256
_MEBIBYTE = 2**20


@dataclass(frozen=True)
class Taken:
    """What one piece of work took."""

    seconds: float
    cpu_seconds: float
    """Of all threads of the process: what others do on the machine shows in it least."""
    peak: float
    """MiB of memory that the process held at the most meanwhile."""
    grown: float
    """MiB by which the database grew."""
    rows: int
    """What the work returned: memories written, moved or compared."""


@dataclass(frozen=True)
class Bench:
    """A database, and what learns in it."""

    home: Path
    storage: Storage
    handle: Handler
    settings: Settings
    turns: int

    async def taken(self, work: Callable[[], Awaitable[int]]) -> Taken:
        """Do *work* and measure it."""
        size = _database_size(self.home)
        Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
        started, cpu_started = time.perf_counter(), time.process_time()
        rows = await work()
        seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu_started
        return Taken(seconds, cpu_seconds, _peak(), _database_size(self.home) - size, rows)

    async def drain(self) -> None:
        """Do what is due of all users, as many side by side as a server does, until nothing is."""
        free = asyncio.Semaphore(self.settings.learn_concurrency)

        async def one(scope) -> None:
            async with free:
                await self.handle(scope)

        while True:
            due = await self.storage.due_scopes(limit=self.turns)
            users = [scope for scope in due if scope.user_id is not None]
            if not users:
                return
            await asyncio.gather(*map(one, users))

    async def count(self, status: Status) -> int:
        """Count the memories of one version."""
        async with self.storage.read(TENANT) as snapshot:
            found = [
                await snapshot.memories.list_newest(kind, statuses=[status], limit=self.turns * 10)
                for kind in KINDS
            ]
        return sum(map(len, found))

    async def learn(self) -> int:
        """Learn everything that was published, as it is learned when it comes in."""
        await self.drain()
        return await self.count(Status.CURRENT)

    async def rerun(self) -> int:
        """Learn everything anew."""
        async with self.storage.begin(TENANT) as transaction:
            for name in RERUNS:
                await transaction.operations.start(name, OperationParameters())
        await self.drain()
        async with self.storage.read(TENANT) as snapshot:
            ended = [await snapshot.operations.latest(name) for name in RERUNS]
        for operation in ended:
            if (
                operation is None
                or operation.status is not OperationStatus.COMPLETED
                or operation.failed_count
            ):
                raise SystemExit(f"the rerun did not end well: {operation}")
            if operation.turn_count != self.turns:
                raise SystemExit(f"{operation.turn_count} turns were read and not {self.turns}")
        return await self.count(Status.PENDING)

    async def compare(self) -> int:
        """Compare PENDING with CURRENT, as a caller does before an upgrade."""
        compared = 0
        for kind in KINDS:
            async with self.storage.read(TENANT) as snapshot:
                async for page in pages(snapshot, VersionFilter(kind=kind)):
                    vectors = await snapshot.search.vectors_of([kind], [memory.memory_id for memory in page])
                    before = [memory for memory in page if memory.status is Status.CURRENT]
                    after = [memory for memory in page if memory.status is Status.PENDING]
                    await asyncio.to_thread(diff_versions, before, after, vectors)
                    compared += len(page)
        return compared

    async def upgrade(self) -> int:
        """Put both kinds in force."""
        moved = 0
        for kind in KINDS:
            async with self.storage.begin(TENANT) as transaction:
                done = await transaction.versions.upgrade(VersionFilter(kind=kind))
            moved += done.promoted_count + done.archived_count
        return moved

    async def downgrade(self) -> int:
        """Take the upgrade back."""
        moved = 0
        for kind in KINDS:
            async with self.storage.begin(TENANT) as transaction:
                done = await transaction.versions.downgrade(VersionFilter(kind=kind))
            moved += done.restored_count + done.demoted_count
        return moved

    async def export(self) -> int:
        """Put all skills into one archive."""
        async with self.storage.read(TENANT) as snapshot:
            skills = await snapshot.memories.list_newest(
                MemoryKind.SKILL, statuses=(Status.CURRENT,), limit=SKILLS + 1
            )
        folders = await asyncio.to_thread(skill_folders, skills)
        await asyncio.to_thread(as_zip, folders)
        return len(folders)


def _database_size(home: Path) -> float:
    with closing(sqlite3.connect(home / "sagacity.db")) as database:
        [pages], [size] = (
            database.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size")
        )
    return pages * size / _MEBIBYTE


def _peak() -> float:
    status = Path("/proc/self/status").read_text()
    [kibibytes] = (line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:"))
    return int(kibibytes) / 1024


async def _publish(storage: Storage, interactions: int) -> int:
    """Store the logs; returns how many turns they hold."""
    requests = [request for log in logs(interactions) for request in log]
    for start in range(0, len(requests), _REQUESTS_AT_ONCE):
        await asyncio.gather(
            *(storage.append(TENANT, one) for one in requests[start : start + _REQUESTS_AT_ONCE])
        )
    return sum(len(request.interactions) for request in requests)


async def _store_skills(storage: Storage) -> None:
    ids, now, texts = TimeOrderedIds(), SystemClock().now(), sentences()
    skills = [
        NewMemory(
            uid=MemoryUid(ids.new()),
            kind=MemoryKind.SKILL,
            user_id=None,
            name="default",
            agent_version="v1",
            trigger=f"Use when {texts[place % len(texts)]}",
            content="\n".join(f"- {texts[(place + step) % len(texts)]}" for step in range(SENTENCES_A_SKILL)),
            attributes={"skill": SkillFacts(name=f"skill {place % 700}")},
            approval=Approval.APPROVED,
            created_at=now,
            updated_at=now,
        )
        for place in range(SKILLS)
    ]
    async with storage.begin(TENANT) as transaction:
        await transaction.memories.add(skills)


async def measure_all(home: Path, interactions: int) -> tuple[int, dict[str, Taken]]:
    """Go once through the lifecycle; returns how many turns there were, and what each piece of work took."""
    settings, embedder, clock, ids = Place(home).settings, MiniLM(), SystemClock(), TimeOrderedIds()
    await embedder.warm()
    async with open_database(settings) as storage:
        await storage.claim_index(embedder.model, embedder.dimension)
        models = ModelGateway(storage, lambda _config, _role: None, clock)
        tasks = open_task_runner(
            *(settings, storage, embedder, models, DatabaseConfigs(storage)),
            clock=clock,
            ids=ids,
            announce=unheard,
            forget_tokens=unheard,
        )
        turns = await _publish(storage, interactions)
        bench = Bench(home, storage, tasks.run, settings, turns)
        found = {
            "learned as published": await bench.taken(bench.learn),
            "rerun into PENDING": await bench.taken(bench.rerun),
            "diff": await bench.taken(bench.compare),
            "upgrade": await bench.taken(bench.upgrade),
            "downgrade": await bench.taken(bench.downgrade),
        }
        await _store_skills(storage)
        found["skills export"] = await bench.taken(bench.export)
    return turns, found


def _reckoned(turns: int, rerun: Taken) -> str:
    """Say what a full log would take, where it was not measured."""
    if turns >= FULL:
        return ""
    minutes = rerun.seconds / turns * FULL / 60
    return (
        f"By this rate a rerun over {FULL:,} turns takes {number(minutes)} minutes: reckoned, not measured. "
    )


def measure(effort: Effort) -> Report:
    """One run: all of it in one process, the two ways of learning one after the other."""
    load = os.getloadavg()[0]
    with folder() as home:
        turns, found = asyncio.run(measure_all(home, effort.pick(2_000, 2_500, FULL)))
    learned, rerun = found["learned as published"], found["rerun into PENDING"]
    return Report(
        subject="Lifecycle",
        about=f"{turns:,} turns of {len(logs(turns)):,} users, by the rule-based learner with the real embedder, in "
        "one process on SQLite: profiles and user playbooks. Turns are recorded ones, and in three of ten pairs "
        "people speak of themselves or of the answers; turns are not embedded meanwhile.",
        tables=[
            Table(
                "Learning, and learning again",
                (
                    "",
                    "turns/s",
                    "CPU, ms a turn",
                    "times the first",
                    "memories",
                    "peak memory, MiB",
                    "growth, bytes a turn",
                ),
                [
                    (
                        name,
                        number(turns / one.seconds),
                        number(1000 * one.cpu_seconds / turns),
                        f"{learned.cpu_seconds / one.cpu_seconds:.2f} ×",
                        number(one.rows),
                        number(one.peak),
                        number(one.grown * _MEBIBYTE / turns),
                    )
                    for name, one in (("as published", learned), ("rerun into PENDING", rerun))
                ],
                "Turns are counted once, although two learners read them. Peak memory is that of the process with "
                f"the embedder. “times the first” compares CPU time. {_reckoned(turns, rerun)}The machine's load was "
                f"{load:.0f} on {os.cpu_count()} cores before it began.",
            ),
            Table(
                "Comparing, swapping, exporting",
                ("", "rows", "seconds", "rows/s", "peak memory, MiB"),
                [
                    (
                        name,
                        number(found[key].rows),
                        number(found[key].seconds),
                        number(found[key].rows / found[key].seconds),
                        number(found[key].peak),
                    )
                    for name, key in (
                        ("diff, PENDING against CURRENT", "diff"),
                        ("upgrade", "upgrade"),
                        ("downgrade", "downgrade"),
                        ("skills export as zip", "skills export"),
                    )
                ],
                f"In process, without HTTP; both kinds. A skill has {SENTENCES_A_SKILL} lines.",
            ),
        ],
    )


if __name__ == "__main__":
    run(measure)
