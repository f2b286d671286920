"""Learning put together for a test: real storage and embedder, rules or extractors of the test."""

from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import datetime

import numpy as np

from sagacity.config.settings import Settings
from sagacity.config.tenant_config import TenantConfig
from sagacity.dispatch.retry import RetryPolicy
from sagacity.domain.change import Candidate
from sagacity.domain.clock import Clock
from sagacity.domain.cursor import LEARN, Cursor, DeadLetter, Window
from sagacity.domain.errors import ProviderError
from sagacity.domain.ids import IdSource, UserId
from sagacity.domain.memory import Memory, MemoryKind, Status
from sagacity.domain.tenant import DueScope, Tenant
from sagacity.learning.extractors.base import Extraction
from sagacity.learning.models import open_models
from sagacity.learning.prompt_runner import ModelGateway, Models, ModelSession
from sagacity.learning.tasks.base import TaskReport
from sagacity.learning.tasks.parts import TaskParts, TaskPolicy
from sagacity.learning.tasks.runner import TaskRunner
from sagacity.learning.tasks.table import open_tasks
from sagacity.learning.windows.learners import Groups, Learner, LearnerGroup, learner_groups
from sagacity.providers.base import Embedder, Vectors
from sagacity.storage.transaction import Storage
from support.configs import kept_configs
from support.parts import ANNA, ORG, StoppedClock, cursor_at
from support.scripted_llm import ScriptedLLM

QUIET_SECONDS = 30.0
ATTEMPTS = 3
BASE_SECONDS = 5.0


class BrokenEmbedder:
    """An embedder that fails while it is told to, in front of a real one."""

    def __init__(self, inner: Embedder, error: ProviderError | None = None) -> None:
        self._inner = inner
        self.error = error
        self.refuses: Callable[[str], bool] = lambda text: False
        self.calls = 0

    @property
    def model(self) -> str:
        return self._inner.model

    @property
    def dimension(self) -> int:
        return self._inner.dimension

    async def embed(self, texts: Sequence[str], *, background: bool = False) -> Vectors:
        self.calls += 1
        if self.error is not None and (not texts or any(map(self.refuses, texts)) or self.refuses("*")):
            raise self.error
        return await self._inner.embed(texts, background=background)

    async def warm(self) -> None:
        await self._inner.warm()


class WordEmbedder:
    """A quick embedder: a text's words, each at a place of its own."""

    model, dimension = "words", 64

    async def embed(self, texts: Sequence[str], *, background: bool = False) -> Vectors:
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                row[sum(word.encode()) % self.dimension] += 1
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        return rows / np.where(norms, norms, 1)

    async def warm(self) -> None:
        """Nothing to load."""


class Recorder:
    """An extractor that keeps the windows it was shown and proposes what its function makes of each."""

    def __init__(
        self,
        propose: Callable[[Window], Iterable[Candidate]] = lambda window: (),
        kind: MemoryKind = MemoryKind.PROFILE,
    ) -> None:
        self._propose = propose
        self.kind = kind
        self.windows: list[Window] = []

    @property
    def stretches(self) -> list[tuple[int, int]]:
        return [(window.first_seq, window.last_seq) for window in self.windows]

    async def extract(self, window: Window, known: Sequence[str]) -> Extraction:
        self.windows.append(window)
        return Extraction(candidates=tuple(self._propose(window)), method="rules")


def one_a_turn(window: Window) -> Iterable[Candidate]:
    """Propose each unread turn's content, as it stands."""
    return [
        Candidate(kind=MemoryKind.PROFILE, content=turn.content, evidence=(turn.interaction_id,))
        for turn in window.unread
    ]


def reading(
    *extractors: Recorder,
    sources: Iterable[str] = (),
    step: int = 5,
    size: int = 10,
    asks_a_model: bool = True,
) -> Groups:
    """Learners for these extractors in place of the configured ones, which are called x1, x2, …"""

    def groups(
        config: TenantConfig, calls: ModelSession, *, by_hand: bool = False, names: Collection[str] = ()
    ) -> list[LearnerGroup]:
        learners = [
            Learner(
                kind=extractor.kind,
                extractor_name=f"x{n}",
                extractor=extractor,
                window_size=size,
                step=step,
                sources=frozenset(sources),
                asks_a_model=asks_a_model,
            )
            for n, extractor in enumerate(extractors, start=1)
        ]
        kinds = dict.fromkeys(extractor.kind for extractor in extractors)
        return [
            LearnerGroup(
                kind=kind,
                learners=tuple(one for one in learners if one.extractor.kind is kind),
                gate=None,
                judge=None,
            )
            for kind in kinds
        ]

    return groups


def learning(
    storage: Storage,
    embedder: Embedder,
    clock: Clock,
    ids: IdSource,
    *,
    groups: Groups = learner_groups,
    **policy,
) -> "Worker":
    """Learning without a model key."""
    return Worker(task_parts(storage, embedder, clock, ids, groups=groups, **policy))


def task_parts(
    storage: Storage,
    embedder: Embedder,
    clock: Clock,
    ids: IdSource,
    *,
    groups: Groups = learner_groups,
    models: Models = lambda config, role: None,
    quiet_seconds: float = QUIET_SECONDS,
    lease_seconds: float = 60.0,
    evaluation_delay_seconds: float = 600.0,
    idle_seconds: float = 1_800.0,
    expired_seconds: float | None = 86_400.0,
    slice_seconds: float = 600.0,
    **policy,
) -> TaskParts:
    """What background tasks are built from, patient as tests are."""
    return TaskParts(
        storage,
        embedder,
        kept_configs(storage),
        ModelGateway(storage, models, clock),
        TaskPolicy(
            retry=RetryPolicy(attempts=ATTEMPTS, base_seconds=BASE_SECONDS),
            quiet_seconds=quiet_seconds,
            lease_seconds=lease_seconds,
            evaluation_delay_seconds=evaluation_delay_seconds,
            idle_seconds=idle_seconds,
            expired_seconds=expired_seconds,
            slice_seconds=slice_seconds,
            **policy,
        ),
        clock,
        ids,
        groups,
    )


class Worker:
    """Runs a user's tasks when a test says so."""

    def __init__(self, parts: TaskParts) -> None:
        self._runner = TaskRunner(parts, open_tasks(parts))

    async def run(
        self, tenant: Tenant, user_id: UserId, *, force: bool = False, wait: bool = False
    ) -> TaskReport:
        """Do what is due: all of it, or what a caller that waits for it has done."""
        if wait:
            return await self._runner.run_now(tenant, user_id, LEARN, force=force)
        forced = await self._runner.run_now(tenant, user_id, LEARN, force=True) if force else TaskReport()
        forced.include(await self._runner.run(DueScope(tenant=tenant, user_id=user_id)))
        return forced


async def learned(
    storage: Storage,
    kind: MemoryKind = MemoryKind.PROFILE,
    *,
    user_id: str = ANNA,
    statuses=(Status.CURRENT,),
) -> list[Memory]:
    """A user's memories of one kind, oldest first."""
    async with storage.read(ORG) as snapshot:
        found = await snapshot.memories.list_newest(
            kind, user_id=UserId(user_id), statuses=statuses, limit=10_000
        )
    return sorted(found, key=lambda memory: memory.memory_id)


def lines(count: int, start: int = 0) -> list[str]:
    """Turns that the gate lets through, no two alike."""
    return [f"My locker in the northern hall carries the number {n}" for n in range(start, start + count)]


async def cursor(
    storage: Storage, learner: str = "profile:x1", user_id: str = ANNA, *, version: Status = Status.CURRENT
) -> Cursor:
    async with storage.read(ORG) as snapshot:
        found = await snapshot.cursors.of_user(UserId(user_id), version)
    return found.get(learner) or cursor_at(learner=learner, user_id=user_id, version=version)


async def dead_letters(storage: Storage) -> list[DeadLetter]:
    async with storage.read(ORG) as snapshot:
        return await snapshot.dead_letters.list_newest()


async def due_at(storage: Storage, user_id: UserId | None = ANNA) -> datetime | None:
    async with storage.read(ORG) as snapshot:
        return (await snapshot.cursors.log_head(user_id)).due_at


async def learn_by_model(
    storage: Storage,
    clock: StoppedClock,
    ids: IdSource,
    server: ScriptedLLM,
    *,
    force: bool = False,
    **fields,
):
    """Learn by the scripted model whatever is due of Anna's log; *fields* are of the configuration."""
    endpoint = {"model": "scripted", "api_key": "k", "api_base": server.base_url}
    config = TenantConfig.model_validate({"api_key_config": {"custom_endpoint": endpoint}, **fields})
    models = open_models(Settings(model_attempts=1, model_timeout_seconds=20), {})
    parts = task_parts(storage, WordEmbedder(), clock, ids, models=models)
    await parts.configs.set(ORG, config)
    return await Worker(parts).run(ORG, ANNA, force=force)
