"""Move cursors when versions are swapped: each version has its own, which says how far it has read the log."""

from collections.abc import Sequence

import sqlalchemy as sa

from sagacity.domain.memory import MemoryKind, Status
from sagacity.storage.base import Scope
from sagacity.storage.evidence.users import make_due
from sagacity.storage.schema.tables import cursors
from sagacity.storage.statements.array_params import found_by, one_of

_other = cursors.alias("other")


class VersionCursors:
    """
    The cursors of some users' learners of one kind, moved all at once.

    In a version that was learned, a learner without a cursor has read nothing. It gets a cursor at 0 before the version
    is moved, so a worker that read a window before finds its cursor changed, and does not write. A user's version that
    has memories but no cursor was written by hand: when it comes into force, cursors stay.

    A cursor covers all agent versions. If only some of them are moved, the cursor of each resulting version is that of
    the part that has read least, so that turns which any part missed are read again.
    """

    def __init__(
        self,
        scope: Scope,
        kind: MemoryKind,
        names: Sequence[str],
        users: sa.Select[tuple[str]],
        *,
        owners: sa.Select[tuple[str]] | None = None,
        keepers: sa.Select[tuple[str]] | None = None,
    ) -> None:
        """
        Choose the cursors.

        Args:
            scope: the open transaction.
            kind: the kind that the learners learn.
            names: the names of their extractors; empty for all.
            users: selects the users.
            owners: selects the users who have memories in the version that comes into force.
            keepers: if only some agent versions are moved, selects the users who have others in the archive.
        """
        self._scope = scope
        self._kind = kind
        self._names = names
        self._users = users
        self._owners = owners
        self._keepers = keepers

    async def upgrade(self) -> None:
        """Move the cursors of CURRENT to the archive, and those of PENDING to CURRENT."""
        learners = self._but_for_handwork(Status.PENDING)
        await self._fill(Status.PENDING, by=Status.CURRENT, of=learners)
        await self._fill(Status.CURRENT, by=Status.PENDING, of=learners)
        await self._look_again(Status.PENDING)
        await self._hold_back(Status.PENDING, of=learners)
        gone = learners if self._keepers is None else sa.or_(learners, ~self._keeps())
        await self._scope.run(sa.delete(cursors).where(self._of(Status.ARCHIVED), gone))
        await self._move(Status.CURRENT, Status.ARCHIVED, of=learners)
        await self._move(Status.PENDING, Status.CURRENT)

    async def join(self) -> None:
        """Replace cursors of CURRENT by those of PENDING that are further: both versions are current now."""
        if self._keepers is not None:
            await self.align_backwards(Status.PENDING)
        current, pending = self._of(Status.CURRENT), self._of(Status.PENDING)
        await self._scope.run(sa.delete(cursors).where(pending, self._has_other(Status.CURRENT)))
        await self._scope.run(sa.delete(cursors).where(current, self._has_other(Status.PENDING)))
        await self._move(Status.PENDING, Status.CURRENT)

    async def downgrade(self) -> None:
        """Exchange the cursors of CURRENT and of the archive."""
        learners = self._but_for_handwork(Status.ARCHIVED)
        await self._fill(Status.ARCHIVED, by=Status.CURRENT, of=learners)
        await self._fill(Status.CURRENT, by=Status.ARCHIVED, of=learners)
        await self._look_again(Status.ARCHIVED)
        await self._hold_back(Status.ARCHIVED, of=learners)
        await self._move(Status.CURRENT, Status.ARCHIVE_IN_PROGRESS, of=learners)
        await self._move(Status.ARCHIVED, Status.CURRENT)
        await self._move(Status.ARCHIVE_IN_PROGRESS, Status.ARCHIVED)

    async def forget(self, version: Status) -> None:
        """Delete the cursors of a version, except for users who keep a part of it."""
        await self._scope.run(sa.delete(cursors).where(self._of(version), ~self._keeps()))

    async def align_backwards(self, version: Status) -> None:
        """Set a version's cursors back to those of CURRENT, or to 0 if CURRENT has none."""
        theirs = sa.select(_other.c.seq).where(self._same_learner(Status.CURRENT))
        least = sa.func.coalesce(theirs.scalar_subquery(), 0)
        further = sa.and_(self._of(version), cursors.c.seq > least)
        await self._scope.run(sa.update(cursors).where(further).values(seq=least))

    async def _hold_back(self, version: Status, *, of: sa.ColumnElement[bool]) -> None:
        """Set cursors back to those of the agent versions that stay, in the current version and in the archive."""
        if self._keepers is None:
            return
        await self.align_backwards(version)
        theirs = sa.select(_other.c.seq).where(self._same_learner(Status.ARCHIVED))
        least = theirs.scalar_subquery()  # null if there is none, and so never less
        further = sa.and_(self._of(Status.CURRENT), of, self._keeps(), cursors.c.seq > least)
        await self._scope.run(sa.update(cursors).where(further).values(seq=least))

    def _keeps(self) -> sa.ColumnElement[bool]:
        """Return the condition that a cursor's user has other agent versions in the archive."""
        return sa.false() if self._keepers is None else cursors.c.user_id.in_(self._keepers)

    def _but_for_handwork(self, version: Status) -> sa.ColumnElement[bool]:
        """Return the condition that a user's *version* was not written by hand, with memories but no cursor."""
        if self._owners is None:
            return sa.true()
        with_cursor = sa.select(_other.c.user_id).where(
            _other.c.org_id == self._scope.org_id, self._is_of(_other, version)
        )
        one = cursors.c.user_id
        return sa.or_(one.not_in(self._owners), one.in_(with_cursor))

    async def _fill(self, version: Status, *, by: Status, of: sa.ColumnElement[bool]) -> None:
        """Add cursors at 0 to *version* for learners that have one only in the version *by*."""
        now = self._scope.clock.now()
        selected = sa.select(
            cursors.c.org_id,
            cursors.c.user_id,
            cursors.c.kind,
            cursors.c.extractor_name,
            sa.literal(str(version)),
            *(sa.literal(0), sa.literal(0), sa.literal("")),
            sa.literal(now, cursors.c.updated_at.type),
        ).where(self._of(by), of)
        key = ("org_id", "user_id", "kind", "extractor_name", "version")
        names = [*key, "seq", "attempts", "error", "updated_at"]
        insert = self._scope.insert(cursors).from_select(names, selected, include_defaults=False)
        await self._scope.run(insert.on_conflict_do_nothing())

    async def _move(self, version: Status, to: Status, *, of: sa.ColumnElement[bool] | None = None) -> None:
        statement = sa.update(cursors).where(self._of(version), sa.true() if of is None else of)
        await self._scope.run(statement.values(version=str(to)))

    async def _look_again(self, version: Status) -> None:
        """Make users due who have turns that CURRENT has read, but *version*, which replaces it, has not."""
        moved_back = (
            sa.select(cursors.c.user_id)
            .where(self._of(Status.CURRENT))
            .join(_other, self._same_learner(version))
            .where(_other.c.seq < cursors.c.seq)
        )
        await make_due(self._scope, moved_back, self._scope.clock.now())

    def _of(self, version: Status) -> sa.ColumnElement[bool]:
        column = cursors.c
        of_users = found_by(column.user_id, self._users.scalar_subquery())
        return sa.and_(column.org_id == self._scope.org_id, of_users, self._is_of(cursors, version))

    def _is_of(self, table: sa.FromClause, version: Status) -> sa.ColumnElement[bool]:
        """Return the condition that a cursor belongs to *version* and to one of the learners."""
        named = one_of(table.c.extractor_name, self._names) if self._names else sa.true()
        return sa.and_(table.c.version == str(version), table.c.kind == str(self._kind), named)

    def _has_other(self, other: Status) -> sa.ColumnElement[bool]:
        """Return the condition that the learner's cursor for the version *other* is as far or further."""
        same = self._same_learner(other)
        return sa.exists().select_from(_other).where(same, _other.c.seq >= cursors.c.seq)

    def _same_learner(self, other: Status) -> sa.ColumnElement[bool]:
        """Return the condition that `_other` is the cursor of the same user and learner for the version *other*."""
        return sa.and_(
            _other.c.org_id == self._scope.org_id,
            _other.c.user_id == cursors.c.user_id,
            _other.c.kind == cursors.c.kind,
            _other.c.extractor_name == cursors.c.extractor_name,
            _other.c.version == str(other),
        )
