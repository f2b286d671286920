"""Which playbooks belong together now, and which of these clusters are to be written up."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from sagacity.config.extractor_config import PlaybookAggregatorConfig
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.cluster import PlaybookCluster
from sagacity.domain.ids import MemoryId
from sagacity.domain.memory import Memory, MemoryKind, Status
from sagacity.learning.aggregate.cluster import clusters
from sagacity.learning.aggregate.lineage import Traced, trace
from sagacity.learning.skills import plan
from sagacity.providers.base import Vectors
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
    """User playbooks with their vectors, in the order of their numbers, and what was known of them before."""

    playbooks: Sequence[Memory]
    vectors: Vectors
    """float32 [n, d], unit rows."""
    known: Mapping[str, PlaybookCluster]
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
    """Return all current user playbooks that are asked for; those that wait for their vectors come in with them."""
    playbooks = await snapshot.memories.list_newest(
        MemoryKind.USER_PLAYBOOK,
        name=looking.name,
        agent_version=looking.agent_version,
        statuses=[Status.CURRENT],
        valid_at=looking.now,
        limit=MOST_PLAYBOOKS,
    )
    ids = sorted(book.memory_id for book in playbooks)
    vectors: dict[int, Vectors] = {}
    for start in range(0, len(ids), _IDS_A_STATEMENT):
        part = ids[start : start + _IDS_A_STATEMENT]
        vectors |= await snapshot.search.vector_of(MemoryKind.USER_PLAYBOOK, part)
    ready = sorted((book for book in playbooks if book.memory_id in vectors), key=lambda book: book.memory_id)
    known = await snapshot.clusters.of(LEARNER, looking.name, looking.agent_version)
    skill_ids = [one.memory_id for one in known if one.memory_id is not None]
    skills = await snapshot.memories.get_many(skill_ids, kind=MemoryKind.SKILL) if skill_ids else []
    stacked = (
        np.stack([vectors[book.memory_id] for book in ready]) if ready else np.zeros((0, 1), dtype=np.float32)
    )
    return Rows(
        playbooks=ready,
        vectors=stacked,
        known={one.cluster_id: one for one in known},
        skills={skill.memory_id: skill for skill in skills},
    )


async def survey(rows: Rows, config: TenantConfig, looking: Looking, new_id: Callable[[], str]) -> Survey:
    """
    Cluster user playbooks of one name and agent version, and find out what changed.

    Args:
        rows: all of them, as `read_rows` gives them.
        config: says how alike members of a cluster are, and how many they are at least.
        looking: at which playbooks, and for whom.
        new_id: names a cluster that was not there before.
    """
    options = plan.options_of(config, looking.name)
    groups = await asyncio.to_thread(
        clusters,
        rows.vectors,
        similarity=_similarity(config, looking.name),
        min_size=options.min_feedback_per_cluster,
    )
    by_id = {book.memory_id: book for book in rows.playbooks}
    found = [[rows.playbooks[row].memory_id for row in group] for group in groups]
    traced = trace(found, {one.cluster_id: set(one.member_ids) for one in rows.known.values()}).traced
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
    made = None if known is None or known.memory_id is None else rows.skills.get(known.memory_id)
    skill = plan.standing(made)
    fingerprint = plan.fingerprint_of(members, has_model=looking.has_model)
    is_due = plan.is_due(known, fingerprint, skill, rerun=looking.rerun, has_model=looking.has_model)
    cluster = PlaybookCluster(
        cluster_id=new_id() if known is None else known.cluster_id,
        learner=LEARNER,
        name=looking.name,
        agent_version=looking.agent_version,
        fingerprint=fingerprint if is_due or known is None else known.fingerprint,
        member_ids=tuple(one.memory_id for one in members),
        memory_id=None if skill is None else skill.memory_id,
        created_at=looking.now if known is None else known.created_at,
        updated_at=looking.now,
    )
    return Job(cluster, members, skill), is_due


def _similarity(config: TenantConfig, name: str) -> float:
    named = (one for one in config.user_playbook_extractor_configs if one.extractor_name == name)
    chosen = next(named, None)
    options = chosen.aggregation_config if chosen is not None else None
    return (options or PlaybookAggregatorConfig()).clustering_similarity
