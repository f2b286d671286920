"""Members of an organisation, and invitations to become one."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final, NamedTuple

from pydantic import Field

from sagacity.domain.base import Value
from sagacity.domain.errors import Forbidden
from sagacity.domain.ids import OrgId, UserId
from sagacity.domain.principal import OF_END_USERS, CallerKind, Permission, Principal
from sagacity.domain.role import Role

CODE_PREFIX = "inv_"
"""The prefix that tells an invitation's code from the server's general invitation code."""
MOST_INVITED = 1_000
"""Maximum number of open invitations of one organisation."""


class Access(NamedTuple):
    """The permissions of a role."""

    permissions: frozenset[Permission]
    of_all_users: bool
    """Whether it covers everybody's data or only one's own."""


ACCESS_OF: Final[Mapping[Role, Access]] = {
    Role.OWNER: Access(frozenset(Permission), of_all_users=True),
    Role.ADMIN: Access(frozenset(Permission), of_all_users=True),
    Role.MEMBER: Access(OF_END_USERS, of_all_users=False),
    Role.VIEWER: Access(frozenset({Permission.READ}), of_all_users=True),
}


class Member(Value):
    """An account in an organisation."""

    user_id: UserId
    role: Role
    created_at: datetime
    created_by: str = ""
    """Who added it, as named in the audit log."""


class Membership(Value):
    """An organisation that an account belongs to."""

    org_id: OrgId
    name: str = ""
    role: Role
    created_at: datetime


class Invitation(Value):
    """An invited address. Its code is in an e-mail, and only its hash is kept."""

    invitation_id: str
    email: str = Field(repr=False)
    role: Role
    created_at: datetime
    created_by: str = ""
    expires_at: datetime
    attempts: int = 0
    """Number of attempts to send its e-mail."""


class KnownInvitation(Value):
    """The organisation of an invitation, as far as it is known before that organisation's data is opened."""

    org_id: OrgId
    invitation_id: str
    email: str = Field(repr=False)


def require_may_decide(principal: Principal, *roles: Role) -> None:
    """
    Make sure that a caller may grant and take *roles*; only owners may that of an owner.

    Raises:
        Forbidden: the caller may not.
    """
    principal.require(Permission.ADMIN)
    if principal.user_id is not None:
        raise Forbidden("this call is for the whole organisation, but this caller acts for one user")
    is_owner = principal.role is Role.OWNER or principal.kind in {CallerKind.OPERATOR, CallerKind.LOCAL}
    if Role.OWNER in roles and not is_owner:
        raise Forbidden("only an owner decides who is an owner")
