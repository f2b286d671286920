"""Summarise conversations that became quiet or long: due → read → summarise → store, one by one."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import structlog

from sagacity.config.model_choice import Role
from sagacity.domain.change import Occasion
from sagacity.domain.chat import Conversation
from sagacity.domain.cursor import SUMMARIZE, Lease
from sagacity.domain.errors import MalformedOutput, NotFound, ProviderError
from sagacity.domain.ids import MemoryId, MemoryUid, RunId
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import Memory, MemoryKind, NewMemory, Provenance
from sagacity.domain.quota import QuotaName
from sagacity.domain.tenant import Tenant
from sagacity.learning.episodes.episode import (
    BY_MODEL,
    BY_RULES,
    LEARNER,
    Written,
    begun,
    continued,
    fitting,
    may_be_continued,
)
from sagacity.learning.episodes.rules import Summary, summary_by_rules
from sagacity.learning.evaluate.transcript import transcript
from sagacity.learning.extractors.citations import is_said_in
from sagacity.learning.extractors.outputs import SessionSummary
from sagacity.learning.prompt_runner import ModelSession, PromptRunner
from sagacity.learning.tasks.base import Look, Subject, TaskReport, TaskScope, look_at
from sagacity.learning.tasks.parts import TaskParts
from sagacity.learning.windows.switches import OVER_LIMIT, is_learned, notes_names
from sagacity.learning.writing.limits import keep_within_limits
from sagacity.providers.base import Vectors
from sagacity.storage.transaction import Transaction

LONG_MESSAGES, LONG_TOKENS = 50, 3_000
"""
From this many unread messages or tokens, a conversation is summarised although it continues. 50 messages is the chat
contract's limit. A chat's prompt has room for some 5,000 tokens of the conversation, so that messages are in the
summary before they no longer fit.
"""
_CONVERSATIONS_A_RUN = 10
_TURNS_READ = 400
_PROMPT = "session_summary"
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class _Read:
    """A conversation and what is new in it."""

    conversation: Conversation
    turns: Sequence[Interaction]
    episode: Memory | None
    """The episode of the earlier turns, if it may be extended."""
    is_wanted: bool
    """Whether the user allows episodes; otherwise no model sees the conversation."""

    @property
    def deserves_a_model(self) -> bool:
        """Whether a summary says more than a quote does: not of a conversation that was never answered."""
        is_continued = self.conversation.episode_id is not None
        return bool(self.turns) and (is_continued or not all(turn.is_user for turn in self.turns))


class Summarize:
    """Keeps one episode for each conversation, even if a run is repeated or interrupted."""

    name = SUMMARIZE
    scope = TaskScope.USER

    def __init__(self, parts: TaskParts) -> None:
        self._storage = parts.storage
        self._embedder = parts.embedder
        self._models = parts.models
        self._idle = timedelta(seconds=parts.policy.idle_seconds)
        self._clock = parts.clock
        self._ids = parts.ids

    async def look(self, snapshot: Transaction, subject: Subject) -> Look:
        """Return when the next conversation is due if it stays quiet."""
        waiting = await snapshot.conversations.unsummarized(subject.user_id, limit=_CONVERSATIONS_A_RUN)
        return look_at(min(map(self._due_at, waiting), default=None), now=self._clock.now())

    def _due_at(self, conversation: Conversation) -> datetime:
        """Return when a conversation is due: at once if much is new, else after a quiet time."""
        messages = conversation.message_count - conversation.summarized_count
        tokens = conversation.token_count - conversation.summarized_tokens
        if messages >= LONG_MESSAGES or tokens >= LONG_TOKENS:
            return conversation.updated_at
        return conversation.updated_at + self._idle

    async def run(self, subject: Subject, lease: Lease, *, until: float | None) -> TaskReport:
        """
        Summarise the due conversations.

        Raises:
            Conflict: the lease was lost.
        """
        report, now = TaskReport(), self._clock.now()
        async with self._storage.read(subject.tenant) as snapshot:
            waiting = await snapshot.conversations.unsummarized(subject.user_id, limit=_CONVERSATIONS_A_RUN)
        for conversation in waiting:
            if self._due_at(conversation) <= now:
                await self._sum_up(subject, conversation, lease, report)
        return report

    async def _sum_up(
        self, subject: Subject, conversation: Conversation, lease: Lease, report: TaskReport
    ) -> None:
        read = await self._read(subject.tenant, conversation)
        written = None
        if read.is_wanted:
            calls = await self._models.of(subject.tenant, subject.config, subject.user_id)
            written = await self._write(read, calls)
        memory = None if written is None else self._episode(subject, read, written)
        vectors = {} if memory is None else await self._vectors(memory)
        run_id = RunId(self._ids.new())
        # A second run writes the same.
        await self._storage.retry(
            lambda: self._commit(subject.tenant, read, memory, vectors, lease, run_id=run_id)
        )
        if memory is not None:
            is_new = not isinstance(memory, Memory)
            report.count(MemoryKind.EPISODIC, added=int(is_new), updated=int(not is_new))

    async def _read(self, tenant: Tenant, conversation: Conversation) -> _Read:
        """Read the new turns of a conversation that no quarantine holds."""
        async with self._storage.read(tenant, shows_held=False) as snapshot:
            turns = await snapshot.interactions.page_of_session(
                conversation.user_id,
                conversation.session_id,
                limit=_TURNS_READ,
                newest=False,
                after_seq=conversation.summarized_seq,
            )
            number = conversation.episode_id
            found = [] if number is None else await snapshot.memories.get_many([number])
            settings = await snapshot.user_settings.find(conversation.user_id)
        episode = next(filter(may_be_continued, found), None)
        return _Read(conversation, turns, episode, is_learned(settings, MemoryKind.EPISODIC))

    async def _write(self, read: _Read, calls: ModelSession) -> Written | None:
        """Return the summary; None if nothing is worth summarising."""
        runner = calls.prompt_runner(Role.GENERATION, LEARNER)
        if runner is not None and read.deserves_a_model:
            try:
                return await self._by_model(read, runner)
            except ProviderError as error:
                _log.warning("summarize.by_rules", kind=type(error).__name__)
        summary = await asyncio.to_thread(summary_by_rules, read.turns)
        if summary is None:
            return None
        content = summary.content
        if read.episode is not None:
            more = f"On {read.turns[0].occurred_at:%Y-%m-%d}: {summary.content}"
            content = fitting([*read.episode.content.splitlines(), more])
        return Written(
            summary.model_copy(update={"content": content}),
            BY_RULES,
            Provenance(learner=LEARNER, method="rules"),
        )

    async def _by_model(self, read: _Read, runner: PromptRunner) -> Written:
        earlier = read.episode.content if read.episode is not None else ""
        variables = {"earlier": earlier or "None.", "conversation": transcript(read.turns)}
        answer = await runner.ask(_PROMPT, variables, SessionSummary)
        said = answer.value
        sources = [earlier, *(turn.text for turn in read.turns)]
        if not await asyncio.to_thread(is_said_in, said.summary, sources, [variables["conversation"]]):
            raise MalformedOutput("the summary says what nobody said")
        return Written(
            Summary(
                title=said.title,
                content=" ".join(filter(None, (said.summary, said.outcome))),
                outcome=said.outcome,
                keywords=said.keywords,
            ),
            BY_MODEL,
            Provenance(
                learner=LEARNER, method="model", prompt_version=answer.prompt_version, model=answer.model
            ),
        )

    def _episode(self, subject: Subject, read: _Read, written: Written) -> NewMemory | Memory:
        conversation, turns = read.conversation, read.turns
        uid, now = MemoryUid(self._ids.new()), self._clock.now()
        if not written.summary.title:
            titled = written.summary.model_copy(update={"title": conversation.title})
            written = replace(written, summary=titled)
        return continued(
            read.episode or begun(conversation, turns, uid=uid, now=now),
            turns,
            written,
            has_contact_data=subject.config.contact_data_enabled,
            now=now,
        )

    async def _vectors(self, memory: NewMemory) -> dict[MemoryUid, Vectors]:
        """Embed an episode; if the embedder fails, it is stored without a vector and queued."""
        try:
            [vector] = await self._embedder.embed([memory.search_text], background=True)
        except ProviderError as error:
            _log.warning("learn.embedder_failed", kind=type(error).__name__)
            return {}
        return {memory.uid: vector}

    async def _commit(
        self,
        tenant: Tenant,
        read: _Read,
        memory: NewMemory | Memory | None,
        vectors: dict[MemoryUid, Vectors],
        lease: Lease,
        *,
        run_id: RunId,
    ) -> None:
        """
        Write the episode and how far the conversation is summarised, atomically.

        Nothing is written if the conversation, or some of its turns, were deleted or put under quarantine meanwhile:
        the summary would reveal them. The remaining turns stay due.
        """
        conversation, turns = read.conversation, read.turns
        async with self._storage.begin(tenant) as transaction:
            await transaction.leases.check(lease)
            try:
                await transaction.conversations.get(conversation.user_id, conversation.session_id, lock=True)
            except NotFound:
                return
            settings = await transaction.user_settings.find(conversation.user_id)
            if not is_learned(settings, MemoryKind.EPISODIC):
                memory = None
            numbers = [turn.interaction_id for turn in turns]
            if len(await transaction.interactions.existing(numbers)) < len(numbers):
                return
            if await transaction.quarantines.held_turns(numbers):
                return
            episode_id = conversation.episode_id
            is_new = memory is not None and not isinstance(memory, Memory)
            if is_new and not await transaction.quotas.has_room(QuotaName.MEMORIES):
                memory = None
            if memory is not None:
                if not await _is_unchanged(transaction, read.episode):
                    return
                episode_id = await self._store(transaction, read, memory, vectors, run_id)
            await transaction.conversations.keep_summary(
                conversation,
                summary=conversation.summary if memory is None else memory.content,
                seq=turns[-1].seq if turns else conversation.summarized_seq,
                count=len(turns) if len(turns) == _TURNS_READ else None,
                episode_id=episode_id,
            )

    async def _store(
        self,
        transaction: Transaction,
        read: _Read,
        memory: NewMemory | Memory,
        vectors: dict[MemoryUid, Vectors],
        run_id: RunId,
    ) -> MemoryId:
        """Store the episode with the entities that it names, and record the change; returns its number."""
        if isinstance(memory, Memory):
            stored = memory
            await transaction.memories.save([stored], vectors=vectors)
        else:
            [stored] = await transaction.memories.add([memory], vectors=vectors)
        occasion = Occasion(
            run_id=run_id,
            actor=LEARNER,
            reason="conversation summed up",
            at=self._clock.now(),
            request_id=read.turns[-1].request_id,
        )
        user_id = read.conversation.user_id
        if notes_names(await transaction.user_settings.find(user_id)):
            await transaction.graph.link(user_id, [stored])
        await transaction.changes.add([occasion.change(read.episode, stored)])
        over = occasion.model_copy(update={"reason": OVER_LIMIT})
        await keep_within_limits(transaction, user_id, {MemoryKind.EPISODIC}, over, spared={stored.memory_id})
        return stored.memory_id


async def _is_unchanged(transaction: Transaction, read: Memory | None) -> bool:
    """Whether an episode is unchanged since it was read, and may still be extended."""
    if read is None:
        return True
    found = await transaction.memories.get_many([read.memory_id])
    return [one.content for one in found if may_be_continued(one)] == [read.content]
