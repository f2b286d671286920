"""The principal of a call: whose rows it may reach, and its permissions."""

from enum import StrEnum

from sagacity.domain.audit import SYSTEM
from sagacity.domain.base import Value
from sagacity.domain.change import DIRECT
from sagacity.domain.errors import Forbidden
from sagacity.domain.ids import UserId
from sagacity.domain.role import Role
from sagacity.domain.tenant import LOCAL_ORG, Tenant


class Permission(StrEnum):
    """What a caller may do; each public route requires one permission."""

    READ = "memories:read"
    """Read turns and memories; search."""
    WRITE = "memories:write"
    """Publish, write, edit and delete."""
    REVIEW = "memories:review"
    """Write, edit, approve and delete what serves all users."""
    LEARN = "learning:run"
    """Start, watch and cancel operations, and swap versions."""
    ADMIN = "admin"
    """Read and change the organisation's configuration."""


class CallerKind(StrEnum):
    """How a caller was identified."""

    LOCAL = "local"
    """A call from this machine without a token."""
    TOKEN = "token"  # noqa: S105  a kind of caller, no secret
    """With an API token of the organisation."""
    USER = "user"
    """A person signed in, or a token made for one."""
    OPERATOR = "operator"
    """With the program on the server's machine, which works on the database itself."""


OF_END_USERS = frozenset({Permission.READ, Permission.WRITE})
"""What signed-in people may do with their own data."""


class Principal(Value):
    """The caller of one call. With a user, it reaches only that user's rows and the organisation's own."""

    tenant: Tenant
    user_id: UserId | None = None
    permissions: frozenset[Permission] = frozenset(Permission)
    kind: CallerKind = CallerKind.TOKEN
    actor: str = DIRECT
    """The caller's name in the change log."""
    audited_as: str = SYSTEM
    """The caller's name in the audit log, which identifies no person."""
    account_id: UserId | None = None
    """The account, if the caller signed in to one; its role says whether it acts for its own user alone."""
    session_id: str | None = None
    """The session of that account."""
    role: Role | None = None
    """The account's role in the organisation."""

    def require(self, permission: Permission) -> None:
        """
        Make sure that the caller has *permission*.

        Raises:
            Forbidden: the caller lacks the permission.
        """
        if permission not in self.permissions:
            raise Forbidden(f"this call needs the permission {permission}")

    def require_operator(self) -> None:
        """
        Make sure that the caller runs the installation, as an administrator of the local organisation.

        Raises:
            Forbidden: the caller belongs to another organisation, or acts for a user.
        """
        self.require(Permission.ADMIN)
        if self.tenant.org_id != LOCAL_ORG or self.user_id is not None:
            raise Forbidden(
                f"this call needs a token of the organisation {LOCAL_ORG!r}, which runs the server"
            )

    def acting_for(self, user_id: UserId | None) -> UserId | None:
        """
        Return the user whose rows a call with *user_id* reaches; None for all users of the tenant.

        Raises:
            Forbidden: it names another user than the caller's.
        """
        if self.user_id is None:
            return user_id
        if user_id not in (None, self.user_id):
            raise Forbidden(f"this caller acts for one user, and may not reach {user_id!r}")
        return self.user_id
