"""Read what a run needs: user playbooks with their vectors, the previous clusters and their results."""

import asyncio
from collections.abc import Mapping, Sequence

import numpy as np

from sagacity.domain.cluster import ClusterCandidate, PlaybookCluster
from sagacity.domain.ids import MemoryId
from sagacity.domain.memory import Memory, MemoryKind, Status
from sagacity.domain.tenant import Tenant
from sagacity.learning.distil.gist import gist
from sagacity.learning.distil.spec import Run, State
from sagacity.providers.base import Embedder, Vectors
from sagacity.storage.transaction import Storage, Transaction

_PRODUCTS_READ = 10_000
"""The most products without a cluster that are read; those of clusters are always read."""
_IDS_A_READ = 1_000
_TEXTS_A_CALL = 1_000


async def read_state(storage: Storage, embedder: Embedder, run: Run, product: MemoryKind) -> State:
    """
    Read the current user playbooks of one name and agent version, and the memories made from them.

    Raises:
        ProviderError: missing vectors cannot be made now.
    """
    async with storage.read(run.tenant) as snapshot:
        candidates = await snapshot.clusters.candidates(run.learner, run.name, run.agent_version)
        ids = list(candidates)
        gists = await asyncio.to_thread(_gists, candidates)
        unchanged = [one for one in ids if one not in gists]
        stored = await _vectors_of(snapshot, MemoryKind.USER_PLAYBOOK, unchanged)
        missing = await memories_of(snapshot, [one for one in unchanged if one not in stored])
        known = await snapshot.clusters.of(run.learner, run.name, run.agent_version)
        products = await _products(snapshot, run, product, known)
        product_vectors = await _vectors_of(snapshot, product, list(products))
    stored |= await _embedded(embedder, gists | {one.memory_id: one.search_text for one in missing})
    ids = [one for one in ids if one in stored]
    rows = np.zeros((0, embedder.dimension), np.float32)
    return State(
        ids=ids,
        wordings={one: candidates[one].wording for one in ids},
        users={one: candidates[one].user_id for one in ids},
        vectors=np.stack([stored[one] for one in ids]) if ids else rows,
        known={cluster.cluster_id: cluster for cluster in known},
        products=products,
        product_vectors=product_vectors,
    )


def _gists(candidates: Mapping[MemoryId, ClusterCandidate]) -> dict[MemoryId, str]:
    """Return the gists of those candidates that contain examples."""
    found = {number: gist(one.text) for number, one in candidates.items()}
    return {number: text for number, text in found.items() if text != candidates[number].text}


async def _embedded(embedder: Embedder, texts: Mapping[MemoryId, str]) -> dict[int, Vectors]:
    """Embed texts a few at a time, so that others get the event loop in between."""
    ids, vectors = list(texts), dict[int, Vectors]()
    for start in range(0, len(ids), _TEXTS_A_CALL):
        some = ids[start : start + _TEXTS_A_CALL]
        made = await embedder.embed([texts[one] for one in some], background=True)
        vectors |= dict(zip(some, made, strict=True))
    return vectors


async def former_means(
    storage: Storage,
    tenant: Tenant,
    clusters: Sequence[PlaybookCluster],
    product_vectors: Mapping[int, Vectors],
) -> dict[str, Vectors]:
    """
    Return the mean vectors of former clusters, by id: of their members or, without these, of what was made from them.

    Args:
        storage: the storage of the vectors.
        tenant: the organisation.
        clusters: the former clusters without a successor.
        product_vectors: float32 [d] of what was made; used if members were deleted with their vectors.
    """
    members = sorted({member for cluster in clusters for member in cluster.member_ids})
    async with storage.read(tenant) as snapshot:
        stored = await _vectors_of(snapshot, MemoryKind.USER_PLAYBOOK, members)
    means: dict[str, Vectors] = {}
    for cluster in clusters:
        rows = [stored[member] for member in cluster.member_ids if member in stored]
        made = product_vectors.get(cluster.memory_id or 0)
        if rows:
            means[cluster.cluster_id] = np.stack(rows).mean(axis=0)
        elif made is not None:
            means[cluster.cluster_id] = made
    return means


async def memories_of(snapshot: Transaction, ids: Sequence[int]) -> list[Memory]:
    """Return those of *ids* that exist, in their order, with statements of limited length."""
    found: list[Memory] = []
    for start in range(0, len(ids), _IDS_A_READ):
        found += await snapshot.memories.get_many(ids[start : start + _IDS_A_READ])
    return found


async def _products(
    snapshot: Transaction, run: Run, kind: MemoryKind, known: Sequence[PlaybookCluster]
) -> dict[MemoryId, Memory]:
    """Return the current products: those of the clusters, under any name, and others with this name."""
    current = Status.CURRENT
    named = await snapshot.memories.list_newest(
        kind, statuses=[current], name=run.name, agent_version=run.agent_version, limit=_PRODUCTS_READ
    )
    ids = {one.memory_id for one in known if one.memory_id is not None}
    ids |= set(await snapshot.clusters.written_from(kind, [one.cluster_id for one in known]))
    own = await memories_of(snapshot, sorted(ids - {one.memory_id for one in named}))
    return {one.memory_id: one for one in (*named, *own) if (one.kind, one.status) == (kind, current)}


async def _vectors_of(snapshot: Transaction, kind: MemoryKind, ids: Sequence[int]) -> dict[int, Vectors]:
    found: dict[int, Vectors] = {}
    for start in range(0, len(ids), _IDS_A_READ):
        found |= await snapshot.search.vectors_of([kind], ids[start : start + _IDS_A_READ])
    return found
