"""What a user's memories already say about the things that were proposed."""

from collections.abc import Mapping, Sequence

import numpy as np

from sagacity.domain.ids import UserId
from sagacity.domain.memory import Memory, MemoryKind, Status
from sagacity.domain.query import Filter, relevance
from sagacity.learning.deduplicate import Embedded, Neighbour
from sagacity.storage.transaction import Transaction


async def find_neighbours(
    snapshot: Transaction,
    user_id: UserId,
    kind: MemoryKind,
    candidates: Sequence[Embedded],
    *,
    limit: int,
    status: Status = Status.CURRENT,
) -> Mapping[int, Sequence[Neighbour]]:
    """
    Find, for each candidate, the memories of one version that may say the same or the opposite.

    The nearest by vector and those that share most of its words, as far as they are relevant enough for the candidate;
    and all of the same slot. One user's, of one kind, for playbooks of one agent version. Memories of other versions,
    archived ones and other users' never come in.

    Returns:
        By index of the candidate; a memory stands once in a list.
    """
    slots = {embedded.candidate.slot for embedded in candidates} - {""}
    in_slots = await snapshot.memories.in_slots(kind, user_id, sorted(slots), status=status) if slots else []
    found: dict[int, list[Neighbour]] = {}
    for index, embedded in enumerate(candidates):
        version = embedded.agent_version
        wanted = Filter(
            kinds=(kind,),
            user_id=user_id,
            statuses=(status,),
            agent_versions=(version,) if kind is MemoryKind.USER_PLAYBOOK else (),
        )
        cosines: dict[int, float] = {}
        for hit in await snapshot.search.by_terms(wanted, embedded.candidate.content, limit):
            cosines[hit.owner_id] = 0.0
        same_slot = [
            memory
            for memory in in_slots
            if memory.attributes.slot == embedded.candidate.slot
            and (kind is not MemoryKind.USER_PLAYBOOK or memory.agent_version == version)
        ]
        kept = {memory.memory_id for memory in same_slot}
        cosines |= dict.fromkeys(kept, 0.0)
        if embedded.vector is not None:
            stored = await snapshot.search.vector_of(kind, list(cosines))
            cosines |= {owner: float(np.dot(vector, embedded.vector)) for owner, vector in stored.items()}
            for hit in (await snapshot.search.by_vector(wanted, embedded.vector, limit)).hits:
                cosines[hit.owner_id] = hit.score
            least = embedded.threshold
            cosines = {it: near for it, near in cosines.items() if it in kept or relevance(near) >= least}
        memories: list[Memory] = await snapshot.memories.get_many(list(cosines)) if cosines else []
        found[index] = [
            Neighbour(memory=memory, cosine=max(-1.0, min(1.0, cosines[memory.memory_id])))
            for memory in memories
        ]
    return found
