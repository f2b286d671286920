"""One step of learning: read windows, decide on what they teach, and write it with the cursors."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress

import structlog

from sagacity.domain.change import Action, Candidate, Decision
from sagacity.domain.clock import Clock
from sagacity.domain.cursor import Outcome, Window
from sagacity.domain.errors import Conflict, ProviderError
from sagacity.domain.ids import IdSource, RunId, UserId
from sagacity.domain.kinds import alike
from sagacity.domain.memory import Memory, MemoryKind, Status
from sagacity.domain.tenant import Tenant
from sagacity.domain.user_settings import UserSettings
from sagacity.learning.deduplication.cases import Embedded, Neighbour
from sagacity.learning.deduplication.deduplicate import deduplicate
from sagacity.learning.deduplication.neighbours import find_neighbours
from sagacity.learning.extractors.base import Extraction, Known
from sagacity.learning.extractors.conversation import SHARED_KINDS, ConversationExtractor, SharedCall
from sagacity.learning.windows.counts import extraction_records
from sagacity.learning.windows.fact_kinds import told_apart
from sagacity.learning.windows.gate import worth_reading
from sagacity.learning.windows.images import MOST_CHARACTERS, shown_image
from sagacity.learning.windows.known import KnownMemories, User
from sagacity.learning.windows.learners import LearnerGroup
from sagacity.learning.windows.result import WindowResult, attributed, failed, provenance_of, version_of
from sagacity.learning.windows.switches import (
    is_learned,
    keep_learned_within_limits,
    notes_names,
    passed_over,
    wanted,
    with_unwanted,
)
from sagacity.learning.windows.window import Due, read_windows
from sagacity.learning.writing.apply import Applied, Proposal, Run, apply, search_text
from sagacity.learning.writing.contact_data import without_contact_data
from sagacity.learning.writing.expand import expand
from sagacity.learning.writing.secrets import without_secrets
from sagacity.observability.tracing import span
from sagacity.providers.base import Embedder, Vectors
from sagacity.storage.transaction import Storage, Transaction

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Target:
    """The log to learn from, the learners, and the version to write."""

    tenant: Tenant
    user_id: UserId
    group: LearnerGroup
    status: Status = Status.CURRENT
    """The version that is written; only its memories count as known and as duplicates."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of the log for one learner, and its turns."""

    due: Due
    window: Window
    ahead: tuple[Window, ...] = ()
    """The windows after it, which are read in the same step as long as the windows before them teach nothing."""


async def read_stretches(snapshot: Transaction, user_id: UserId, dues: Sequence[Due]) -> list[Stretch]:
    """Read the windows of *dues*; for a single one without a model also windows ahead, as rereading costs nothing."""
    alone = len(dues) == 1
    stretches: list[Stretch] = []
    for due in dues:
        is_ahead = alone and due.dead_letter_id is None and not due.learner.asks_a_model
        first, *ahead = await read_windows(snapshot, user_id, due, is_ahead=is_ahead)
        stretches.append(Stretch(replace(due, last_seq=first.last_seq), first, tuple(ahead)))
    return stretches


@dataclass(frozen=True, slots=True)
class TargetStretches:
    """What is read in one step for one kind of memory."""

    target: Target
    stretches: Sequence[Stretch]


@dataclass(frozen=True, slots=True)
class Processed:
    """The results of the windows of one kind's learners, which are not written yet."""

    target: Target
    readings: Sequence[WindowResult]
    proposals: Sequence[Proposal] = ()

    def failed(self, error: BaseException) -> "Processed":
        """Return the results with those readings failed that proposed something, because a later step failed."""
        return Processed(self.target, [failed(one, error) for one in self.readings])


Extract = Callable[[Window], Awaitable[Extraction]]
"""Reads one window; it already has the known memories."""

Commit = Callable[[Processed], Awaitable[Applied]]
"""Writes, in one transaction, what was decided and the record that it is done."""


class WindowProcessor:
    """Processes windows. A step that fails or is interrupted has written either everything or nothing."""

    def __init__(self, storage: Storage, embedder: Embedder, *, clock: Clock, ids: IdSource) -> None:
        self._storage = storage
        self._embedder = embedder
        self._known_memories = KnownMemories(storage, embedder)
        self._clock = clock
        self._ids = ids

    async def process(self, work: Sequence[TargetStretches]) -> list[Processed]:
        """
        Read windows of one user in parallel, and decide on what they teach, separately for each kind.

        Windows of kinds that the user has switched off are not read.

        Returns:
            The results of *work*, in its order.
        """
        settings = await self._settings(work[0].target)
        is_read = [is_learned(settings, one.target.group.kind) for one in work]
        to_read = [one for one, wanted in zip(work, is_read, strict=True) if wanted]
        known = [await self._known(one) for one in to_read]
        shared = _shared_calls(to_read, known)
        done = iter(
            await asyncio.gather(
                *(self._process(one, facts, shared) for one, facts in zip(to_read, known, strict=True))
            )
        )
        return [
            next(done)
            if wanted
            else Processed(
                one.target, [passed_over(stretch.due, stretch.window) for stretch in one.stretches]
            )
            for one, wanted in zip(work, is_read, strict=True)
        ]

    async def _settings(self, target: Target) -> UserSettings | None:
        """Return the user's settings, so that no model sees what must not be learned."""
        return await self._storage.visit(
            target.tenant, lambda snapshot: snapshot.user_settings.find(target.user_id)
        )

    async def _process(
        self, work: TargetStretches, known: Sequence[Known], shared: Mapping[Due, SharedCall]
    ) -> Processed:
        target = work.target
        read = Processed(target, await self._read_all(work, known, shared))
        try:
            return replace(read, proposals=await self._decide(target, read.readings))
        except Conflict:
            raise
        except Exception as error:  # noqa: BLE001  recorded as the window's failure: none may block the queue
            return read.failed(error)

    async def commit(self, processed: Processed, commit: Commit) -> tuple[Applied, Processed]:
        """
        Commit, and retry after conflicts with other transactions; results that cannot be written become failures.

        Raises:
            Conflict: the lease was lost, the windows were finished before, or a person changed a memory that was
                decided on; nothing was written.
        """
        try:
            # If a commit succeeded but its answer was lost, the next attempt raises Conflict.
            return await self._storage.retry(lambda: commit(processed)), processed
        except Conflict:
            raise
        except Exception as error:  # noqa: BLE001  recorded as the window's failure: none may block the queue
            processed = processed.failed(error)
            return await commit(processed), processed

    async def _known(self, work: TargetStretches) -> Sequence[Known]:
        """Return the memories that extractors are shown: models the most important, rules those that may end."""
        target = work.target
        user = User(target.tenant, target.user_id, target.status)
        kind, now = target.group.kind, self._clock.now()
        if any(stretch.due.learner.asks_a_model for stretch in work.stretches):
            windows = [stretch.window for stretch in work.stretches]
            return await self._known_memories.of(user, kind, windows, now=now)
        if kind is not MemoryKind.PROFILE:
            return ()
        windows = [window for stretch in work.stretches for window in (stretch.window, *stretch.ahead)]
        return await self._known_memories.that_may_end(user, kind, windows, now=now)

    async def _read_all(
        self, work: TargetStretches, known: Sequence[Known], shared: Mapping[Due, SharedCall]
    ) -> Sequence[WindowResult]:
        """Read with all learners in parallel or, if configured, one by one, each shown what the earlier ones found."""
        target = work.target
        if not target.group.incremental:
            return await asyncio.gather(
                *(
                    self._read(target, stretch, _asking(stretch.due, known, shared))
                    for stretch in work.stretches
                )
            )
        readings: list[WindowResult] = []
        for stretch in work.stretches:
            found = [
                Known(content=candidate.content, slot=candidate.slot)
                for reading in readings
                if reading.extraction is not None
                for candidate in reading.extraction.candidates
            ]
            asking = _asking(stretch.due, [*found, *known], shared)
            readings.append(await self._read(target, stretch, asking))
        return readings

    async def _read(self, target: Target, stretch: Stretch, extract: Extract) -> WindowResult:
        """Read windows until one teaches something; a failed one is retried alone, once the cursor has reached it."""
        reading = await self._read_window(target, stretch.due, stretch.window, extract)
        for window in stretch.ahead:
            if reading.outcome is not Outcome.NOTHING or reading.has_dropped:
                break
            due = replace(stretch.due, last_seq=window.last_seq)
            following = await self._read_window(target, due, window, extract)
            if following.error is not None:
                break
            reading = replace(following, passed=(*reading.passed, reading.window))
        return reading

    async def _read_window(self, target: Target, due: Due, window: Window, extract: Extract) -> WindowResult:
        with span(f"learn {due.learner.name}", {"sagacity.turns": len(window.unread)}) as recorded:
            result = await self._extracted(target, due, window, extract)
            recorded.note({"sagacity.outcome": str(result.outcome)})
            if result.error is not None:
                recorded.fail(type(result.error).__name__)
        return result

    async def _extracted(self, target: Target, due: Due, window: Window, extract: Extract) -> WindowResult:
        if window.is_held:
            return WindowResult(due, window, Outcome.HELD)
        if not window.unread or not worth_reading(window):
            return WindowResult(due, window, Outcome.NOTHING)
        try:
            gate = None if due.is_forced else target.group.gate
            if gate is not None and not await gate.worth_reading(window):
                return WindowResult(due, window, Outcome.GATED)
            shown = await self._with_image(target, window) if due.learner.asks_a_model else window
            extraction = await extract(shown)
        except Exception as error:  # noqa: BLE001  a learner's failure is recorded and stops no other
            return WindowResult(due, window, Outcome.FAILED, error=error)
        if target.group.kind is MemoryKind.PROFILE:
            extraction = told_apart(extraction, window, is_current=target.status is Status.CURRENT)
        if not target.group.contact_data:
            extraction = without_contact_data(extraction)
        outcome = Outcome.LEARNED if extraction.candidates else Outcome.NOTHING
        return WindowResult(due, window, outcome, extraction=extraction)

    async def _with_image(self, target: Target, window: Window) -> Window:
        """Add the one image that a model is shown; it is not kept after the answer."""
        if window.pictured is None:
            return window
        async with self._storage.read(target.tenant) as snapshot:
            sent = await snapshot.interactions.image(window.pictured.interaction_id, longest=MOST_CHARACTERS)
        return window.model_copy(update={"image": shown_image(sent)})

    async def _decide(self, target: Target, readings: Sequence[WindowResult]) -> list[Proposal]:
        """Embed the candidates, find similar memories, and decide."""
        proposed = [
            (reading, without_secrets(attributed(reading, candidate)))
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
        embedded, neighbours = await self._storage.visit(
            target.tenant,
            lambda snapshot: _neighbours(snapshot, target, [reading for reading, _ in proposed], embedded),
        )
        decisions = await deduplicate(embedded, neighbours, judge=target.group.judge)
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
        """Embed merged texts too, because the next window may already repeat them."""
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
        """Embed what will be stored; if the embedder fails, it is stored without vectors, and queued."""
        texts = [search_text(candidate) for candidate in candidates]
        try:
            return list(await self._embedder.embed(texts, background=True))
        except ProviderError as error:
            _log.warning("learn.embedder_failed", kind=type(error).__name__)
            return [None] * len(texts)

    async def write(self, transaction: Transaction, processed: Processed) -> Applied:
        """Write what was decided."""
        applied = await self._apply(transaction, processed)
        counted = extraction_records(
            processed.readings,
            processed.proposals,
            applied.fates,
            version=processed.target.status,
            at=self._clock.now(),
        )
        await transaction.extractions.add(counted)
        return applied

    async def _apply(self, transaction: Transaction, processed: Processed) -> Applied:
        target, proposals = processed.target, processed.proposals
        if not proposals:
            return Applied()
        read = {turn.interaction_id: turn for one in processed.readings for turn in one.window.interactions}
        # A turn that was deleted meanwhile teaches nothing.
        evidence = {number for one in proposals for number in one.decision.candidate.evidence}
        there = await transaction.interactions.existing(evidence)
        if await transaction.quarantines.held_turns(evidence):
            raise Conflict("what was read was put under quarantine in the meantime; try again")
        settings = await transaction.user_settings.find(target.user_id)
        is_wanted = wanted(settings, proposals)
        run = Run(
            transaction,
            target.user_id,
            turns={number: turn for number, turn in read.items() if number in there},
            run_id=proposals[0].provenance.run_id or RunId(self._ids.new()),
            now=self._clock.now(),
            ids=self._ids,
            status=target.status,
            notes_names=notes_names(settings),
        )
        applied = await apply(run, list(compress(proposals, is_wanted)))
        with_unwanted(applied, is_wanted)
        await keep_learned_within_limits(transaction, target.user_id, applied, status=target.status)
        return applied


async def _neighbours(
    snapshot: Transaction, target: Target, readings: Sequence[WindowResult], embedded: Sequence[Embedded]
) -> tuple[list[Embedded], Mapping[int, Sequence[Neighbour]]]:
    """Return the candidates, marked as held or not, and the neighbours of each."""
    held = await snapshot.quarantines.held_learners()
    found = [
        replace(one, is_held=_is_held(reading, held)) for reading, one in zip(readings, embedded, strict=True)
    ]
    return found, await find_neighbours(
        snapshot,
        target.user_id,
        alike(target.group.kind) if target.status is Status.CURRENT else (target.group.kind,),
        found,
        limit=target.group.neighbour_count,
        status=target.status,
    )


def _asking(due: Due, known: Sequence[Known], shared: Mapping[Due, SharedCall]) -> Extract:
    """Return the function that reads the windows of *due*: a shared call, or the learner's own extractor."""
    call = shared.get(due)

    async def asked(window: Window) -> Extraction:
        found = None if call is None else await call.extract(due.learner.kind, window)
        return await due.learner.extractor.extract(window, known) if found is None else found

    return asked


def _shared_calls(work: Sequence[TargetStretches], known: Sequence[Sequence[Known]]) -> dict[Due, SharedCall]:
    """Return the shared call for each stretch that learners of several kinds have in common."""
    together: dict[tuple[int, ...], list[tuple[Due, ConversationExtractor, Sequence[Known]]]] = {}
    for one, facts in zip(work, known, strict=True):
        for stretch in one.stretches:
            extractor = stretch.due.learner.shared
            if extractor is not None and extractor.reads(stretch.window):
                turns = tuple(turn.interaction_id for turn in stretch.window.unread)
                together.setdefault(turns, []).append((stretch.due, extractor, facts))
    calls: dict[Due, SharedCall] = {}
    for same in together.values():
        told = {due.learner.kind: facts for due, _, facts in same}
        if len(told) == len(SHARED_KINDS):
            call = SharedCall(same[0][1], told)
            calls |= {due: call for due, _, _ in same}
    return calls


def _is_held(reading: WindowResult, held: frozenset[str]) -> bool:
    """Whether quarantines hold what a window teaches: they hold its turns, or its learner, named in *held*."""
    learner = reading.due.learner
    return not held.isdisjoint({learner.name, learner.extractor_name}) or any(
        turn.is_held for turn in reading.window.unread
    )


def _targets(decision: Decision, neighbours: Sequence[Neighbour]) -> tuple[Memory, ...]:
    return tuple(near.memory for near in neighbours if near.memory.memory_id in decision.targets)
