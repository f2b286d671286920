"""When tokens were last used: noted in memory at once, and written in batches a little later."""

import asyncio
from datetime import datetime

import structlog

from sagacity.dispatch.loops import end, every
from sagacity.domain.api_token import ApiToken
from sagacity.domain.clock import Clock
from sagacity.domain.errors import StorageError
from sagacity.domain.ids import OrgId
from sagacity.domain.tenant import Tenant
from sagacity.storage.access.tokens import USE_NOTED_EVERY
from sagacity.storage.transaction import Storage

FLUSH_SECONDS = 5.0
"""How often notes are written; a killed process loses up to this much of them."""
MOST_WAITING = 10_000
"""How many tokens may wait to be written; beyond that uses are not noted while the database is down."""
_log = structlog.get_logger(__name__)


class TokenUses:
    """
    Collects when tokens were last used in this process.

    One use per token is written a minute, by whichever process notes it first, because a token is looked up together
    with its last recorded use. Calls neither wait for the write nor fail with it.
    """

    def __init__(self, storage: Storage, clock: Clock, *, seconds: float = FLUSH_SECONDS) -> None:
        self._storage = storage
        self._clock = clock
        self._seconds = seconds
        self._waiting: dict[tuple[OrgId, str], datetime] = {}
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start writing every few seconds."""
        self._task = every(self._seconds, self.flush)

    async def stop(self) -> None:
        """Write what waits, and stop."""
        if self._task is not None:
            await end([self._task])
        await self.flush()

    def note(self, token: ApiToken) -> None:
        """Note that a token was used now, unless a use within the last minute is known."""
        now = self._clock.now()
        if token.last_used_at is not None and now - token.last_used_at < USE_NOTED_EVERY:
            return
        if len(self._waiting) < MOST_WAITING:
            self._waiting[token.org_id, token.token_id] = now

    async def flush(self) -> None:
        """Write the waiting uses; those that cannot be written wait for the next time."""
        for org_id in {org_id for org_id, _ in self._waiting}:
            noted = {token_id: at for (org, token_id), at in self._waiting.items() if org == org_id}
            try:
                async with self._storage.begin(Tenant(org_id=org_id)) as transaction:
                    await transaction.tokens.note_uses(noted)
            except StorageError as error:
                _log.warning("token_uses.not_written", kind=type(error).__name__, count=len(noted))
                continue
            for token_id, at in noted.items():
                if self._waiting.get((org_id, token_id)) == at:
                    del self._waiting[org_id, token_id]
