"""Find what was made from memories, or replaced them, and is current."""

import json
from collections.abc import Collection
from typing import NamedTuple, cast

import sqlalchemy as sa

from sagacity.domain.cluster import REPLACES
from sagacity.domain.ids import MAX_INT, MemoryId, UserId
from sagacity.domain.kinds import REVIEWED_KINDS
from sagacity.domain.memory import Approval, MemoryKind, Status
from sagacity.domain.review_queue import SUPERSEDED_BY
from sagacity.domain.views.user_playbook import PLAYBOOK_METADATA
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import memories, playbook_clusters

_MOST_DIGITS = len(str(MAX_INT))


class Successor(NamedTuple):
    """The memory that takes another's place."""

    kind: MemoryKind
    memory_id: MemoryId


async def successors_of(
    scope: Scope, kinds: Collection[MemoryKind], user_id: UserId | None
) -> dict[MemoryId, Successor]:
    """
    Return the successors of memories of *kinds*, by the number of the replaced memory, which may be archived.

    - For a user playbook: the approved agent playbook or skill that was made from its cluster.
    - For an agent playbook or a skill: the approved one that was written to replace it.
    - For a playbook whose metadata names a successor: that one.
    """
    found: dict[MemoryId, Successor] = {}
    if MemoryKind.USER_PLAYBOOK in kinds:
        found |= await _made_of_clusters(scope)
    if REVIEWED_KINDS.intersection(kinds):
        found |= await _written_to_replace(scope)
    return found | await _noted(scope, kinds, user_id)


def noted_successor(text: object) -> MemoryId | None:
    """Return the successor that a playbook's metadata names, as in `{"superseded_by": 7}`; None if it names none."""
    if not isinstance(text, str):
        return None
    try:
        given: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    number = cast("dict[str, object]", given).get(SUPERSEDED_BY) if isinstance(given, dict) else None
    if isinstance(number, str) and number.isascii() and number.isdigit() and len(number) <= _MOST_DIGITS:
        number = int(number)
    if not isinstance(number, int) or isinstance(number, bool) or not 0 < number <= MAX_INT:
        return None
    return MemoryId(number)


async def _made_of_clusters(scope: Scope) -> dict[MemoryId, Successor]:
    cluster, made = playbook_clusters.c, memories.c
    rows = await scope.all(
        sa.select(cluster.member_ids, made.memory_id, made.kind)
        .join(memories, made.memory_id == cluster.memory_id)
        .where(
            cluster.org_id == scope.org_id,
            made.status == str(Status.CURRENT),
            made.approval == str(Approval.APPROVED),
        )
        .order_by(made.memory_id)
    )
    return {
        MemoryId(member): Successor(MemoryKind(row.kind), MemoryId(row.memory_id))
        for row in rows
        for member in row.member_ids
    }


async def _written_to_replace(scope: Scope) -> dict[MemoryId, Successor]:
    column = memories.c
    skill = column.attributes["skill"]["replaces"].as_integer()
    rows = await scope.all(
        sa.select(
            column.memory_id,
            column.kind,
            column["metadata"][REPLACES].as_integer().label("playbook"),
            skill.label("skill"),
        ).where(
            column.org_id == scope.org_id,
            column.kind.in_([str(kind) for kind in REVIEWED_KINDS]),
            column.status == str(Status.CURRENT),
            column.approval == str(Approval.APPROVED),
        )
    )
    return {
        MemoryId(replaced): Successor(MemoryKind(row.kind), MemoryId(row.memory_id))
        for row in rows
        if (replaced := row.skill if row.kind == MemoryKind.SKILL else row.playbook)
    }


async def _noted(
    scope: Scope, kinds: Collection[MemoryKind], user_id: UserId | None
) -> dict[MemoryId, Successor]:
    column = memories.c
    text = column["metadata"][PLAYBOOK_METADATA].as_string()
    statement = sa.select(column.memory_id, column.kind, text.label("text")).where(
        column.org_id == scope.org_id,
        column.kind.in_([str(kind) for kind in kinds]),
        column.status == str(Status.CURRENT),
        text.contains(f'"{SUPERSEDED_BY}"', autoescape=True),
    )
    if user_id is not None:
        statement = statement.where(column.user_id == user_id)
    return {
        MemoryId(row.memory_id): Successor(MemoryKind(row.kind), number)
        for row in await scope.all(statement)
        if (number := noted_successor(row.text)) is not None and number != row.memory_id
    }
