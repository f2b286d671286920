"""A user's graph: names, and the ties between them."""

from collections.abc import Sequence

import sqlalchemy as sa

from sagacity.domain.change import Candidate
from sagacity.domain.graph import EntityMention
from sagacity.domain.ids import UserId
from sagacity.storage.base import Scope
from sagacity.storage.tables import entities, relationships


class GraphRepository:
    """Entities and relationships of a tenant's users."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def add(self, user_id: UserId, candidates: Sequence[Candidate]) -> None:
        """Count the names that *candidates* mention, and tie them together; names of a tie are mentions too."""
        mentions: dict[str, EntityMention] = {}
        counts: dict[str, int] = {}
        for candidate in candidates:
            ends = [EntityMention(name=n) for r in candidate.relationships for n in (r.source, r.target)]
            for mention in (*candidate.entities, *ends):
                mentions.setdefault(mention.normalized_name, mention)
                counts[mention.normalized_name] = counts.get(mention.normalized_name, 0) + 1
        if not mentions:
            return
        now = self._scope.clock.now()
        insert = self._scope.insert(entities)
        rows = await self._scope.all(
            insert.on_conflict_do_update(
                index_elements=[entities.c.org_id, entities.c.user_id, entities.c.normalized_name],
                set_={
                    "mention_count": entities.c.mention_count + insert.excluded.mention_count,
                    "updated_at": insert.excluded.updated_at,
                },
            ).returning(entities.c.entity_id, entities.c.normalized_name),
            [
                {
                    "org_id": self._scope.org_id,
                    "user_id": user_id,
                    "name": mention.name,
                    "normalized_name": name,
                    "entity_type": str(mention.entity_type),
                    "mention_count": counts[name],
                    "created_at": now,
                    "updated_at": now,
                }
                for name, mention in sorted(mentions.items())
            ],
        )
        numbers = {row.normalized_name: row.entity_id for row in rows}
        ties = [
            {
                "org_id": self._scope.org_id,
                "user_id": user_id,
                "source_id": numbers[EntityMention(name=tie.source).normalized_name],
                "target_id": numbers[EntityMention(name=tie.target).normalized_name],
                "relationship_type": tie.relationship_type,
                "confidence": tie.confidence,
                "provenance": {"interaction_ids": list(candidate.evidence)},
                "created_at": now,
            }
            for candidate in candidates
            for tie in candidate.relationships
        ]
        if ties:
            await self._scope.run(self._scope.insert(relationships).on_conflict_do_nothing(), ties)

    async def relationships_of(self, user_id: UserId) -> list[tuple[str, str, str]]:
        """Return the user's ties as (source, type, target) in the order they were learned."""
        source, target = entities.alias("source"), entities.alias("target")
        rows = await self._scope.all(
            sa.select(source.c.name, relationships.c.relationship_type, target.c.name.label("target_name"))
            .join_from(relationships, source, source.c.entity_id == relationships.c.source_id)
            .join(target, target.c.entity_id == relationships.c.target_id)
            .where(relationships.c.org_id == self._scope.org_id, relationships.c.user_id == user_id)
            .order_by(relationships.c.relationship_id)
        )
        return [(row[0], row[1], row[2]) for row in rows]
