"""Invitations to an organisation with their e-mails; every change is in the audit log too."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from sagacity.domain.audit import AuditAction, NewAuditEntry
from sagacity.domain.errors import Conflict, NotFound
from sagacity.domain.member import MOST_INVITED, Invitation
from sagacity.domain.quota import QuotaName
from sagacity.storage.access.audit import AuditRepository
from sagacity.storage.base import Scope
from sagacity.storage.quotas import require_room
from sagacity.storage.schema.tables import invitations

_column = invitations.c


class InvitationRepository:
    """A tenant's invitations. One that is accepted or revoked is gone; the audit log knows of it."""

    def __init__(self, scope: Scope, audit: AuditRepository) -> None:
        self._scope = scope
        self._audit = audit

    async def add(self, new: Invitation) -> None:
        """
        Store an invitation whose e-mail is due now; one to the same address that has expired goes.

        Raises:
            Conflict: the address has one, or there are too many.
            QuotaExceeded: there are as many members and invitations as there may be.
        """
        await self._audit.lock()
        now = self._scope.clock.now()
        own = _column.org_id == self._scope.org_id
        await self._scope.run(
            sa.delete(invitations).where(own, _column.email == new.email, _column.expires_at <= now)
        )
        rows = await self._scope.all(sa.select(_column.email).where(own).limit(MOST_INVITED))
        if any(row.email == new.email for row in rows):
            raise Conflict("this address was invited already: send the invitation again, or revoke it")
        if len(rows) >= MOST_INVITED:
            raise Conflict(f"an organisation may have {MOST_INVITED:,} open invitations; revoke some")
        await require_room(self._scope, QuotaName.MEMBERS)
        values = new.model_dump() | {"org_id": self._scope.org_id, "due_at": now}
        await self._scope.run(invitations.insert(), values)
        await self._record(AuditAction.INVITATION_CREATED, new, new.created_by)

    async def list_page(self, *, after: str | None = None, limit: int) -> list[Invitation]:
        """Return invitations in the order of their ids, which is that of time, from behind *after*."""
        statement = sa.select(invitations).where(_column.org_id == self._scope.org_id)
        if after is not None:
            statement = statement.where(_column.invitation_id > after)
        rows = await self._scope.all(statement.order_by(_column.invitation_id).limit(limit))
        return [_invitation_of(row) for row in rows]

    async def get(self, invitation_id: str) -> Invitation:
        """
        Return one invitation, which a transaction that writes keeps as it is.

        Raises:
            NotFound: there is none of that id.
        """
        statement = self._scope.locked(sa.select(invitations).where(*self._is(invitation_id)))
        rows = await self._scope.all(statement)
        if not rows:
            raise NotFound("no such invitation")
        return _invitation_of(rows[0])

    async def send_again(self, invitation_id: str, *, expires_at: datetime, by: str) -> Invitation:
        """
        Have the e-mail sent once more; the code that was sent is good until the new one is made.

        Raises:
            NotFound: there is none of that id.
        """
        await self._audit.lock()
        found = await self.get(invitation_id)
        values = {"due_at": self._scope.clock.now(), "attempts": 0, "expires_at": expires_at}
        await self._set(invitation_id, **values)
        await self._record(AuditAction.INVITATION_SENT_AGAIN, found, by)
        return found.model_copy(update={"expires_at": expires_at, "attempts": 0})

    async def revoke(self, invitation_id: str, *, by: str) -> None:
        """
        Take an invitation back.

        Raises:
            NotFound: there is none of that id.
        """
        await self._audit.lock()
        found = await self.get(invitation_id)
        await self._scope.run(sa.delete(invitations).where(*self._is(invitation_id)))
        await self._record(AuditAction.INVITATION_REVOKED, found, by)

    async def forget(self, addresses: Collection[str], *, sender: str, by: str) -> int:
        """
        Revoke what was sent to somebody who is erased, or by somebody; returns how many there were.

        Args:
            addresses: of the person, in lower case.
            sender: how invitations name who sent them; empty for nobody.
            by: who says so, as the audit log names callers.
        """
        theirs = _column.email.in_(addresses)
        if sender:
            theirs = sa.or_(theirs, _column.created_by == sender)
        statement = sa.select(invitations).where(_column.org_id == self._scope.org_id, theirs)
        if not await self._scope.all(statement.limit(1)):
            return 0
        await self._audit.lock()
        rows = await self._scope.all(statement.order_by(_column.invitation_id))
        for found in map(_invitation_of, rows):
            await self._scope.run(sa.delete(invitations).where(*self._is(found.invitation_id)))
            await self._record(AuditAction.INVITATION_REVOKED, found, by)
        return len(rows)

    async def accept(self, code_hash: str, email: str, *, by: str) -> Invitation | None:
        """Use up the invitation of an address by its code; None if it is not known, has expired or was used."""
        await self._audit.lock()
        rows = await self._scope.all(
            sa.delete(invitations)
            .where(
                _column.org_id == self._scope.org_id,
                _column.code_hash == code_hash,
                _column.email == email,
                _column.expires_at > self._scope.clock.now(),
            )
            .returning(*_column)
        )
        if not rows:
            return None
        found = _invitation_of(rows[0])
        await self._record(AuditAction.INVITATION_ACCEPTED, found, by)
        return found

    async def claim(self, *, until: datetime) -> Invitation | None:
        """Take the invitation whose e-mail is due longest, so that nobody else does *until* then."""
        due = (
            sa.select(invitations)
            .where(_column.org_id == self._scope.org_id, _column.due_at <= self._scope.clock.now())
            .order_by(_column.due_at)
            .limit(1)
        )
        rows = await self._scope.all(self._scope.locked(due))
        if not rows:
            return None
        found = _invitation_of(rows[0])
        await self._set(found.invitation_id, due_at=until, attempts=found.attempts + 1)
        return found

    async def put_code(self, invitation_id: str, code_hash: str, *, expires_at: datetime) -> None:
        """Keep the hash of the code that is about to be sent; the code before it is good no more."""
        await self._set(invitation_id, code_hash=code_hash, expires_at=expires_at)

    async def sent(self, invitation_id: str, code_hash: str) -> None:
        """Note that an e-mail went out; if another one was asked for meanwhile, that one is still due."""
        same = (_column.code_hash == code_hash, _column.attempts > 0)
        await self._set(invitation_id, *same, due_at=None)

    async def postpone(self, invitation_id: str, due_at: datetime | None) -> None:
        """Say when an e-mail that failed is due again; None gives it up."""
        await self._set(invitation_id, _column.attempts > 0, due_at=due_at)

    async def _set(self, invitation_id: str, *conditions: sa.ColumnElement[bool], **values: object) -> None:
        await self._scope.run(
            sa.update(invitations).where(*self._is(invitation_id), *conditions).values(values)
        )

    async def _record(self, action: AuditAction, of: Invitation, by: str) -> None:
        details = {"role": str(of.role)}
        new = NewAuditEntry(action=action, actor=by, target=of.invitation_id, details={**details})
        await self._audit.add(new)

    def _is(self, invitation_id: str) -> tuple[sa.ColumnElement[bool], ...]:
        return _column.org_id == self._scope.org_id, _column.invitation_id == invitation_id


def _invitation_of(row: Any) -> Invitation:
    return Invitation.model_validate(row._mapping, extra="ignore")
