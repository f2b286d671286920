"""The interface of every store of API tokens, and the store in the database."""

from collections.abc import Sequence
from datetime import timedelta
from typing import NamedTuple, Protocol

from sagacity.access.quotas import make_organisation
from sagacity.access.token_uses import TokenUses
from sagacity.auth.tokens import hash_token, new_token, shown_prefix
from sagacity.domain.api_token import ApiToken, NewToken
from sagacity.domain.ids import UserId
from sagacity.domain.principal import CallerKind, Principal
from sagacity.domain.quota import Limits
from sagacity.domain.tenant import Tenant
from sagacity.storage.transaction import Storage


class Secret(NamedTuple):
    """A token's secret, with what is stored of it."""

    text: str
    prefix: str
    token_hash: str


def new_secret() -> Secret:
    """Return a new random secret."""
    text = new_token()
    return Secret(text, shown_prefix(text), hash_token(text))


class TokenStore(Protocol):
    """
    The store of tokens with their secrets' hashes. It records each change in the audit log.

    Callers check permissions; the rules about tokens are in `domain/api_token.py`.
    """

    async def start(self) -> None:
        """
        Prepare for calls. A place that cannot be reached at the moment is not an error.

        Raises:
            ConfigError: the place refuses, or what is stored there is broken.
        """
        ...

    async def stop(self) -> None:
        """Stop what runs in the background."""
        ...

    async def find(self, token_hash: str) -> ApiToken:
        """
        Return the valid token with that hash, before its tenant is known; record its use, if the store does that.

        Raises:
            Unauthorized: there is none.
            StorageUnavailable: the store cannot be read.
        """
        ...

    async def any_made(self) -> bool:
        """Return whether any token was ever created: only then may the server accept calls from other machines."""
        ...

    async def add(self, principal: Principal, new: NewToken, secret: Secret) -> ApiToken:
        """
        Store a token with its secret's hash.

        Raises:
            Conflict: the organisation has as many tokens as it may have.
        """
        ...

    async def list_page(
        self, principal: Principal, *, after: str | None = None, limit: int
    ) -> Sequence[ApiToken]:
        """Return tokens in the order of creation, after the id *after*, including revoked ones."""
        ...

    async def revoke(self, principal: Principal, token_id: str) -> ApiToken:
        """
        Revoke a token; idempotent.

        Raises:
            NotFound: the tenant has no token of that id.
            Conflict: it is the last token that may administer, and the caller is not the operator.
        """
        ...

    async def rotate(
        self, principal: Principal, token_id: str, secret: Secret, *, grace: timedelta
    ) -> ApiToken:
        """
        Replace a token's secret; the previous one works for *grace* longer, any older one stops at once.

        Raises:
            NotFound: the tenant has no token of that id.
            Forbidden: the token allows more than the principal may.
            Conflict: the token is revoked or expired.
        """
        ...

    async def forget_user(self, tenant: Tenant, user_id: UserId) -> None:
        """Revoke an erased user's tokens that are outside the database, and remove the user's name from them."""
        ...


class DatabaseTokens:
    """The store of tokens in the database, read at each call, so that every process refuses revoked tokens at once."""

    def __init__(self, storage: Storage, uses: TokenUses, quotas: Limits) -> None:
        """Create the store, with what records uses and the limits of new organisations."""
        self._storage = storage
        self._uses = uses
        self._quotas = quotas

    async def start(self) -> None:
        """Start writing when tokens were used."""
        await self._uses.start()

    async def stop(self) -> None:
        """Write when tokens were used, and stop."""
        await self._uses.stop()

    async def find(self, token_hash: str) -> ApiToken:
        """
        Return the valid token with that hash, before its tenant is known, and record its use.

        Raises:
            Unauthorized: there is none.
        """
        token = await self._storage.find_token(token_hash)
        self._uses.note(token)
        return token

    async def any_made(self) -> bool:
        """Return whether any token was ever created: only then may the server accept calls from other machines."""
        return await self._storage.has_tokens()

    async def add(self, principal: Principal, new: NewToken, secret: Secret) -> ApiToken:
        """
        Store a token with its secret's hash.

        Raises:
            Conflict: the organisation has as many tokens as it may have.
        """

        async def add() -> ApiToken:
            async with self._storage.begin(principal) as transaction:
                await make_organisation(transaction, principal.tenant, self._quotas)  # by its first token
                return await transaction.tokens.add(
                    new, prefix=secret.prefix, token_hash=secret.token_hash, by=principal.audited_as
                )

        return await self._storage.retry(add)

    async def list_page(
        self, principal: Principal, *, after: str | None = None, limit: int
    ) -> Sequence[ApiToken]:
        """Return tokens in the order of creation, after the id *after*, including revoked ones."""
        async with self._storage.read(principal) as snapshot:
            return await snapshot.tokens.list_page(after=after, limit=limit)

    async def revoke(self, principal: Principal, token_id: str) -> ApiToken:
        """
        Revoke a token; idempotent.

        Raises:
            NotFound: the tenant has no token of that id.
            Conflict: it is the last token that may administer, and the caller is not the operator.
        """

        async def revoke() -> ApiToken:
            async with self._storage.begin(principal) as transaction:
                return await transaction.tokens.revoke(
                    token_id, by=principal.audited_as, keeps_admin=keeps_admin(principal)
                )

        return await self._storage.retry(revoke)

    async def rotate(
        self, principal: Principal, token_id: str, secret: Secret, *, grace: timedelta
    ) -> ApiToken:
        """
        Replace a token's secret; the previous one works for *grace* longer, any older one stops at once.

        Raises:
            NotFound: the tenant has no token of that id.
            Forbidden: the token allows more than the principal may.
            Conflict: the token is revoked or expired.
        """

        async def rotate() -> ApiToken:
            async with self._storage.begin(principal) as transaction:
                return await transaction.tokens.rotate(
                    token_id,
                    prefix=secret.prefix,
                    token_hash=secret.token_hash,
                    grace=grace,
                    by=principal.audited_as,
                    allowed=principal.permissions,
                )

        return await self._storage.retry(rotate)

    async def forget_user(self, tenant: Tenant, user_id: UserId) -> None:
        """Do nothing: an erasure deletes the rows itself."""


def keeps_admin(principal: Principal) -> bool:
    """Return whether a principal must leave an administrating token; one who works on the database itself need not."""
    return principal.kind is not CallerKind.OPERATOR
