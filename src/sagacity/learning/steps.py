"""One step of learning: windows are read, what they teach is decided on and written, with the cursors."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

import structlog

from sagacity.domain.change import Action, Candidate, Decision
from sagacity.domain.clock import Clock
from sagacity.domain.cursor import Lease, Outcome, Window
from sagacity.domain.errors import Conflict, ProviderError, SagacityError, StorageError
from sagacity.domain.ids import IdSource, RunId, UserId
from sagacity.domain.memory import Memory, Status
from sagacity.domain.tenant import Tenant
from sagacity.learning.apply import Applied, Proposal, apply, search_text
from sagacity.learning.deduplicate import Embedded, Neighbour, deduplicate
from sagacity.learning.expand import expand
from sagacity.learning.gate import worth_reading
from sagacity.learning.images import MOST_CHARACTERS, shown_image
from sagacity.learning.learners import LearnerGroup
from sagacity.learning.neighbours import find_neighbours
from sagacity.learning.reading import Reading, failed, provenance_of, version_of
from sagacity.learning.window import Due, read_ahead, read_window
from sagacity.providers.base import Embedder, Vectors
from sagacity.storage.transaction import Storage, Transaction

_log = structlog.get_logger(__name__)
_KNOWN_MEMORIES = 30


@dataclass(frozen=True, slots=True)
class Target:
    """Whose log is learned, by which learners, into which version."""

    tenant: Tenant
    user_id: UserId
    group: LearnerGroup
    status: Status = Status.CURRENT
    """The version that is written; only memories of it are taken as known, and for duplicates."""


@dataclass(frozen=True, slots=True)
class Task:
    """A stretch of the log for one learner, and its turns."""

    due: Due
    window: Window
    ahead: tuple[Window, ...] = ()
    """The windows behind it: read in the same step as long as those before them teach nothing."""


async def read_tasks(snapshot: Transaction, user_id: UserId, dues: Sequence[Due]) -> list[Task]:
    """Read the windows of *dues*; ahead only for one alone that asks no model, as what it reads twice costs nothing."""
    match dues:
        case [Due(learner=learner, dead_letter_id=None) as due] if not learner.asks_a_model:
            first, *ahead = await read_ahead(snapshot, user_id, due)
            return [Task(due, first, tuple(ahead))]
        case _:
            return [Task(due, await read_window(snapshot, user_id, due)) for due in dues]


Finish = Callable[[Transaction, Sequence[Reading], Applied], Awaitable[None]]
"""Records in the step's own transaction that its windows were read, and what was written."""


class Steps:
    """Takes steps. A step that fails, or is cut short at any moment, has written nothing or all."""

    def __init__(self, storage: Storage, embedder: Embedder, *, clock: Clock, ids: IdSource) -> None:
        self._storage = storage
        self._embedder = embedder
        self._clock = clock
        self._ids = ids

    async def take(
        self, target: Target, tasks: Sequence[Task], lease: Lease, finish: Finish
    ) -> tuple[Applied, Sequence[Reading]]:
        """
        Read windows of one kind's learners side by side, and write what they teach.

        Args:
            target: whose, by whom and into which version.
            tasks: one a learner.
            lease: under which it is written.
            finish: told of every reading, also of those that failed, in the transaction that writes.

        Raises:
            Conflict: the lease was lost, *finish* found that the windows were done already, or a person changed what
                was decided on; nothing was written.
        """
        is_asked = any(task.due.learner.asks_a_model for task in tasks)
        known = await self._known(target) if is_asked else []
        readings = await self._read_all(target, tasks, known)
        try:
            proposals = await self._decide(target, readings)
            # A commit that came through although nobody heard of it is a Conflict the next time.
            applied = await self._storage.again(
                lambda: self._commit(target, lease, readings, proposals, finish)
            )
        except Conflict:
            raise
        except Exception as error:  # noqa: BLE001  recorded as the window's failure: none may block the queue
            readings = [failed(reading, error) for reading in readings]
            applied = await self._commit(target, lease, readings, [], finish)
        return applied, readings

    async def _known(self, target: Target) -> list[str]:
        async with self._storage.read(target.tenant) as snapshot:
            memories = await snapshot.memories.list_newest(
                target.group.kind,
                user_id=target.user_id,
                statuses=[target.status],
                valid_at=self._clock.now(),
                limit=_KNOWN_MEMORIES,
            )
        return [memory.content for memory in memories]

    async def _read_all(
        self, target: Target, tasks: Sequence[Task], known: Sequence[str]
    ) -> Sequence[Reading]:
        """Let all learners read at once; or, where the tenant wants it, each told what the former ones found."""
        if not target.group.incremental:
            return await asyncio.gather(*(self._read(target, task, known) for task in tasks))
        readings: list[Reading] = []
        for task in tasks:
            found = [
                candidate.content
                for reading in readings
                if reading.extraction is not None
                for candidate in reading.extraction.candidates
            ]
            readings.append(await self._read(target, task, [*found, *known]))
        return readings

    async def _read(self, target: Target, task: Task, known: Sequence[str]) -> Reading:
        """Read until something is learned; a window that fails is tried by itself, with those before it behind it."""
        reading = await self._read_window(target, task.due, task.window, known)
        for window in task.ahead:
            if reading.outcome is not Outcome.NOTHING:
                break
            due = replace(task.due, last_seq=window.last_seq)
            following = await self._read_window(target, due, window, known)
            if following.error is not None:
                break
            reading = replace(following, passed=(*reading.passed, reading.window))
        return reading

    async def _read_window(self, target: Target, due: Due, window: Window, known: Sequence[str]) -> Reading:
        if not window.unread or not worth_reading(window):
            return Reading(due, window, Outcome.NOTHING)
        try:
            gate = None if due.is_forced else target.group.gate
            if gate is not None and not await gate.worth_reading(window):
                return Reading(due, window, Outcome.GATED)
            shown = await self._with_image(target, window) if due.learner.asks_a_model else window
            extraction = await due.learner.extractor.extract(shown, known)
        except Exception as error:  # noqa: BLE001  one learner's failure is recorded and stops no other
            return Reading(due, window, Outcome.FAILED, error=error)
        outcome = Outcome.LEARNED if extraction.candidates else Outcome.NOTHING
        return Reading(due, window, outcome, extraction=extraction)

    async def _with_image(self, target: Target, window: Window) -> Window:
        """Add the one image that a model is shown; what is read for it goes when the model has answered."""
        if window.pictured is None:
            return window
        async with self._storage.read(target.tenant) as snapshot:
            sent = await snapshot.interactions.image(window.pictured.interaction_id, longest=MOST_CHARACTERS)
        return window.model_copy(update={"image": shown_image(sent)})

    async def _decide(self, target: Target, readings: Sequence[Reading]) -> list[Proposal]:
        """Embed the candidates, look for what resembles them, and decide."""
        proposed = [
            (reading, candidate)
            for reading in readings
            if reading.extraction is not None
            for candidate in reading.extraction.candidates
        ]
        if not proposed:
            return []
        if target.group.expander is not None:
            expanded = await expand(target.group.expander, [candidate for _, candidate in proposed])
            proposed = [(reading, one) for (reading, _), one in zip(proposed, expanded, strict=True)]
        vectors = await self._vectors([candidate for _, candidate in proposed])
        embedded = [
            Embedded(
                candidate,
                vector,
                agent_version=version_of(reading, candidate),
                threshold=reading.due.learner.neighbour_threshold,
            )
            for (reading, candidate), vector in zip(proposed, vectors, strict=True)
        ]
        group = target.group
        async with self._storage.read(target.tenant) as snapshot:
            neighbours = await find_neighbours(
                snapshot,
                target.user_id,
                group.kind,
                embedded,
                limit=group.neighbour_count,
                status=target.status,
            )
        decisions = await deduplicate(embedded, neighbours, judge=group.judge)
        written = await self._vectors_of(decisions, embedded)
        run_id = RunId(self._ids.new())
        return [
            Proposal(
                decision=decision,
                extractor_name=reading.due.learner.extractor_name,
                provenance=provenance_of(reading, run_id),
                vector=vector,
                targets=_targets(decision, neighbours.get(index, ())),
            )
            for index, ((reading, _), decision, vector) in enumerate(
                zip(proposed, decisions, written, strict=True)
            )
        ]

    async def _vectors_of(
        self, decisions: Sequence[Decision], embedded: Sequence[Embedded]
    ) -> Sequence[Vectors | None]:
        """Embed also what was merged into another text: the next window may already say it again."""
        pairs = list(zip(decisions, embedded, strict=True))
        stays = [search_text(decision.candidate) == search_text(one.candidate) for decision, one in pairs]
        changed = [
            index
            for index, decision in enumerate(decisions)
            if not stays[index] and decision.action not in {Action.UPDATE, Action.DISCARD}
        ]
        vectors = [one.vector if stays[index] else None for index, one in enumerate(embedded)]
        if changed:
            made = await self._vectors([decisions[index].candidate for index in changed])
            for index, vector in zip(changed, made, strict=True):
                vectors[index] = vector
        return vectors

    async def _vectors(self, candidates: Sequence[Candidate]) -> Sequence[Vectors | None]:
        """Embed what will be stored; where the embedder fails it is stored all the same, and queued."""
        texts = [search_text(candidate) for candidate in candidates]
        try:
            return list(await self._embedder.embed(texts, background=True))
        except ProviderError as error:
            _log.warning("learn.embedder_failed", kind=type(error).__name__)
            return [None] * len(texts)

    async def _commit(
        self,
        target: Target,
        lease: Lease,
        readings: Sequence[Reading],
        proposals: Sequence[Proposal],
        finish: Finish,
    ) -> Applied:
        """Write what was decided and what *finish* has to record, together or not at all."""
        read = {turn.interaction_id: turn for one in readings for turn in one.window.interactions}
        run_id = proposals[0].provenance.run_id if proposals else None
        applied = Applied()
        async with self._storage.begin(target.tenant) as transaction:
            await transaction.leases.check(lease)
            if proposals:
                # A turn that was deleted while it was read teaches nothing.
                evidence = {number for one in proposals for number in one.decision.candidate.evidence}
                there = await transaction.interactions.existing(evidence)
                turns = {number: turn for number, turn in read.items() if number in there}
                applied = await apply(
                    transaction,
                    target.user_id,
                    proposals,
                    turns,
                    run_id=run_id or RunId(self._ids.new()),
                    clock=self._clock,
                    ids=self._ids,
                    status=target.status,
                )
            await finish(transaction, readings, applied)
        return applied


def _targets(decision: Decision, neighbours: Sequence[Neighbour]) -> tuple[Memory, ...]:
    return tuple(near.memory for near in neighbours if near.memory.memory_id in decision.targets)


def told(error: BaseException) -> str:
    """Return what a person may read of an error: our own words, or only the kind of one that was not foreseen."""
    if isinstance(error, SagacityError) and not isinstance(error, StorageError):
        return str(error)
    return f"internal error ({type(error).__name__}); see the server's log"
