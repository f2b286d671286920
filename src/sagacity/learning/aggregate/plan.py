"""What a run does with each cluster, and which playbooks it never touches; pure."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from sagacity.domain.cluster import REPLACES, WORDING, PlaybookCluster
from sagacity.domain.ids import MemoryId
from sagacity.domain.memory import Approval, Memory
from sagacity.learning.aggregate.lineage import Lineage, Traced

_ENOUGH_LEFT = 0.5
"""A rejected cluster with at least this share of its members in common is the one that was rejected."""


@dataclass(frozen=True, slots=True)
class Task:
    """A cluster for which words are wanted."""

    members: tuple[MemoryId, ...]
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
    in_force: tuple[Memory, ...]
    """Playbooks that stay whatever is written."""


def wording_of(trigger: str | None, content: str, pitfall: str | None) -> str:
    """Return a hash by which it is seen whether a person reworded a generated playbook."""
    text = "\0".join((trigger or "", content, pitfall or ""))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def same_wording(one: Memory, other: Memory) -> bool:
    """Whether two playbooks say the same in the same words."""
    return (one.trigger, one.content, one.pitfall) == (other.trigger, other.content, other.pitfall)


def is_untouched(playbook: Memory) -> bool:
    """Whether a playbook is as it was generated, and nobody has decided on it."""
    wording = wording_of(playbook.trigger, playbook.content, playbook.pitfall)
    return playbook.approval is Approval.PENDING and playbook.metadata.get(WORDING) == wording


def replaced_by(playbook: Memory) -> MemoryId | None:
    """Return the playbook in whose place *playbook* was proposed."""
    replaces = playbook.metadata.get(REPLACES)
    return MemoryId(replaces) if isinstance(replaces, int) else None


def make_plan(
    lineage: Lineage,
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
        known: former clusters, by id.
        playbooks: the current playbooks of this name and version for all users, by number.
        full: work also on what did not change.
    """
    wanted = (_task(one, known, playbooks, full=full) for one in lineage.traced)
    tasks = tuple(task for task in wanted if task is not None)
    vanished = (_gone(known[cluster_id], playbooks) for cluster_id in lineage.vanished)
    gone = tuple(one for one in vanished if one is not None)
    leaving = {one.archives.memory_id for one in gone if one.archives is not None}
    leaving |= {task.rewrites.memory_id for task in tasks if task.rewrites is not None}
    return Plan(
        tasks=tasks,
        gone=gone,
        in_force=tuple(
            one
            for one in playbooks.values()
            if one.memory_id not in leaving and one.approval is not Approval.REJECTED
        ),
    )


def _gone(cluster: PlaybookCluster, playbooks: Mapping[MemoryId, Memory]) -> Gone | None:
    playbook = _playbook_of(cluster, playbooks)
    if playbook is None:
        return Gone(cluster)
    return Gone(cluster, playbook, _in_force(playbook, playbooks)) if is_untouched(playbook) else None


def _playbook_of(cluster: PlaybookCluster, playbooks: Mapping[MemoryId, Memory]) -> Memory | None:
    return None if cluster.memory_id is None else playbooks.get(cluster.memory_id)


def _in_force(playbook: Memory, playbooks: Mapping[MemoryId, Memory]) -> Memory | None:
    """Return what *playbook* would replace, where that still serves."""
    former = playbooks.get(replaced_by(playbook) or MemoryId(0))
    return None if former is None or former.approval is Approval.REJECTED else former


def _task(
    traced: Traced,
    known: Mapping[str, PlaybookCluster],
    playbooks: Mapping[MemoryId, Memory],
    *,
    full: bool,
) -> Task | None:
    members = tuple(MemoryId(member) for member in traced.members)
    if traced.cluster_id is None:
        return Task(members)
    cluster = known[traced.cluster_id]
    playbook = _playbook_of(cluster, playbooks)
    if traced.is_unchanged and not full:
        return None
    if playbook is None:
        return Task(members, cluster)
    former = _in_force(playbook, playbooks)
    if playbook.approval is Approval.REJECTED:
        return None if traced.overlap >= _ENOUGH_LEFT else Task(members, cluster, in_force=former)
    if is_untouched(playbook):
        return Task(members, cluster, rewrites=playbook, in_force=former)
    return None if traced.is_unchanged else Task(members, cluster, in_force=playbook)
