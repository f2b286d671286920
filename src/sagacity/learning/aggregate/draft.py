"""What a playbook for all users is written from, and the words that came of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from pydantic import JsonValue

from sagacity.domain.base import Value
from sagacity.domain.cluster import CLUSTER_ID, MEMBER_COUNT, REPLACES, USER_COUNT, WORDING, wording_of
from sagacity.domain.ids import InteractionId, MemoryId, MemoryUid, RequestId
from sagacity.domain.memory import BlockingIssue, Memory, MemoryKind, NewMemory, Provenance
from sagacity.learning.aggregate.cluster import medoid
from sagacity.learning.aggregate.direction import directions
from sagacity.providers.base import Vectors

_REQUESTS_KEPT = 50
_TURNS_KEPT = 200


class Draft(Value):
    """The words of a playbook, and where they are from."""

    trigger: str | None
    content: str
    pitfall: str | None = None
    rationale: str | None = None
    blocking_issue: BlockingIssue | None = None
    provenance: Provenance


@dataclass(frozen=True, slots=True)
class Direction:
    """Members of a cluster that ask for the same thing, the most typical one first."""

    members: tuple[Memory, ...]

    @property
    def user_count(self) -> int:
        """How many users said so."""
        return user_count(self.members)


@dataclass(frozen=True, slots=True)
class Material:
    """One cluster, sorted by what its members ask for, and the playbooks that stay in force beside it."""

    directions: tuple[Direction, ...]
    """Never empty; the one that most users stand behind first."""
    in_force: tuple[Memory, ...]
    """Nearest first."""

    @property
    def members(self) -> tuple[Memory, ...]:
        """All members."""
        return tuple(member for direction in self.directions for member in direction.members)


def material_of(
    members: Sequence[Memory], vectors: Vectors, in_force: Sequence[Memory], *, overlap: float
) -> Material:
    """
    Sort a cluster's members by what they ask for.

    Args:
        members: at least one.
        vectors: float32 [n, d], theirs, unit rows.
        in_force: playbooks that stay whatever is written.
        overlap: the share of common words above which two ask for the same.
    """
    sorted_out = [
        Direction(tuple(members[place] for place in _typical_first(group, vectors)))
        for group in directions([member.content for member in members], overlap)
    ]
    sorted_out.sort(key=lambda one: (one.user_count, len(one.members)), reverse=True)
    return Material(tuple(sorted_out), tuple(in_force))


def _typical_first(group: Sequence[int], vectors: Vectors) -> list[int]:
    first = group[medoid(vectors[list(group)])]
    return [first, *(place for place in group if place != first)]


def user_count(members: Sequence[Memory]) -> int:
    """Return how many users stand behind *members*; all that name none count as one."""
    return len({member.user_id for member in members})


def new_playbook(
    draft: Draft,
    members: Sequence[Memory],
    *,
    uid: MemoryUid,
    cluster_id: str,
    replaces: MemoryId | None,
    now: datetime,
) -> NewMemory:
    """Return a playbook for all users that waits for its approval."""
    name, version = members[0].name, members[0].agent_version
    return NewMemory(
        uid=uid,
        kind=MemoryKind.AGENT_PLAYBOOK,
        agent_version=version,
        name=name,
        created_at=now,
        **_told(draft, members, cluster_id, replaces, now),
    )


def rewritten(former: Memory, draft: Draft, members: Sequence[Memory], *, now: datetime) -> Memory:
    """Return *former* in the words of *draft*, with the cluster's present members behind it."""
    replaces = former.metadata.get(REPLACES)
    told = _told(
        draft,
        members,
        str(former.metadata.get(CLUSTER_ID, "")),
        MemoryId(replaces) if isinstance(replaces, int) else None,
        now,
    )
    told["metadata"] = {**former.metadata, **told["metadata"]}
    return former.model_copy(update=told)


def _told(
    draft: Draft, members: Sequence[Memory], cluster_id: str, replaces: MemoryId | None, now: datetime
) -> dict[str, Any]:
    newest_first = sorted(members, key=lambda member: member.updated_at, reverse=True)
    metadata: dict[str, JsonValue] = {
        CLUSTER_ID: cluster_id,
        MEMBER_COUNT: len(members),
        USER_COUNT: user_count(members),
        WORDING: wording_of(
            trigger=draft.trigger,
            content=draft.content,
            pitfall=draft.pitfall,
            rationale=draft.rationale,
            blocking_issue=draft.blocking_issue,
        ),
    }
    if replaces is not None:
        metadata[REPLACES] = replaces
    return {
        "trigger": draft.trigger,
        "content": draft.content,
        "pitfall": draft.pitfall,
        "rationale": draft.rationale,
        "blocking_issue": draft.blocking_issue,
        "source_request_ids": _requests_of(newest_first),
        "source_interaction_ids": _turns_of(newest_first),
        "provenance": draft.provenance,
        "metadata": metadata,
        "updated_at": now,
    }


def _requests_of(members: Sequence[Memory]) -> tuple[RequestId, ...]:
    ids = dict.fromkeys(number for member in members for number in member.source_request_ids)
    return tuple(ids)[:_REQUESTS_KEPT]


def _turns_of(members: Sequence[Memory]) -> tuple[InteractionId, ...]:
    ids = dict.fromkeys(number for member in members for number in member.source_interaction_ids)
    return tuple(ids)[:_TURNS_KEPT]
