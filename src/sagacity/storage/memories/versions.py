"""Swap whole versions: upgrade, downgrade and discard, in one statement for all rows."""

from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from sagacity.domain.change import DIRECT, ChangeAction
from sagacity.domain.cursor import DISTIL
from sagacity.domain.ids import RunId, UserId
from sagacity.domain.kinds import USER_KINDS, VERSIONED_KINDS
from sagacity.domain.memory import ArchivedBy, Memory, MemoryKind, Status
from sagacity.domain.paced import each
from sagacity.domain.version import Downgraded, Upgraded, VersionFilter
from sagacity.storage.base import Scope
from sagacity.storage.memories.memories import MemoryRepository, memory_of
from sagacity.storage.memories.version_cursors import VersionCursors
from sagacity.storage.schema.tables import changes, memories, requests, users
from sagacity.storage.search.documents import SearchRepository
from sagacity.storage.statements.array_params import found_by, one_of
from sagacity.storage.work.cursors import LeaseRepository

_column = memories.c
_owner = sa.func.coalesce(_column.user_id, "")
"""The user of a memory; empty for the organisation's own."""


class VersionRepository:
    """
    A tenant's versions.

    A call first records in the change log which memory goes where, and then moves them by these records. So a memory
    that is written at the same time is moved with its version or not at all. Memories that were superseded, or archived
    by a person, belong to no version and do not move. A superseded memory is deleted with the last of its successors.
    """

    def __init__(
        self, scope: Scope, search: SearchRepository, memories: MemoryRepository, leases: LeaseRepository
    ) -> None:
        self._scope = scope
        self._search = search
        self._memories = memories
        self._leases = leases

    async def upgrade(self, wanted: VersionFilter, *, archive_current: bool = True) -> Upgraded:
        """
        Put PENDING in force: ARCHIVED is deleted, CURRENT becomes ARCHIVED, PENDING becomes CURRENT.

        The cursors of these users' learners move with the versions. Turns that CURRENT had read but PENDING had not are
        read again, so that nothing is lost.

        Args:
            wanted: the memories to move, in all three steps. With `memory_ids`, no cursor moves.
            archive_current: whether CURRENT is archived; otherwise PENDING joins it, and ARCHIVED stays.

        Returns:
            How many were moved, and deleted with what they had superseded; all 0 if nothing is pending.
        """
        if not await self.has(wanted, Status.PENDING):
            return Upgraded()
        run_id = await self._begin(wanted)
        promoted = await self._note(run_id, ChangeAction.PROMOTED, self._version(wanted, Status.PENDING))
        if not promoted:  # while this waited, another call moved or discarded the pending version
            return Upgraded()
        among_affected = self._affected(wanted, run_id)
        deleted = archived = 0
        if archive_current:
            if not wanted.memory_ids:
                await self._forget_emptied(wanted, run_id, among_affected)
            deleted = await self._delete(wanted, Status.ARCHIVED, *among_affected)
            current = (*self._version(wanted, Status.CURRENT), *among_affected)
            archived = await self._note(run_id, ChangeAction.ARCHIVED, current)
        await self._move(run_id, wanted, ChangeAction.ARCHIVED, Status.ARCHIVED)
        await self._move(run_id, wanted, ChangeAction.PROMOTED, Status.CURRENT)
        await self._search.refresh_status(wanted.kind, self._noted(run_id, wanted))
        if not wanted.memory_ids:
            cursors = self._cursors(wanted, run_id, ChangeAction.PROMOTED)
            await (cursors.upgrade() if archive_current else cursors.join())
        return Upgraded(deleted_count=deleted, archived_count=archived, promoted_count=promoted)

    async def downgrade(self, wanted: VersionFilter) -> Downgraded:
        """
        Undo the last upgrade: ARCHIVED and CURRENT change places, with their cursors. A second call undoes the first.

        Returns:
            How many were moved; all 0 if nothing is archived.
        """
        if not await self.has(wanted, Status.ARCHIVED):
            return Downgraded()
        run_id = await self._begin(wanted)
        restored = await self._note(run_id, ChangeAction.RESTORED, self._version(wanted, Status.ARCHIVED))
        if not restored:
            return Downgraded()
        current = (*self._version(wanted, Status.CURRENT), *self._affected(wanted, run_id))
        demoted = await self._note(run_id, ChangeAction.DEMOTED, current)
        await self._move(run_id, wanted, ChangeAction.DEMOTED, Status.ARCHIVED)
        await self._move(run_id, wanted, ChangeAction.RESTORED, Status.CURRENT)
        await self._search.refresh_status(wanted.kind, self._noted(run_id, wanted))
        if not wanted.memory_ids:
            await self._cursors(wanted, run_id, ChangeAction.RESTORED).downgrade()
        return Downgraded(demoted_count=demoted, restored_count=restored)

    async def discard_pending(self, wanted: VersionFilter) -> int:
        """
        Delete PENDING, what was superseded within it, and its cursors, so the next rerun starts from the beginning.

        Returns:
            How many memories were deleted.
        """
        affected = self._are_affected(wanted, Status.PENDING) if wanted.only_affected_users else ()
        deleted = await self._delete(wanted, Status.PENDING, *affected)
        if not wanted.memory_ids:
            await self._cursors_of_users(wanted).forget(Status.PENDING)
        return deleted

    async def hold_pending_back(self, wanted: VersionFilter) -> None:
        """
        Set the cursors of PENDING back to those of CURRENT, at the end of a rerun that left turns out.

        Once PENDING is in force, turns that neither version has read are then read. Turns that are read twice change
        nothing, because what they teach is known.
        """
        await self._cursors_of_users(wanted).align_backwards(Status.PENDING)

    async def has(self, wanted: VersionFilter, status: Status) -> bool:
        """Return whether the version has any *wanted* memory."""
        statement = sa.select(_column.memory_id).where(*self._version(wanted, status)).limit(1)
        return bool(await self._scope.all(statement))

    async def agents(self) -> list[str]:
        """Return the agent versions of published turns and of user playbooks, sorted by name."""
        published = sa.select(requests.c.agent_version).where(requests.c.org_id == self._scope.org_id)
        taught = sa.select(_column.agent_version).where(
            _column.org_id == self._scope.org_id, _column.kind == str(MemoryKind.USER_PLAYBOOK)
        )
        return sorted(row.agent_version for row in await self._scope.all(published.union(taught)))

    async def of_users(
        self,
        wanted: VersionFilter,
        statuses: Sequence[Status],
        *,
        after_user: UserId | None = None,
        limit: int,
    ) -> list[Memory]:
        """
        Return up to *limit* memories of versions, by user and then by number.

        With `only_affected_users`, only of users who have something pending; with *after_user*, only of later users.
        """
        versions = sa.or_(*(sa.and_(*self._version(wanted, status)) for status in statuses))
        affected = self._are_affected(wanted, Status.PENDING) if wanted.only_affected_users else ()
        statement = sa.select(memories).where(versions, *affected).order_by(_owner, _column.memory_id)
        if after_user is not None:
            statement = statement.where(_owner > after_user)
        return await each(memory_of, await self._scope.all(statement.limit(limit)))

    async def _begin(self, wanted: VersionFilter) -> RunId:
        """End the leases on these logs, so that no learner writes what it decided before the swap."""
        if wanted.kind is MemoryKind.USER_PLAYBOOK:  # they are aggregated too
            await self._leases.end(DISTIL)
        if wanted.kind in USER_KINDS:
            await self._leases.end_learning(wanted.user_ids)
        return RunId(self._scope.ids.new())

    async def _note(
        self, run_id: RunId, action: ChangeAction, which: Sequence[sa.ColumnElement[bool]]
    ) -> int:
        """Lock memories and record what happens to them; returns how many there are."""
        now: datetime = self._scope.clock.now()
        values = {
            "org_id": _column.org_id,
            "run_id": sa.literal(run_id),
            "kind": _column.kind,
            "user_id": _column.user_id,
            "memory_id": _column.memory_id,
            "action": sa.literal(str(action)),
            "actor": sa.literal(DIRECT),
            "reason": sa.literal(""),
            "created_at": sa.literal(now, changes.c.created_at.type),
        }
        selected = self._scope.locked(sa.select(*values.values()).where(*which).order_by(_column.memory_id))
        insert = changes.insert().from_select(list(values), selected, include_defaults=False)
        return await self._scope.run(insert)

    async def _move(self, run_id: RunId, wanted: VersionFilter, action: ChangeAction, status: Status) -> None:
        """Set the status of the memories recorded with *action*, without changing when they were learned."""
        noted = self._noted(run_id, wanted, changes.c.action == str(action))
        await self._scope.run(
            sa.update(memories)
            .where(found_by(_column.memory_id, noted.scalar_subquery()), self._scope.owns(memories))
            .values(
                status=str(status),
                archived_at=self._scope.clock.now() if status is Status.ARCHIVED else None,
                archived_by=str(ArchivedBy.VERSION),
            )
        )

    async def _delete(self, wanted: VersionFilter, version: Status, *further: sa.ColumnElement[bool]) -> int:
        """Delete a version, and history that leads to no other memory; returns how many memories were deleted."""
        chosen = sa.select(_column.memory_id).where(*self._version(wanted, version), *further)
        rows = await self._scope.all(self._scope.locked(chosen.order_by(_column.memory_id)))
        return await self._memories.erase(wanted.kind, [row.memory_id for row in rows])

    async def _forget_emptied(
        self, wanted: VersionFilter, run_id: RunId, among_affected: Sequence[sa.ColumnElement[bool]]
    ) -> None:
        """
        Delete the archive's cursors of users of whom nothing but the archive is touched.

        Their archived memories are deleted, so nothing is left of what those cursors have read. Other users' cursors
        are moved.
        """
        current = sa.select(_owner).where(*self._version(wanted, Status.CURRENT)).correlate(None)
        emptied = sa.select(_owner).where(
            *self._version(wanted, Status.ARCHIVED),
            *among_affected,
            _owner.not_in(self._users_of(run_id, wanted)),
            _owner.not_in(current),
        )
        cursors = VersionCursors(
            self._scope, wanted.kind, wanted.names, emptied, keepers=self._keepers(wanted)
        )
        await cursors.forget(Status.ARCHIVED)

    def _version(self, wanted: VersionFilter, status: Status) -> list[sa.ColumnElement[bool]]:
        """Return the conditions of the *wanted* memories of one version."""
        found = [
            _column.org_id == self._scope.org_id,
            _column.kind == str(wanted.kind),
            _column.status == str(status),
        ]
        if status is Status.ARCHIVED:
            found += [_column.superseded_by.is_(None), _column.archived_by == str(ArchivedBy.VERSION)]
        if wanted.user_ids:
            found.append(one_of(_column.user_id, wanted.user_ids))
        if wanted.memory_ids:
            found.append(one_of(_column.memory_id, wanted.memory_ids))
        if wanted.names:
            learned_by = _column.attributes["extractor_names"][0].as_string()
            found.append(one_of(_column.name if wanted.kind in VERSIONED_KINDS else learned_by, wanted.names))
        if wanted.agent_versions:
            found.append(one_of(_column.agent_version, wanted.agent_versions))
        return found

    def _are_affected(self, wanted: VersionFilter, version: Status) -> tuple[sa.ColumnElement[bool]]:
        """Return the condition that a memory's owner has something in *version*."""
        owners = sa.select(_owner).where(*self._version(wanted, version)).correlate(None)
        return (_owner.in_(owners),)

    def _affected(self, wanted: VersionFilter, run_id: RunId) -> Sequence[sa.ColumnElement[bool]]:
        """Return the condition that a memory's owner has records of this run, if only affected users are wanted."""
        if not wanted.only_affected_users:
            return ()
        return (_owner.in_(self._users_of(run_id, wanted)),)

    def _noted(
        self, run_id: RunId, wanted: VersionFilter, *further: sa.ColumnElement[bool]
    ) -> sa.Select[tuple[int]]:
        return sa.select(changes.c.memory_id).where(*self._run(run_id, wanted), *further)

    def _users_of(
        self, run_id: RunId, wanted: VersionFilter, *further: sa.ColumnElement[bool]
    ) -> sa.Select[tuple[str]]:
        user_id = sa.func.coalesce(changes.c.user_id, "")
        return sa.select(user_id).where(*self._run(run_id, wanted), *further).distinct()

    def _run(self, run_id: RunId, wanted: VersionFilter) -> list[sa.ColumnElement[bool]]:
        column = changes.c
        return [
            column.org_id == self._scope.org_id,
            column.kind == str(wanted.kind),
            column.run_id == run_id,
        ]

    def _cursors(self, wanted: VersionFilter, run_id: RunId, action: ChangeAction) -> VersionCursors:
        """Return the cursors of all users with records of this run; *action* marks what comes into force."""
        owners = self._users_of(run_id, wanted, changes.c.action == str(action))
        everyone = self._users_of(run_id, wanted)
        return VersionCursors(
            self._scope, wanted.kind, wanted.names, everyone, owners=owners, keepers=self._keepers(wanted)
        )

    def _keepers(self, wanted: VersionFilter) -> sa.Select[tuple[str]] | None:
        """Select the users with archived agent versions that are not moved; None if all are moved."""
        if not wanted.agent_versions:
            return None
        every = wanted.model_copy(update={"agent_versions": ()})
        is_moved = one_of(_column.agent_version, wanted.agent_versions)
        return sa.select(_owner).where(*self._version(every, Status.ARCHIVED), ~is_moved)

    def _cursors_of_users(self, wanted: VersionFilter) -> VersionCursors:
        """Return the cursors of all users who have a log."""
        everyone = sa.select(users.c.user_id).where(users.c.org_id == self._scope.org_id)
        if wanted.user_ids:
            everyone = everyone.where(one_of(users.c.user_id, wanted.user_ids))
        return VersionCursors(self._scope, wanted.kind, wanted.names, everyone)
