"""Members of an organisation; every change is in the audit log too."""

from typing import Any

import sqlalchemy as sa

from sagacity.domain.audit import AuditAction, NewAuditEntry
from sagacity.domain.errors import Conflict, NotFound
from sagacity.domain.ids import UserId
from sagacity.domain.member import Member
from sagacity.domain.quota import QuotaName
from sagacity.domain.role import Role
from sagacity.storage.access.audit import AuditRepository
from sagacity.storage.base import Scope
from sagacity.storage.quotas import require_room
from sagacity.storage.schema.tables import members, organisations

_column = members.c


class MemberRepository:
    """A tenant's members. The last owner cannot be removed, except by the operator."""

    def __init__(self, scope: Scope, audit: AuditRepository) -> None:
        self._scope = scope
        self._audit = audit

    async def find(self, user_id: UserId) -> Member | None:
        """Return a member of an active organisation, or None."""
        statement = (
            sa.select(members)
            .join(organisations, organisations.c.org_id == _column.org_id)
            .where(*self._is(user_id), organisations.c.status == "active")
        )
        rows = await self._scope.all(statement)
        return _member_of(rows[0]) if rows else None

    async def list_page(self, *, after: str | None = None, limit: int) -> list[Member]:
        """Return members after the id *after*, in the order of ids."""
        statement = sa.select(members).where(_column.org_id == self._scope.org_id)
        if after is not None:
            statement = statement.where(_column.user_id > after)
        rows = await self._scope.all(statement.order_by(_column.user_id).limit(limit))
        return [_member_of(row) for row in rows]

    async def put(self, user_id: UserId, role: Role, *, by: str, target: str, let_in_by: str = "") -> Member:
        """
        Make an account a member with a role, or change its role.

        Args:
            user_id: the account.
            role: the new role.
            by: the caller, as the audit log names callers.
            target: the account, as the audit log names it.
            let_in_by: who invited the account, if somebody did.

        Raises:
            Conflict: the account is the last owner.
            QuotaExceeded: the organisation's quota of members is used up.
        """
        await self._audit.lock()
        before = await self._row(user_id)
        if before is None:
            if not let_in_by:  # an invitation was counted when it was made
                await require_room(self._scope, QuotaName.MEMBERS)
            now = self._scope.clock.now()
            member = Member(user_id=user_id, role=role, created_at=now, created_by=let_in_by or by)
            await self._scope.run(members.insert(), member.model_dump() | {"org_id": self._scope.org_id})
            details = {"role": str(role)}
            await self._record(AuditAction.MEMBER_ADDED, by, target, details)
            return member
        if before.role is role:
            return before
        await self._keep_an_owner(before)
        await self._scope.run(sa.update(members).where(*self._is(user_id)).values(role=str(role)))
        details = {"role": str(role), "role_before": str(before.role)}
        await self._record(AuditAction.MEMBER_ROLE_CHANGED, by, target, details)
        return before.model_copy(update={"role": role})

    async def require_room(self) -> None:
        """
        Check that the quota allows one more member.

        Raises:
            QuotaExceeded: the organisation's quota of members is used up.
        """
        await self._audit.lock()
        await require_room(self._scope, QuotaName.MEMBERS)

    async def remove(self, user_id: UserId, *, by: str, target: str) -> None:
        """
        Remove an account from the organisation; what it wrote stays.

        Raises:
            NotFound: the account is not a member.
            Conflict: the account is the last owner.
        """
        await self._audit.lock()
        before = await self._row(user_id)
        if before is None:
            raise NotFound("no such member")
        await self._keep_an_owner(before)
        await self._scope.run(sa.delete(members).where(*self._is(user_id)))
        await self._record(AuditAction.MEMBER_REMOVED, by, target, {"role_before": str(before.role)})

    async def leave(self, user_id: UserId, *, by: str, target: str) -> bool:
        """Remove an account that is deleted, whatever its role; returns whether it was a member."""
        await self._audit.lock()
        before = await self._row(user_id)
        if before is None:
            return False
        await self._scope.run(sa.delete(members).where(*self._is(user_id)))
        await self._record(AuditAction.MEMBER_REMOVED, by, target, {"role_before": str(before.role)})
        return True

    async def is_last_owner(self, user_id: UserId) -> bool:
        """Return whether the account is an owner and there is no other."""
        rows = await self._scope.all(
            sa.select(_column.user_id).where(
                _column.org_id == self._scope.org_id, _column.role == str(Role.OWNER)
            )
        )
        return [row.user_id for row in rows] == [user_id]

    async def _keep_an_owner(self, member: Member) -> None:
        if member.role is Role.OWNER and await self.is_last_owner(member.user_id):
            raise Conflict("this is the last owner of the organisation: make somebody else an owner first")

    async def _row(self, user_id: UserId) -> Member | None:
        rows = await self._scope.all(sa.select(members).where(*self._is(user_id)))
        return _member_of(rows[0]) if rows else None

    async def _record(self, action: AuditAction, by: str, target: str, details: dict[str, str]) -> None:
        await self._audit.add(NewAuditEntry(action=action, actor=by, target=target, details={**details}))

    def _is(self, user_id: UserId) -> tuple[sa.ColumnElement[bool], ...]:
        return _column.org_id == self._scope.org_id, _column.user_id == user_id


def _member_of(row: Any) -> Member:
    return Member.model_validate(row._mapping, extra="ignore")
