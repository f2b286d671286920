"""Which people are the same although some memories give only the first name."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import sqlalchemy as sa

from sagacity.domain.graph import (
    USER,
    EntityMention,
    EntityType,
    RelationshipMention,
    RelationType,
    normalized,
)
from sagacity.domain.ids import UserId
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import entities, entity_names, relationships
from sagacity.storage.statements.array_params import among

_SHORTEST = 2
"""Characters of a first name; one may be an initial."""
_MOST = 50
"""First names that are looked up for one memory; one with more people is a list, and the rest stays apart."""
_TELLS_NOTHING = frozenset({RelationType.KNOWS, RelationType.RELATED_TO, RelationType.ASSOCIATED_WITH})


@dataclass(frozen=True, slots=True)
class Named:
    """A name of a known entity."""

    name: str
    """In comparable form."""
    entity_id: int
    is_own: bool
    """Whether it is the entity's own name, not an alias."""
    is_learned: bool
    """Whether a memory gave this alias, and not a person."""
    is_open: bool
    """Whether the entity may be united with another: a person who is not the user, and whom nobody edited."""
    ties: frozenset[str]
    """What the entity is to the user: the words of their relationships, but for those that tell nothing."""


@dataclass(slots=True)
class Reading:
    """What new names of people mean beside the known ones."""

    same: dict[str, str] = field(default_factory=dict[str, str])
    """First names that mean the person of a full name, known or new."""
    joined: dict[str, str] = field(default_factory=dict[str, str])
    """Known first names of people whose full name is new."""
    doubtful: dict[str, int] = field(default_factory=dict[str, int])
    """Learned aliases that mean nobody in particular any more, with their entities."""


def first_names(new: Mapping[str, EntityMention]) -> list[str]:
    """Return the first names of new people, by whom others may be called; in comparable form, sorted."""
    people = (name for name, mention in new.items() if mention.entity_type is EntityType.PERSON)
    return sorted({first for name in people if len(first := name.split(" ")[0]) >= _SHORTEST} - {USER})[
        :_MOST
    ]


async def namesakes(scope: Scope, user_id: UserId, firsts: Sequence[str]) -> list[Named]:
    """Return the names that a user's entities have which are one of *firsts* or begin with it; locks the entities."""
    name, entity = entity_names.c, entities.c
    begins = [
        sa.or_(name.normalized_name == first, name.normalized_name.startswith(f"{first} ", autoescape=True))
        for first in firsts
    ]
    rows = await scope.all(
        scope.locked(
            sa.select(name.normalized_name, name.entity_id, name.memory_id, entity.is_kept)
            .add_columns(entity.entity_type, entity.normalized_name.label("own_name"))
            .join(entities, entity.entity_id == name.entity_id)
            .where(name.org_id == scope.org_id, name.user_id == user_id, sa.or_(*begins))
            .order_by(entity.entity_id),
            entities,
        )
    )
    ties = await _known_ties(scope, user_id, [row.entity_id for row in rows]) if rows else {}
    return [
        Named(
            name=row.normalized_name,
            entity_id=row.entity_id,
            is_own=row.own_name == row.normalized_name,
            is_learned=row.memory_id is not None,
            is_open=row.entity_type == EntityType.PERSON and not row.is_kept and row.own_name != USER,
            ties=ties.get(row.entity_id, frozenset()),
        )
        for row in rows
    ]


def ties_to_user(related: Iterable[RelationshipMention]) -> dict[str, frozenset[str]]:
    """Return what names are to the user by relationships: the telling words, by name in comparable form."""
    ties: defaultdict[str, set[str]] = defaultdict(set)
    for one in related:
        ends = normalized(one.source), normalized(one.target)
        if USER in ends:
            ties[ends[ends[0] == USER]].add(one.relationship_type)
    return {name: frozenset(words - _TELLS_NOTHING) for name, words in ties.items()}


async def _known_ties(scope: Scope, user_id: UserId, numbers: Sequence[int]) -> dict[int, frozenset[str]]:
    """Return what known entities are to the user."""
    tie, me = relationships.c, entities.c
    ties: defaultdict[int, set[str]] = defaultdict(set)
    for end, other in ((tie.source_id, tie.target_id), (tie.target_id, tie.source_id)):
        rows = await scope.all(
            sa.select(other.label("entity_id"), tie.relationship_type)
            .join(entities, me.entity_id == end)
            .where(tie.org_id == scope.org_id, tie.user_id == user_id, among(other, "numbers"))
            .where(me.normalized_name == USER),
            {"numbers": sorted({*numbers})},
        )
        for row in rows:
            ties[row.entity_id].add(row.relationship_type)
    return {number: frozenset(words - _TELLS_NOTHING) for number, words in ties.items()}


def read_names(
    new: Mapping[str, EntityMention],
    known: Iterable[Named],
    firsts: Sequence[str],
    ties: Mapping[str, frozenset[str]],
) -> Reading:
    """
    Decide which names mean the same person.

    A first name means the one person whose full name begins with it, unless they are different things to the user, such
    as a brother and a colleague. If two full names begin with it, it means neither, and two full names never mean the
    same. A first name in small letters, such as `uncle`, is no name.

    Args:
        new: unknown names in comparable form, with their mentions.
        known: names that begin with one of *firsts*.
        firsts: first names of the new people.
        ties: what the new names are to the user, see `ties_to_user`.
    """
    reading, known = Reading(), list(known)
    for first in firsts:
        full = [one for one in known if one.name.startswith(f"{first} ")]
        unseen = [name for name in new if name.startswith(f"{first} ")]
        bare = next((one for one in known if one.name == first), None)
        if len({one.entity_id for one in full} | set(unseen)) > 1:
            if unseen and bare is not None and bare.is_learned and bare.is_open and not bare.is_own:
                reading.doubtful[first] = bare.entity_id
        elif full and _is_name(new.get(first)):
            if full[0].is_open and _agree(full[0].ties, ties.get(first)):
                reading.same[first] = full[0].name
        elif unseen and new[unseen[0]].entity_type is EntityType.PERSON:
            theirs = ties.get(unseen[0])
            if _is_name(new.get(first)) and _agree(ties.get(first), theirs):
                reading.same[first] = unseen[0]
            elif bare is not None and bare.is_own and bare.is_open and _agree(bare.ties, theirs):
                reading.joined[first] = unseen[0]
    return reading


def _is_name(mention: EntityMention | None) -> bool:
    if mention is None or mention.entity_type is not EntityType.PERSON:
        return False
    return not mention.name.islower()


def _agree(one: frozenset[str] | None, other: frozenset[str] | None) -> bool:
    return not one or not other or not one.isdisjoint(other)
