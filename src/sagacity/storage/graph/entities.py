"""Entities for people: list, edit, merge and delete them."""

from collections.abc import Sequence
from typing import Final

import sqlalchemy as sa

from sagacity.domain.errors import Conflict, InvalidInput, NotFound
from sagacity.domain.graph import USER, Entity, EntityEdit, EntityId, EntityType, NewEntity, normalized
from sagacity.domain.ids import MemoryUid, UserId
from sagacity.storage.base import Scope
from sagacity.storage.graph.descriptions import described
from sagacity.storage.graph.learned import GraphRepository, entity_of
from sagacity.storage.graph.relationship_merge import ends_of, repoint
from sagacity.storage.graph.validity import held_at
from sagacity.storage.schema.tables import entities, entity_mentions, entity_names, memories
from sagacity.storage.statements.array_params import among

MOST_ALIASES: Final = 200
SOURCES_SHOWN: Final = 20


class EntityRepository:
    """A tenant's entities; each belongs to one user, and other users cannot see it."""

    def __init__(self, scope: Scope, graph: GraphRepository) -> None:
        self._scope = scope
        self._graph = graph

    async def list_page(
        self,
        user_id: UserId,
        *,
        entity_type: EntityType | None = None,
        query: str = "",
        offset: int = 0,
        limit: int = 50,
    ) -> tuple[list[Entity], int]:
        """
        Return a page of a user's entities, most mentioned first, and how many there are in all.

        Args:
            user_id: the user.
            entity_type: only entities of this type.
            query: only entities with a name or alias that contains this.
            offset: how many to skip.
            limit: the most entities.
        """
        wanted = self._of(user_id)
        if entity_type is not None:
            wanted = sa.and_(wanted, entities.c.entity_type == str(entity_type))
        if part := normalized(query):
            of_alias = sa.select(entity_names.c.entity_id).where(
                entity_names.c.org_id == self._scope.org_id,
                entity_names.c.user_id == user_id,
                entity_names.c.normalized_name.contains(part, autoescape=True),
            )
            of_name = entities.c.normalized_name.contains(part, autoescape=True)
            wanted = sa.and_(wanted, sa.or_(of_name, entities.c.entity_id.in_(of_alias)))
        order = (entities.c.mention_count.desc(), entities.c.normalized_name)
        rows = await self._scope.all(
            sa.select(*described(entities)).where(wanted).order_by(*order).offset(offset).limit(limit),
            held_at(self._scope.clock.now()),
        )
        [(total,)] = await self._scope.all(sa.select(sa.func.count()).select_from(entities).where(wanted))
        return [entity_of(row) for row in rows], total

    async def get(self, user_id: UserId, entity_id: EntityId) -> Entity:
        """
        Return one entity, with the newest memories that mention it.

        Raises:
            NotFound: the user has none with that number.
        """
        [entity] = await self.lock(user_id, [entity_id])
        memory = memories.c
        rows = await self._scope.all(
            sa.select(memory.uid)
            .join(entity_mentions, entity_mentions.c.memory_id == memory.memory_id)
            .where(
                entity_mentions.c.org_id == self._scope.org_id,
                entity_mentions.c.entity_id == entity_id,
                self._scope.owns(memories),
            )
            .order_by(entity_mentions.c.memory_id.desc())
            .limit(SOURCES_SHOWN)
        )
        return entity.model_copy(update={"source_memory_ids": tuple(MemoryUid(row.uid) for row in rows)})

    async def lock(self, user_id: UserId, entity_ids: Sequence[EntityId]) -> list[Entity]:
        """
        Return entities in the order of their numbers; a writing transaction locks them.

        Raises:
            NotFound: one of them is not the user's.
        """
        statement = sa.select(*described(entities)).where(
            among(entities.c.entity_id, "numbers"),
            self._scope.owns(entities),
            entities.c.user_id == user_id,
        )
        rows = await self._scope.all(
            self._scope.locked(statement.order_by(entities.c.entity_id)),
            {**held_at(self._scope.clock.now()), "numbers": list(entity_ids)},
        )
        missing = set(entity_ids) - {row.entity_id for row in rows}
        if missing:
            raise _missing(min(missing))
        return [entity_of(row) for row in rows]

    async def get_many(self, user_id: UserId, entity_ids: Sequence[int]) -> list[Entity]:
        """Return those of *entity_ids* that the user has, most mentioned first."""
        rows = await self._scope.all(
            sa.select(*described(entities))
            .where(
                among(entities.c.entity_id, "numbers"),
                self._scope.owns(entities),
                entities.c.user_id == user_id,
            )
            .order_by(entities.c.mention_count.desc(), entities.c.entity_id),
            {**held_at(self._scope.clock.now()), "numbers": list(entity_ids)},
        )
        return [entity_of(row) for row in rows]

    async def add(self, user_id: UserId, new: NewEntity) -> Entity:
        """
        Store an entity that is kept even while no memory mentions it.

        Raises:
            Conflict: another entity of the user has its name or one of its aliases.
            InvalidInput: its name is empty.
        """
        names = _names(new.name, new.aliases)
        now = self._scope.clock.now()
        own = normalized(new.name)
        await self._refuse_taken(user_id, list(names), None)
        rows = await self._scope.all(
            self._scope.insert(entities).on_conflict_do_nothing().returning(entities.c.entity_id),
            {
                "org_id": self._scope.org_id,
                "user_id": user_id,
                "name": new.name,
                "normalized_name": own,
                "entity_type": str(new.entity_type),
                "description": new.description,
                "aliases": [name for key, name in names.items() if key != own],
                "attributes": new.attributes,
                "is_kept": True,
                "created_at": now,
                "updated_at": now,
            },
        )
        if not rows:
            raise Conflict(f"the user already has an entity with the name {new.name!r}; edit that one")
        entity_id = EntityId(rows[0].entity_id)
        await self._give_names(user_id, entity_id, list(names))
        return await self.get(user_id, entity_id)

    async def update(self, user_id: UserId, entity_id: EntityId, edit: EntityEdit) -> Entity:
        """
        Change an entity, which is kept from then on even if no memory mentions it. A former name becomes an alias.

        Raises:
            NotFound: the user has none with that number.
            Conflict: another entity has one of the new names.
            InvalidInput: the name is empty, or the entity is the user's own node, which keeps its name.
        """
        [before] = await self.lock(user_id, [entity_id])
        name = before.name if edit.name is None else edit.name
        if before.normalized_name == USER != normalized(name):
            raise InvalidInput(f"the user's own node keeps the name {USER!r}; give it an alias instead")
        aliases = before.aliases if edit.aliases is None else edit.aliases
        if edit.aliases is None and normalized(name) != before.normalized_name:
            aliases = (before.name, *aliases)
        names = _names(name, aliases)
        own = normalized(name)
        await self._refuse_taken(user_id, list(names), entity_id)
        changed = edit.model_dump(exclude_none=True, include={"entity_type", "description", "attributes"})
        await self._scope.run(
            sa.update(entities)
            .where(entities.c.entity_id == entity_id, self._scope.owns(entities))
            .values(
                **changed,
                name=name,
                normalized_name=own,
                aliases=[one for key, one in names.items() if key != own],
                is_kept=True,
                updated_at=self._scope.clock.now(),
            )
        )
        await self._scope.run(sa.delete(entity_names).where(entity_names.c.entity_id == entity_id))
        await self._give_names(user_id, entity_id, list(names))
        return await self.get(user_id, entity_id)

    async def merge(self, user_id: UserId, into: EntityId, others: Sequence[EntityId]) -> Entity:
        """
        Merge *others* into *into*, which gets their names as aliases, and their memories and relationships.

        Fields that *into* leaves empty are filled from the others. Relationships between the merged entities are
        deleted. Of relationships that become equal, the most certain is kept.

        Raises:
            NotFound: one of them is not the user's.
            InvalidInput: *others* is empty, or contains the user's own node.
        """
        gone = [number for number in dict.fromkeys(others) if number != into]
        if not gone:
            raise InvalidInput("name at least one other entity to merge")
        await self._graph.lock([into, *gone, *await ends_of(self._scope, user_id, gone)])
        found = {one.entity_id: one for one in await self.lock(user_id, [into, *gone])}
        await self._graph.lock(
            await ends_of(self._scope, user_id, gone)
        )  # again, for relationships added before the lock
        kept, rest = found[into], [found[number] for number in sorted(gone)]
        if any(one.normalized_name == USER for one in rest):
            raise InvalidInput("the user's own node cannot be merged into another; merge the other into it")
        every = [name for one in (kept, *rest) for name in (one.name, *one.aliases)]
        names = _names(kept.name, every)
        written = await self._written([into, *gone])
        await self._take_names(user_id, into, list(names), gone)
        await repoint(self._scope, user_id, into, gone)
        await self._graph.take_mentions(into, gone)
        await self._scope.run(
            sa.delete(entities).where(among(entities.c.entity_id, "gone"), self._scope.owns(entities)),
            {"gone": gone},
        )
        mentioned = [one.last_mentioned_at for one in (kept, *rest) if one.last_mentioned_at is not None]
        known = [one.entity_type for one in (kept, *rest) if one.entity_type is not EntityType.OTHER]
        attributes = {key: value for one in (*rest[::-1], kept) for key, value in one.attributes.items()}
        await self._scope.run(
            sa.update(entities)
            .where(entities.c.entity_id == into, self._scope.owns(entities))
            .values(
                aliases=[name for key, name in names.items() if key != kept.normalized_name],
                entity_type=str(known[0] if known else kept.entity_type),
                description=next(filter(None, (written[one.entity_id] for one in (kept, *rest))), ""),
                attributes=attributes,
                last_mentioned_at=max(mentioned, default=None),
                created_at=min(one.created_at for one in (kept, *rest)),
                updated_at=self._scope.clock.now(),
                is_kept=True,
            )
        )
        await self._graph.recount([into])
        return await self.get(user_id, into)

    async def delete(self, user_id: UserId, entity_id: EntityId) -> None:
        """
        Delete an entity with its names and relationships; the memories that mention it stay.

        Raises:
            NotFound: the user has none with that number.
        """
        conditions = (entities.c.entity_id == entity_id, self._of(user_id))
        if not await self._scope.run(sa.delete(entities).where(*conditions)):
            raise _missing(entity_id)

    def _of(self, user_id: UserId) -> sa.ColumnElement[bool]:
        return sa.and_(entities.c.org_id == self._scope.org_id, entities.c.user_id == user_id)

    async def _refuse_taken(self, user_id: UserId, names: Sequence[str], but: EntityId | None) -> None:
        for one in await self._graph.find(user_id, names):
            if one.entity_id != but:
                raise Conflict(
                    f"the user's entity {one.entity_id} ({one.name!r}) has one of these names; merge the two, or "
                    "leave the name out"
                )

    async def _give_names(self, user_id: UserId, entity_id: EntityId, names: Sequence[str]) -> None:
        own = {"org_id": self._scope.org_id, "user_id": user_id, "entity_id": entity_id}
        given = await self._scope.all(
            self._scope.insert(entity_names)
            .on_conflict_do_nothing()
            .returning(entity_names.c.normalized_name),
            [own | {"normalized_name": name} for name in sorted(names)],
        )
        if len(given) < len(names):
            raise Conflict("another entity of the user has just got one of these names; try again")

    async def _written(self, entity_ids: Sequence[EntityId]) -> dict[int, str]:
        """Return the descriptions of entities that people wrote, without those from memories."""
        rows = await self._scope.all(
            sa.select(entities.c.entity_id, entities.c.description).where(
                among(entities.c.entity_id, "numbers"), self._scope.owns(entities)
            ),
            {"numbers": list(entity_ids)},
        )
        return {row.entity_id: row.description for row in rows}

    async def _take_names(
        self, user_id: UserId, into: EntityId, names: Sequence[str], gone: Sequence[EntityId]
    ) -> None:
        await self._scope.run(
            sa.update(entity_names).where(among(entity_names.c.entity_id, "gone")).values(entity_id=into),
            {"gone": list(gone)},
        )
        own = {"org_id": self._scope.org_id, "user_id": user_id, "entity_id": into}
        await self._scope.run(
            self._scope.insert(entity_names).on_conflict_do_nothing(),
            [own | {"normalized_name": name} for name in sorted(names)],
        )


def _names(name: str, aliases: Sequence[str]) -> dict[str, str]:
    """Return an entity's names by their normalised form, its own name first."""
    names: dict[str, str] = {}
    for one in (name, *aliases):
        names.setdefault(normalized(one), one)
    if not normalized(name):
        raise InvalidInput("the name is empty, or has only invisible characters")
    names.pop("", None)
    if len(names) > MOST_ALIASES + 1:
        raise InvalidInput(f"an entity can have {MOST_ALIASES} aliases at most")
    if USER in names and normalized(name) != USER:
        raise InvalidInput(f"{USER!r} is the name of the user's own node")
    return names


def _missing(entity_id: int) -> NotFound:
    return NotFound(f"the user has no entity with id {entity_id}")
