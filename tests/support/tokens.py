"""API tokens in a database."""

from datetime import timedelta

from sagacity.auth.tokens import hash_token, shown_prefix
from sagacity.domain.api_token import ApiToken, NewToken, TokenScope
from sagacity.domain.ids import UserId
from sagacity.storage.transaction import Transaction


async def with_token(
    tx: Transaction,
    name: str,
    *scopes: TokenScope,
    secret: str,
    user_id: UserId | None = None,
    lasts: timedelta | None = None,
) -> ApiToken:
    """Keep a token whose secret is *secret*; it may administer unless *scopes* say otherwise."""
    wanted = frozenset(scopes or {TokenScope.ADMIN})
    new = NewToken(name=name, scopes=wanted, user_id=user_id, lasts=lasts)
    return await tx.tokens.add(new, prefix=shown_prefix(secret), token_hash=hash_token(secret))
