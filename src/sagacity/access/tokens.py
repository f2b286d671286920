"""API tokens: create, list, rotate and revoke them, and find one by its secret."""

from collections.abc import Sequence
from datetime import timedelta

from sagacity.access.token_store import TokenStore, new_secret
from sagacity.auth.tokens import hash_token
from sagacity.domain.api_token import LONGEST_GRACE, ApiToken, MadeToken, NewToken
from sagacity.domain.change import DIRECT
from sagacity.domain.errors import Forbidden, InvalidInput
from sagacity.domain.principal import CallerKind, Permission, Principal
from sagacity.domain.tenant import Tenant


async def principal_of(store: TokenStore, secret: str) -> Principal:
    """
    Return the principal of a token.

    Raises:
        Unauthorized: it is unknown, expired or revoked.
        StorageUnavailable: the store cannot be read.
    """
    token = await store.find(hash_token(secret))
    is_of_user = token.user_id is not None
    return Principal(
        tenant=Tenant(org_id=token.org_id),
        user_id=token.user_id,
        permissions=token.permissions,
        kind=CallerKind.USER if is_of_user else CallerKind.TOKEN,
        actor=f"user:{token.user_id}" if is_of_user else f"{DIRECT}:{token.name}",
        audited_as=f"token:{token.token_id}",
    )


async def create_token(store: TokenStore, principal: Principal, new: NewToken) -> MadeToken:
    """
    Create a token; its secret is in the result and nowhere else.

    Raises:
        Forbidden: the caller is no administrator, acts for one user, or would grant more than it may itself.
        InvalidInput: such a token makes no sense.
        Conflict: the organisation has too many tokens.
    """
    _require(principal)
    new.require_grantable(principal.permissions)
    secret = new_secret()
    return MadeToken(token=await store.add(principal, new, secret), secret=secret.text)


async def list_tokens(
    store: TokenStore, principal: Principal, *, after: str | None = None, limit: int
) -> Sequence[ApiToken]:
    """
    Return tokens, oldest first, including revoked ones; *after*: only those after that id.

    Raises:
        Forbidden: the caller is no administrator, or acts for one user.
    """
    _require(principal)
    return await store.list_page(principal, after=after, limit=limit)


async def revoke_token(store: TokenStore, principal: Principal, token_id: str) -> ApiToken:
    """
    Revoke a token, in every process; idempotent.

    Only one who works on the database itself may revoke the last token that administers.

    Raises:
        Forbidden: the caller is no administrator, or acts for one user.
        NotFound: there is no such token.
        Conflict: nobody would be left to administer.
    """
    _require(principal)
    return await store.revoke(principal, token_id)


async def rotate_token(
    store: TokenStore, principal: Principal, token_id: str, *, grace: timedelta
) -> MadeToken:
    """
    Give a token a new secret; the previous one works for *grace* longer.

    Raises:
        Forbidden: the caller is no administrator, acts for one user, or may less than the token.
        InvalidInput: *grace* is negative, or too long.
        NotFound: there is no such token.
        Conflict: the token is revoked or expired.
    """
    _require(principal)
    if not timedelta() <= grace <= LONGEST_GRACE:
        raise InvalidInput(f"the previous secret may keep working for 0 to {LONGEST_GRACE.days} days")
    secret = new_secret()
    rotated = await store.rotate(principal, token_id, secret, grace=grace)
    return MadeToken(token=rotated, secret=secret.text)


def _require(principal: Principal) -> None:
    principal.require(Permission.ADMIN)
    if principal.user_id is not None:
        raise Forbidden("this call is for the whole organisation, but this caller acts for one user")
