"""The interface of a spec, which says what is distilled, and the values of the pipeline."""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, auto

from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.base import Value
from sagacity.domain.change import Occasion
from sagacity.domain.cluster import Aggregated, AggregationMode, PlaybookCluster, SkillsMade
from sagacity.domain.errors import ProviderError
from sagacity.domain.ids import MemoryId, MemoryUid, RunId, whole_key
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import BlockingIssue, Memory, MemoryKind, NewMemory, Provenance
from sagacity.domain.tenant import Tenant
from sagacity.learning.distil.lineage import Lineage
from sagacity.learning.prompt_runner import PromptRunner
from sagacity.providers.base import Vectors
from sagacity.storage.transaction import Transaction

BY_MODEL, BY_RULES = "model", "rules"
"""Who wrote a draft: what provenance names as the method."""
Result = Aggregated | SkillsMade


def actor_of(learner: str, name: str) -> str:
    """Return who distils the playbooks of one name, in the change log, in provenance and in the ledger."""
    return whole_key(f"{learner}:{name}")


@dataclass(frozen=True, slots=True)
class Run:
    """Which playbooks are distilled, how and when."""

    tenant: Tenant
    config: TenantConfig
    learner: str
    """The spec's."""
    name: str
    agent_version: str
    requested: bool
    """Someone asked for it; otherwise it runs by itself."""
    has_model: bool
    """Whether a model could be asked when it began."""
    run_id: RunId
    at: datetime

    @property
    def actor(self) -> str:
        """Who it is in the change log, in provenance and in the ledger."""
        return actor_of(self.learner, self.name)

    @property
    def mode(self) -> AggregationMode:
        """Whether clusters that did not change are worked on, too."""
        return AggregationMode.FULL if self.requested else AggregationMode.INCREMENTAL

    def occasion(self, reason: str) -> Occasion:
        """Return the record of one change, without the change."""
        return Occasion(run_id=self.run_id, actor=self.actor, reason=reason, at=self.at)


@dataclass(frozen=True, slots=True)
class Nearness:
    """What makes a cluster."""

    similarity: float
    """0..1, the mean cosine between members from which on they belong together."""
    min_size: int
    """How many members it has at least."""
    min_users: int
    """Of how many users they are at least, so that one user's taste becomes no rule for all."""


@dataclass(frozen=True, slots=True)
class State:
    """What a run starts from."""

    ids: Sequence[MemoryId]
    """The current user playbooks, ascending."""
    wordings: Mapping[MemoryId, str]
    """A hash of what each says."""
    users: Mapping[MemoryId, str]
    """Whose each is."""
    vectors: Vectors
    """float32 [n, d], unit rows, in the order of `ids`: of what each says but for its examples (see `gist`)."""
    known: Mapping[str, PlaybookCluster]
    """The clusters of the run before, by id."""
    products: Mapping[MemoryId, Memory]
    """What was made before and is current."""
    product_vectors: Mapping[int, Vectors]


@dataclass(frozen=True, slots=True)
class Task:
    """A cluster for which words are wanted."""

    members: tuple[MemoryId, ...]
    """Ascending."""
    fingerprint: str
    """Of the members as they were read."""
    cluster: PlaybookCluster | None = None
    """As it was before; None: it is new."""
    former: Memory | None = None
    """What was made of it before, which may be written anew in its place."""
    still_current: tuple[MemoryId, ...] = ()
    """User playbooks that *former* was made of and that are current, though of the cluster no more; ascending."""
    withdrawn: tuple[MemoryId, ...] = ()
    """User playbooks that *former* was made of and that are current no more; ascending."""
    replaces: Memory | None = None
    """What a person stands behind, and only that person's approval replaces."""
    needs_model: bool = False
    """Whether it waits while no model can be asked: rules do not write over a model's words."""


@dataclass(frozen=True, slots=True)
class Gone:
    """A cluster that is there no more, with nothing of it that a person decided on."""

    cluster: PlaybookCluster
    archives: Memory | None = None
    """What was made of it, and waited for approval as it was generated."""
    replaces: Memory | None = None
    """What that would have replaced: then the cluster is kept with it, as with any that a person decided on."""


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a run does, before any words are found."""

    tasks: tuple[Task, ...]
    kept: tuple[PlaybookCluster, ...] = ()
    """Clusters that are stored as they are now, without new words."""
    gone: tuple[Gone, ...] = ()
    in_force: tuple[Memory, ...] = ()
    """What stays whatever is written."""


@dataclass(frozen=True, slots=True)
class Material:
    """What one cluster is written up from."""

    members: tuple[Memory, ...]
    """Never empty; ascending."""
    vectors: Vectors
    """float32 [n, d], theirs, unit rows."""
    former: Memory | None = None
    """What is written anew."""
    still_current: tuple[Memory, ...] = ()
    """What *former* was made of too, and what still holds beside the members."""
    withdrawn: tuple[Memory, ...] = ()
    """What *former* was made of and holds no more, as far as its words are kept."""
    deleted_count: int = 0
    """How many more there were, whose words are gone."""
    in_force: tuple[Memory, ...] = ()
    """What stays whatever is written; nearest first."""
    conversations: tuple[tuple[Interaction, ...], ...] = ()
    """Interactions of one conversation each, in the order of the log."""


class Draft(Value):
    """The words for one cluster, and where they are from."""

    name: str = ""
    trigger: str | None
    content: str
    pitfall: str | None = None
    rationale: str | None = None
    tools: tuple[str, ...] = ()
    blocking_issues: tuple[BlockingIssue, ...] = ()
    provenance: Provenance

    @property
    def search_text(self) -> str:
        """The text by which it will be found."""
        return "\n".join(filter(None, (self.name, self.trigger, self.content, self.pitfall)))


@dataclass(frozen=True, slots=True)
class Written:
    """What came of one task."""

    task: Task
    uid: MemoryUid
    """Under which a new memory is stored."""
    cluster_id: str
    """The cluster's for ever."""
    draft: Draft | None = None
    """None: nothing new is to be said, unless it failed or was left."""
    members: tuple[Memory, ...] = ()
    """As they were when it was written."""
    vector: Vectors | None = None
    """float32 [d] of the draft; None: it is made later."""
    error: ProviderError | None = None
    is_left: bool = False

    @property
    def is_settled(self) -> bool:
        """Whether the cluster was worked on to the end."""
        return self.error is None and not self.is_left

    def cluster(self, run: Run, memory_id: MemoryId | None) -> PlaybookCluster:
        """Return the cluster with the members that were worked on, and what stands for it."""
        before = self.task.cluster
        return PlaybookCluster(
            cluster_id=self.cluster_id,
            learner=run.learner,
            name=run.name,
            agent_version=run.agent_version,
            fingerprint=self.task.fingerprint,
            member_ids=self.task.members,
            memory_id=memory_id,
            created_at=run.at if before is None else before.created_at,
            updated_at=run.at,
        )


class Effect(Enum):
    """What became of a cluster."""

    CREATED = auto()
    UPDATED = auto()
    ARCHIVED = auto()
    KEPT = auto()
    MISSED = auto()
    """What it rests on changed after it was read: the next run sees to it."""
    OVER_QUOTA = auto()
    """The organisation has as many memories as it may have: nothing of it is stored."""


@dataclass(frozen=True, slots=True)
class Settlement:
    """What is stored of one cluster; without *cluster* nothing is."""

    effect: Effect
    cluster: PlaybookCluster | None = None
    is_forgotten: bool = False
    """The cluster is deleted."""
    new: NewMemory | None = None
    saved: Memory | None = None
    before: Memory | None = None
    """What *saved* was, where the change log tells of it."""
    reason: str = ""
    """The reason in the change log."""


MISSED = Settlement(Effect.MISSED)


@dataclass(frozen=True, slots=True)
class Counts:
    """What a run did."""

    skipped_reason: str = ""
    playbooks: int = 0
    clusters: int = 0
    effects: Counter[Effect] = field(default_factory=Counter[Effect])
    left: int = 0
    """Clusters that nobody could write up now."""
    errors: tuple[str, ...] = ()
    """Why the others were not written up, one each."""
    note: str = ""
    """Why rules wrote although a model is configured."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """One thing that user playbooks are distilled into: all in which it differs from the others."""

    learner: str
    """The name of its clusters, of what it remembers and of its calls of models."""
    product: MemoryKind
    raises_if_all_fail: bool
    """Whether a run for which the model failed for every cluster fails; otherwise its result says so."""
    due: Callable[[Transaction, TenantConfig], Awaitable[list[tuple[str, str]]]]
    """Name and agent version of the playbooks that are to be distilled by now, in order."""
    reason_to_skip: Callable[[Transaction, Run], Awaitable[str]]
    """Why nothing is done now; empty if something may be."""
    nearness: Callable[[Run], Nearness]
    plan: Callable[[Run, State, Lineage], Plan]
    """What becomes of each cluster; pure."""
    conversations: Callable[
        [Transaction, Run, Sequence[Memory]], Awaitable[tuple[tuple[Interaction, ...], ...]]
    ]
    """What was said when these members were learned, as far as it is wanted for the writing."""
    write: Callable[[PromptRunner | None, Run, Material], Awaitable[Draft | None]]
    """The words for one cluster, by the model or without one by rules; None where nothing new is to be said. Raises
    ProviderError if the model failed."""
    rests_on: Callable[[Written], set[MemoryId]]
    """What is read again before a cluster is settled."""
    settle: Callable[[Run, Written, Mapping[MemoryId, Memory]], Settlement]
    """What is stored of a cluster, in view of what it rests on as that is now; pure."""
    advance: Callable[[Transaction, Run, State, Sequence[Written], Counter[Effect]], Awaitable[None]]
    """Keeps how far the run got, in the transaction that writes."""
    put_off: Callable[[Transaction, str, str], Awaitable[None]]
    """Lets a run for a name and agent version that was stopped by hand not begin again by itself at once."""
    result: Callable[[Run, Counts], Result]
