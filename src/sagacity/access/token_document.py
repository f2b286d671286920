"""The document `auth/organizations.json`: organisations and their API tokens outside the database; pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from pydantic import ValidationError

from sagacity.access.token_store import Secret
from sagacity.domain.api_token import (
    ApiToken,
    TokenScope,
    require_another_admin,
    require_room,
)
from sagacity.domain.base import Value
from sagacity.domain.errors import ConfigError, NotFound
from sagacity.domain.ids import OrgId, UserId
from sagacity.domain.principal import Permission

NAME = "auth/organizations.json"
MOST_ENDED = 1_000
"""How many tokens that no longer work are still listed; beyond that the oldest are dropped."""


class KeptToken(ApiToken):
    """A token in the document. Of its secrets only the hashes are kept."""

    token_hash: str
    previous_hash: str | None = None

    @property
    def shown(self) -> ApiToken:
        """The token without hashes."""
        return ApiToken.model_validate(self.model_dump(exclude={"token_hash", "previous_hash"}))

    def opens_with(self, token_hash: str, now: datetime) -> bool:
        """Return whether a secret with that hash is valid at a moment."""
        is_former = token_hash == self.previous_hash
        is_in_grace = self.previous_until is not None and now < self.previous_until
        is_its_own = token_hash == self.token_hash or (is_former and is_in_grace)
        return is_its_own and self.is_live(now) and self.user_id != ""


class Organisation(Value):
    """One organisation in the document."""

    tokens: tuple[KeptToken, ...] = ()
    """In the order of creation."""


class Organisations(Value):
    """The whole document."""

    organizations: Mapping[OrgId, Organisation] = {}


def read_document(content: bytes) -> Organisations:
    """
    Parse the document.

    Raises:
        ConfigError: it is broken; it is never treated as empty.
    """
    try:
        document = Organisations.model_validate_json(content)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"])) or "the whole"
        raise ConfigError(f"{NAME} is broken ({where}: {first['msg']}): put a copy in its place") from error
    for org_id, organisation in document.organizations.items():
        if any(token.org_id != org_id for token in organisation.tokens):
            raise ConfigError(f"{NAME} is broken: {org_id} has a token of another organisation")
    return document


def write_document(document: Organisations) -> bytes:
    """Serialise the document."""
    return (document.model_dump_json(indent=2, exclude_none=True) + "\n").encode()


def with_added(
    tokens: Sequence[KeptToken], token: ApiToken, token_hash: str, now: datetime
) -> tuple[KeptToken, ...]:
    """
    Return *tokens* with another one added, unless it is there already.

    Raises:
        Conflict: there are as many as are allowed.
    """
    if any(one.token_id == token.token_id for one in tokens):
        return tuple(tokens)
    require_room(sum(one.is_live(now) for one in tokens))
    ended = [one.token_id for one in tokens if not one.is_live(now)]
    dropped = set(ended[: max(0, len(ended) - MOST_ENDED)])
    kept = [one for one in tokens if one.token_id not in dropped]
    return (*kept, KeptToken(**token.model_dump(), token_hash=token_hash))


def with_revoked(
    tokens: Sequence[KeptToken], token_id: str, now: datetime, *, keeps_admin: bool
) -> tuple[KeptToken, ...]:
    """
    Return *tokens* with one of them revoked; unchanged if it is already.

    Raises:
        NotFound: there is none of that id.
        Conflict: it is the last that may administer, and *keeps_admin*.
    """
    token = token_in(tokens, token_id)
    if token.revoked_at is not None:
        return tuple(tokens)
    if keeps_admin and token.is_live(now) and TokenScope.ADMIN in token.scopes:
        others = (one for one in tokens if one.token_id != token_id and one.is_live(now))
        require_another_admin(is_there=any(TokenScope.ADMIN in one.scopes for one in others))
    return _with(tokens, token.model_copy(update={"revoked_at": now}))


def with_rotated(
    tokens: Sequence[KeptToken],
    token_id: str,
    secret: Secret,
    now: datetime,
    *,
    grace: timedelta,
    allowed: frozenset[Permission],
) -> tuple[KeptToken, ...]:
    """
    Return *tokens* with a new secret for one of them; unchanged if it has this one already.

    Raises:
        NotFound: there is none of that id.
        Forbidden: the token allows more than *allowed*.
        Conflict: the token is revoked or expired.
    """
    token = token_in(tokens, token_id)
    if token.token_hash == secret.token_hash:
        return tuple(tokens)
    token.require_rotatable(now, allowed)
    rotated = token.model_copy(
        update={
            "prefix": secret.prefix,
            "rotated_at": now,
            "previous_until": now + grace,
            "previous_hash": token.token_hash,
            "token_hash": secret.token_hash,
        }
    )
    return _with(tokens, rotated)


def without_user(tokens: Sequence[KeptToken], user_id: UserId, now: datetime) -> tuple[KeptToken, ...]:
    """Return *tokens* with those of a user revoked and the user's name removed."""
    return tuple(
        one.model_copy(update={"user_id": "", "name": "", "revoked_at": one.revoked_at or now})
        if one.user_id == user_id
        else one
        for one in tokens
    )


def token_in(tokens: Sequence[KeptToken], token_id: str) -> KeptToken:
    """
    Return one of *tokens*.

    Raises:
        NotFound: there is none of that id.
    """
    found = next((one for one in tokens if one.token_id == token_id), None)
    if found is None:
        raise NotFound(f"no token {token_id!r}")
    return found


def _with(tokens: Sequence[KeptToken], changed: KeptToken) -> tuple[KeptToken, ...]:
    return tuple(changed if one.token_id == changed.token_id else one for one in tokens)
