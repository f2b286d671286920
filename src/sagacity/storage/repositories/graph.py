"""A user's graph: names, and the ties between them."""

from collections.abc import Sequence

import sqlalchemy as sa

from sagacity.domain.change import Candidate
from sagacity.domain.graph import EntityMention
from sagacity.domain.ids import UserId
from sagacity.domain.memory import Memory
from sagacity.storage.base import Scope
from sagacity.storage.tables import entities, entity_mentions, relationships


class GraphRepository:
    """Entities and relationships of a tenant's users; each rests on memories and goes with the last of them."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def add(self, memory: Memory, candidate: Candidate) -> None:
        """Tie together the names that *candidate* brought with *memory*; the ends of a tie are mentions too."""
        ends = [EntityMention(name=n) for r in candidate.relationships for n in (r.source, r.target)]
        mentions: dict[str, EntityMention] = {}
        for mention in (*candidate.entities, *ends):
            mentions.setdefault(mention.normalized_name, mention)
        if not mentions or memory.user_id is None:
            return
        numbers = await self._mention(memory.user_id, mentions)
        org_id, memory_id = self._scope.org_id, memory.memory_id
        await self._scope.run(
            self._scope.insert(entity_mentions).on_conflict_do_nothing(),
            [{"org_id": org_id, "entity_id": n, "memory_id": memory_id} for n in sorted(numbers.values())],
        )
        await self._recount(list(numbers.values()))
        ties = [
            {
                "org_id": org_id,
                "user_id": memory.user_id,
                "source_id": numbers[EntityMention(name=tie.source).normalized_name],
                "target_id": numbers[EntityMention(name=tie.target).normalized_name],
                "relationship_type": tie.relationship_type,
                "confidence": tie.confidence,
                "memory_id": memory_id,
                "created_at": self._scope.clock.now(),
            }
            for tie in candidate.relationships
        ]
        if ties:
            await self._scope.run(self._scope.insert(relationships).on_conflict_do_nothing(), ties)

    async def _mention(self, user_id: UserId, mentions: dict[str, EntityMention]) -> dict[str, int]:
        now = self._scope.clock.now()
        insert = self._scope.insert(entities)
        rows = await self._scope.all(
            insert.on_conflict_do_update(
                index_elements=[entities.c.org_id, entities.c.user_id, entities.c.normalized_name],
                set_={"updated_at": insert.excluded.updated_at},
            ).returning(entities.c.entity_id, entities.c.normalized_name),
            [
                {
                    "org_id": self._scope.org_id,
                    "user_id": user_id,
                    "name": mention.name,
                    "normalized_name": name,
                    "entity_type": str(mention.entity_type),
                    "created_at": now,
                    "updated_at": now,
                }
                for name, mention in sorted(mentions.items())
            ],
        )
        return {row.normalized_name: row.entity_id for row in rows}

    async def forget(self, memory_ids: Sequence[int]) -> None:
        """Take back what *memory_ids*, which are about to be deleted, brought; names that nothing mentions go."""
        mine = sa.and_(
            entity_mentions.c.org_id == self._scope.org_id, entity_mentions.c.memory_id.in_(list(memory_ids))
        )
        rows = await self._scope.all(
            sa.delete(entity_mentions).where(mine).returning(entity_mentions.c.entity_id)
        )
        touched = sorted({row.entity_id for row in rows})
        if not touched:
            return
        await self._recount(touched)
        await self._scope.run(
            sa.delete(entities).where(entities.c.entity_id.in_(touched), entities.c.mention_count == 0)
        )

    async def _recount(self, entity_ids: Sequence[int]) -> None:
        count = (
            sa.select(sa.func.count())
            .where(entity_mentions.c.entity_id == entities.c.entity_id)
            .scalar_subquery()
        )
        await self._scope.run(
            sa.update(entities).where(entities.c.entity_id.in_(entity_ids)).values(mention_count=count)
        )

    async def relationships_of(self, user_id: UserId) -> list[tuple[str, str, str]]:
        """Return the user's ties as (source, type, target), each once, in the order they were learned."""
        source, target = entities.alias("source"), entities.alias("target")
        rows = await self._scope.all(
            sa.select(source.c.name, relationships.c.relationship_type, target.c.name.label("target_name"))
            .join_from(relationships, source, source.c.entity_id == relationships.c.source_id)
            .join(target, target.c.entity_id == relationships.c.target_id)
            .where(relationships.c.org_id == self._scope.org_id, relationships.c.user_id == user_id)
            .group_by(source.c.name, relationships.c.relationship_type, target.c.name)
            .order_by(sa.func.min(relationships.c.relationship_id))
        )
        return [(row[0], row[1], row[2]) for row in rows]
