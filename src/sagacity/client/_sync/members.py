# Generated from _async by scripts/unasync; edit it there.
# Generated from the API's description by scripts/sdk; change it there.
"""Who belongs to an organisation, with which role, and who is invited."""

from sagacity.client._sync.connection import Connection
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


def get_members(connection: Connection, *, after: str | None = None, limit: int = 100) -> MembersPage:
    """
    Return the organisation's members with their roles, in the order of their ids.

    Args:
        connection: to the server.
        after: `next` of the previous page.
        limit: the largest number of results to return.
    """
    params = {"after": after, "limit": limit}
    return connection.get("/api/members", MembersPage, params=params)


def change_role(connection: Connection, user_id: str, *, role: RoleWord) -> MemberReply:
    """
    Change a member's role, effective in every process from the next call on.

    Only an owner may grant or take the role of owner. Changing the last owner's role gets 409.

    Args:
        connection: to the server.
        user_id: the account, as `GET /api/members` lists it.
        role: `owner`, `admin`, `member` or `viewer`.
    """
    body = checked(RoleBody, {"role": role})
    return connection.send(
        "PATCH", f"/api/members/{segment(user_id)}", MemberReply, body=body, repeatable=True
    )


def remove_member(connection: Connection, user_id: str) -> Reply:
    """
    Remove a member from the organisation. Everybody may leave; only administrators remove others.

    Effective in every process from the next call on. The user's data stays until it is erased. Removing the last
    owner gets 409.

    Args:
        connection: to the server.
        user_id: the account, as `GET /api/members` lists it.
    """
    return connection.send("DELETE", f"/api/members/{segment(user_id)}", Reply)


def get_invitations(connection: Connection, *, after: str | None = None, limit: int = 100) -> InvitationsPage:
    """
    Return the invitations that were not accepted yet, oldest first.

    Args:
        connection: to the server.
        after: `next` of the previous page.
        limit: the largest number of results to return.
    """
    params = {"after": after, "limit": limit}
    return connection.get("/api/invitations", InvitationsPage, params=params)


def create_invitation(connection: Connection, email: str, *, role: RoleWord | None = None) -> InvitationReply:
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
    return connection.send("POST", "/api/invitations", InvitationReply, body=body)


def accept_invitation(connection: Connection, code: str) -> JoinedReply:
    """
    Become a member of the organisation that invited the account's address, with the code of the e-mail.

    The session stays in its organisation; `POST /api/organizations/switch` changes that.

    Args:
        connection: to the server.
        code: the code in the e-mail, which can be used once.
    """
    body = checked(AcceptBody, {"code": code})
    return connection.send("POST", "/api/invitations/accept", JoinedReply, body=body)


def resend_invitation(connection: Connection, invitation_id: str) -> InvitationReply:
    """
    Send an invitation again with a new code that is valid as long; the previous code becomes invalid.

    Args:
        connection: to the server.
        invitation_id: the invitation, as `GET /api/invitations` lists it.
    """
    return connection.send("POST", f"/api/invitations/{segment(invitation_id)}/resend", InvitationReply)


def revoke_invitation(connection: Connection, invitation_id: str) -> Reply:
    """
    Withdraw an invitation; its code becomes invalid.

    Args:
        connection: to the server.
        invitation_id: the invitation, as `GET /api/invitations` lists it.
    """
    return connection.send("DELETE", f"/api/invitations/{segment(invitation_id)}", Reply)


def get_organizations(connection: Connection) -> OrganizationsReply:
    """Return the organisations that the account is a member of, and which one the access token works in."""
    return connection.get("/api/organizations", OrganizationsReply)


def switch_organization(connection: Connection, organization: str) -> SwitchedSession:
    """
    Begin a session in another organisation of the account. The next sign-in leads there, too.

    The current session stays in its organisation, so that no program changes place between two calls. That of a
    browser ends: its cookie is replaced, and the reply holds no token but that of the page, `csrf_token`.
    """
    body = checked(SwitchBody, {"organization": organization})
    return connection.send("POST", "/api/organizations/switch", SwitchedSession, body=body)
