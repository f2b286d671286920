"""Judge sessions that have become quiet: due → read → judge → store, one by one."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sagacity.config.extractor_config import AgentSuccessConfig
from sagacity.config.model_choice import Role
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.cursor import EVALUATE, DeadLetter, DeadLetterStatus, Lease, Window
from sagacity.domain.evaluation import NewEvaluation, WaitingSession
from sagacity.domain.ids import UserId
from sagacity.domain.interaction import Interaction
from sagacity.domain.tenant import Tenant
from sagacity.learning.evaluate.model import judge_by_model
from sagacity.learning.evaluate.rules import judge_by_rules
from sagacity.learning.evaluate.sampling import is_sampled, shadow_comes_first
from sagacity.learning.evaluate.verdict import Verdict
from sagacity.learning.prompt_runner import ModelSession
from sagacity.learning.tasks.base import Look, Subject, TaskReport, TaskScope, look_at
from sagacity.learning.tasks.failure import Failure, park
from sagacity.learning.tasks.parts import TaskParts
from sagacity.storage.transaction import Transaction

_SESSIONS_A_RUN = 8
"""How many sessions one run judges, in parallel; the others wait for the next run, so that learning gets its turn."""
_WAITING_READ = 1_000
_TURNS_READ = 1_000
"""How many of a session's turns are judged, the newest ones."""


@dataclass(frozen=True, slots=True)
class _Task:
    """A session that some evaluators must judge now."""

    session: WaitingSession | None
    """The session; None if it was deleted meanwhile."""
    evaluators: tuple[AgentSuccessConfig, ...]
    letter: DeadLetter | None = None
    """Whether judging was given up before and is requested again."""


@dataclass(frozen=True, slots=True)
class _Said:
    """The turns of a session up to the time of reading."""

    session: WaitingSession
    turns: Sequence[Interaction]
    correction_count: int
    judged_at: Mapping[str, datetime]
    read_at: datetime

    @property
    def is_answered(self) -> bool:
        """Whether anyone but the user said something; if not, there is nothing to judge."""
        return not all(turn.is_user for turn in self.turns)


@dataclass(frozen=True, slots=True)
class _Judged:
    """One evaluator's outcome for a session: a result, nothing if it was not sampled, or an error."""

    evaluator: AgentSuccessConfig
    result: NewEvaluation | None = None
    error: Exception | None = None


class Evaluate:
    """Judges users' sessions. Even after repeated or interrupted runs, a session has one result per evaluator."""

    name = EVALUATE
    scope = TaskScope.USER

    def __init__(self, parts: TaskParts) -> None:
        self._storage = parts.storage
        self._delay = timedelta(seconds=parts.policy.evaluation_delay_seconds)
        self._retrying = parts.retrying
        self._models = parts.models
        self._clock = parts.clock

    async def look(self, snapshot: Transaction, subject: Subject) -> Look:
        """Return when a session of the user is due next, if it stays quiet."""
        if not subject.config.agent_success_configs:
            return Look()
        now = self._clock.now()
        if await self._queued(snapshot, subject.user_id, subject.config):
            return look_at(now, now=now)
        waiting = await self._waiting(snapshot, subject.user_id)
        return look_at(min((due_at for due_at, _ in waiting), default=None), now=now)

    async def run(self, subject: Subject, lease: Lease, *, until: float | None) -> TaskReport:
        """
        Judge the user's sessions that have been quiet for long enough.

        A session with new turns is judged again, and its result replaced. A failed one is tried again later, and at
        last given up as a dead letter; no other session waits for it.

        Raises:
            Conflict: the lease was lost.
        """
        tenant, config = subject.tenant, subject.config
        async with self._storage.read(tenant) as snapshot:
            tasks = await self._due(snapshot, subject.user_id, config)
        if tasks:
            calls = await self._models.of(
                tenant, config, subject.user_id
            )  # learning may have used up the spending cap
            ended = await asyncio.gather(
                *(self._evaluate(tenant, config, calls, task, lease) for task in tasks),
                return_exceptions=True,
            )
            for error in filter(None, ended):
                raise error
        return TaskReport()

    async def _waiting(self, snapshot: Transaction, user_id: UserId) -> list[tuple[datetime, WaitingSession]]:
        found = await snapshot.sessions.waiting(user_id, limit=_WAITING_READ)
        return [(due_at, one) for one in found if (due_at := one.due_at(self._delay)) is not None]

    async def _queued(
        self, snapshot: Transaction, user_id: UserId, config: TenantConfig
    ) -> list[tuple[DeadLetter, AgentSuccessConfig]]:
        """Return the dead letters to judge again on request."""
        evaluators = {learner_name(one): one for one in config.agent_success_configs or ()}
        letters = await snapshot.dead_letters.list_newest(user_id=user_id, statuses=[DeadLetterStatus.QUEUED])
        return [(letter, evaluators[letter.learner]) for letter in letters if letter.learner in evaluators]

    async def _due(self, snapshot: Transaction, user_id: UserId, config: TenantConfig) -> list[_Task]:
        now = self._clock.now()
        tasks: list[_Task] = []
        for letter, evaluator in await self._queued(snapshot, user_id, config):
            session_id = await snapshot.sessions.session_of(user_id, letter.last_seq)
            session = None if session_id is None else await snapshot.sessions.find(user_id, session_id)
            tasks.append(_Task(session, (evaluator,), letter))
        for due_at, session in await self._waiting(snapshot, user_id):
            if due_at <= now:
                tasks.append(_Task(session, config.agent_success_configs or ()))
        return tasks[:_SESSIONS_A_RUN]

    async def _evaluate(
        self, tenant: Tenant, config: TenantConfig, calls: ModelSession, task: _Task, lease: Lease
    ) -> None:
        """Judge one session with all of its evaluators in parallel, and store the results."""
        said = None if task.session is None else await self._read(tenant, task.session)
        judged: list[_Judged] = []
        if said is not None and said.is_answered:
            evaluators = [one for one in task.evaluators if task.letter or _is_wanted(one, said, tenant)]
            judged = await asyncio.gather(
                *(self._judge(tenant, config, calls, one, said) for one in evaluators)
            )
        # A second run writes the same.
        await self._storage.retry(lambda: self._commit(tenant, task, said, judged, lease))

    async def _read(self, tenant: Tenant, session: WaitingSession) -> _Said:
        """Read the turns of a session that no quarantine holds."""
        async with self._storage.read(tenant, shows_held=False) as snapshot:
            return _Said(
                session=session,
                turns=await snapshot.sessions.turns(session.user_id, session.session_id, limit=_TURNS_READ),
                correction_count=await snapshot.sessions.correction_count(
                    session.user_id, session.session_id
                ),
                judged_at=await snapshot.evaluations.judged_at(session.user_id, session.session_id),
                read_at=self._clock.now(),
            )

    async def _judge(
        self,
        tenant: Tenant,
        config: TenantConfig,
        calls: ModelSession,
        evaluator: AgentSuccessConfig,
        said: _Said,
    ) -> _Judged:
        name = evaluator.evaluation_name
        try:
            prompt_runner = calls.prompt_runner(Role.EVALUATION, learner_name(evaluator))
            if prompt_runner is None:
                verdict = await asyncio.to_thread(judge_by_rules, said.turns)  # long sessions take seconds
            else:
                shadow_first = shadow_comes_first(tenant.org_id, said.session.session_id, name)
                verdict = await judge_by_model(
                    prompt_runner, config, evaluator, said.turns, shadow_first=shadow_first
                )
        except Exception as error:  # noqa: BLE001  an evaluator's failure is recorded and stops no other
            return _Judged(evaluator, error=error)
        return _Judged(evaluator, None if verdict is None else _result(name, said, verdict))

    async def _commit(
        self, tenant: Tenant, task: _Task, said: _Said | None, judged: Sequence[_Judged], lease: Lease
    ) -> None:
        """
        Write results and failures, and when the session is due next, atomically.

        Nothing is written if the session lost turns meanwhile: a verdict could quote deleted ones. The remaining turns
        stay due.
        """
        failures = {learner_name(one.evaluator): one.error for one in judged if one.error is not None}
        async with self._storage.begin(tenant) as transaction:
            await transaction.leases.check(lease)
            if said is not None and said.turns:
                read = [turn.interaction_id for turn in said.turns]
                if not await transaction.sessions.lock(said.session, read):
                    return
                for one in judged:
                    if one.result is not None:
                        await transaction.evaluations.replace(said.session.user_id, one.result)
            if task.letter is not None:
                await self._finish_letter(transaction, task.letter, failures)
            elif said is not None:
                await self._finish_session(transaction, said, failures)

    async def _finish_session(
        self, transaction: Transaction, said: _Said, failures: Mapping[str, Exception]
    ) -> None:
        """Set when the session is judged again: after new turns, or later if a judge failed, unless it is given up."""
        session = said.session
        found = [
            (learner, self._retrying.failed(learner, error, attempts=session.evaluation_attempts))
            for learner, error in failures.items()
        ]
        next_try = min((one.next_try_at for _, one in found if one.next_try_at is not None), default=None)
        if found and next_try is None:
            await _park(transaction, session.user_id, (said.turns[0].seq, said.turns[-1].seq), found)
        attempts = session.evaluation_attempts + 1 if next_try is not None else 0
        await transaction.sessions.settle(session, evaluate_after=next_try, attempts=attempts)

    async def _finish_letter(
        self, transaction: Transaction, letter: DeadLetter, failures: Mapping[str, Exception]
    ) -> None:
        """After a requested retry, mark the dead letter as replayed or, if it failed, as parked again."""
        if not failures:
            await transaction.dead_letters.mark(
                letter.dead_letter_id, DeadLetterStatus.REPLAYED, was=DeadLetterStatus.QUEUED
            )
            return
        found = [
            (learner, self._retrying.failed(learner, error, attempts=letter.attempts, is_last=True))
            for learner, error in failures.items()
        ]
        await _park(transaction, letter.user_id, (letter.first_seq, letter.last_seq), found)


def learner_name(evaluator: AgentSuccessConfig) -> str:
    """Return the name under which an evaluator's model calls and dead letters are stored."""
    return f"evaluation:{evaluator.evaluation_name}"


def _is_wanted(evaluator: AgentSuccessConfig, said: _Said, tenant: Tenant) -> bool:
    """Whether the session is sampled, and was not judged since its last turn."""
    name, session = evaluator.evaluation_name, said.session
    judged_at = said.judged_at.get(name)
    if judged_at is not None and judged_at > session.updated_at:
        return False
    return is_sampled(tenant.org_id, session.session_id, name, evaluator.sampling_rate)


def _result(name: str, said: _Said, verdict: Verdict) -> NewEvaluation:
    return NewEvaluation(
        **verdict.model_dump(),
        agent_version=next((turn.agent_version for turn in reversed(said.turns) if turn.agent_version), ""),
        source=next((turn.source for turn in reversed(said.turns) if turn.source), ""),
        session_id=said.session.session_id,
        evaluation_name=name,
        number_of_correction_per_session=said.correction_count,
        user_turns_to_resolution=sum(turn.is_user for turn in said.turns) if verdict.is_success else None,
        created_at=said.read_at,
    )


async def _park(
    transaction: Transaction,
    user_id: UserId,
    stretch: tuple[int, int],
    failures: Sequence[tuple[str, Failure]],
) -> None:
    window = Window(user_id=user_id, first_seq=stretch[0], last_seq=stretch[1], unread=())
    for learner, failure in failures:
        await park(transaction, learner, window, failure)
