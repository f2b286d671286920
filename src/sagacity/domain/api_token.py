"""API tokens: what each allows, until when, and its metadata."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Final

from pydantic import AfterValidator, StringConstraints

from sagacity.domain.audit import SYSTEM, AuditAction, NewAuditEntry
from sagacity.domain.base import Value
from sagacity.domain.errors import Conflict, Forbidden, InvalidInput
from sagacity.domain.ids import OrgId, UserId
from sagacity.domain.principal import OF_END_USERS, Permission

LONGEST_NAME = 200
LONGEST_GRACE = timedelta(days=30)
"""How long a replaced secret may keep working at most."""
USUAL_GRACE = timedelta(days=1)
LONGEST_LIFE = timedelta(days=3_650)
MOST_LIVE = 1_000
"""Maximum number of valid tokens of one organisation."""


class TokenScope(StrEnum):
    """The scope of a token: a word for a set of permissions."""

    READ = "read"
    """Search and read."""
    PUBLISH = "publish"
    """Read, and write users' data: publish turns; add, edit and delete memories."""
    MANAGE = "manage"
    """Publish, review what serves all users, and start and cancel operations."""
    ADMIN = "admin"
    """Everything, including configuration, tokens and the audit log."""


_READS = frozenset({Permission.READ})
_PUBLISHES = _READS | {Permission.WRITE}
_MANAGES = _PUBLISHES | {Permission.REVIEW, Permission.LEARN}
PERMISSIONS_OF: Final[Mapping[TokenScope, frozenset[Permission]]] = {
    TokenScope.READ: _READS,
    TokenScope.PUBLISH: _PUBLISHES,
    TokenScope.MANAGE: _MANAGES,
    TokenScope.ADMIN: frozenset(Permission),
}


def permissions_of(scopes: Iterable[TokenScope]) -> frozenset[Permission]:
    """Return what *scopes* allow together."""
    return frozenset[Permission]().union(*(PERMISSIONS_OF[scope] for scope in scopes))


def _printable(name: str) -> str:
    if not name.isprintable():
        raise ValueError("a name must not contain control characters")
    return name


TokenName = Annotated[
    str,
    StringConstraints(strip_whitespace=True, max_length=LONGEST_NAME),
    AfterValidator(_printable),
]
"""A name to recognise a token by; may be empty."""


class NewToken(Value):
    """A request for a token."""

    name: TokenName = ""
    scopes: frozenset[TokenScope]
    user_id: UserId | None = None
    """The one user for whom it acts; None: all users."""
    lasts: timedelta | None = None
    """How long it is valid; None: until it is revoked."""

    def require_grantable(self, by: frozenset[Permission]) -> None:
        """
        Make sure that such a token may be created by a caller with the permissions *by*.

        Raises:
            InvalidInput: it allows nothing, or something that no single user may do, or is valid for no time.
            Forbidden: it allows more than *by*.
        """
        wanted = permissions_of(self.scopes)
        if not wanted:
            raise InvalidInput("a token needs at least one scope")
        if self.user_id is not None and not wanted <= OF_END_USERS:
            raise InvalidInput("a token for one user may have the scopes read and publish only")
        if self.lasts is not None and not timedelta() < self.lasts <= LONGEST_LIFE:
            raise InvalidInput(f"a token lasts more than 0 seconds and at most {LONGEST_LIFE.days:,} days")
        _require_within(wanted, by)

    def to_token(self, *, token_id: str, org_id: OrgId, prefix: str, at: datetime, by: str) -> "ApiToken":
        """Return the token, created at a moment."""
        return ApiToken(
            token_id=token_id,
            org_id=org_id,
            name=self.name,
            prefix=prefix,
            scopes=tuple(sorted(self.scopes)),
            user_id=self.user_id,
            created_at=at,
            created_by=by,
            expires_at=None if self.lasts is None else at + self.lasts,
        )


class ApiToken(Value):
    """An API token without its secret, which is shown once and kept only as a hash."""

    token_id: str
    org_id: OrgId
    name: str
    prefix: str
    """The beginning of the secret, to recognise it by."""
    scopes: tuple[TokenScope, ...]
    user_id: UserId | None = None
    """The one user for whom it acts; empty once that user is erased."""
    created_at: datetime
    created_by: str = ""
    """Who created it, as named in the audit log."""
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    """Accurate to a minute."""
    rotated_at: datetime | None = None
    """When its secret was last replaced."""
    previous_until: datetime | None = None
    """Until when the previous secret works too."""
    revoked_at: datetime | None = None

    @property
    def permissions(self) -> frozenset[Permission]:
        """The scopes; a token for one user never allows more than users may do."""
        allowed = permissions_of(self.scopes)
        return allowed if self.user_id is None else allowed & OF_END_USERS

    def is_live(self, now: datetime) -> bool:
        """Return whether it is valid at a moment."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)

    def require_rotatable(self, now: datetime, by: frozenset[Permission]) -> None:
        """
        Make sure that a caller with the permissions *by* may give it a new secret.

        Raises:
            Forbidden: it allows more than *by*.
            Conflict: the token is revoked or expired.
        """
        _require_within(self.permissions, by)
        if not self.is_live(now) or self.user_id == "":
            raise Conflict("the token was revoked or has expired; create another")


class MadeToken(Value):
    """A token with its secret, which is shown once."""

    token: ApiToken
    secret: str


def require_room(live_count: int) -> None:
    """
    Make sure that an organisation with this many valid tokens may have another.

    Raises:
        Conflict: it may not.
    """
    if live_count >= MOST_LIVE:
        raise Conflict(f"an organisation may have {MOST_LIVE:,} tokens that work; revoke some")


def require_another_admin(*, is_there: bool) -> None:
    """
    Make sure that a token that administers is left if this one is gone.

    Raises:
        Conflict: none would be left.
    """
    if not is_there:
        raise Conflict(
            "this is the last token with the scope admin: create another first, or revoke it with "
            "`sagacity token revoke` on the server's machine"
        )


def created_entry(token: ApiToken) -> NewAuditEntry:
    """Return the audit log's entry for a created token."""
    return NewAuditEntry(
        action=AuditAction.TOKEN_CREATED,
        actor=token.created_by,
        target=token.token_id,
        details={
            "scopes": tuple(map(str, token.scopes)),
            "is_for_one_user": token.user_id is not None,
            "expires_at": None if token.expires_at is None else token.expires_at.isoformat(),
        },
    )


def rotated_entry(token: ApiToken, *, by: str) -> NewAuditEntry:
    """Return the audit log's entry for a rotated token."""
    until = None if token.previous_until is None else token.previous_until.isoformat()
    return NewAuditEntry(
        action=AuditAction.TOKEN_ROTATED, actor=by, target=token.token_id, details={"previous_until": until}
    )


def revoked_entry(token_id: str, *, by: str = SYSTEM) -> NewAuditEntry:
    """Return the audit log's entry for a revoked token."""
    return NewAuditEntry(action=AuditAction.TOKEN_REVOKED, actor=by, target=token_id)


def _require_within(wanted: frozenset[Permission], by: frozenset[Permission]) -> None:
    if not wanted <= by:
        raise Forbidden("a caller can give no permission that it does not have itself")
