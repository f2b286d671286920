"""Forget memories that were not used for long, or exceed a limit, as the user's settings say."""

from dataclasses import replace
from datetime import datetime, timedelta

import structlog

from sagacity.domain.change import Occasion
from sagacity.domain.cursor import FORGET, Lease
from sagacity.domain.ids import RunId
from sagacity.domain.memory import MemoryKind
from sagacity.domain.user_memory import TYPED_KINDS
from sagacity.domain.user_settings import UserSettings
from sagacity.learning.distil.agent_playbooks.trigger import note_playbooks
from sagacity.learning.tasks.base import Look, Subject, TaskReport, TaskScope, look_at
from sagacity.learning.tasks.parts import TaskParts
from sagacity.learning.windows.switches import OVER_LIMIT
from sagacity.learning.writing.limits import keep_within_limits
from sagacity.storage.transaction import Transaction

_log = structlog.get_logger(__name__)


class Forget:
    """Deletes memories of one user as the user's settings say. A user without settings keeps everything."""

    name = FORGET
    scope = TaskScope.USER

    def __init__(self, parts: TaskParts) -> None:
        self._storage = parts.storage
        self._batch = parts.policy.cleanup_batch
        self._clock = parts.clock
        self._ids = parts.ids

    async def look(self, snapshot: Transaction, subject: Subject) -> Look:
        """Return whether memories are too old or too many, and when the next one gets too old."""
        settings = await snapshot.user_settings.find(subject.user_id)
        if settings is None:
            return Look()
        look = look_at(await _too_old_at(snapshot, settings), now=self._clock.now())
        is_over = look.is_due or any([await _is_over(snapshot, settings, kind) for kind in TYPED_KINDS])
        return replace(look, is_due=is_over)

    async def run(self, subject: Subject, lease: Lease, *, until: float | None) -> TaskReport:
        """
        Delete memories that are too old, and archive those beyond the limit, one batch per transaction.

        Raises:
            Conflict: the lease was lost.
        """
        forgotten = archived = 0
        while count := await self._forget(subject, lease):
            forgotten += count
        while count := await self._archive(subject, lease):
            archived += count
        if forgotten or archived:
            _log.info(
                "memories.forgotten", org_id=subject.tenant.org_id, deleted=forgotten, archived=archived
            )
        return TaskReport()

    async def _forget(self, subject: Subject, lease: Lease) -> int:
        user_id = subject.user_id
        async with self._storage.begin(subject.tenant) as transaction:
            await transaction.leases.check(lease)
            settings = await transaction.user_settings.find(user_id)
            if settings is None:
                return 0
            before = self._clock.now() - timedelta(days=settings.memory.retention_days)
            found = await transaction.user_memories.unused_since(
                user_id, TYPED_KINDS, before, limit=self._batch
            )
            for kind in sorted({kind for _, kind in found}):
                numbers = [number for number, one in found if one is kind]
                playbooks = kind is MemoryKind.USER_PLAYBOOK
                lost = await transaction.clusters.taught(numbers) if playbooks else ()
                await transaction.memories.delete(kind, ids=numbers, user_id=user_id)
                await note_playbooks(transaction, subject.config, (), lost=lost)
        return len(found)

    async def _archive(self, subject: Subject, lease: Lease) -> int:
        occasion = Occasion(
            run_id=RunId(self._ids.new()), actor=FORGET, reason=OVER_LIMIT, at=self._clock.now()
        )
        async with self._storage.begin(subject.tenant) as transaction:
            await transaction.leases.check(lease)
            return await keep_within_limits(transaction, subject.user_id, TYPED_KINDS, occasion)


async def _too_old_at(snapshot: Transaction, settings: UserSettings) -> datetime | None:
    first = await snapshot.user_memories.first_used(settings.user_id, TYPED_KINDS)
    # A moment later, because at exactly that time it is not too old yet.
    return first and first + timedelta(days=settings.memory.retention_days, microseconds=1)


async def _is_over(snapshot: Transaction, settings: UserSettings, kind: MemoryKind) -> bool:
    keep = settings.memory.max_memories_per_type
    return bool(await snapshot.user_memories.beyond(settings.user_id, kind, keep=keep, limit=1))
