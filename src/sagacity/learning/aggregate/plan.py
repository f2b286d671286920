"""What a run does with each cluster, and which playbooks it never touches; pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from sagacity.domain.cluster import CLUSTER_ID, REPLACES, WORDING, PlaybookCluster, wording_of
from sagacity.domain.ids import MemoryId
from sagacity.domain.memory import Approval, Memory
from sagacity.learning.aggregate.lineage import Lineage, Traced, fingerprint

_ENOUGH_LEFT = 0.5
"""A rejected cluster with at least this share of its members in common is the one that was rejected."""


@dataclass(frozen=True, slots=True)
class Task:
    """A cluster for which words are wanted."""

    members: tuple[MemoryId, ...]
    fingerprint: str
    """Of the members as they were read."""
    cluster: PlaybookCluster | None = None
    """As it was before; None: it is new."""
    rewrites: Memory | None = None
    """The playbook of this cluster that waits for approval as it was generated: it is rewritten in its place."""
    in_force: Memory | None = None
    """The playbook of this cluster that a person stands behind: only that person's approval replaces it."""


@dataclass(frozen=True, slots=True)
class Gone:
    """A cluster that is there no more, with nothing of it that a person decided on."""

    cluster: PlaybookCluster
    archives: Memory | None = None
    """Its playbook, which waited for approval as it was generated."""
    in_force: Memory | None = None
    """What that would have replaced: then the cluster is kept with it, as with any that a person decided on."""


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a run does, before any words are found."""

    tasks: tuple[Task, ...]
    gone: tuple[Gone, ...]
    moved: tuple[PlaybookCluster, ...]
    """Rejected ones whose members others took the places of, with these: they are what was rejected."""
    in_force: tuple[Memory, ...]
    """Playbooks that stay whatever is written."""


def same_wording(one: Memory, other: Memory) -> bool:
    """Whether two playbooks say the same in the same words, for whatever reasons."""
    first, second = ((book.trigger, book.content, book.pitfall, book.blocking_issue) for book in (one, other))
    return first == second


def is_untouched(playbook: Memory) -> bool:
    """Whether a playbook is as it was generated, and nobody has decided on it."""
    wording = wording_of(
        trigger=playbook.trigger,
        content=playbook.content,
        pitfall=playbook.pitfall,
        rationale=playbook.rationale,
        blocking_issue=playbook.blocking_issue,
    )
    return playbook.approval is Approval.PENDING and playbook.metadata.get(WORDING) == wording


def replaced_by(playbook: Memory) -> MemoryId | None:
    """Return the playbook in whose place *playbook* was proposed."""
    replaces = playbook.metadata.get(REPLACES)
    return MemoryId(replaces) if isinstance(replaces, int) else None


def make_plan(
    lineage: Lineage,
    wordings: Mapping[MemoryId, str],
    known: Mapping[str, PlaybookCluster],
    playbooks: Mapping[MemoryId, Memory],
    *,
    full: bool,
) -> Plan:
    """
    Decide what becomes of each cluster.

    Without *full* only new clusters and those that changed are worked on. With it also the others, but for those whose
    playbook a person stands behind. A rejected one is proposed again when more than half of it is other members.

    Args:
        lineage: today's clusters and what they were.
        wordings: what each member says, as `wording_of` gives it.
        known: former clusters, by id.
        playbooks: the current playbooks for all users that matter, by number: all of the clusters' own, whatever their
            names, and others that stay in force.
        full: work also on what did not change.
    """
    own = _own(known.values(), playbooks)
    tasks: list[Task] = []
    moved: list[PlaybookCluster] = []
    for one in lineage.traced:
        task = _asked(one, wordings, known)
        playbook = None if task.cluster is None else own.get(task.cluster.cluster_id)
        if one.has_moved and task.cluster and playbook and playbook.approval is Approval.REJECTED:
            moved.append(
                task.cluster.model_copy(update={"member_ids": task.members, "fingerprint": task.fingerprint})
            )
        elif decided := _decided(task, playbook, playbooks, overlap=one.overlap, full=full):
            tasks.append(decided)
    vanished = (_gone(known[cluster_id], own.get(cluster_id), playbooks) for cluster_id in lineage.vanished)
    gone = tuple(one for one in vanished if one is not None)
    leaving = {one.archives.memory_id for one in gone if one.archives is not None}
    leaving |= {task.rewrites.memory_id for task in tasks if task.rewrites is not None}
    return Plan(
        tasks=tuple(tasks),
        gone=gone,
        moved=tuple(moved),
        in_force=tuple(
            one
            for one in playbooks.values()
            if one.memory_id not in leaving and one.approval is not Approval.REJECTED
        ),
    )


def _own(clusters: Iterable[PlaybookCluster], playbooks: Mapping[MemoryId, Memory]) -> dict[str, Memory]:
    """Return each cluster's playbook: what was made of it last; where that is gone, what is left of those before."""
    left: dict[object, Memory] = {}
    for _, playbook in sorted(playbooks.items()):
        if playbook.approval is not Approval.REJECTED:
            left[playbook.metadata.get(CLUSTER_ID)] = playbook
    found = (
        (cluster.cluster_id, playbooks.get(cluster.memory_id or MemoryId(0)) or left.get(cluster.cluster_id))
        for cluster in clusters
    )
    return {cluster_id: playbook for cluster_id, playbook in found if playbook is not None}


def _in_force(playbook: Memory, playbooks: Mapping[MemoryId, Memory]) -> Memory | None:
    """Return what *playbook* would replace, where that still serves."""
    former = playbooks.get(replaced_by(playbook) or MemoryId(0))
    return None if former is None or former.approval is Approval.REJECTED else former


def _gone(
    cluster: PlaybookCluster, playbook: Memory | None, playbooks: Mapping[MemoryId, Memory]
) -> Gone | None:
    if playbook is None:
        return Gone(cluster)
    return Gone(cluster, playbook, _in_force(playbook, playbooks)) if is_untouched(playbook) else None


def _asked(traced: Traced, wordings: Mapping[MemoryId, str], known: Mapping[str, PlaybookCluster]) -> Task:
    """Return the task to find words for a cluster, whatever there is of it."""
    members = tuple(MemoryId(member) for member in traced.members)
    says = fingerprint({member: wordings[member] for member in members})
    return Task(members, says, None if traced.cluster_id is None else known[traced.cluster_id])


def _decided(
    task: Task, playbook: Memory | None, playbooks: Mapping[MemoryId, Memory], *, overlap: float, full: bool
) -> Task | None:
    """Return what is done with a cluster, in view of its playbook; None: nothing."""
    is_unchanged = task.cluster is not None and task.cluster.fingerprint == task.fingerprint
    if is_unchanged and not full:
        return None
    if playbook is None:
        return task
    former = _in_force(playbook, playbooks)
    if playbook.approval is Approval.REJECTED:
        return None if overlap >= _ENOUGH_LEFT else replace(task, in_force=former)
    if is_untouched(playbook):
        return replace(task, rewrites=playbook, in_force=former)
    return None if is_unchanged else replace(task, in_force=playbook)
