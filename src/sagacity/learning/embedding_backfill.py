"""Compute missing vectors of documents after publishing, in batches, one tenant at a time."""

import asyncio
import time

import structlog

from sagacity.domain.errors import ProviderError
from sagacity.domain.tenant import Tenant
from sagacity.observability.tracing import span
from sagacity.providers.base import Embedder
from sagacity.storage.search.documents import Unembedded
from sagacity.storage.transaction import Storage

BATCH = 32
_BATCHES_A_TURN = 8
_HARMLESS = "a harmless text"
_PAUSES_SECONDS = (1.0, 5.0, 30.0)
_log = structlog.get_logger(__name__)


class EmbeddingBackfill:
    """
    Embeds documents that have no vector.

    An outage of the provider costs only time: documents can still be found by their terms, and keep their place in the
    queue. A text that the provider refuses on its own is given up after some attempts.
    """

    def __init__(self, storage: Storage, embedder: Embedder) -> None:
        self._storage = storage
        self._embedder = embedder
        self._failures = 0

    async def run(self) -> int:
        """Embed until nothing waits, one batch per tenant and round; returns the number of documents embedded."""
        done = 0
        while (embedded := await self.round()) is not None:
            done += embedded
            self._failures = 0 if embedded else self._failures + 1
            if not embedded:
                await asyncio.sleep(_PAUSES_SECONDS[min(self._failures, len(_PAUSES_SECONDS)) - 1])
        return done

    async def round(self) -> int | None:
        """Embed one batch of each tenant; returns the number of documents embedded, None if nothing waits."""
        started = time.perf_counter()
        tenants = await self._storage.unembedded_tenants()
        done = sum([await self._batch(tenant) or 0 for tenant in tenants]) if tenants else None
        await self._storage.yield_to_calls(time.perf_counter() - started)
        return done

    async def run_one(self, tenant: Tenant) -> int | None:
        """Embed a few batches of one tenant; returns the number of documents embedded, None if nothing waits."""
        done = 0
        for _ in range(_BATCHES_A_TURN):
            started = time.perf_counter()
            embedded = await self._batch(tenant)
            await self._storage.yield_to_calls(time.perf_counter() - started)
            if not embedded:
                return done or embedded
            done += embedded
        return done

    async def _batch(self, tenant: Tenant) -> int | None:
        waiting = await self._storage.visit(tenant, lambda snapshot: snapshot.search.unembedded(BATCH))
        if not waiting:
            return None
        try:
            return await self._embed(tenant, waiting)
        except ProviderError as error:
            _log.warning("index.embedder_failed", kind=type(error).__name__, documents=len(waiting))
            if error.retryable or not await self._serves():
                return 0
            return await self._one_by_one(tenant, waiting)

    async def _serves(self) -> bool:
        """Whether the provider accepts a harmless text: if not, its key or quota is at fault, not the waiting texts."""
        try:
            await self._embedder.embed([_HARMLESS], background=True)
        except ProviderError:
            return False
        return True

    async def _embed(self, tenant: Tenant, waiting: list[Unembedded]) -> int:
        with span("embed documents", {"sagacity.documents": len(waiting)}):
            vectors = await self._embedder.embed([item.text for item in waiting], background=True)
            await self._storage.visit_to_write(
                tenant, lambda transaction: transaction.search.set_vectors(waiting, vectors)
            )
        return len(waiting)

    async def _one_by_one(self, tenant: Tenant, waiting: list[Unembedded]) -> int:
        """Find texts that the provider refuses individually, so that they do not block the others."""
        done = 0
        for item in waiting:
            try:
                done += await self._embed(tenant, [item])
            except ProviderError as error:
                async with self._storage.begin(tenant) as transaction:
                    await transaction.search.embed_failed([item], str(error))
        return done
