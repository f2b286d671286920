"""Turn drafts into agent playbooks if they are still valid; pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import JsonValue

from sagacity.domain.cluster import CLUSTER_ID, MEMBER_COUNT, REPLACES, USER_COUNT, WORDING, wording_of
from sagacity.domain.ids import InteractionId, MemoryId, RequestId
from sagacity.domain.memory import Attributes, Memory, MemoryKind, NewMemory
from sagacity.domain.trust import least_trusted
from sagacity.learning.distil.agent_playbooks.directions import user_count
from sagacity.learning.distil.agent_playbooks.plan import same_wording
from sagacity.learning.distil.order import newest_first
from sagacity.learning.distil.spec import MISSED, Draft, Effect, Run, Settlement, Written

_REQUESTS_KEPT = 50
_INTERACTIONS_KEPT = 200


def settle(run: Run, one: Written, now: Mapping[MemoryId, Memory]) -> Settlement:
    """Return what to store for one cluster: a new playbook, the former one rewritten, or nothing."""
    task, reason = one.task, run.mode.reason
    cluster = one.cluster(run, None if task.cluster is None else task.cluster.memory_id)
    if one.draft is None:
        return Settlement(Effect.KEPT, cluster)
    if task.former is None:
        return Settlement(Effect.CREATED, cluster, new=_new(run, one, one.draft), reason=reason)
    if now.get(task.former.memory_id) != task.former:
        return MISSED
    after = _rewritten(task.former, one.draft, one.members, now=run.at)
    if same_wording(task.former, after):  # only the members are new
        same = after.model_copy(update={"updated_at": task.former.updated_at})
        return Settlement(Effect.KEPT, cluster, saved=same)
    return Settlement(Effect.UPDATED, cluster, saved=after, before=task.former, reason=reason)


def _new(run: Run, one: Written, draft: Draft) -> NewMemory:
    """Return a playbook for all users that waits for approval."""
    replaces = None if one.task.replaces is None else one.task.replaces.memory_id
    return NewMemory(
        uid=one.uid,
        kind=MemoryKind.AGENT_PLAYBOOK,
        agent_version=one.members[0].agent_version,
        name=one.members[0].name,
        attributes=_from(Attributes(), one.members),
        created_at=run.at,
        **_fields(draft, one.members, one.cluster_id, replaces, run.at),
    )


def _rewritten(former: Memory, draft: Draft, members: Sequence[Memory], *, now: datetime) -> Memory:
    """Return *former* with the text of *draft* and the cluster's current members."""
    replaces = former.metadata.get(REPLACES)
    fields = _fields(
        draft,
        members,
        str(former.metadata.get(CLUSTER_ID, "")),
        MemoryId(replaces) if isinstance(replaces, int) else None,
        now,
    )
    fields["metadata"] = {**former.metadata, **fields["metadata"]}
    return former.model_copy(update=fields | {"attributes": _from(former.attributes, members)})


def _from(attributes: Attributes, members: Sequence[Memory]) -> Attributes:
    """Return *attributes* with the trust of the least trusted of *members*."""
    return attributes.model_copy(
        update={"origin": least_trusted(member.attributes.origin for member in members)}
    )


def _fields(
    draft: Draft, members: Sequence[Memory], cluster_id: str, replaces: MemoryId | None, now: datetime
) -> dict[str, Any]:
    sources = newest_first(members)
    words: dict[str, Any] = {
        "trigger": draft.trigger,
        "content": draft.content,
        "pitfall": draft.pitfall,
        "rationale": draft.rationale,
        "blocking_issue": next(iter(draft.blocking_issues), None),
    }
    metadata: dict[str, JsonValue] = {
        CLUSTER_ID: cluster_id,
        MEMBER_COUNT: len(members),
        USER_COUNT: user_count(members),
        WORDING: wording_of(**words),
    }
    if replaces is not None:
        metadata[REPLACES] = replaces
    return words | {
        "source_request_ids": _requests_of(sources),
        "source_interaction_ids": _interactions_of(sources),
        "provenance": draft.provenance,
        "metadata": metadata,
        "updated_at": now,
    }


def _requests_of(members: Sequence[Memory]) -> tuple[RequestId, ...]:
    ids = dict.fromkeys(number for member in members for number in member.source_request_ids)
    return tuple(ids)[:_REQUESTS_KEPT]


def _interactions_of(members: Sequence[Memory]) -> tuple[InteractionId, ...]:
    ids = dict.fromkeys(number for member in members for number in member.source_interaction_ids)
    return tuple(ids)[:_INTERACTIONS_KEPT]
