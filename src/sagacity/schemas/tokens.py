"""Bodies and replies about API tokens."""

from datetime import datetime, timedelta
from typing import Annotated

from pydantic import Field

from sagacity.domain.api_token import (
    LONGEST_GRACE,
    LONGEST_LIFE,
    USUAL_GRACE,
    ApiToken,
    MadeToken,
    NewToken,
    TokenName,
    TokenScope,
)
from sagacity.domain.ids import UserId
from sagacity.schemas.base import Body, Id, Reply, Schema

_DAY = timedelta(days=1)


class CreateTokenBody(Body):
    """The token to create."""

    name: TokenName = ""
    """A name to recognise it by."""
    scopes: Annotated[frozenset[TokenScope], Field(min_length=1)]
    """What it allows: `read`, `publish`, `manage`, `admin`; each includes those before it."""
    user_id: Id | None = None
    """The one user for whom it acts, with `read` or `publish`. Default: for all users."""
    expires_in_seconds: Annotated[int, Field(gt=0, le=LONGEST_LIFE // timedelta(seconds=1))] | None = None
    """How long it is valid. Default: until it is revoked."""

    def to_domain(self) -> NewToken:
        """Return what is asked for."""
        seconds = self.expires_in_seconds
        return NewToken(
            name=self.name,
            scopes=self.scopes,
            user_id=None if self.user_id is None else UserId(self.user_id),
            lasts=None if seconds is None else timedelta(seconds=seconds),
        )


class RotateTokenBody(Body):
    """How a secret is replaced."""

    grace_seconds: Annotated[int, Field(ge=0, le=LONGEST_GRACE // timedelta(seconds=1))] = (
        USUAL_GRACE // timedelta(seconds=1)
    )
    """How long the previous secret works too; 0 to end it at once."""


class TokenView(Schema):
    """A token, without its secret."""

    token_id: str
    """Its id, to replace or revoke it."""
    name: str
    """A name to recognise it by."""
    prefix: str
    """The beginning of its secret; the rest is not stored."""
    scopes: tuple[TokenScope, ...]
    """What it allows."""
    user_id: str | None = None
    """The one user for whom it acts; null for all users."""
    created_at: datetime
    """When it was made."""
    created_by: str
    """Who created it, as named in the audit log."""
    expires_at: datetime | None = None
    """When it expires; null for never."""
    last_used_at: datetime | None = None
    """When it was last used, accurate to about a minute."""
    rotated_at: datetime | None = None
    """When its secret was last replaced."""
    previous_until: datetime | None = None
    """Until when the previous secret works too."""
    revoked_at: datetime | None = None
    """When it was revoked."""
    is_live: bool
    """Whether it is valid now: neither revoked nor expired."""


class TokenReply(Reply):
    """One token."""

    token: TokenView
    """The token as it is now."""


class NewTokenReply(TokenReply):
    """One token with a new secret."""

    secret: str
    """Send it as `Authorization: Bearer …`. It is shown only now; the server keeps only its hash."""


class TokensPage(Reply):
    """Tokens, oldest first."""

    tokens: tuple[TokenView, ...] = ()
    """Includes revoked and expired ones."""
    next: str | None = None
    """Send it as `after` to get the next page; null at the end."""


def token_view(token: ApiToken, now: datetime) -> TokenView:
    """Show a token."""
    return TokenView(**token.model_dump(exclude={"org_id"}), is_live=token.is_live(now))


def new_token_reply(made: MadeToken, now: datetime, msg: str) -> NewTokenReply:
    """Show a token with its secret."""
    return NewTokenReply(token=token_view(made.token, now), secret=made.secret, msg=msg)
