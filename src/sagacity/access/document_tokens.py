"""API tokens in a document outside the database, for servers whose disks do not last."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from typing import NamedTuple

import structlog

from sagacity.access.token_document import (
    NAME,
    KeptToken,
    Organisation,
    Organisations,
    read_document,
    token_in,
    with_added,
    with_revoked,
    with_rotated,
    without_user,
    write_document,
)
from sagacity.access.token_store import Secret, keeps_admin
from sagacity.config.document_place import DocumentPlace
from sagacity.dispatch.loops import end
from sagacity.domain.api_token import ApiToken, NewToken, created_entry, revoked_entry, rotated_entry
from sagacity.domain.audit import AuditAction, AuditFilter, NewAuditEntry
from sagacity.domain.clock import Clock
from sagacity.domain.errors import ConfigError, Conflict, StorageUnavailable, Unauthorized
from sagacity.domain.ids import IdSource, OrgId, UserId
from sagacity.domain.principal import Principal
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from sagacity.storage.transaction import Storage

FRESH_SECONDS = 1.0
"""How long the document is used before it is read again."""
PATIENCE_SECONDS = 1.0
"""How long a call waits at most for a read, if an older copy of the document is at hand."""
LONGEST_SECONDS = 30.0
"""How long known tokens keep working while the document cannot be read."""
_ATTEMPTS = 20
_log = structlog.get_logger(__name__)
Change = Callable[[tuple[KeptToken, ...]], tuple[KeptToken, ...]]


class _Known(NamedTuple):
    """A copy of the document, and when it was read."""

    document: Organisations
    by_hash: Mapping[str, KeptToken]
    tag: str
    """Empty if this process wrote it."""
    at: float
    """Monotonic time before the read began."""


class DocumentTokens:
    """
    The store of tokens in the document `auth/organizations.json`, which is their only copy.

    Each process reads it once a second while calls come in. So a revoked token works for at most two seconds,
    and if the place does not answer, for `LONGEST_SECONDS`; after that nobody gets in until it does.
    """

    def __init__(self, place: DocumentPlace, storage: Storage, *, clock: Clock, ids: IdSource) -> None:
        """
        Create the store; nothing is read yet.

        Args:
            place: where the document is.
            storage: where the audit log is.
            clock: tells which tokens have expired, and the age of a copy.
            ids: creates ids of tokens.
        """
        self._place = place
        self._storage = storage
        self._clock = clock
        self._ids = ids
        self._known: _Known | None = None
        self._look: asyncio.Task[None] | None = None
        self._looked_at = 0.0
        self._write_count = 0
        self._any_made = False

    async def start(self) -> None:
        """
        Read the document; a place that cannot be reached at the moment is no error.

        Raises:
            ConfigError: the place refuses, or the document is broken.
        """
        try:
            await self._read()
        except StorageUnavailable as error:
            _log.warning("tokens.not_read", error=str(error))

    async def stop(self) -> None:
        """Cancel a read in progress."""
        if self._look is not None:
            await end([self._look])

    async def check(self) -> None:
        """
        Make sure that calls can be answered: the document can be read, or a recent copy is at hand.

        Raises:
            StorageUnavailable: the document cannot be read and the last copy is too old.
        """
        await self._recent()

    @property
    def is_behind(self) -> bool:
        """Whether the last read of the document failed or takes long, so that an older copy is in use."""
        return self._known is not None and self._clock.monotonic() - self._known.at > FRESH_SECONDS

    async def find(self, token_hash: str) -> ApiToken:
        """
        Return the valid token with that hash.

        Raises:
            Unauthorized: there is none.
            StorageUnavailable: the document cannot be read and the last copy is too old.
        """
        token = (await self._recent()).by_hash.get(token_hash)
        if token is None or not token.opens_with(token_hash, self._clock.now()):
            raise Unauthorized("the API token is not known, has expired or was revoked")
        return token.shown

    async def any_made(self) -> bool:
        """
        Return whether any token was ever created, even if the document is gone since.

        Raises:
            StorageUnavailable: the document cannot be read and the last copy is too old.
        """
        if not self._any_made:
            is_kept = bool((await self._recent()).by_hash)
            self._any_made = is_kept or await self._storage.has_tokens() or await self._is_on_record()
        return self._any_made

    async def add(self, principal: Principal, new: NewToken, secret: Secret) -> ApiToken:
        """
        Store a token with its secret's hash.

        Raises:
            Conflict: the organisation has as many tokens as it may have, or others keep changing the document.
            ConfigError: the place refuses, or the document is broken.
            StorageUnavailable: the place or the database cannot be reached; the change may have been made nevertheless.
        """
        org_id, now = principal.tenant.org_id, self._clock.now()
        token = new.to_token(
            token_id=self._ids.new(), org_id=org_id, prefix=secret.prefix, at=now, by=principal.audited_as
        )
        await self._change(org_id, lambda tokens: with_added(tokens, token, secret.token_hash, now))
        await self._record(principal.tenant, [created_entry(token)])
        return token

    async def list_page(
        self, principal: Principal, *, after: str | None = None, limit: int
    ) -> Sequence[ApiToken]:
        """
        Return tokens after the id *after* in the order of their ids, which is that of creation; includes revoked ones.

        Raises:
            ConfigError: the place refuses, or the document is broken.
            StorageUnavailable: the place cannot be reached.
        """
        known = await self._read()
        tokens = _tokens_of(known.document, principal.tenant.org_id)
        wanted = [one for one in tokens if after is None or one.token_id > after]
        return [one.shown for one in sorted(wanted, key=lambda one: one.token_id)[:limit]]

    async def revoke(self, principal: Principal, token_id: str) -> ApiToken:
        """
        Revoke a token; idempotent.

        Raises:
            NotFound: the tenant has no token of that id.
            Conflict: it is the last token that may administer, and the caller is not the operator.
            ConfigError, StorageUnavailable: as of `add`.
        """
        now, keeps = self._clock.now(), keeps_admin(principal)
        before, after = await self._change(
            principal.tenant.org_id,
            lambda tokens: with_revoked(tokens, token_id, now, keeps_admin=keeps),
        )
        if before != after:
            await self._record(principal.tenant, [revoked_entry(token_id, by=principal.audited_as)])
        return token_in(after, token_id).shown

    async def rotate(
        self, principal: Principal, token_id: str, secret: Secret, *, grace: timedelta
    ) -> ApiToken:
        """
        Replace a token's secret; the previous one works for *grace* longer, any older one stops at once.

        Raises:
            NotFound: the tenant has no token of that id.
            Forbidden: the token allows more than the principal may.
            Conflict: the token is revoked or expired.
            ConfigError, StorageUnavailable: as of `add`.
        """
        now, allowed = self._clock.now(), principal.permissions
        _, after = await self._change(
            principal.tenant.org_id,
            lambda tokens: with_rotated(tokens, token_id, secret, now, grace=grace, allowed=allowed),
        )
        rotated = token_in(after, token_id).shown
        await self._record(principal.tenant, [rotated_entry(rotated, by=principal.audited_as)])
        return rotated

    async def forget_user(self, tenant: Tenant, user_id: UserId) -> None:
        """
        Revoke the tokens of an erased user, and remove the user's name from them.

        Raises:
            ConfigError, StorageUnavailable: as of `add`.
        """
        now = self._clock.now()
        before, after = await self._change(tenant.org_id, lambda tokens: without_user(tokens, user_id, now))
        were_live = {one.token_id for one in before if one.revoked_at is None}
        ended = [one.token_id for one in after if one.revoked_at is not None and one.token_id in were_live]
        await self._record(tenant, [revoked_entry(token_id) for token_id in ended])

    async def _change(
        self, org_id: OrgId, change: Change
    ) -> tuple[tuple[KeptToken, ...], tuple[KeptToken, ...]]:
        """
        Replace an organisation's tokens by what *change* returns; retries if another writer came first.

        *change* returns its argument if the change was made already, because a reply may have been lost.

        Returns:
            The tokens before and after.
        """
        for _ in range(_ATTEMPTS):
            found = await self._place.read(NAME)
            document = Organisations() if found is None else read_document(found.content)
            before = _tokens_of(document, org_id)
            after = change(before)
            if after == before:
                return before, after
            changed = Organisations(
                organizations={**document.organizations, org_id: Organisation(tokens=after)}
            )
            tag, at = None if found is None else found.tag, self._clock.monotonic()
            if await self._place.write(NAME, write_document(changed), tag=tag):
                self._write_count += 1
                self._known = _Known(changed, _by_hash(changed), "", at)
                return before, after
        raise Conflict("others kept changing the tokens at the same time: send the call again")

    async def _record(self, tenant: Tenant, entries: Sequence[NewAuditEntry]) -> None:
        """Record the change in the audit log, afterwards: a document and a database cannot commit together."""
        if not entries:
            return

        async def add() -> None:
            async with self._storage.begin(tenant) as transaction:
                await transaction.organisation.ensure()
                for entry in entries:
                    await transaction.audit.add(entry)

        await self._storage.retry(add)

    async def _is_on_record(self) -> bool:
        wanted = AuditFilter(action=AuditAction.TOKEN_CREATED)
        async with self._storage.read(Tenant(org_id=LOCAL_ORG)) as snapshot:
            return bool(await snapshot.audit.list_newest(wanted, limit=1))

    async def _recent(self) -> _Known:
        """
        Return the document, at most a second old, or the last copy if it cannot be read.

        Raises:
            StorageUnavailable: the document cannot be read and the last copy is too old.
        """
        now = self._clock.monotonic()
        if self._known is not None and now - self._known.at <= FRESH_SECONDS:
            return self._known
        look = self._look
        if look is None or (look.done() and now - self._looked_at > FRESH_SECONDS):
            self._looked_at = now
            look = self._look = asyncio.create_task(self._look_again())
        left = max(0.0, PATIENCE_SECONDS - (now - self._looked_at))
        await asyncio.wait([look], timeout=None if self._known is None else left)
        known = self._known
        if known is None or self._clock.monotonic() - known.at > LONGEST_SECONDS:
            raise StorageUnavailable("API tokens cannot be read from the place where they are stored")
        return known

    async def _look_again(self) -> None:
        try:
            await self._read()
        except (StorageUnavailable, ConfigError) as error:
            _log.warning("tokens.not_read", error=str(error))

    async def _read(self) -> _Known:
        """
        Read the document, and cache it.

        Raises:
            ConfigError: the place refuses, or the document is broken.
            StorageUnavailable: the place cannot be reached.
        """
        at, known, write_count = self._clock.monotonic(), self._known, self._write_count
        found = await self._place.read(NAME)
        if found is None:
            new = _Known(Organisations(), {}, "", at)
        elif known is not None and known.tag == found.tag:
            new = known._replace(at=at)
        else:
            document = read_document(found.content)
            new = _Known(document, _by_hash(document), found.tag, at)
        # What this process wrote meanwhile may be newer, so do not overwrite it.
        if write_count == self._write_count and (self._known is None or at >= self._known.at):
            self._known = new
        return new


def _tokens_of(document: Organisations, org_id: OrgId) -> tuple[KeptToken, ...]:
    return document.organizations.get(org_id, Organisation()).tokens


def _by_hash(document: Organisations) -> dict[str, KeptToken]:
    """Return the tokens that calls may use: those of the one organisation of self-host mode."""
    tokens = _tokens_of(document, LOCAL_ORG)
    former = {one.previous_hash: one for one in tokens if one.previous_hash is not None}
    return former | {one.token_hash: one for one in tokens}
