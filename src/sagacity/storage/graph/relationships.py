"""Relationships for people: list, add, edit and delete them."""

from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any, Final

import sqlalchemy as sa

from sagacity.domain.errors import Conflict, InvalidInput, NotFound
from sagacity.domain.graph import (
    USER,
    EntityGraph,
    EntityId,
    NewRelationship,
    Relationship,
    RelationshipEdit,
    RelationshipId,
)
from sagacity.domain.ids import MemoryUid, UserId
from sagacity.storage.base import Scope
from sagacity.storage.graph.descriptions import described
from sagacity.storage.graph.entities import SOURCES_SHOWN, EntityRepository
from sagacity.storage.graph.traversal import MAX_HOPS, surroundings
from sagacity.storage.graph.validity import has_held, held_at, holds, period
from sagacity.storage.schema.tables import entities, memories, relationship_mentions, relationships
from sagacity.storage.statements.array_params import among, found_by

MOST_DRAWN: Final = 1_000
"""The most relationships in one drawing."""


class RelationshipRepository:
    """A tenant's relationships; each belongs to one user, like the entities at its ends."""

    def __init__(self, scope: Scope, entity_repository: EntityRepository) -> None:
        self._scope = scope
        self._entities = entity_repository

    async def list_page(
        self,
        user_id: UserId,
        *,
        entity_id: EntityId | None = None,
        relationship_type: str = "",
        with_ended: bool = False,
        offset: int = 0,
        limit: int = 50,
    ) -> tuple[list[Relationship], int]:
        """
        Return a page of a user's relationships that hold, most certain first, and how many there are in all.

        Args:
            user_id: the user.
            entity_id: only relationships from or to this entity.
            relationship_type: only relationships of this type.
            with_ended: include those that no longer hold.
            offset: how many to skip.
            limit: the most relationships.
        """
        relationship = relationships.c
        wanted = sa.and_(relationship.org_id == self._scope.org_id, relationship.user_id == user_id)
        if entity_id is not None:
            wanted = sa.and_(
                wanted, sa.or_(relationship.source_id == entity_id, relationship.target_id == entity_id)
            )
        if relationship_type:
            wanted = sa.and_(wanted, relationship.relationship_type == relationship_type)
        now = held_at(self._scope.clock.now())
        wanted = sa.and_(wanted, has_held() if with_ended else holds(tuple(now)))
        order = (relationship.confidence.desc(), relationship.relationship_id)
        rows = await self._scope.all(
            _related(tuple(now)).where(wanted).order_by(*order).offset(offset).limit(limit), now
        )
        [(total,)] = await self._scope.all(
            sa.select(sa.func.count()).select_from(relationships).where(wanted), now
        )
        return [_relationship(row) for row in rows], total

    async def of_entities(
        self,
        user_id: UserId,
        entity_ids: Sequence[EntityId],
        *,
        limit: int,
        as_of: datetime | None = None,
    ) -> dict[EntityId, list[Relationship]]:
        """
        Return the relationships that hold from or to each of some entities, most certain first, in one statement.

        A relationship holds if a memory that may be served states it, or if a person wrote or edited it.

        Args:
            user_id: the user.
            entity_ids: the entities.
            limit: the most relationships of each entity.
            as_of: only relationships that were known and held at that time.
        """
        held = held_at(self._scope.clock.now(), as_of=as_of)
        known = {} if as_of is None else {"known_by": as_of}
        given = {"org_id": self._scope.org_id, "user_id": user_id, "entity_ids": list(entity_ids)}
        statement = _surest(tuple(held), then=as_of is not None)
        rows = await self._scope.all(statement, {**given, **known, **held, "limit": limit})
        found: dict[EntityId, list[Relationship]] = {number: [] for number in entity_ids}
        for row in rows:
            found[row.entity_id].append(_relationship(row))
        return found

    async def get(self, user_id: UserId, relationship_id: RelationshipId) -> Relationship:
        """
        Return one relationship, with the newest memories that state it.

        Raises:
            NotFound: the user has none with that number.
        """
        row = await self._row(user_id, relationship_id)
        mention, memory = relationship_mentions.c, memories.c
        said = sa.select(mention.memory_id).where(
            mention.org_id == self._scope.org_id, mention.relationship_id == relationship_id
        )
        rows = await self._scope.all(
            sa.select(memory.uid)
            .where(found_by(memory.memory_id, said.scalar_subquery()), self._scope.owns(memories))
            .order_by(memory.memory_id.desc())
            .limit(SOURCES_SHOWN)
        )
        return _relationship(row, [MemoryUid(one.uid) for one in rows])

    async def add(self, user_id: UserId, new: NewRelationship) -> Relationship:
        """
        Store a relationship that is kept, with its ends, even while no memory states it.

        Raises:
            NotFound: an end is not the user's.
            Conflict: the relationship exists already.
            InvalidInput: both ends are the same entity, or the type is empty.
        """
        if new.source_entity_id == new.target_entity_id:
            raise InvalidInput("a relationship connects two different entities, but both ids are the same")
        if not new.relationship_type:
            raise InvalidInput("relationship_type needs at least one letter or digit, such as works_at")
        await self._entities.lock(user_id, [new.source_entity_id, new.target_entity_id])
        now = self._scope.clock.now()
        rows = await self._scope.all(
            self._scope.insert(relationships)
            .on_conflict_do_nothing()
            .returning(relationships.c.relationship_id),
            {
                "org_id": self._scope.org_id,
                "user_id": user_id,
                "source_id": new.source_entity_id,
                "target_id": new.target_entity_id,
                "relationship_type": new.relationship_type,
                "description": new.description,
                "confidence": new.confidence,
                "is_bidirectional": new.is_bidirectional,
                "is_kept": True,
                "created_at": now,
                "updated_at": now,
            },
        )
        if not rows:
            raise Conflict("the two entities already have a relationship of this type; edit that one")
        await self._scope.run(
            sa.update(entities)
            .where(
                entities.c.entity_id.in_([new.source_entity_id, new.target_entity_id]),
                self._scope.owns(entities),
            )
            .values(is_kept=True)
        )
        return await self.get(user_id, RelationshipId(rows[0].relationship_id))

    async def update(
        self, user_id: UserId, relationship_id: RelationshipId, edit: RelationshipEdit
    ) -> Relationship:
        """
        Change a relationship, which is kept from then on even if no memory states it.

        Raises:
            NotFound: the user has none with that number.
            Conflict: there is already one of the new type.
            InvalidInput: the new type is empty.
        """
        row = await self._held(user_id, relationship_id)
        relationship, word = relationships.c, edit.relationship_type
        if word is not None and not word:
            raise InvalidInput("relationship_type needs at least one letter or digit, such as works_at")
        if word is not None and word != row.relationship_type:
            same = (relationship.source_id == row.source_id, relationship.target_id == row.target_id)
            found = await self._scope.all(
                sa.select(relationship.relationship_id).where(
                    relationship.org_id == self._scope.org_id, *same, relationship.relationship_type == word
                )
            )
            if found:
                raise Conflict(
                    "the two entities already have a relationship of this type; delete one of the two"
                )
        changed = edit.model_dump(exclude_none=True)
        await self._scope.run(
            sa.update(relationships)
            .where(relationship.relationship_id == relationship_id, self._scope.owns(relationships))
            .values(**changed, is_kept=True, updated_at=self._scope.clock.now())
        )
        return await self.get(user_id, relationship_id)

    async def delete(self, user_id: UserId, relationship_id: RelationshipId) -> None:
        """
        Delete a relationship; its ends and the memories that state it stay.

        Raises:
            NotFound: the user has none with that number.
        """
        relationship = relationships.c
        await self._held(user_id, relationship_id)
        conditions = (relationship.relationship_id == relationship_id, relationship.user_id == user_id)
        statement = sa.delete(relationships).where(*conditions, self._scope.owns(relationships))
        if not await self._scope.run(statement):
            raise _missing(relationship_id)

    async def around(self, user_id: UserId, entity_id: EntityId, *, depth: int = 1) -> EntityGraph:
        """
        Return the entities within *depth* steps of an entity, nearest first, and the relationships among them.

        The user's own node is shown, but nothing is reached through it unless it is the starting entity.

        Raises:
            NotFound: the user has none with that number.
        """
        center = await self._entities.get(user_id, entity_id)
        depth = max(0, min(depth, MAX_HOPS))
        given = {
            "org_id": self._scope.org_id,
            "user_id": user_id,
            "starts": [entity_id],
            "hops": depth,
        }
        lateral, now = self._scope.backend.joins_laterally, held_at(self._scope.clock.now())
        near: list[EntityId] = [
            row.entity_id for row in await self._scope.all(surroundings(lateral=lateral), {**now, **given})
        ]
        me, relationship = await self._own(user_id), relationships.c
        numbers = [*near, *me]
        rows = await self._scope.all(
            _related(tuple(now))
            .where(
                relationship.org_id == self._scope.org_id,
                relationship.user_id == user_id,
                among(relationship.source_id, "numbers"),
                among(relationship.target_id, "numbers"),
                holds(tuple(now)),
            )
            .order_by(relationship.confidence.desc(), relationship.relationship_id)
            .limit(MOST_DRAWN),
            {**now, "numbers": numbers},
        )
        related = [_relationship(row) for row in rows]
        ends = {end for one in related for end in (one.source_entity_id, one.target_entity_id)}
        shown = [number for number in dict.fromkeys(numbers) if number in ends or number == entity_id]
        every = {one.entity_id: one for one in await self._entities.get_many(user_id, shown)}
        every[entity_id] = center
        found = tuple(every[number] for number in shown if number in every)
        return EntityGraph(
            entities=found, relationships=tuple(related), center_entity_id=entity_id, depth=depth
        )

    async def _own(self, user_id: UserId) -> list[EntityId]:
        """Return the number of the user's own node, if there is one."""
        rows = await self._scope.all(
            sa.select(entities.c.entity_id).where(
                entities.c.org_id == self._scope.org_id,
                entities.c.user_id == user_id,
                entities.c.normalized_name == USER,
            )
        )
        return [row.entity_id for row in rows]

    async def _held(self, user_id: UserId, relationship_id: RelationshipId) -> Any:
        """Lock the ends of a relationship, and return it."""
        row = await self._row(user_id, relationship_id)
        await self._entities.lock(user_id, [row.source_id, row.target_id])
        return await self._row(user_id, relationship_id)

    async def _row(self, user_id: UserId, relationship_id: RelationshipId) -> Any:
        relationship, now = relationships.c, held_at(self._scope.clock.now())
        rows = await self._scope.all(
            _related(tuple(now)).where(
                relationship.relationship_id == relationship_id,
                relationship.user_id == user_id,
                self._scope.owns(relationships),
            ),
            now,
        )
        if not rows:
            raise _missing(relationship_id)
        return rows[0]


def _related(fields: tuple[str, ...]) -> sa.Select[*tuple[Any, ...]]:
    """Select relationships with the names of their ends and when they hold, by the parameters *fields*."""
    source, target = entities.alias("source"), entities.alias("target")
    names = (source.c.name.label("source_name"), target.c.name.label("target_name"))
    return (
        sa.select(*described(relationships, fields), *names, *period(fields))
        .join_from(relationships, source, source.c.entity_id == relationships.c.source_id)
        .join(target, target.c.entity_id == relationships.c.target_id)
    )


@cache
def _surest(fields: tuple[str, ...], *, then: bool) -> sa.Select[*tuple[Any, ...]]:
    """
    Build the statement for the most certain relationships of each of some entities.

    Args:
        fields: the names of the parameters that `held_at` returns.
        then: whether to select only relationships that were known at a given time.
    """
    relationship = relationships.c
    known = (relationship.created_at <= sa.bindparam("known_by"),) if then else ()
    ends = sa.union(
        *(
            sa.select(end.label("entity_id"), relationship.relationship_id, relationship.confidence).where(
                relationship.org_id.concat("") == sa.bindparam("org_id"),
                relationship.user_id == sa.bindparam("user_id"),
                among(end, "entity_ids"),
                *known,
                holds(fields),
            )
            for end in (relationship.source_id, relationship.target_id)
        )
    ).subquery()
    order = (ends.c.confidence.desc(), ends.c.relationship_id)
    place = sa.func.row_number().over(partition_by=ends.c.entity_id, order_by=order)
    surest = sa.select(ends.c.entity_id, ends.c.relationship_id, place.label("place")).subquery()
    return (
        _related(fields)
        .add_columns(surest.c.entity_id)
        .join(surest, surest.c.relationship_id == relationship.relationship_id)
        .where(surest.c.place <= sa.bindparam("limit", type_=sa.Integer))
        .order_by(surest.c.entity_id, surest.c.place)
    )


def _relationship(row: Any, sources: Sequence[MemoryUid] = ()) -> Relationship:
    ends = {"source_entity_id": row.source_id, "target_entity_id": row.target_id}
    values = dict(row._mapping) | ends | {"source_memory_ids": tuple(sources)}
    return Relationship.model_validate(values, extra="ignore")


def _missing(relationship_id: int) -> NotFound:
    return NotFound(f"the user has no relationship with id {relationship_id}")
