"""The job that keeps a separate vector store a copy of the database's vectors."""

import asyncio
import time
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass

import structlog

from sagacity.domain.errors import VectorStoreError
from sagacity.domain.ids import IdSource
from sagacity.domain.tenant import Tenant
from sagacity.storage.replica.base import VectorReplica
from sagacity.storage.replica.copied import Copied, Home, Progress
from sagacity.storage.transaction import Storage

_BATCH = 256
_SCOPES_A_COMMIT = 64
_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 1.0, 16.0
"""The pause between two runs. It doubles while nothing is found, because a run reads the scopes of all organisations:
21 ms for 100,000. An index on the scopes behind would make that 3 ms, but no update of a scope would be heap-only."""
_LOOK_SECONDS = 60.0
"""The interval of checks that the copy exists, and has no deleted organisations."""
_SWEEP_SECONDS = 600.0
"""The interval of checks that the copy has no deleted scopes, which read the numbers of all scopes."""
_LEASE, _LEASE_SECONDS = "vector-copy", 60.0
"""A lease that saves processes from doing the same work. It is never renewed, because two at once do no harm."""
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class CopyReport:
    """How the copy compares with the database; its fields are None if there is no collection yet."""

    dimension: int
    documents: int
    scopes_behind: int
    copied_dimension: int | None
    copied_documents: int | None


@dataclass(frozen=True, slots=True)
class _Ready:
    """A collection that may be filled, and the generation that it got when it was made ready."""

    home: Home
    generation: str


class VectorCopy:
    """
    Copies what is not copied yet; `search_scopes.copied_revision` records what is.

    A scope is copied up to the revision that was read before its documents, and this is recorded after the store has
    them. So a run that is cut short repeats a little work, and loses nothing. Any number of processes may copy at once.
    One that finds that another has advanced a scope copies it again and compares all numbers, because it may have
    written back a document that the other had already removed.
    """

    def __init__(self, storage: Storage, store: VectorReplica, *, ids: IdSource) -> None:
        self._storage = storage
        self._store = store
        self._ids = ids
        self._owner = ids.new()
        self._looked_at = self._swept_at = float("-inf")
        self._pause = _PAUSE_SECONDS
        self._failing = ""

    @property
    def pause_seconds(self) -> float:
        """How long to rest before the next run."""
        return self._pause

    async def step(self) -> None:
        """Copy what is not copied yet, and rest; the step of a background loop."""
        started = time.perf_counter()
        await self.run()
        await self._storage.yield_to_calls(time.perf_counter() - started)
        await asyncio.sleep(self._pause)

    async def run(self) -> None:
        """
        Copy what is not copied yet, unless another process is doing so.

        A failure of the store is logged once, and searches use the database until the store is back.
        """
        try:
            is_check_due = time.monotonic() - self._looked_at >= _LOOK_SECONDS
            found = await self._storage.uncopied_tenants()
            self._pause = _PAUSE_SECONDS if found else min(2 * self._pause, _LONGEST_PAUSE_SECONDS)
            if is_check_due or found:
                await self._run(is_check_due=is_check_due)
        except VectorStoreError as error:
            if str(error) != self._failing:
                _log.warning("vector_copy.failed", why=str(error))
            self._failing = str(error)
        else:
            if self._failing:
                _log.info("vector_copy.works_again")
            self._failing = ""

    async def fill(self, on_progress: Callable[[int], None] = lambda _: None) -> None:
        """
        Copy what is not copied yet, even if another process is doing so.

        Args:
            on_progress: called after each batch with its number of documents.

        Raises:
            VectorStoreError: the store failed; what was recorded before is copied.
        """
        ready = await self._ready()
        if ready is not None:
            for tenant in await self._storage.uncopied_tenants():
                await self._fill(ready, tenant, on_progress)

    async def _run(self, *, is_check_due: bool) -> None:
        ready = await self._ready()
        if ready is None:
            return
        if is_check_due:
            await self._remove_erased(ready.home)
            if time.monotonic() - self._swept_at >= _SWEEP_SECONDS:
                await self._remove_gone(ready.home)
                self._swept_at = time.monotonic()
            self._looked_at = time.monotonic()
        for tenant in await self._storage.uncopied_tenants():
            async with self._storage.begin(tenant) as transaction:
                lease = await transaction.leases.claim(_LEASE, self._owner, _LEASE_SECONDS)
            if lease is None:
                continue
            try:
                await self._fill(ready, tenant, lambda _: None)
            finally:
                async with self._storage.begin(tenant) as transaction:
                    await transaction.leases.finish(lease)

    async def drop(self) -> None:
        """Remove the copy; the next run rebuilds it."""
        home = await self._home()
        if home is not None:
            await self._store.drop(home.name)

    async def compare(self) -> CopyReport | None:
        """Compare the copy with the database; None before an embedder claimed the search index."""
        home = await self._home()
        if home is None:
            return None
        documents = behind = 0
        for tenant in await self._storage.organisations():
            async with self._storage.read(tenant) as snapshot:
                counts = await snapshot.copies.counts()
            documents, behind = documents + counts[0], behind + counts[1]
        is_there = await self._store.generation(home.name) is not None
        return CopyReport(
            dimension=home.dimension,
            documents=documents,
            scopes_behind=behind,
            copied_dimension=await self._store.dimension(home.name) if is_there else None,
            copied_documents=await self._store.document_count(home.name) if is_there else None,
        )

    async def _home(self) -> Home | None:
        tenants = await self._storage.organisations()
        if not tenants:
            return None
        async with self._storage.read(tenants[0]) as snapshot:  # the index is the same for all
            return await snapshot.copies.home()

    async def _ready(self) -> _Ready | None:
        """Return the collection, created if it is missing; then it is empty, and nothing counts as copied."""
        home = await self._home()
        if home is None:
            return None
        if await self._store.generation(home.name) is None:
            await self._store.create(home.name, home.dimension)
            for tenant in await self._storage.organisations():
                async with self._storage.begin(tenant) as transaction:
                    await transaction.copies.forget()
            await self._store.make_ready(home.name, home.dimension, self._ids.new())
        generation = await self._store.generation(
            home.name
        )  # if two make it ready at once, that of the later one counts
        if generation is None:
            raise VectorStoreError("the vector store loses what is written to it; check its storage")
        return _Ready(home, generation)

    async def _remove_erased(self, home: Home) -> None:
        """Remove documents of deleted organisations; the store is read first, so that no new one is removed."""
        there = await self._store.organisations(home.name)
        known = {str(tenant.org_id) for tenant in await self._storage.organisations()}
        for org_id in sorted(there - known):
            await self._store.remove_organisation(home.name, org_id)

    async def _remove_gone(self, home: Home) -> None:
        """
        Remove documents of deleted scopes, such as those of erased users.

        A copier that read a scope before its deletion and wrote it afterwards removes it again, unless it died in
        between. The store is read first, and numbers are never reused, so no new scope is removed.
        """
        left = await self._store.scopes(home.name)
        for tenant in await self._storage.organisations():
            async with self._storage.read(tenant) as snapshot:
                left -= set(await snapshot.copies.scope_ids())
        for scope_id in sorted(left):
            await self._store.remove(home.name, await self._store.numbers(home.name, scope_id))

    async def _fill(self, ready: _Ready, tenant: Tenant, on_progress: Callable[[int], None]) -> None:
        after = 0
        while scope_ids := await self._behind(tenant, after):
            after = scope_ids[-1]
            compare = False
            while scope_ids:
                copied = [
                    await self._copy(ready.home, tenant, one, on_progress, compare=compare)
                    for one in scope_ids
                ]
                if await self._store.generation(ready.home.name) != ready.generation:
                    raise VectorStoreError(
                        "the vector store lost the copy while it was being filled; it will be rebuilt"
                    )
                async with self._storage.begin(tenant) as transaction:
                    scope_ids = await transaction.copies.advance([one for one in copied if one is not None])
                compare = True

    async def _behind(self, tenant: Tenant, after: int) -> list[int]:
        async with self._storage.read(tenant) as snapshot:
            return await snapshot.copies.behind(after=after, limit=_SCOPES_A_COMMIT)

    async def _copy(
        self,
        home: Home,
        tenant: Tenant,
        scope_id: int,
        on_progress: Callable[[int], None],
        *,
        compare: bool,
    ) -> Progress | None:
        """Copy a scope; returns how far it is copied, None if it does not exist."""
        async with self._storage.read(tenant) as snapshot:
            scope = await snapshot.copies.progress(scope_id)
        if scope is None:
            await self._store.remove(home.name, await self._store.numbers(home.name, scope_id))
            return None
        async for documents in self._changed(tenant, scope):
            await self._store.put(home.name, tenant.org_id, documents)
            on_progress(len(documents))
        is_first = not scope.copied_revision  # the collection may have documents from before a restore
        if compare or is_first or scope.removed_revision > scope.copied_revision:
            await self._compare(home, tenant, scope)
        return scope

    async def _changed(self, tenant: Tenant, scope: Progress) -> AsyncGenerator[list[Copied]]:
        """Yield the documents that changed since the scope was copied; later changes are left to the next run."""
        after = 0
        while True:
            async with self._storage.read(tenant) as snapshot:
                documents = await snapshot.copies.changed(
                    scope.scope_id, scope.copied_revision, after=after, limit=_BATCH
                )
            if not documents:
                return
            yield documents
            after = documents[-1].document_id

    async def _compare(self, home: Home, tenant: Tenant, scope: Progress) -> None:
        """
        Make the store's documents of a scope those of the database.

        The store is read first: documents that the database then lacks are deleted for good, as numbers are never
        reused.
        """
        there = await self._store.numbers(home.name, scope.scope_id)
        async with self._storage.read(tenant) as snapshot:
            here = await snapshot.copies.numbers(scope.scope_id)
        await self._store.remove(home.name, there - here.keys())
        missing = sorted(number for number in here.keys() - there if here[number] <= scope.revision)
        for start in range(0, len(missing), _BATCH):
            async with self._storage.read(tenant) as snapshot:
                documents = await snapshot.copies.by_number(missing[start : start + _BATCH])
            await self._store.put(home.name, tenant.org_id, documents)
