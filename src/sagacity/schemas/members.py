"""Members of an organisation, invitations, and the organisations of an account."""

from datetime import datetime

from sagacity.domain.member import Invitation, Membership
from sagacity.domain.role import Role
from sagacity.schemas.accounts import Code, Email
from sagacity.schemas.base import Body, Id, Reply, Schema


class RoleBody(Body):
    """The role to give a member."""

    role: Role
    """`owner`, `admin`, `member` or `viewer`."""


class InviteBody(RoleBody):
    """An invitation to create."""

    email: Email
    """The address; only ASCII."""
    role: Role = Role.MEMBER
    """`owner`, `admin`, `member` or `viewer`."""


class AcceptBody(Body):
    """The code from the e-mail of an invitation."""

    code: Code
    """The code in the e-mail, which can be used once."""


class SwitchBody(Body):
    """The organisation to switch to."""

    organization: Id
    """The organisation, as `GET /api/organizations` lists it."""


class MemberView(Schema):
    """A member of the organisation."""

    user_id: str
    """Id of the account, and of its user."""
    email: str | None = None
    """The account's address; null once the account was deleted."""
    full_name: str | None = None
    """What the person is called."""
    role: Role
    """The account's role here."""
    created_at: datetime
    """When it became a member."""
    created_by: str
    """Who added it, as named in the audit log."""


class MemberReply(Reply):
    """One member."""

    member: MemberView
    """The member as it is now."""


class MembersPage(Reply):
    """Members, in the order of their ids."""

    members: tuple[MemberView, ...] = ()
    """Of every role."""
    next: str | None = None
    """Send it as `after` to get the next page; null at the end."""


class InvitationView(Schema):
    """An open invitation; only its e-mail contains the code."""

    invitation_id: str
    """Its id, to send it again or revoke it."""
    email: str
    """The address that was invited."""
    role: Role
    """The role that the account will have."""
    created_at: datetime
    """When it was made."""
    created_by: str
    """Who invited, as named in the audit log."""
    expires_at: datetime
    """Until when its code is valid."""


class InvitationReply(Reply):
    """One invitation."""

    invitation: InvitationView
    """The invitation as it is now."""


class InvitationsPage(Reply):
    """Invitations, oldest first."""

    invitations: tuple[InvitationView, ...] = ()
    """Includes expired ones."""
    next: str | None = None
    """Send it as `after` to get the next page; null at the end."""


class OrganizationView(Schema):
    """An organisation that the account is a member of."""

    org_id: str
    """Its id."""
    name: str
    """Its name; may be empty."""
    role: Role
    """The account's role there."""
    created_at: datetime
    """When it became a member."""
    is_current: bool
    """Whether the access token works there."""


class OrganizationsReply(Reply):
    """The organisations of the account, the first one first."""

    organizations: tuple[OrganizationView, ...]
    """All of them."""


class JoinedReply(Reply):
    """The result of accepting an invitation."""

    org_id: str
    """The organisation that invited."""
    role: Role
    """The account's role there."""


def invitation_view(invitation: Invitation) -> InvitationView:
    """Show an invitation."""
    return InvitationView(**invitation.model_dump(exclude={"attempts"}))


def organization_view(one: Membership, *, is_current: bool) -> OrganizationView:
    """Show an organisation."""
    return OrganizationView(**one.model_dump(), is_current=is_current)
