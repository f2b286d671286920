"""Queries across organisations: which ones an account belongs to, and which invited it."""

from datetime import datetime

import sqlalchemy as sa

from sagacity.domain.account import Person
from sagacity.domain.ids import UserId
from sagacity.domain.member import KnownInvitation, Membership
from sagacity.domain.role import Role
from sagacity.domain.tenant import Tenant
from sagacity.storage.base import Backend
from sagacity.storage.schema.views import memberships, open_invitations


async def memberships_of(backend: Backend, user_id: UserId) -> list[Membership]:
    """Return the active organisations that an account belongs to, oldest membership first."""
    column = memberships.c
    statement = sa.select(memberships).where(column.user_id == user_id, column.org_status == "active")
    async with backend.read(None) as connection:
        rows = (await connection.execute(statement.order_by(column.created_at, column.org_id))).all()
    return [
        Membership(org_id=row.org_id, name=row.name, role=Role(row.role), created_at=row.created_at)
        for row in rows
    ]


async def find_invitation(backend: Backend, code_hash: str, *, now: datetime) -> KnownInvitation | None:
    """Return an active organisation's invitation by its code's hash; None if there is none or it has expired."""
    column = open_invitations.c
    statement = sa.select(open_invitations).where(
        column.code_hash == code_hash, column.expires_at > now, column.org_status == "active"
    )
    async with backend.read(None) as connection:
        row = (await connection.execute(statement)).first()
    if row is None:
        return None
    return KnownInvitation(org_id=row.org_id, invitation_id=row.invitation_id, email=row.email)


async def owned_by(backend: Backend, user_id: UserId) -> list[Tenant]:
    """Return the organisations that an account owns, alone or with others, active or not, in order."""
    column = memberships.c
    owned = sa.select(column.org_id).where(column.user_id == user_id, column.role == str(Role.OWNER))
    async with backend.read(None) as connection:
        rows = (await connection.execute(owned.order_by(column.org_id))).all()
    return [Tenant(org_id=row.org_id) for row in rows]


async def knowing(backend: Backend, user_id: UserId, person: Person) -> list[Tenant]:
    """Return the organisations, active or not, that know an account by a role or an invitation, in order."""
    invitation = open_invitations.c
    of_person = sa.or_(invitation.email == person.email, invitation.created_by == person.pseudonym)
    member = sa.select(memberships.c.org_id).where(memberships.c.user_id == user_id)
    statement = sa.union(member, sa.select(invitation.org_id).where(of_person))
    async with backend.read(None) as connection:
        rows = (await connection.execute(statement)).all()
    return sorted((Tenant(org_id=row.org_id) for row in rows), key=lambda tenant: tenant.org_id)


async def inviting(backend: Backend, *, limit: int) -> list[tuple[Tenant, datetime]]:
    """Return active organisations with invitations to send, each with when its first one is due, earliest first."""
    column = open_invitations.c
    first = sa.func.min(column.due_at).label("first")
    waiting = sa.and_(column.due_at.is_not(None), column.org_status == "active")
    statement = sa.select(column.org_id, first).where(waiting).group_by(column.org_id)
    async with backend.read(None) as connection:
        rows = (await connection.execute(statement.order_by(first).limit(limit))).all()
    return [(Tenant(org_id=row.org_id), row.first) for row in rows]
