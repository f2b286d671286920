"""Which playbooks belong together now, and which of these clusters are to be written up."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import numpy as np

from sagacity.config.extractor_config import PlaybookAggregatorConfig
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.cluster import PlaybookCluster
from sagacity.domain.ids import MemoryId
from sagacity.domain.memory import Memory, MemoryKind, Status
from sagacity.learning.aggregate.cluster import clusters
from sagacity.learning.aggregate.lineage import Traced, moved, trace
from sagacity.learning.skills import plan
from sagacity.providers.base import Embedder, Vectors
from sagacity.storage.transaction import Transaction

LEARNER = "skills"
MOST_PLAYBOOKS = 200_000
_IDS_A_STATEMENT = 5_000


@dataclass(frozen=True, slots=True)
class Job:
    """A cluster to be written up."""

    cluster: PlaybookCluster
    """As it is to be stored."""
    members: tuple[Memory, ...]
    """Newest first."""
    former: Memory | None
    """The skill that was made of it before."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What there is, and what is to be done."""

    jobs: tuple[Job, ...]
    unchanged: tuple[PlaybookCluster, ...]
    playbook_count: int


@dataclass(frozen=True, slots=True)
class Rows:
    """User playbooks in the order of their numbers with their vectors, and what was known of them before."""

    playbooks: Sequence[Memory]
    vectors: Mapping[int, Vectors]
    """float32 [d], unit length, by the number of the playbook; some may wait for theirs."""
    known: Mapping[str, PlaybookCluster]
    former: Mapping[str, Vectors]
    """float32 [d], what former clusters were about: the mean of the members that are known still."""
    skills: Mapping[MemoryId, Memory]


@dataclass(frozen=True, slots=True)
class Looking:
    """What a survey goes by."""

    name: str
    agent_version: str
    rerun: bool
    has_model: bool
    now: datetime


async def read_rows(snapshot: Transaction, looking: Looking) -> Rows:
    """Return all current user playbooks that are asked for, with the vectors that there are."""
    playbooks = await snapshot.memories.list_newest(
        MemoryKind.USER_PLAYBOOK,
        name=looking.name,
        agent_version=looking.agent_version,
        statuses=[Status.CURRENT],
        valid_at=looking.now,
        limit=MOST_PLAYBOOKS,
    )
    in_order = sorted(playbooks, key=lambda book: book.memory_id)
    ids = [book.memory_id for book in in_order]
    vectors = await _vectors_of(snapshot, ids)
    known = await snapshot.clusters.of(LEARNER, looking.name, looking.agent_version)
    skill_ids = [one.memory_id for one in known if one.memory_id is not None]
    skills = await snapshot.memories.get_many(skill_ids, kind=MemoryKind.SKILL) if skill_ids else []
    skills += await snapshot.memories.list_newest(
        MemoryKind.SKILL,
        name=looking.name,
        agent_version=looking.agent_version,
        statuses=[Status.CURRENT],
        limit=MOST_PLAYBOOKS,
    )
    return Rows(
        playbooks=in_order,
        vectors=vectors,
        known={one.cluster_id: one for one in known},
        former=await _former(snapshot, known, vectors),
        skills={skill.memory_id: skill for skill in skills},
    )


async def _vectors_of(snapshot: Transaction, ids: Sequence[MemoryId]) -> dict[int, Vectors]:
    vectors: dict[int, Vectors] = {}
    for start in range(0, len(ids), _IDS_A_STATEMENT):
        part = ids[start : start + _IDS_A_STATEMENT]
        vectors |= await snapshot.search.vector_of(MemoryKind.USER_PLAYBOOK, part)
    return vectors


async def _former(
    snapshot: Transaction, known: Sequence[PlaybookCluster], vectors: Mapping[int, Vectors]
) -> dict[str, Vectors]:
    """Return what clusters were about when they were last looked at, as far as their members are not deleted."""
    gone = {member for one in known for member in one.member_ids} - vectors.keys()
    stored = {**vectors, **await _vectors_of(snapshot, sorted(gone))}
    rows = {
        one.cluster_id: [stored[member] for member in one.member_ids if member in stored] for one in known
    }
    return {cluster_id: np.stack(one).mean(axis=0) for cluster_id, one in rows.items() if one}


async def embedded(rows: Rows, embedder: Embedder) -> Rows:
    """
    Return *rows* with the vectors that were missing: a member that waits for its own leaves no skill for that.

    Raises:
        ProviderError: they can not be made now.
    """
    waiting = [book for book in rows.playbooks if book.memory_id not in rows.vectors]
    if not waiting:
        return rows
    made = await embedder.embed([book.search_text for book in waiting], background=True)
    new = {book.memory_id: vector for book, vector in zip(waiting, made, strict=True)}
    return replace(rows, vectors={**rows.vectors, **new})


async def survey(rows: Rows, config: TenantConfig, looking: Looking, new_id: Callable[[], str]) -> Survey:
    """
    Cluster user playbooks of one name and agent version, and find out what changed.

    Args:
        rows: all of them, as `read_rows` and `embedded` give them.
        config: says how alike members of a cluster are, and how many they are at least.
        looking: at which playbooks, and for whom.
        new_id: names a cluster that was not there before.
    """
    options = plan.options_of(config, looking.name)
    stacked = [rows.vectors[book.memory_id] for book in rows.playbooks]
    groups = await asyncio.to_thread(
        clusters,
        np.stack(stacked) if stacked else np.zeros((0, 1), dtype=np.float32),
        similarity=_similarity(config, looking.name),
        min_size=options.min_feedback_per_cluster,
    )
    by_id = {book.memory_id: book for book in rows.playbooks}
    found = [[rows.playbooks[row].memory_id for row in group] for group in groups]
    lineage = trace(found, {one.cluster_id: set(one.member_ids) for one in rows.known.values()})
    means = [np.stack([rows.vectors[number] for number in group]).mean(axis=0) for group in found]
    traced = moved(lineage, means, rows.former, _similarity(config, looking.name)).traced
    jobs: list[Job] = []
    unchanged: list[PlaybookCluster] = []
    for one in traced:
        members = tuple(plan.newest_first([by_id[MemoryId(number)] for number in one.members]))
        job, is_due = _looked_at(one, members, rows, looking, new_id)
        if is_due:
            jobs.append(job)
        else:
            unchanged.append(job.cluster)
    return Survey(tuple(jobs), tuple(unchanged), len(rows.playbooks))


def _looked_at(
    traced: Traced,
    members: tuple[Memory, ...],
    rows: Rows,
    looking: Looking,
    new_id: Callable[[], str],
) -> tuple[Job, bool]:
    """Return a cluster as it is now, and whether it is to be written up."""
    known = None if traced.cluster_id is None else rows.known[traced.cluster_id]
    skill = None if known is None else plan.standing(_made_of(known, rows.skills, rows.known))
    fingerprint = plan.fingerprint_of(members, has_model=looking.has_model)
    is_due = plan.is_due(
        known,
        fingerprint,
        skill,
        overlap=1.0 if traced.has_moved else traced.overlap,
        rerun=looking.rerun,
        has_model=looking.has_model,
    )
    member_ids = tuple(one.memory_id for one in members)
    if known is not None and not traced.has_moved and not is_due and plan.is_rejected(skill):
        member_ids = known.member_ids  # what was rejected, however much comes to it little by little
    cluster = PlaybookCluster(
        cluster_id=new_id() if known is None else known.cluster_id,
        learner=LEARNER,
        name=looking.name,
        agent_version=looking.agent_version,
        fingerprint=fingerprint if is_due or known is None else known.fingerprint,
        member_ids=member_ids,
        memory_id=None if skill is None else skill.memory_id,
        created_at=looking.now if known is None else known.created_at,
        updated_at=looking.now,
    )
    return Job(cluster, members, skill), is_due


def _made_of(
    cluster: PlaybookCluster, skills: Mapping[MemoryId, Memory], known: Mapping[str, PlaybookCluster]
) -> Memory | None:
    """Return what was made of a cluster last; where that is deleted, what is left of the skills before it."""
    if cluster.memory_id is not None:
        return skills.get(cluster.memory_id)
    facts = {
        one.memory_id: one.attributes.skill for one in skills.values() if one.attributes.skill is not None
    }
    taken = {one.memory_id for one in known.values()} | {one.replaces for one in facts.values()}
    members = set(cluster.member_ids)
    left = {
        number: len(members.intersection(one.user_playbook_ids))
        for number, one in facts.items()
        if number not in taken and not plan.is_rejected(skills[number])
    }
    nearest = max(left, key=lambda number: (left[number], number), default=None)
    return skills[nearest] if nearest is not None and left[nearest] else None


def _similarity(config: TenantConfig, name: str) -> float:
    named = (one for one in config.user_playbook_extractor_configs if one.extractor_name == name)
    chosen = next(named, None)
    options = chosen.aggregation_config if chosen is not None else None
    return (options or PlaybookAggregatorConfig()).clustering_similarity
