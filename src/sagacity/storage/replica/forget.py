"""Delete documents from a separate vector store as soon as they are deleted from the database."""

from collections.abc import Sequence

from sagacity.domain.erasure import VectorCopyState
from sagacity.domain.kinds import TENANT_KINDS
from sagacity.domain.query import Filter
from sagacity.domain.tenant import Tenant
from sagacity.storage.transaction import Storage


async def forget_scopes(storage: Storage, tenant: Tenant, scope_ids: Sequence[int]) -> VectorCopyState:
    """
    Remove all documents of these scopes, and the organisation's own documents that the database no longer has.

    Raises:
        VectorStoreError: the store does not answer.
    """
    store = storage.vector_store
    if store is None:
        return "none"
    async with storage.read(tenant) as snapshot:
        home = await snapshot.copies.home()
        wanted = Filter(kinds=tuple(sorted(TENANT_KINDS)), statuses=())
        own = [one.scope_id for one in await snapshot.search.scopes(wanted)]
    if home is None or await store.generation(home.name) is None:
        return "none"
    for scope_id in scope_ids:
        await store.remove(home.name, await store.numbers(home.name, scope_id))
    for scope_id in own:
        there = await store.numbers(home.name, scope_id)
        async with storage.read(tenant) as snapshot:
            here = await snapshot.copies.numbers(scope_id)
        await store.remove(home.name, there - here.keys())
    return "clean"
