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
    """A token's secret, with what is kept of it."""

    text: str
    prefix: str
    token_hash: str


def new_secret() -> Secret:
    """Return a secret that nobody has."""
    text = new_token()
    return Secret(text, shown_prefix(text), hash_token(text))


class TokenStore(Protocol):
    """
    Tokens with their secrets' hashes. Each change of one is in the audit log.

    Who may do it was found out before; what a token is, and which may not be, is in `domain/api_token.py`.
    """

    async def start(self) -> None:
        """
        Get ready for calls; a place that cannot be reached for the moment is no fault.

        Raises:
            ConfigError: the place refuses, or what is kept there is broken.
        """
        ...

    async def stop(self) -> None:
        """End what runs in the background."""
        ...

    async def find(self, token_hash: str) -> ApiToken:
        """
        Return the live token with that hash, before its tenant is known; where that is kept, note that it was used.

        Raises:
            Unauthorized: there is none.
            StorageUnavailable: it cannot be found out.
        """
        ...

    async def any_made(self) -> bool:
        """Return whether any token was ever made: only then may the server be reached from outside."""
        ...

    async def add(self, principal: Principal, new: NewToken, secret: Secret) -> ApiToken:
        """
        Keep a token with its secret's hash.

        Raises:
            Conflict: the organisation has as many as it may have.
        """
        ...

    async def list_page(
        self, principal: Principal, *, after: str | None = None, limit: int
    ) -> Sequence[ApiToken]:
        """Return tokens in the order of their ids, which is that of time, from behind *after*; with those revoked."""
        ...

    async def revoke(self, principal: Principal, token_id: str) -> ApiToken:
        """
        Make a token useless; done twice, the first time counts.

        Raises:
            NotFound: the tenant has none of that id.
            Conflict: it is the last that may administer, and whoever asks is not the operator.
        """
        ...

    async def rotate(
        self, principal: Principal, token_id: str, secret: Secret, *, grace: timedelta
    ) -> ApiToken:
        """
        Replace a token's secret; the one so far works for *grace* longer, and the one before that no more.

        Raises:
            NotFound: the tenant has none of that id.
            Forbidden: it allows more than the principal has.
            Conflict: it was revoked, or has expired.
        """
        ...

    async def forget_user(self, tenant: Tenant, user_id: UserId) -> None:
        """Revoke what is kept outside the database of a user who is erased, and take the names from it."""
        ...


class DatabaseTokens:
    """Tokens in the database. It is asked at each call, so that every process refuses what was revoked at once."""

    def __init__(self, storage: Storage, uses: TokenUses, quotas: Limits) -> None:
        """Say where they are, who notes their use, and what a new organisation may have."""
        self._storage = storage
        self._uses = uses
        self._quotas = quotas

    async def start(self) -> None:
        """Begin to write when tokens were used."""
        await self._uses.start()

    async def stop(self) -> None:
        """Write when tokens were used, and end."""
        await self._uses.stop()

    async def find(self, token_hash: str) -> ApiToken:
        """
        Return the live token with that hash, before its tenant is known, and note that it was used.

        Raises:
            Unauthorized: there is none.
        """
        token = await self._storage.find_token(token_hash)
        self._uses.note(token)
        return token

    async def any_made(self) -> bool:
        """Return whether any token was ever made: only then may the server be reached from outside."""
        return await self._storage.has_tokens()

    async def add(self, principal: Principal, new: NewToken, secret: Secret) -> ApiToken:
        """
        Keep a token with its secret's hash.

        Raises:
            Conflict: the organisation has as many as it may have.
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
        """Return tokens in the order of their ids, which is that of time, from behind *after*; with those revoked."""
        async with self._storage.read(principal) as snapshot:
            return await snapshot.tokens.list_page(after=after, limit=limit)

    async def revoke(self, principal: Principal, token_id: str) -> ApiToken:
        """
        Make a token useless; done twice, the first time counts.

        Raises:
            NotFound: the tenant has none of that id.
            Conflict: it is the last that may administer, and whoever asks is not the operator.
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
        Replace a token's secret; the one so far works for *grace* longer, and the one before that no more.

        Raises:
            NotFound: the tenant has none of that id.
            Forbidden: it allows more than the principal has.
            Conflict: it was revoked, or has expired.
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
        """Do nothing: an erasure does this in its transactions."""


def keeps_admin(principal: Principal) -> bool:
    """Return whether a principal must leave a token that administers: who works on the database itself need not."""
    return principal.kind is not CallerKind.OPERATOR
