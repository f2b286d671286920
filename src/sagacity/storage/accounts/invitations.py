"""Invitations to an organisation, with their e-mails; every change is in the audit log too."""

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
    """A tenant's open invitations. One that is accepted or revoked is deleted, and remains in the audit log."""

    def __init__(self, scope: Scope, audit: AuditRepository) -> None:
        self._scope = scope
        self._audit = audit

    async def add(self, new: Invitation) -> None:
        """
        Store an invitation whose e-mail is due now. An expired one to the same address is deleted.

        Raises:
            Conflict: the address has an open invitation, or there are too many.
            QuotaExceeded: the quota of members, which counts invitations too, is used up.
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
        """Return invitations after the id *after*, in the order of ids, which is the order of creation."""
        statement = sa.select(invitations).where(_column.org_id == self._scope.org_id)
        if after is not None:
            statement = statement.where(_column.invitation_id > after)
        rows = await self._scope.all(statement.order_by(_column.invitation_id).limit(limit))
        return [_invitation_of(row) for row in rows]

    async def get(self, invitation_id: str) -> Invitation:
        """
        Return one invitation; in a writing transaction its row is locked.

        Raises:
            NotFound: there is none with that id.
        """
        statement = self._scope.locked(sa.select(invitations).where(*self._is(invitation_id)))
        rows = await self._scope.all(statement)
        if not rows:
            raise NotFound("no such invitation")
        return _invitation_of(rows[0])

    async def send_again(self, invitation_id: str, *, expires_at: datetime, by: str) -> Invitation:
        """
        Make the e-mail due again; the code sent before stays valid until the new one is made.

        Raises:
            NotFound: there is none with that id.
        """
        await self._audit.lock()
        found = await self.get(invitation_id)
        values = {"due_at": self._scope.clock.now(), "attempts": 0, "expires_at": expires_at}
        await self._set(invitation_id, **values)
        await self._record(AuditAction.INVITATION_SENT_AGAIN, found, by)
        return found.model_copy(update={"expires_at": expires_at, "attempts": 0})

    async def revoke(self, invitation_id: str, *, by: str) -> None:
        """
        Revoke an invitation.

        Raises:
            NotFound: there is none with that id.
        """
        await self._audit.lock()
        found = await self.get(invitation_id)
        await self._scope.run(sa.delete(invitations).where(*self._is(invitation_id)))
        await self._record(AuditAction.INVITATION_REVOKED, found, by)

    async def forget(self, addresses: Collection[str], *, sender: str, by: str) -> int:
        """
        Revoke the invitations to or by a person who is erased; returns how many there were.

        Args:
            addresses: the person's addresses, in lower case.
            sender: the person's name as the sender of invitations; empty for nobody.
            by: the caller, as the audit log names callers.
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
        """Use up the invitation of an address by its code; None if the code is unknown, expired or used."""
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
        """Claim the invitation whose e-mail has been due longest, for this caller alone *until* then."""
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
        """Store the hash of the code that is about to be sent, which makes the code before it invalid."""
        await self._set(invitation_id, code_hash=code_hash, expires_at=expires_at)

    async def sent(self, invitation_id: str, code_hash: str) -> None:
        """Note that an e-mail was sent; another one that was requested meanwhile stays due."""
        same = (_column.code_hash == code_hash, _column.attempts > 0)
        await self._set(invitation_id, *same, due_at=None)

    async def postpone(self, invitation_id: str, due_at: datetime | None) -> None:
        """Set when a failed e-mail is due again; None gives it up."""
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
