"""Plan what a run does with each cluster, and which playbooks it does not touch; pure."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from sagacity.domain.cluster import CLUSTER_ID, REPLACES, WORDING, PlaybookCluster, wording_of
from sagacity.domain.ids import MemoryId
from sagacity.domain.memory import Approval, Memory
from sagacity.learning.distil.lineage import Lineage, Traced, fingerprint
from sagacity.learning.distil.spec import BY_MODEL, Gone, Plan, Task

_ENOUGH_LEFT = 0.5
"""A cluster that shares at least this part of its members with a rejected one counts as that one."""


def same_wording(one: Memory, other: Memory) -> bool:
    """Whether two playbooks say the same in the same words, whatever their rationale."""
    first, second = ((book.trigger, book.content, book.pitfall, book.blocking_issue) for book in (one, other))
    return first == second


def is_untouched(playbook: Memory) -> bool:
    """Whether a playbook is unchanged since it was generated and not yet reviewed."""
    wording = wording_of(
        trigger=playbook.trigger,
        content=playbook.content,
        pitfall=playbook.pitfall,
        rationale=playbook.rationale,
        blocking_issue=playbook.blocking_issue,
    )
    return playbook.approval is Approval.PENDING and playbook.metadata.get(WORDING) == wording


def replaced_by(playbook: Memory) -> MemoryId | None:
    """Return the playbook that *playbook* was proposed to replace."""
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
    Decide what to do with each cluster.

    Without *full*, only new and changed clusters are processed; with it, also the others, except those whose playbook a
    person approved or edited. A rejected one is proposed again when more than half of its members are others.

    Args:
        lineage: today's clusters and their predecessors.
        wordings: the text of each member, from `wording_of`.
        known: former clusters, by id.
        playbooks: the relevant current agent playbooks, by number: all of the clusters' own, whatever their names, and
            others that stay in force.
        full: also process unchanged clusters.
    """
    own = _own(known.values(), playbooks)
    tasks: list[Task] = []
    moved: list[PlaybookCluster] = []  # a rejected cluster stays rejected when its members get other numbers
    for one in lineage.traced:
        task = _task(one, wordings, known)
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
    leaving |= {task.former.memory_id for task in tasks if task.former is not None}
    return Plan(
        tasks=tuple(tasks),
        gone=gone,
        kept=tuple(moved),
        in_force=tuple(
            one
            for one in playbooks.values()
            if one.memory_id not in leaving and one.approval is not Approval.REJECTED
        ),
    )


def _own(clusters: Iterable[PlaybookCluster], playbooks: Mapping[MemoryId, Memory]) -> dict[str, Memory]:
    """Return each cluster's playbook: the last one made from it or, if that was deleted, an earlier one."""
    left: dict[object, Memory] = {}
    for _, playbook in sorted(playbooks.items()):
        if playbook.approval is not Approval.REJECTED:
            left[playbook.metadata.get(CLUSTER_ID)] = playbook
    found = (
        (cluster.cluster_id, playbooks.get(cluster.memory_id or MemoryId(0)) or left.get(cluster.cluster_id))
        for cluster in clusters
    )
    return {cluster_id: playbook for cluster_id, playbook in found if playbook is not None}


def _replaced(playbook: Memory, playbooks: Mapping[MemoryId, Memory]) -> Memory | None:
    """Return the playbook that *playbook* would replace, if that is in force."""
    former = playbooks.get(replaced_by(playbook) or MemoryId(0))
    return None if former is None or former.approval is Approval.REJECTED else former


def _gone(
    cluster: PlaybookCluster, playbook: Memory | None, playbooks: Mapping[MemoryId, Memory]
) -> Gone | None:
    if playbook is None:
        return Gone(cluster)
    return Gone(cluster, playbook, _replaced(playbook, playbooks)) if is_untouched(playbook) else None


def _task(traced: Traced, wordings: Mapping[MemoryId, str], known: Mapping[str, PlaybookCluster]) -> Task:
    """Return the task to write a cluster's text, whether it has one or not."""
    members = tuple(MemoryId(member) for member in traced.members)
    says = fingerprint({member: wordings[member] for member in members})
    return Task(members, says, None if traced.cluster_id is None else known[traced.cluster_id])


def _decided(
    task: Task, playbook: Memory | None, playbooks: Mapping[MemoryId, Memory], *, overlap: float, full: bool
) -> Task | None:
    """Return the task for a cluster, given its playbook; None if there is nothing to do."""
    is_unchanged = task.cluster is not None and task.cluster.fingerprint == task.fingerprint
    if is_unchanged and not full:
        return None
    if playbook is None:
        return task
    replaced = _replaced(playbook, playbooks)
    if playbook.approval is Approval.REJECTED:
        return None if overlap >= _ENOUGH_LEFT else _in_view_of(task, None, replaced)
    if is_untouched(playbook):
        return _in_view_of(task, playbook, replaced)
    return None if is_unchanged else _in_view_of(task, None, playbook)


def _in_view_of(task: Task, former: Memory | None, replaces: Memory | None) -> Task:
    """Return the task with the former text; rules do not rewrite a model's text."""
    present = former or replaces
    needs_model = present is not None and present.provenance.method == BY_MODEL
    return replace(task, former=former, replaces=replaces, needs_model=needs_model)
