"""Members of an organisation, invitations, and the organisations of an account."""

from datetime import datetime

from sagacity.domain.member import Invitation, Membership
from sagacity.domain.role import Role
from sagacity.schemas.accounts import Code, Email
from sagacity.schemas.base import Body, Id, Reply, Schema


class RoleBody(Body):
    """What a member is to be."""

    role: Role
    """`owner`, `admin`, `member` or `viewer`."""


class InviteBody(RoleBody):
    """Who is invited, and as what."""

    email: Email
    """The address; only ASCII."""
    role: Role = Role.MEMBER
    """`owner`, `admin`, `member` or `viewer`."""


class AcceptBody(Body):
    """What the e-mail of an invitation carried."""

    code: Code
    """The code in the e-mail; good once."""


class SwitchBody(Body):
    """Where to go on."""

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
    """What the account may do here."""
    created_at: datetime
    """Since when it is a member."""
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
    """An invitation that was not accepted yet; its code is in the e-mail alone."""

    invitation_id: str
    """By which it is sent again and revoked."""
    email: str
    """The address that was invited."""
    role: Role
    """What the account is to be."""
    created_at: datetime
    """When it was made."""
    created_by: str
    """Who invited, as the audit log names callers."""
    expires_at: datetime
    """Until when its code is good."""


class InvitationReply(Reply):
    """One invitation."""

    invitation: InvitationView
    """The invitation as it is now."""


class InvitationsPage(Reply):
    """Invitations, oldest first."""

    invitations: tuple[InvitationView, ...] = ()
    """With those that have expired."""
    next: str | None = None
    """Send it as `after` to get the next page; null at the end."""


class OrganizationView(Schema):
    """An organisation that the account is a member of."""

    org_id: str
    """Its id."""
    name: str
    """What it is called; empty if nobody said."""
    role: Role
    """What the account may do there."""
    created_at: datetime
    """Since when it is a member."""
    is_current: bool
    """Whether the access token works there."""


class OrganizationsReply(Reply):
    """The organisations of the account, the first one first."""

    organizations: tuple[OrganizationView, ...]
    """All of them."""


class JoinedReply(Reply):
    """What became of an invitation."""

    org_id: str
    """The organisation that invited."""
    role: Role
    """What the account may do there."""


def invitation_view(invitation: Invitation) -> InvitationView:
    """Show an invitation."""
    return InvitationView(**invitation.model_dump(exclude={"attempts"}))


def organization_view(one: Membership, *, is_current: bool) -> OrganizationView:
    """Show an organisation."""
    return OrganizationView(**one.model_dump(), is_current=is_current)
