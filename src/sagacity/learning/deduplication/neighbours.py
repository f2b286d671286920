"""Find the memories of a user that are similar to the candidates."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sagacity.domain.ids import UserId
from sagacity.domain.kinds import VERSIONED_KINDS
from sagacity.domain.memory import Memory, MemoryKind, Status
from sagacity.domain.query import Filter, similarity
from sagacity.learning.deduplication.cases import Embedded, Neighbour
from sagacity.learning.deduplication.opposition import words_of_opposites
from sagacity.providers.base import Vectors
from sagacity.storage.hits import Hits
from sagacity.storage.transaction import Transaction


@dataclass(frozen=True, slots=True)
class _Found:
    """Possible neighbours of one candidate, by number."""

    in_slot: Sequence[int]
    """Memories of its slot, and memories that its extractor says it ends, at any distance."""
    by_words: Sequence[int]
    by_vector: Mapping[int, float]
    """With their cosines."""

    def cosines(self, embedded: Embedded, stored: Mapping[int, Vectors]) -> dict[int, float]:
        """Return the cosine of each that is relevant enough; 0 for memories without a vector."""
        cosines = dict.fromkeys((*self.by_words, *self.in_slot), 0.0)
        if embedded.vector is None:
            return cosines
        cosines |= {it: float(np.dot(stored[it], embedded.vector)) for it in cosines if it in stored}
        cosines |= self.by_vector
        return {
            it: near
            for it, near in cosines.items()
            if it in self.in_slot or similarity(near) >= embedded.threshold
        }


async def find_neighbours(
    snapshot: Transaction,
    user_id: UserId,
    kinds: Collection[MemoryKind],
    candidates: Sequence[Embedded],
    *,
    limit: int,
    status: Status = Status.CURRENT,
) -> Mapping[int, Sequence[Neighbour]]:
    """
    For each candidate, find the memories of one version that may say the same or the opposite.

    These are the nearest by vector, those that share most of its words, and those with the words of its opposites, if
    they are relevant enough; also all memories of the same slot, and all that the candidate is said to end.

    Only the user's own memories of *kinds* are found, and for kinds with agent versions only those of the candidate's.
    Archived memories and those of other versions are not found. Held memories are found only for a held candidate,
    which finds no others.

    Returns:
        Lists of distinct memories, by index of the candidate.
    """
    slots = sorted({embedded.candidate.slot for embedded in candidates} - {""})
    in_slots = await snapshot.memories.in_slots(kinds, user_id, slots, status=status) if slots else []
    everything: list[_Found] = []
    for embedded in candidates:
        wanted = _wanted(embedded, user_id, kinds, status)
        words = await snapshot.search.by_terms(wanted, embedded.candidate.content, limit)
        if opposites := words_of_opposites(embedded.candidate.content):
            words = [*words, *await snapshot.search.by_terms(wanted, opposites, limit)]
        near = (
            Hits()
            if embedded.vector is None
            else (await snapshot.search.by_vector(wanted, embedded.vector, limit)).hits
        )
        everything.append(
            _Found(
                in_slot=[
                    *(
                        memory.memory_id
                        for memory in in_slots
                        if _is_in_slot_of(memory, embedded) and memory.is_held is embedded.is_held
                    ),
                    *embedded.candidate.ends,
                ],
                by_words=[hit.owner_id for hit in words],
                by_vector={hit.owner_id: hit.score for hit in near},
            )
        )
    # The vectors of memories found in other ways are read all at once, and so are the memories.
    unmeasured = {
        it for found in everything for it in (*found.by_words, *found.in_slot) if it not in found.by_vector
    }
    stored = await snapshot.search.vectors_of(kinds, sorted(unmeasured)) if unmeasured else {}
    cosines = [found.cosines(it, stored) for found, it in zip(everything, candidates, strict=True)]
    memories: dict[int, Memory] = {memory.memory_id: memory for memory in in_slots}
    missing = sorted({it for one in cosines for it in one} - memories.keys())
    memories |= {memory.memory_id: memory for memory in await snapshot.memories.get_many(missing)}
    return {
        index: [
            Neighbour(memory=memories[it], cosine=max(-1.0, min(1.0, near)))
            for it, near in one.items()
            if it in memories
            and memories[it].status is status
            and memories[it].is_held is candidates[index].is_held
        ]
        for index, one in enumerate(cosines)
    }


def _wanted(embedded: Embedded, user_id: UserId, kinds: Collection[MemoryKind], status: Status) -> Filter:
    return Filter(
        kinds=tuple(kinds),
        user_id=user_id,
        statuses=(status,),
        is_held=embedded.is_held,
        agent_versions=(embedded.agent_version,) if VERSIONED_KINDS.issuperset(kinds) else (),
    )


def _is_in_slot_of(memory: Memory, embedded: Embedded) -> bool:
    """Whether the memory has the candidate's slot and, if that matters, the same agent version."""
    is_comparable = memory.kind not in VERSIONED_KINDS or memory.agent_version == embedded.agent_version
    return memory.attributes.slot == embedded.candidate.slot and is_comparable
