# Generated from the API's description by scripts/sdk; change it there.
"""Who belongs to an organisation, with which role, and who is invited."""

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.wire import checked, segment
from sagacity.client.words.role import RoleWord
from sagacity.schemas.accounts import SwitchedSession
from sagacity.schemas.base import Reply
from sagacity.schemas.members import (
    AcceptBody,
    InvitationReply,
    InvitationsPage,
    InviteBody,
    JoinedReply,
    MemberReply,
    MembersPage,
    OrganizationsReply,
    RoleBody,
    SwitchBody,
)


async def get_members(
    connection: AsyncConnection, *, after: str | None = None, limit: int = 100
) -> MembersPage:
    """
    Return the organisation's members with their roles, in the order of their ids.

    Args:
        connection: to the server.
        after: `next` of the previous page.
        limit: the largest number of results to return.
    """
    params = {"after": after, "limit": limit}
    return await connection.get("/api/members", MembersPage, params=params)


async def change_role(connection: AsyncConnection, user_id: str, *, role: RoleWord) -> MemberReply:
    """
    Change a member's role, effective in every process from the next call on.

    Only an owner may grant or take the role of owner. Changing the last owner's role gets 409.

    Args:
        connection: to the server.
        user_id: the account, as `GET /api/members` lists it.
        role: `owner`, `admin`, `member` or `viewer`.
    """
    body = checked(RoleBody, {"role": role})
    return await connection.send(
        "PATCH", f"/api/members/{segment(user_id)}", MemberReply, body=body, repeatable=True
    )


async def remove_member(connection: AsyncConnection, user_id: str) -> Reply:
    """
    Remove a member from the organisation. Everybody may leave; only administrators remove others.

    Effective in every process from the next call on. The user's data stays until it is erased. Removing the last
    owner gets 409.

    Args:
        connection: to the server.
        user_id: the account, as `GET /api/members` lists it.
    """
    return await connection.send("DELETE", f"/api/members/{segment(user_id)}", Reply)


async def get_invitations(
    connection: AsyncConnection, *, after: str | None = None, limit: int = 100
) -> InvitationsPage:
    """
    Return the invitations that were not accepted yet, oldest first.

    Args:
        connection: to the server.
        after: `next` of the previous page.
        limit: the largest number of results to return.
    """
    params = {"after": after, "limit": limit}
    return await connection.get("/api/invitations", InvitationsPage, params=params)


async def create_invitation(
    connection: AsyncConnection, email: str, *, role: RoleWord | None = None
) -> InvitationReply:
    """
    Invite an address to the organisation; an e-mail contains a code that can be used once.

    It is valid for seven days, unless `SAGACITY_INVITATION_HOURS` says otherwise. The address may have an account
    or not. Only an owner can invite an owner.

    Args:
        connection: to the server.
        email: the address; only ASCII.
        role: `owner`, `admin`, `member` or `viewer`; by default member.
    """
    body = checked(InviteBody, {"email": email, "role": role})
    return await connection.send("POST", "/api/invitations", InvitationReply, body=body)


async def accept_invitation(connection: AsyncConnection, code: str) -> JoinedReply:
    """
    Become a member of the organisation that invited the account's address, with the code of the e-mail.

    The session stays in its organisation; `POST /api/organizations/switch` changes that.

    Args:
        connection: to the server.
        code: the code in the e-mail, which can be used once.
    """
    body = checked(AcceptBody, {"code": code})
    return await connection.send("POST", "/api/invitations/accept", JoinedReply, body=body)


async def resend_invitation(connection: AsyncConnection, invitation_id: str) -> InvitationReply:
    """
    Send an invitation again with a new code that is valid as long; the previous code becomes invalid.

    Args:
        connection: to the server.
        invitation_id: the invitation, as `GET /api/invitations` lists it.
    """
    return await connection.send("POST", f"/api/invitations/{segment(invitation_id)}/resend", InvitationReply)


async def revoke_invitation(connection: AsyncConnection, invitation_id: str) -> Reply:
    """
    Withdraw an invitation; its code becomes invalid.

    Args:
        connection: to the server.
        invitation_id: the invitation, as `GET /api/invitations` lists it.
    """
    return await connection.send("DELETE", f"/api/invitations/{segment(invitation_id)}", Reply)


async def get_organizations(connection: AsyncConnection) -> OrganizationsReply:
    """Return the organisations that the account is a member of, and which one the access token works in."""
    return await connection.get("/api/organizations", OrganizationsReply)


async def switch_organization(connection: AsyncConnection, organization: str) -> SwitchedSession:
    """
    Begin a session in another organisation of the account. The next sign-in leads there, too.

    The current session stays in its organisation, so that no program changes place between two calls. That of a
    browser ends: its cookie is replaced, and the reply holds no token but that of the page, `csrf_token`.
    """
    body = checked(SwitchBody, {"organization": organization})
    return await connection.send("POST", "/api/organizations/switch", SwitchedSession, body=body)
