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
    Return who sent a token.

    Raises:
        Unauthorized: it is not known, has expired or was revoked.
        StorageUnavailable: it cannot be found out.
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
    Make a token; its secret is in what is returned, and nowhere else.

    Raises:
        Forbidden: the caller may not administer, acts for one user, or would give more than it has.
        InvalidInput: such a token cannot be.
        Conflict: the organisation has too many.
    """
    _require(principal)
    new.require_grantable(principal.permissions)
    secret = new_secret()
    return MadeToken(token=await store.add(principal, new, secret), secret=secret.text)


async def list_tokens(
    store: TokenStore, principal: Principal, *, after: str | None = None, limit: int
) -> Sequence[ApiToken]:
    """
    Return tokens, the oldest first, with those that were revoked; *after*: from behind the one with that id.

    Raises:
        Forbidden: the caller may not administer, or acts for one user.
    """
    _require(principal)
    return await store.list_page(principal, after=after, limit=limit)


async def revoke_token(store: TokenStore, principal: Principal, token_id: str) -> ApiToken:
    """
    Make a token useless, in every process; done twice, the first time counts.

    Who works on the database itself may revoke the last one that administers; nobody else may.

    Raises:
        Forbidden: the caller may not administer, or acts for one user.
        NotFound: there is no such token.
        Conflict: nobody could administer any more.
    """
    _require(principal)
    return await store.revoke(principal, token_id)


async def rotate_token(
    store: TokenStore, principal: Principal, token_id: str, *, grace: timedelta
) -> MadeToken:
    """
    Give a token a new secret; the one so far works for *grace* longer.

    Raises:
        Forbidden: the caller may not administer, acts for one user, or has less than the token allows.
        InvalidInput: *grace* is negative, or too long.
        NotFound: there is no such token.
        Conflict: it was revoked, or has expired.
    """
    _require(principal)
    if not timedelta() <= grace <= LONGEST_GRACE:
        raise InvalidInput(f"the time for which the former secret works is 0 to {LONGEST_GRACE.days} days")
    secret = new_secret()
    rotated = await store.rotate(principal, token_id, secret, grace=grace)
    return MadeToken(token=rotated, secret=secret.text)


def _require(principal: Principal) -> None:
    principal.require(Permission.ADMIN)
    if principal.user_id is not None:
        raise Forbidden("this call is of the whole organisation, and this caller acts for one user")
