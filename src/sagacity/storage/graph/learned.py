"""A user's graph for learning and search: entities that memories name, and relationships between them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import Any

import sqlalchemy as sa

from sagacity.domain.change import Candidate
from sagacity.domain.graph import (
    USER,
    Entity,
    EntityId,
    EntityMention,
    EntityType,
    Near,
    RelationshipMention,
    names_within,
    normalized,
)
from sagacity.domain.ids import UserId
from sagacity.domain.memory import Memory, Status
from sagacity.storage.base import Scope
from sagacity.storage.graph.descriptions import described, mention_entity, mention_relationship, told_by
from sagacity.storage.graph.first_names import first_names, namesakes, read_names, ties_to_user
from sagacity.storage.graph.relationship_merge import ends_of, own_part, repoint, said_by, upsert_relationship
from sagacity.storage.graph.traversal import MAX_HOPS, near
from sagacity.storage.graph.validity import held_at
from sagacity.storage.schema.tables import (
    entities,
    entity_mentions,
    entity_names,
    relationship_mentions,
    relationships,
)
from sagacity.storage.statements.array_params import among, found_by


def entity_of(row: Any) -> Entity:
    """Turn a row into the value, without the memories that mention it."""
    return Entity.model_validate(row._mapping, extra="ignore")


class GraphRepository:
    """Entities and relationships of a tenant's users; those that were learned are deleted with their last memory."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def find(self, user_id: UserId, names: Sequence[str]) -> list[Entity]:
        """
        Return the user's entities that have one of *names* as name or alias, most mentioned first.

        Args:
            user_id: the user.
            names: names in any case and spacing.
        """
        wanted = sorted({normalized(name) for name in names} - {""})
        if not wanted:
            return []
        now = held_at(self._scope.clock.now())
        given = {**now, "org_id": self._scope.org_id, "user_id": user_id, "names": wanted}
        return [entity_of(row) for row in await self._scope.all(_named(), given)]

    async def memories_around(
        self,
        user_id: UserId,
        entity_ids: Sequence[EntityId],
        *,
        hops: int = 2,
        limit: int = 50,
        statuses: Sequence[Status] = (Status.CURRENT,),
    ) -> list[Near]:
        """
        Return the memories that mention entities or others related to them, along relationships in both directions.

        The score is the product of the confidences on the best path, halved at each step. No path leads through the
        user's own node, to which everything is related, unless it is a start. Of a hub, only the most certain
        relationships are followed.

        Args:
            user_id: the user; entities of others are ignored.
            entity_ids: where to start.
            hops: the most steps from there, 0 to 4.
            limit: the most memories.
            statuses: statuses of the memories; empty admits all. If others than current ones are admitted,
                relationships that no longer hold are followed too.

        Returns:
            Each memory once, best first, then newest.
        """
        given = {
            "org_id": self._scope.org_id,
            "user_id": user_id,
            "starts": list(dict.fromkeys(entity_ids)),
            "hops": max(0, min(hops, MAX_HOPS)),
            "limit": max(0, limit),
            "statuses": [str(status) for status in statuses or Status],
        }
        lateral, ended = self._scope.backend.joins_laterally, tuple(statuses) != (Status.CURRENT,)
        if not ended:
            given |= held_at(self._scope.clock.now())
        rows = await self._scope.all(near(lateral=lateral, ended=ended), given)
        return [
            Near(memory_id=row.memory_id, score=row.score, hops=row.hops, via=row.entity_id) for row in rows
        ]

    async def add(self, memory: Memory, candidate: Candidate) -> None:
        """Store the entities and relationships of *candidate* for *memory*; ends of relationships are mentions too."""
        related = [
            relationship
            for relationship in candidate.relationships
            if relationship.source and relationship.target and relationship.relationship_type
        ]
        people = (one.normalized_name for one in candidate.entities if one.entity_type is EntityType.PERSON)
        called = {name.split(" ")[0] for name in people}
        ends = [
            _end(name, called)
            for relationship in related
            for name in (relationship.source, relationship.target)
        ]
        mentions: dict[str, EntityMention] = {}
        for mention in (*candidate.entities, *ends):
            mentions.setdefault(mention.normalized_name, mention)
        mentions.pop("", None)
        if not mentions or memory.user_id is None:
            return
        numbers = await self._numbered(memory, memory.user_id, mentions, ties_to_user(related))
        await self._mention({number: mentions[name] for name, number in numbers.items()}, memory)
        await self._relate(memory, related, numbers)

    async def call_user(self, memory: Memory, name: str) -> None:
        """
        Make *name*, which *memory* says is the user's own, an alias of the user's node, as long as the memory exists.

        A learned entity with that full name is merged into the user's node. It is not if a person made or edited it, if
        the name is only an alias of it, or if the name is a single word, which friends can share.
        """
        key, user_id = normalized(name), memory.user_id
        if user_id is None or key in {"", USER}:
            return
        me = (await self._numbered(memory, user_id, {USER: _end(USER)}, {}))[USER]
        other = next((one for one in await self.find(user_id, [name]) if one.entity_id != me), None)
        if other is not None:
            if other.normalized_name != key or " " not in key or await self._is_kept(other.entity_id):
                return
            await self._become(user_id, EntityId(me), other.entity_id)
        await self._mention({me: None}, memory)
        await self._call(memory, user_id, me, name)

    async def _call(self, memory: Memory, user_id: UserId, entity_id: int, name: str) -> None:
        """Give an entity an alias that it keeps as long as *memory* exists, unless another one has that name."""
        given = {"user_id": user_id, "normalized_name": normalized(name), "entity_id": entity_id}
        made = await self._scope.all(
            self._scope.insert(entity_names)
            .on_conflict_do_nothing()
            .returning(entity_names.c.normalized_name),
            given | {"org_id": self._scope.org_id, "memory_id": memory.memory_id},
        )
        if made:
            await self._rename(entity_id, lambda aliases: [*aliases, name])

    async def _is_kept(self, entity_id: EntityId) -> bool:
        is_it = sa.and_(entities.c.entity_id == entity_id, self._scope.owns(entities))
        rows = await self._scope.all(sa.select(entities.c.is_kept).where(is_it))
        return any(row.is_kept for row in rows)

    async def _become(self, user_id: UserId, into: EntityId, gone: EntityId) -> None:
        """Merge the learned entity *gone*, with its memories and relationships, into another."""
        await self.lock([into, gone, *await ends_of(self._scope, user_id, [gone])])
        await repoint(self._scope, user_id, into, [gone])
        await self.take_mentions(into, [gone])
        await self._scope.run(
            sa.delete(entities).where(entities.c.entity_id == gone, self._scope.owns(entities))
        )
        await self.recount([into])

    async def _rename(self, entity_id: int, change: Callable[[list[str]], list[str]]) -> None:
        """Change the list of aliases that is shown with an entity."""
        column = entities.c
        is_it = sa.and_(column.entity_id == entity_id, self._scope.owns(entities))
        for row in await self._scope.all(sa.select(column.aliases).where(is_it)):
            await self._scope.run(sa.update(entities).where(is_it).values(aliases=change(list(row.aliases))))

    async def take_mentions(self, into: EntityId, gone: Sequence[EntityId]) -> None:
        """Make the memories that mention *gone* mention *into*."""
        mention = entity_mentions.c
        rows = await self._scope.all(
            sa.select(mention.memory_id, sa.func.max(mention.description).label("description"))
            .where(mention.org_id == self._scope.org_id, among(mention.entity_id, "gone"))
            .group_by(mention.memory_id),
            {"gone": list(gone)},
        )
        own = {"org_id": self._scope.org_id, "entity_id": into}
        if rows:
            await self._scope.run(
                self._scope.upsert(mention_entity), [own | dict(row._mapping) for row in rows]
            )

    async def link(self, user_id: UserId, memories: Sequence[Memory]) -> None:
        """Note which of the user's entities the texts of *memories* name."""
        said = [(memory, names_within(memory.search_text, as_names=True)) for memory in memories]
        names = {name for _, found in said for name in found} - {USER}
        known = await self._known(user_id, sorted(names)) if names else {}
        for memory, found in said:
            numbers = dict.fromkeys(known[name] for name in found if name in known)
            if numbers:
                await self._mention(numbers, memory)

    async def take_over(self, memory: Memory, others: Sequence[Memory]) -> None:
        """Make *memory* state the relationships of *others*, which were merged into it."""
        await self._say(memory, said_by(self._scope, others), others)

    async def take_apart(self, memory: Memory, whole: Memory, others: Sequence[Memory]) -> None:
        """Make *memory* state the relationships of *whole* between names it mentions, except those of *others*."""
        await self._say(memory, own_part(self._scope, memory, whole, others), [whole])

    async def forget(self, memory_ids: Sequence[int]) -> None:
        """Remove the mentions by *memory_ids*, which are about to be deleted, and what nothing mentions then."""
        gone = {"memory_ids": list(memory_ids), "org_id": self._scope.org_id}
        spoken_of = sa.select(entity_mentions.c.entity_id).where(*_of_memories(entity_mentions))
        await self.lock(sorted({row.entity_id for row in await self._scope.all(spoken_of, gone)}))
        named = await self._scope.all(_unmention(entity_mentions, "entity_id"), gone)
        entity_ids = sorted({row.entity_id for row in named})
        if entity_ids:
            of_these = among(entity_names.c.memory_id, "memory_ids")
            await self._unname(entity_ids, of_these, {"memory_ids": list(memory_ids)})
            await self.recount(entity_ids)
        said = await self._scope.all(_unmention(relationship_mentions, "relationship_id"), gone)
        if said:
            relationship = relationships.c
            learned = (among(relationship.relationship_id, "said"), ~relationship.is_kept)
            bare = ~sa.exists().where(relationship_mentions.c.relationship_id == relationship.relationship_id)
            what = {"said": sorted({row.relationship_id for row in said})}
            await self._scope.run(sa.delete(relationships).where(*learned, bare), what)
        if entity_ids:
            entity = entities.c
            learned, who = (among(entity.entity_id, "named"), ~entity.is_kept), {"named": entity_ids}
            await self._scope.run(sa.delete(entities).where(*learned, entity.mention_count == 0), who)

    async def _unname(
        self, entity_ids: Sequence[int], which: sa.ColumnElement[bool], given: Mapping[str, Any]
    ) -> None:
        """Remove those of the names of entities that a condition with parameters picks."""
        name = entity_names.c
        rows = await self._scope.all(
            sa.delete(entity_names)
            .where(among(name.entity_id, "named"), which)
            .where(self._scope.owns(entity_names))
            .returning(name.entity_id, name.normalized_name),
            {"named": list(entity_ids), **given},
        )
        for row in rows:
            lost = row.normalized_name
            await self._rename(
                row.entity_id, lambda names, lost=lost: [n for n in names if normalized(n) != lost]
            )

    async def lock(self, entity_ids: Sequence[int]) -> None:
        """
        Lock entities, always in the same order, so that no two transactions wait for each other.

        An entity must be locked before its names, mentions or relationships are changed.
        """
        statement = (
            sa.select(entities.c.entity_id)
            .where(among(entities.c.entity_id, "held"), self._scope.owns(entities))
            .order_by(entities.c.entity_id)
        )
        await self._scope.all(self._scope.locked(statement), {"held": list(entity_ids)})

    async def recount(self, entity_ids: Sequence[int]) -> None:
        """Count again how many memories mention each of *entity_ids*."""
        count = (
            sa.select(sa.func.count())
            .where(entity_mentions.c.entity_id == entities.c.entity_id)
            .scalar_subquery()
        )
        await self._scope.run(
            sa.update(entities)
            .where(among(entities.c.entity_id, "touched"), self._scope.owns(entities))
            .values(mention_count=count),
            {"touched": sorted(entity_ids)},
        )

    async def _known(self, user_id: UserId, names: Sequence[str]) -> dict[str, int]:
        """Lock the entities that have one of *names*, which are normalised, and return their numbers by name."""
        rows = await self._scope.all(
            self._scope.locked(
                sa.select(entity_names.c.normalized_name, entities.c.entity_id)
                .join(entities, entities.c.entity_id == entity_names.c.entity_id)
                .where(
                    entity_names.c.org_id == self._scope.org_id,
                    entity_names.c.user_id == user_id,
                    among(entity_names.c.normalized_name, "names"),
                )
                .order_by(entities.c.entity_id),
                entities,  # an entity is locked before its names are changed
            ),
            {"names": list(names)},
        )
        return {row.normalized_name: row.entity_id for row in rows}

    async def _numbered(
        self,
        memory: Memory,
        user_id: UserId,
        mentions: Mapping[str, EntityMention],
        ties: Mapping[str, frozenset[str]],
    ) -> dict[str, int]:
        """Return the number of each name's entity; unknown names get a new entity, except other names of a person."""
        known = await self._known(user_id, sorted(mentions))
        new = {name: mention for name, mention in sorted(mentions.items()) if name not in known}
        if not new:
            return known
        firsts = first_names(new)
        named = await namesakes(self._scope, user_id, firsts) if firsts else []
        reading = read_names(new, named, firsts, ties)
        if reading.doubtful:
            name, doubtful = entity_names.c, reading.doubtful
            learned = sa.and_(name.memory_id.is_not(None), among(name.normalized_name, "names"))
            await self._unname(list(doubtful.values()), learned, {"names": list(doubtful)})
        other = {name: mention for name, mention in new.items() if name not in reading.same}
        known |= {one.name: one.entity_id for one in named} | await self._made(user_id, other)
        for first, name in reading.same.items():
            known[first] = known[name]
            await self._call(memory, user_id, known[name], new[first].name)
        for first, name in reading.joined.items():
            await self._become(user_id, EntityId(known[name]), EntityId(known[first]))
            known[first] = known[name]
            await self._call(memory, user_id, known[name], new[name].name.split()[0])
        return {name: known[name] for name in mentions}

    async def _made(self, user_id: UserId, new: Mapping[str, EntityMention]) -> dict[str, int]:
        """Add entities, and return their numbers by name."""
        if not new:
            return {}
        now, org_id = self._scope.clock.now(), self._scope.org_id
        insert = self._scope.insert(entities)
        rows = await self._scope.all(
            insert.on_conflict_do_update(
                index_elements=[entities.c.org_id, entities.c.user_id, entities.c.normalized_name],
                set_={"updated_at": insert.excluded.updated_at},
            ).returning(entities.c.entity_id, entities.c.normalized_name),
            [
                {
                    "org_id": org_id,
                    "user_id": user_id,
                    "name": mention.name,
                    "normalized_name": name,
                    "entity_type": str(mention.entity_type),
                    "created_at": now,
                    "updated_at": now,
                }
                for name, mention in new.items()
            ],
        )
        made = {row.normalized_name: row.entity_id for row in rows}
        own = {"org_id": org_id, "user_id": user_id}
        await self._scope.run(
            self._scope.insert(entity_names).on_conflict_do_nothing(),
            [own | {"normalized_name": name, "entity_id": number} for name, number in made.items()],
        )
        return made

    async def _mention(self, mentioned: Mapping[int, EntityMention | None], memory: Memory) -> None:
        """Record that *memory* mentions entities, and fill in their unknown fields."""
        numbers = sorted(mentioned)
        own = {"org_id": self._scope.org_id, "memory_id": memory.memory_id}
        told = [(number, mentioned[number] or EntityMention(name="")) for number in numbers]
        await self._scope.run(
            self._scope.upsert(mention_entity),
            [own | {"entity_id": number, "description": mention.description} for number, mention in told],
        )
        when = {"at": memory.valid_from or memory.updated_at, "now": self._scope.clock.now()}
        await self._scope.run(
            _fill(),
            [when | {"number": number, "type": str(mention.entity_type)} for number, mention in told],
        )
        await self.recount(numbers)

    async def _relate(
        self, memory: Memory, related: Sequence[RelationshipMention], numbers: Mapping[str, int]
    ) -> None:
        """Record that *memory* states relationships; an existing one keeps the highest confidence of all mentions."""
        now = self._scope.clock.now()
        rows: dict[tuple[int, str, int], dict[str, Any]] = {}
        told: dict[tuple[int, str, int], str] = {}
        for relationship in related:
            source, target = (
                numbers[normalized(relationship.source)],
                numbers[normalized(relationship.target)],
            )
            if source != target:
                key = (source, relationship.relationship_type, target)
                told[key] = relationship.description or told.get(key, "")
                rows[key] = {
                    "org_id": self._scope.org_id,
                    "user_id": memory.user_id,
                    "source_id": source,
                    "target_id": target,
                    "relationship_type": relationship.relationship_type,
                    "confidence": relationship.confidence,
                    "description": "",
                    "created_at": now,
                    "updated_at": now,
                }
        if not rows:
            return
        made = await self._scope.all(
            self._scope.upsert(upsert_relationship), [row for _, row in sorted(rows.items())]
        )
        await self._scope.run(
            self._scope.upsert(mention_relationship),
            [
                {
                    "org_id": self._scope.org_id,
                    "relationship_id": row.relationship_id,
                    "memory_id": memory.memory_id,
                    "description": told[row.source_id, row.relationship_type, row.target_id],
                }
                for row in made
            ],
        )

    async def _say(self, memory: Memory, related: sa.Select[tuple[int]], speakers: Sequence[Memory]) -> None:
        """Record that *memory* states the relationships in *related* and their ends, described as by *speakers*."""
        relationship, mention = relationships.c, entity_mentions.c
        own = (sa.literal(self._scope.org_id, sa.Text), sa.literal(memory.memory_id, mention.memory_id.type))
        picked = found_by(relationship.relationship_id, related.scalar_subquery())
        ends = sa.union(
            *(
                sa.select(end.label("entity_id")).where(picked)
                for end in (relationship.source_id, relationship.target_id)
            )
        )
        numbers = [row.entity_id for row in await self._scope.all(ends)]
        if not numbers:
            return
        await self.lock(numbers)
        end = ends.subquery("ends")
        for table, number, within, which in (
            (entity_mentions, end.c.entity_id, end, end.c.entity_id.is_not(None)),
            (relationship_mentions, relationship.relationship_id, relationships, picked),
        ):
            theirs = sa.select(number, *own, told_by(table, number, within, speakers)).where(which)
            into: Any = self._scope.insert(table).from_select(
                [number.name, "org_id", "memory_id", "description"], theirs
            )
            await self._scope.run(into.on_conflict_do_nothing())
        spoken_of = sa.select(mention.entity_id).where(
            mention.memory_id == memory.memory_id, self._scope.owns(entity_mentions)
        )
        await self.recount([row.entity_id for row in await self._scope.all(spoken_of)])


def _end(name: str, called: Collection[str] = ()) -> EntityMention:
    """Return the mention of a relationship's end, of which the name is known; first names in *called* are persons'."""
    key = normalized(name)
    is_person = key == USER or key in called
    return EntityMention(name=name, entity_type=EntityType.PERSON if is_person else EntityType.OTHER)


@cache
def _named() -> sa.Select[Any]:
    """Return the statement for entities by their names."""
    org_id = sa.bindparam("org_id", type_=sa.Text)
    user_id = sa.bindparam("user_id", type_=sa.Text)
    name = entity_names.c
    numbers = sa.select(name.entity_id).where(
        name.org_id == org_id, name.user_id == user_id, among(name.normalized_name, "names")
    )
    return (
        sa.select(*described(entities))
        .where(found_by(entities.c.entity_id, numbers.scalar_subquery()))
        .order_by(entities.c.mention_count.desc(), entities.c.entity_id)
    )


def _fill() -> sa.Update:
    column, at = entities.c, sa.bindparam("at", type_=entities.c.last_mentioned_at.type)
    unknown = column.entity_type == str(EntityType.OTHER)
    is_older = sa.or_(column.last_mentioned_at.is_(None), column.last_mentioned_at < at)
    return (
        sa.update(entities)
        .where(column.entity_id == sa.bindparam("number"))
        .values(
            entity_type=sa.case((unknown, sa.bindparam("type", type_=sa.Text)), else_=column.entity_type),
            last_mentioned_at=sa.case((is_older, at), else_=column.last_mentioned_at),
            updated_at=sa.bindparam("now", type_=column.updated_at.type),
        )
    )


def _of_memories(table: sa.Table) -> tuple[sa.ColumnElement[bool], ...]:
    return table.c.org_id.concat("") == sa.bindparam("org_id"), among(table.c.memory_id, "memory_ids")


def _unmention(table: sa.Table, key: str) -> Any:
    return sa.delete(table).where(*_of_memories(table)).returning(table.c[key])
