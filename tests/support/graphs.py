"""Memories that speak of names, and what a name leads to."""

import itertools

from sagacity.domain.change import Candidate
from sagacity.domain.graph import Entity, EntityMention, RelationshipMention
from sagacity.domain.ids import UserId
from sagacity.domain.memory import Memory, MemoryKind
from sagacity.storage.transaction import Transaction
from support.parts import ANNA, new_memory

_uids = itertools.count(1)


async def speak(
    tx: Transaction, text: str, *names: str, ties: tuple[tuple[str, str, str, float], ...] = (), user=ANNA
) -> Memory:
    """Store a memory that speaks of names, with ties as (source, word, target, confidence)."""
    [memory] = await tx.memories.add([new_memory(text, user_id=user, uid=f"speak-{next(_uids)}")])
    said = Candidate(
        kind=MemoryKind.PROFILE,
        content=text,
        evidence=(1,),
        entities=tuple(EntityMention(name=name) for name in names),
        relationships=tuple(
            RelationshipMention(source=a, relationship_type=word, target=b, confidence=sure)
            for a, word, b, sure in ties
        ),
    )
    await tx.graph.add(memory, said)
    return memory


async def one(tx: Transaction, name: str, user=ANNA) -> Entity:
    [entity] = await tx.graph.find(user, [name])
    return entity


async def ties_of(tx: Transaction, user: UserId = ANNA) -> list[tuple[str, str, str]]:
    """Return a user's relationships as (source, word, target), surest first and then as they were learned."""
    found, _ = await tx.relationships.list_page(user)
    return [(tie.source_name, tie.relationship_type, tie.target_name) for tie in found]
