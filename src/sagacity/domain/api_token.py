"""API tokens: what each may do, for how long, and what is known of it."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Annotated, Final

from pydantic import AfterValidator, StringConstraints

from sagacity.domain.base import Value
from sagacity.domain.errors import Forbidden, InvalidInput
from sagacity.domain.ids import OrgId, UserId
from sagacity.domain.principal import OF_END_USERS, Permission

LONGEST_NAME = 200
LONGEST_GRACE = timedelta(days=30)
"""For how long at the most a secret goes on that was replaced."""
USUAL_GRACE = timedelta(days=1)
LONGEST_LIFE = timedelta(days=3_650)
MOST_LIVE = 1_000
"""Tokens of one organisation that work at the same time."""


class TokenScope(StrEnum):
    """What a token was made for, in a word that stands for permissions."""

    READ = "read"
    """Search and read."""
    PUBLISH = "publish"
    """Read, and write what is a user's: publish turns, add, edit and delete memories."""
    MANAGE = "manage"
    """Publish, review what serves all users, and start and cancel long runs."""
    ADMIN = "admin"
    """Everything, also configuration, tokens and the audit log."""


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
    """A token that is asked for."""

    name: TokenName = ""
    scopes: frozenset[TokenScope]
    user_id: UserId | None = None
    """The one user for whom it acts; None: for all of them."""
    lasts: timedelta | None = None
    """For how long it works; None: until it is revoked."""

    def require_grantable(self, by: frozenset[Permission]) -> None:
        """
        Make sure that such a token may be given by one who has the permissions *by*.

        Raises:
            InvalidInput: it would allow nothing, something that no single user may do, or its life has no length.
            Forbidden: it would allow more than *by*.
        """
        wanted = permissions_of(self.scopes)
        if not wanted:
            raise InvalidInput("a token needs at least one scope")
        if self.user_id is not None and not wanted <= OF_END_USERS:
            raise InvalidInput("a token for one user may have the scopes read and publish only")
        if self.lasts is not None and not timedelta() < self.lasts <= LONGEST_LIFE:
            raise InvalidInput(f"a token lasts more than 0 seconds and at most {LONGEST_LIFE.days:,} days")
        if not wanted <= by:
            raise Forbidden("a caller can give no permission that it does not have itself")


class ApiToken(Value):
    """What is known of an API token; its secret is shown once and kept only as a hash."""

    token_id: str
    org_id: OrgId
    name: str
    prefix: str
    """The beginning of the secret, by which it is recognised."""
    scopes: tuple[TokenScope, ...]
    user_id: UserId | None = None
    """The one user for whom it acts; empty once that user was erased."""
    created_at: datetime
    created_by: str = ""
    """Who made it, as the audit log names callers."""
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    """To a minute."""
    rotated_at: datetime | None = None
    """When its secret was replaced last."""
    previous_until: datetime | None = None
    """Until when the secret before that works, too."""
    revoked_at: datetime | None = None

    @property
    def permissions(self) -> frozenset[Permission]:
        """What it allows: of one user's never more than users may."""
        allowed = permissions_of(self.scopes)
        return allowed if self.user_id is None else allowed & OF_END_USERS

    def is_live(self, now: datetime) -> bool:
        """Return whether it works at a moment."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


class MadeToken(Value):
    """A token with its secret, which is shown once."""

    token: ApiToken
    secret: str
