"""The interface of a spec, which says what playbooks are distilled into, and the values of the pipeline."""

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
"""Who wrote a draft; recorded as the method in the provenance."""
Result = Aggregated | SkillsMade


def actor_of(learner: str, name: str) -> str:
    """Return the actor that distils playbooks of one name, for the change log, provenance and ledger."""
    return whole_key(f"{learner}:{name}")


@dataclass(frozen=True, slots=True)
class Run:
    """One run: which playbooks are distilled, how and when."""

    tenant: Tenant
    config: TenantConfig
    learner: str
    """The spec's."""
    name: str
    agent_version: str
    requested: bool
    """Whether someone requested it; otherwise it runs automatically."""
    has_model: bool
    """Whether a model could be called when the run began."""
    run_id: RunId
    at: datetime

    @property
    def actor(self) -> str:
        """The actor of the run, for the change log, provenance and ledger."""
        return actor_of(self.learner, self.name)

    @property
    def mode(self) -> AggregationMode:
        """Whether unchanged clusters are processed too."""
        return AggregationMode.FULL if self.requested else AggregationMode.INCREMENTAL

    def occasion(self, reason: str) -> Occasion:
        """Return the context of a change in this run: who, why and when."""
        return Occasion(run_id=self.run_id, actor=self.actor, reason=reason, at=self.at)


@dataclass(frozen=True, slots=True)
class Nearness:
    """When playbooks form a cluster."""

    similarity: float
    """0..1, the least mean cosine between members."""
    min_size: int
    """The least number of members."""
    min_users: int
    """The least number of users, so that one user's taste does not become a rule for all."""


@dataclass(frozen=True, slots=True)
class State:
    """What a run starts from."""

    ids: Sequence[MemoryId]
    """The numbers of the current user playbooks, ascending."""
    wordings: Mapping[MemoryId, str]
    """A hash of each playbook's text."""
    users: Mapping[MemoryId, str]
    """Whose each is."""
    vectors: Vectors
    """float32 [n, d], unit rows, in the order of `ids`: the vectors of the playbooks without examples (see `gist`)."""
    known: Mapping[str, PlaybookCluster]
    """The clusters of the previous run, by id."""
    products: Mapping[MemoryId, Memory]
    """The current memories that earlier runs made."""
    product_vectors: Mapping[int, Vectors]


@dataclass(frozen=True, slots=True)
class Task:
    """A cluster whose text is to be written."""

    members: tuple[MemoryId, ...]
    """Ascending."""
    fingerprint: str
    """The fingerprint of the members as they were read."""
    cluster: PlaybookCluster | None = None
    """The cluster before this run; None if it is new."""
    former: Memory | None = None
    """The memory that was made from it before, which may be rewritten."""
    still_current: tuple[MemoryId, ...] = ()
    """User playbooks that *former* was made from, which are current but no longer members; ascending."""
    withdrawn: tuple[MemoryId, ...] = ()
    """User playbooks that *former* was made from, which are no longer current; ascending."""
    replaces: Memory | None = None
    """A memory that a person approved or edited, and that only an approval replaces."""
    needs_model: bool = False
    """Whether the task waits while no model can be called, because rules do not overwrite a model's words."""


@dataclass(frozen=True, slots=True)
class Gone:
    """A cluster that no longer exists, and from which nothing was made that a person reviewed."""

    cluster: PlaybookCluster
    archives: Memory | None = None
    """The memory that was made from it, unchanged and waiting for approval."""
    replaces: Memory | None = None
    """The memory that it would have replaced, with which the cluster is then kept, because a person reviewed it."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything that a run will do, before any text is written."""

    tasks: tuple[Task, ...]
    kept: tuple[PlaybookCluster, ...] = ()
    """Clusters that are stored with their current members, without new text."""
    gone: tuple[Gone, ...] = ()
    in_force: tuple[Memory, ...] = ()
    """The memories that stay, whatever is written."""


@dataclass(frozen=True, slots=True)
class Material:
    """What the text of one cluster is written from."""

    members: tuple[Memory, ...]
    """Never empty; ascending."""
    vectors: Vectors
    """float32 [n, d], the members' vectors, unit rows."""
    former: Memory | None = None
    """The memory to rewrite."""
    still_current: tuple[Memory, ...] = ()
    """Current playbooks that *former* was also made from, besides the members."""
    withdrawn: tuple[Memory, ...] = ()
    """Playbooks that *former* was made from and that no longer hold, if their words are stored."""
    deleted_count: int = 0
    """How many more there were whose words were deleted."""
    in_force: tuple[Memory, ...] = ()
    """The memories that stay, whatever is written; most similar first."""
    conversations: tuple[tuple[Interaction, ...], ...] = ()
    """Interactions by conversation, in the order of the log."""


def rule_text(playbook: Memory) -> str:
    """Return what a playbook says: its situation, what to do, and what to avoid."""
    return "\n".join(filter(None, (playbook.trigger, playbook.content, playbook.pitfall)))


class Draft(Value):
    """The text for one cluster, and who wrote it."""

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
        """The text by which the memory will be found."""
        return "\n".join(filter(None, (self.name, self.trigger, self.content, self.pitfall)))


@dataclass(frozen=True, slots=True)
class Written:
    """The result of one task."""

    task: Task
    uid: MemoryUid
    """The uid for a new memory."""
    cluster_id: str
    """The permanent id of the cluster."""
    draft: Draft | None = None
    """None if there is nothing new to say, or if the task failed or was left."""
    members: tuple[Memory, ...] = ()
    """The members when the text was written."""
    vector: Vectors | None = None
    """float32 [d], the draft's vector; None: it is made later."""
    error: ProviderError | None = None
    is_left: bool = False

    @property
    def is_settled(self) -> bool:
        """Whether the cluster was fully processed."""
        return self.error is None and not self.is_left

    def cluster(self, run: Run, memory_id: MemoryId | None) -> PlaybookCluster:
        """Return the cluster with the processed members and the memory that was made from it."""
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
    """The effect of a run on a cluster."""

    CREATED = auto()
    UPDATED = auto()
    ARCHIVED = auto()
    KEPT = auto()
    MISSED = auto()
    """Its sources changed after they were read; the next run handles it."""
    OVER_QUOTA = auto()
    """The organisation's quota of memories is used up, so nothing is stored."""


@dataclass(frozen=True, slots=True)
class Settlement:
    """What is stored for one cluster; nothing without *cluster*."""

    effect: Effect
    cluster: PlaybookCluster | None = None
    is_forgotten: bool = False
    """Whether the cluster is deleted."""
    new: NewMemory | None = None
    saved: Memory | None = None
    before: Memory | None = None
    """*saved* before the change, if the change log records it."""
    reason: str = ""
    """The reason in the change log."""


MISSED = Settlement(Effect.MISSED)


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts of what a run did."""

    skipped_reason: str = ""
    playbooks: int = 0
    clusters: int = 0
    effects: Counter[Effect] = field(default_factory=Counter[Effect])
    left: int = 0
    """How many clusters could not be written up now."""
    errors: tuple[str, ...] = ()
    """The reasons, one for each cluster that was not written up."""
    note: str = ""
    """Why rules wrote although a model is configured; empty if they did not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """What user playbooks are distilled into, with everything in which that differs from other specs."""

    learner: str
    """The name under which its clusters, its position and its model calls are stored."""
    product: MemoryKind
    raises_if_all_fail: bool
    """Whether a run fails if the model failed for every cluster; otherwise its result says so."""
    due: Callable[[Transaction, TenantConfig], Awaitable[list[tuple[str, str]]]]
    """Returns name and agent version of the playbooks that are due to be distilled, in order."""
    reason_to_skip: Callable[[Transaction, Run], Awaitable[str]]
    """Returns why a run may not start now; empty if it may."""
    nearness: Callable[[Run], Nearness]
    plan: Callable[[Run, State, Lineage], Plan]
    """Decides what to do with each cluster; pure."""
    conversations: Callable[
        [Transaction, Run, Sequence[Memory]], Awaitable[tuple[tuple[Interaction, ...], ...]]
    ]
    """Returns the turns from which members were learned, if they are needed for the text."""
    write: Callable[[PromptRunner | None, Run, Material], Awaitable[Draft | None]]
    """Writes the text for one cluster, by the model or, without one, by rules; None if there is nothing new to say.
    Raises ProviderError if the model failed."""
    rests_on: Callable[[Written], set[MemoryId]]
    """Returns the memories to read again before a cluster is settled."""
    settle: Callable[[Run, Written, Mapping[MemoryId, Memory]], Settlement]
    """Decides what to store for a cluster, given the current state of its sources; pure."""
    advance: Callable[[Transaction, Run, State, Sequence[Written], Counter[Effect]], Awaitable[None]]
    """Records how far the run got, in the transaction that writes."""
    put_off: Callable[[Transaction, str, str], Awaitable[None]]
    """Keeps a run that a person stopped from starting again automatically at once."""
    result: Callable[[Run, Counts], Result]
