"""Sessions that have become quiet are judged: due → read → judge → store, each session by itself."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from sagacity.config.base import ConfigStore
from sagacity.config.extractor_config import AgentSuccessConfig
from sagacity.config.model_choice import Role
from sagacity.config.tenant_config import TenantConfig
from sagacity.dispatch.retry import RetryPolicy
from sagacity.domain.clock import Clock
from sagacity.domain.cursor import DeadLetter, DeadLetterStatus, Lease, Window
from sagacity.domain.evaluation import NewEvaluation, WaitingSession
from sagacity.domain.ids import UserId
from sagacity.domain.interaction import Interaction
from sagacity.domain.tenant import Tenant
from sagacity.learning.ask import Calls, ModelAccess
from sagacity.learning.evaluate.chance import is_sampled, shadow_comes_first
from sagacity.learning.evaluate.model import judge_by_model
from sagacity.learning.evaluate.rules import judge_by_rules
from sagacity.learning.evaluate.verdict import Verdict
from sagacity.learning.steps import told
from sagacity.storage.transaction import Storage, Transaction

_log = structlog.get_logger(__name__)
_SESSIONS_A_RUN = 8
"""Judged side by side; what more is due comes in the next run, so that learning has its turn between."""
_WAITING_READ = 1_000
_TURNS_READ = 1_000
"""Of a longer session the newest turns are judged."""


@dataclass(frozen=True, slots=True)
class EvaluationPolicy:
    """When a session is judged."""

    retry: RetryPolicy
    delay_seconds: float
    """It has to be quiet for so long."""


@dataclass(frozen=True, slots=True)
class _Task:
    """A session that some evaluators have to judge now."""

    session: WaitingSession | None
    """None: it was deleted meanwhile."""
    evaluators: tuple[AgentSuccessConfig, ...]
    letter: DeadLetter | None = None
    """Given up before, and asked for again."""


@dataclass(frozen=True, slots=True)
class _Said:
    """What was said in a session up to the moment at which it was read."""

    session: WaitingSession
    turns: Sequence[Interaction]
    correction_count: int
    judged_at: Mapping[str, datetime]
    read_at: datetime


@dataclass(frozen=True, slots=True)
class _Judged:
    """What one evaluator made of a session: a result, nothing where none is called for, or what kept it from one."""

    evaluator: AgentSuccessConfig
    result: NewEvaluation | None = None
    error: Exception | None = None


class Evaluator:
    """Judges users' sessions. A run that is done twice, or cut short, leaves one result an evaluator and session."""

    def __init__(
        self,
        storage: Storage,
        configs: ConfigStore,
        access: ModelAccess,
        policy: EvaluationPolicy,
        *,
        clock: Clock,
    ) -> None:
        self._storage = storage
        self._configs = configs
        self._access = access
        self._policy = policy
        self._clock = clock

    async def next_due(self, snapshot: Transaction, user_id: UserId, config: TenantConfig) -> datetime | None:
        """Return when a session of the user has to be judged next, if it stays quiet; None: none waits."""
        if not config.agent_success_configs:
            return None
        if await self._queued(snapshot, user_id, config):
            return self._clock.now()
        return min((due_at for due_at, _ in await self._waiting(snapshot, user_id)), default=None)

    async def run(self, tenant: Tenant, user_id: UserId, lease: Lease) -> datetime | None:
        """
        Judge those of the user's sessions that have been quiet for long enough.

        A session in which something new is said is judged anew, and the result replaced. What fails is tried again
        later and then given up as a dead letter; no other session waits for it.

        Args:
            tenant: whose user.
            user_id: whose sessions.
            lease: the right to work on this user, checked in each transaction that writes.

        Returns:
            When to run next; None: not before something is said.

        Raises:
            Conflict: the lease was lost.
        """
        config = await self._configs.get(tenant)
        if not config.agent_success_configs:
            return None
        async with self._storage.read(tenant) as snapshot:
            tasks = await self._due(snapshot, user_id, config)
        if tasks:
            calls = await self._access.of(tenant, config, user_id)
            ended = await asyncio.gather(
                *(self._evaluate(tenant, config, calls, task, lease) for task in tasks),
                return_exceptions=True,
            )
            for error in filter(None, ended):
                raise error
        async with self._storage.read(tenant) as snapshot:
            return await self.next_due(snapshot, user_id, config)

    async def _waiting(self, snapshot: Transaction, user_id: UserId) -> list[tuple[datetime, WaitingSession]]:
        delay = timedelta(seconds=self._policy.delay_seconds)
        found = await snapshot.sessions.waiting(user_id, limit=_WAITING_READ)
        return [(due_at, one) for one in found if (due_at := one.due_at(delay)) is not None]

    async def _queued(
        self, snapshot: Transaction, user_id: UserId, config: TenantConfig
    ) -> list[tuple[DeadLetter, AgentSuccessConfig]]:
        """Return what someone wants to have judged after it was given up."""
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
        self, tenant: Tenant, config: TenantConfig, calls: Calls, task: _Task, lease: Lease
    ) -> None:
        """Judge one session by all its evaluators, side by side, and store what they say."""
        said = None if task.session is None else await self._read(tenant, task.session)
        judged: list[_Judged] = []
        if said is not None and said.turns:
            evaluators = [one for one in task.evaluators if task.letter or _is_wanted(one, said, tenant)]
            judged = await asyncio.gather(
                *(self._judge(tenant, config, calls, one, said) for one in evaluators)
            )
        # Done twice it writes the same.
        await self._storage.again(lambda: self._commit(tenant, task, said, judged, lease))

    async def _read(self, tenant: Tenant, session: WaitingSession) -> _Said:
        async with self._storage.read(tenant) as snapshot:
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
        self, tenant: Tenant, config: TenantConfig, calls: Calls, evaluator: AgentSuccessConfig, said: _Said
    ) -> _Judged:
        name = evaluator.evaluation_name
        try:
            asker = calls.asker(Role.EVALUATION, learner_name(evaluator))
            if asker is None:
                verdict = await asyncio.to_thread(judge_by_rules, said.turns)  # long sessions take seconds
            else:
                shadow_first = shadow_comes_first(tenant.org_id, said.session.session_id, name)
                verdict = await judge_by_model(
                    asker, config, evaluator, said.turns, shadow_first=shadow_first
                )
        except Exception as error:  # noqa: BLE001  one evaluator's failure is recorded and stops no other
            return _Judged(evaluator, error=error)
        return _Judged(evaluator, None if verdict is None else _result(name, said, verdict))

    async def _commit(
        self, tenant: Tenant, task: _Task, said: _Said | None, judged: Sequence[_Judged], lease: Lease
    ) -> None:
        """
        Write results and failures, and when the session is judged next, together or not at all.

        Nothing is written of a session that lost turns while its judges worked: a verdict would quote what was deleted.
        What is left of it is as due as it was.
        """
        failures = {learner_name(one.evaluator): one.error for one in judged if one.error is not None}
        async with self._storage.begin(tenant) as transaction:
            await transaction.leases.check(lease)
            if said is not None and said.turns:
                read = [turn.interaction_id for turn in said.turns]
                if not await transaction.sessions.hold(said.session, read):
                    return
                for one in judged:
                    if one.result is not None:
                        await transaction.evaluations.replace(said.session.user_id, one.result)
            if task.letter is not None:
                await _finish_letter(transaction, task.letter, failures)
            elif said is not None:
                await self._finish_session(transaction, said, failures)

    async def _finish_session(
        self, transaction: Transaction, said: _Said, failures: Mapping[str, Exception]
    ) -> None:
        """Judge the session again if something is said in it, or later if a judge failed; at last give it up."""
        session, next_try, attempts = said.session, None, 0
        if failures:
            attempts = session.evaluation_attempts + 1
            next_try = self._policy.retry.next_try(attempts, self._clock.now())
            _tell(failures, attempts, is_last=next_try is None)
        if failures and next_try is None:
            first_seq, last_seq = said.turns[0].seq, said.turns[-1].seq
            await _park(transaction, session.user_id, (first_seq, last_seq), attempts, failures)
            attempts = 0
        await transaction.sessions.settle(session, evaluate_after=next_try, attempts=attempts)


def learner_name(evaluator: AgentSuccessConfig) -> str:
    """Return the name under which an evaluator's model calls and dead letters are kept."""
    return f"evaluation:{evaluator.evaluation_name}"


def _is_wanted(evaluator: AgentSuccessConfig, said: _Said, tenant: Tenant) -> bool:
    """Whether the session is one of those that are judged, and was not judged since something was said in it."""
    name, session = evaluator.evaluation_name, said.session
    judged_at = said.judged_at.get(name)
    if judged_at is not None and judged_at > session.updated_at:
        return False
    return is_sampled(tenant.org_id, session.session_id, name, evaluator.sampling_rate)


def _result(name: str, said: _Said, verdict: Verdict) -> NewEvaluation:
    return NewEvaluation(
        **verdict.model_dump(),
        agent_version=next((turn.agent_version for turn in reversed(said.turns) if turn.agent_version), ""),
        session_id=said.session.session_id,
        evaluation_name=name,
        number_of_correction_per_session=said.correction_count,
        user_turns_to_resolution=sum(turn.is_user for turn in said.turns) if verdict.is_success else None,
        created_at=said.read_at,
    )


async def _finish_letter(
    transaction: Transaction, letter: DeadLetter, failures: Mapping[str, Exception]
) -> None:
    """Someone asked for one more try: it went well, or the dead letter waits again."""
    if not failures:
        await transaction.dead_letters.mark(
            letter.dead_letter_id, DeadLetterStatus.REPLAYED, was=DeadLetterStatus.QUEUED
        )
        return
    _tell(failures, letter.attempts + 1, is_last=True)
    stretch = (letter.first_seq, letter.last_seq)
    await _park(transaction, letter.user_id, stretch, letter.attempts + 1, failures)


async def _park(
    transaction: Transaction,
    user_id: UserId,
    stretch: tuple[int, int],
    attempts: int,
    failures: Mapping[str, Exception],
) -> None:
    window = Window(user_id=user_id, first_seq=stretch[0], last_seq=stretch[1], unread=())
    for learner, error in failures.items():
        await transaction.dead_letters.add(
            learner, window, attempts=attempts, error_kind=type(error).__name__, error=told(error)
        )


def _tell(failures: Mapping[str, Exception], attempts: int, *, is_last: bool) -> None:
    for learner, error in failures.items():
        if is_last:
            _log.error("evaluate.given_up", learner=learner, kind=type(error).__name__, attempts=attempts)
        else:
            _log.warning("evaluate.failed", learner=learner, kind=type(error).__name__, attempts=attempts)
