"""The learners that a tenant's configuration defines, and the groups in which they read the log."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from sagacity.config.model_choice import Role
from sagacity.config.tenant_config import TenantConfig, is_window_chosen, window_of
from sagacity.domain.cursor import Cursor, LearnerKey, learner_name
from sagacity.domain.ids import UserId
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import MemoryKind, Status
from sagacity.learning.deduplication.judge import ModelJudge
from sagacity.learning.extractors.base import NEIGHBOUR_COUNT, ConfiguredExtractor, Extractor
from sagacity.learning.extractors.conversation import ConversationExtractor
from sagacity.learning.extractors.profile import PROFILE_PROMPT, ModelProfileExtractor
from sagacity.learning.extractors.table import EXTRACTORS
from sagacity.learning.extractors.user_playbook import PLAYBOOK_PROMPT, ModelUserPlaybookExtractor
from sagacity.learning.prompt_runner import ModelSession, PromptRunner
from sagacity.learning.windows.gate import ModelGate

_TALK_WINDOW = (30, 24)
"""
The most turns shown, and the most unread ones among them, if the window follows the conversation.

Most conversations are shorter, so one call reads them whole. Its instructions and schema have some 2,400 tokens, as
many as 28 turns of a support chat. Rules, which cost nothing, do not wait for so many turns.
"""


@dataclass(frozen=True, slots=True)
class Learner:
    """One configured extractor with its place in the log."""

    kind: MemoryKind
    extractor_name: str
    extractor: Extractor
    window_size: int
    """The most turns that it is shown at a time, including context before its unread ones."""
    step: int
    """The most unread turns that it reads at a time."""
    sources: frozenset[str]
    """Request sources that it reads; empty for all."""
    neighbour_count: int = NEIGHBOUR_COUNT
    """How many near memories its candidates are compared with."""
    neighbour_threshold: float = 0.0
    """Their minimum similarity, in 0..1 (see `domain.query.similarity`)."""
    follows_talk: bool = False
    """Whether its window ends where a session or an exchange does; else it is always a whole step."""
    asks_a_model: bool = True
    """Whether its extractor is shown all important memories, and images; rules are shown memories that may end."""
    shared: ConversationExtractor | None = None
    """Reads a window for it and a learner of another kind in one call, if both have the same window to read."""

    @property
    def name(self) -> str:
        """Its name in receipts, dead letters, provenance and the ledger."""
        return learner_name(self.kind, self.extractor_name)

    @property
    def key(self) -> LearnerKey:
        """The kind and name that identify it."""
        return self.kind, self.extractor_name

    def start(self, user_id: UserId, version: Status = Status.CURRENT) -> Cursor:
        """Return its cursor before it has read anything of a user's log."""
        return Cursor(kind=self.kind, extractor_name=self.extractor_name, user_id=user_id, version=version)

    def is_full(self, unread: int) -> bool:
        """Whether *unread* turns are enough to tell where the next window ends, or one more if it follows the talk."""
        return self.turns_left(unread) <= 0

    def turns_left(self, unread: int) -> int:
        """Return how many turns more would fill the step."""
        return self.step + self.follows_talk - unread

    def reads(self, turn: Interaction) -> bool:
        """Return whether it reads a turn: not if that was sent only for evaluation, or comes from another source."""
        return not turn.evaluation_only and (not self.sources or turn.source in self.sources)


@dataclass(frozen=True, slots=True)
class LearnerGroup:
    """The learners of one kind, whose candidates are deduplicated together."""

    kind: MemoryKind
    learners: tuple[Learner, ...]
    gate: ModelGate | None
    judge: ModelJudge | None
    incremental: bool = False
    """Whether they read one after another, each shown what the earlier ones found."""
    contact_data: bool = False
    """Whether profiles may contain contact data."""
    expander: PromptRunner | None = None
    """The model that finds other words for new memories, if configured; see `learning.writing.expand`."""

    @property
    def neighbour_count(self) -> int:
        """The largest count of any of the learners."""
        return max((learner.neighbour_count for learner in self.learners), default=NEIGHBOUR_COUNT)


class Groups(Protocol):
    """Builds a tenant's learners; `learner_groups` is the one in use."""

    def __call__(
        self, config: TenantConfig, calls: ModelSession, *, by_hand: bool = False, names: Collection[str] = ()
    ) -> Sequence[LearnerGroup]:
        """Return the learners, by kind."""
        ...


def learner_groups(
    config: TenantConfig, calls: ModelSession, *, by_hand: bool = False, names: Collection[str] = ()
) -> Sequence[LearnerGroup]:
    """
    Build the learners that *config* defines; they use rules if no model may be called.

    Args:
        config: the tenant's configuration.
        calls: the models that its learners may call.
        by_hand: someone requested it: extractors that never run automatically do, and no gate keeps any from reading.
        names: only extractors with these names; empty for all.
    """
    chosen = {
        kind: [one for one in made.configured(config, asked=by_hand) if not names or one.name in names]
        for kind, made in EXTRACTORS.items()
    }
    groups = [
        _group(config, calls, kind, configured, by_hand=by_hand)
        for kind, configured in chosen.items()
        if configured
    ]
    return _sharing(config, calls, groups)


def _sharing(
    config: TenantConfig, calls: ModelSession, groups: Sequence[LearnerGroup]
) -> Sequence[LearnerGroup]:
    """
    Make the first learners of each kind share one call.

    They share it if both read the same turns of the same sources in the same steps. A learner makes its own call if a
    version of its kind's own prompt was chosen, or if it is shown what others of its kind found.
    """
    firsts = [group.learners[0] for group in groups]
    facts = next((one.extractor for one in firsts if isinstance(one.extractor, ModelProfileExtractor)), None)
    rules = next(
        (one.extractor for one in firsts if isinstance(one.extractor, ModelUserPlaybookExtractor)), None
    )
    prompt_runner = calls.prompt_runner(Role.GENERATION, "extraction")
    has_own = {
        PROFILE_PROMPT,
        PLAYBOOK_PROMPT,
    } & config.prompt_versions.keys() or config.incremental_extraction
    if facts is None or rules is None or prompt_runner is None or has_own:
        return groups
    if len({(one.window_size, one.step, one.follows_talk, one.sources) for one in firsts}) > 1:
        return groups
    shared = ConversationExtractor(prompt_runner, profile=facts, playbook=rules)
    return [
        replace(group, learners=(replace(group.learners[0], shared=shared), *group.learners[1:]))
        for group in groups
    ]


def _group(
    config: TenantConfig,
    calls: ModelSession,
    kind: MemoryKind,
    configured: Sequence[ConfiguredExtractor],
    *,
    by_hand: bool,
) -> LearnerGroup:
    made = EXTRACTORS[kind]
    judge = calls.prompt_runner(Role.GENERATION, f"deduplication:{kind}")
    return LearnerGroup(
        kind=kind,
        learners=tuple(_learner(config, kind, one, calls) for one in configured),
        gate=None if by_hand else _gate(config, calls, kind, configured),
        judge=None if judge is None else ModelJudge(judge, made.deduplication),
        incremental=config.incremental_extraction,
        contact_data=config.contact_data_enabled,
        expander=calls.prompt_runner(Role.GENERATION, f"expansion:{kind}")
        if config.enable_document_expansion
        else None,
    )


def _learner(
    config: TenantConfig,
    kind: MemoryKind,
    configured: ConfiguredExtractor,
    calls: ModelSession,
) -> Learner:
    prompt_runner = calls.prompt_runner(Role.GENERATION, learner_name(kind, configured.name))
    follows_talk = prompt_runner is not None and not is_window_chosen(config, configured.window)
    size, step = _TALK_WINDOW if follows_talk else window_of(config, configured.window)
    return Learner(
        kind=kind,
        extractor_name=configured.name,
        extractor=configured.open(prompt_runner),
        window_size=size,
        step=step,
        follows_talk=follows_talk,
        sources=configured.sources,
        neighbour_count=configured.neighbour_count,
        neighbour_threshold=configured.neighbour_threshold,
        asks_a_model=prompt_runner is not None,
    )


def _gate(
    config: TenantConfig, calls: ModelSession, kind: MemoryKind, configured: Sequence[ConfiguredExtractor]
) -> ModelGate | None:
    """Return the model's gate, which costs a call per window, only if its model or its question was configured."""
    named = config.llm_config is not None and config.llm_config.should_run_model_name
    if config.skip_should_run_check or not (named or any(one.condition for one in configured)):
        return None
    prompt_runner = calls.prompt_runner(Role.SHOULD_RUN, f"gate:{kind}")
    if prompt_runner is None:
        return None
    return ModelGate(
        prompt_runner,
        definitions=[(one.definition, one.condition) for one in configured],
        agent_context=config.agent_context_prompt or "",
    )
