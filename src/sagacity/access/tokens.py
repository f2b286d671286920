"""API tokens: given, listed, replaced and taken back by those who may, and found by their secret."""

from datetime import timedelta

from sagacity.access.token_uses import TokenUses
from sagacity.auth.tokens import hash_token, new_token, shown_prefix
from sagacity.domain.api_token import LONGEST_GRACE, ApiToken, MadeToken, NewToken
from sagacity.domain.change import DIRECT
from sagacity.domain.errors import Forbidden, InvalidInput
from sagacity.domain.principal import CallerKind, Permission, Principal
from sagacity.domain.tenant import Tenant
from sagacity.storage.transaction import Storage


async def principal_of(storage: Storage, uses: TokenUses, secret: str) -> Principal:
    """
    Return who sent a token, and note that it was used.

    The database is asked each time, so that what was revoked, has expired or was replaced is refused by every process
    from then on.

    Raises:
        Unauthorized: it is not known, has expired or was revoked.
    """
    token = await storage.find_token(hash_token(secret))
    uses.note(token)
    is_of_user = token.user_id is not None
    return Principal(
        tenant=Tenant(org_id=token.org_id),
        user_id=token.user_id,
        permissions=token.permissions,
        kind=CallerKind.USER if is_of_user else CallerKind.TOKEN,
        actor=f"user:{token.user_id}" if is_of_user else f"{DIRECT}:{token.name}",
        audited_as=f"token:{token.token_id}",
    )


async def create_token(storage: Storage, principal: Principal, new: NewToken) -> MadeToken:
    """
    Make a token; its secret is in what is returned, and nowhere else.

    Raises:
        Forbidden: the caller may not administer, acts for one user, or would give more than it has.
        InvalidInput: such a token cannot be.
        Conflict: the organisation has too many.
    """
    _require(principal)
    new.require_grantable(principal.permissions)
    secret = new_token()

    async def add() -> ApiToken:
        async with storage.begin(principal) as transaction:
            return await transaction.tokens.add(
                new, prefix=shown_prefix(secret), token_hash=hash_token(secret), by=principal.audited_as
            )

    return MadeToken(token=await storage.retry(add), secret=secret)


async def list_tokens(
    storage: Storage, principal: Principal, *, after: str | None = None, limit: int
) -> list[ApiToken]:
    """
    Return tokens, the oldest first, with those that were revoked; *after*: from behind the one with that id.

    Raises:
        Forbidden: the caller may not administer, or acts for one user.
    """
    _require(principal)
    async with storage.read(principal) as snapshot:
        return await snapshot.tokens.list_page(after=after, limit=limit)


async def revoke_token(storage: Storage, principal: Principal, token_id: str) -> ApiToken:
    """
    Make a token useless, in every process at its next call; done twice, the first time counts.

    Who works on the database itself may revoke the last one that administers; nobody else may.

    Raises:
        Forbidden: the caller may not administer, or acts for one user.
        NotFound: there is no such token.
        Conflict: nobody could administer any more.
    """
    _require(principal)

    async def revoke() -> ApiToken:
        async with storage.begin(principal) as transaction:
            return await transaction.tokens.revoke(
                token_id, by=principal.audited_as, keeps_admin=principal.kind is not CallerKind.OPERATOR
            )

    return await storage.retry(revoke)


async def rotate_token(
    storage: Storage, principal: Principal, token_id: str, *, grace: timedelta
) -> MadeToken:
    """
    Give a token a new secret, in one transaction; the one so far works for *grace* longer.

    Raises:
        Forbidden: the caller may not administer, acts for one user, or has less than the token allows.
        InvalidInput: *grace* is negative, or too long.
        NotFound: there is no such token.
        Conflict: it was revoked, or has expired.
    """
    _require(principal)
    if not timedelta() <= grace <= LONGEST_GRACE:
        raise InvalidInput(f"the time for which the former secret works is 0 to {LONGEST_GRACE.days} days")
    secret = new_token()

    async def rotate() -> ApiToken:
        async with storage.begin(principal) as transaction:
            if not (await transaction.tokens.get(token_id)).permissions <= principal.permissions:
                raise Forbidden("a caller can give no permission that it does not have itself")
            return await transaction.tokens.rotate(
                token_id,
                prefix=shown_prefix(secret),
                token_hash=hash_token(secret),
                grace=grace,
                by=principal.audited_as,
            )

    return MadeToken(token=await storage.retry(rotate), secret=secret)


def _require(principal: Principal) -> None:
    principal.require(Permission.ADMIN)
    if principal.user_id is not None:
        raise Forbidden("this call is of the whole organisation, and this caller acts for one user")
