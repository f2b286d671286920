"""A tenant's configuration becomes its learners: who reads the log, in which steps, looking for what."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from sagacity.config.extractor_config import ProfileExtractorConfig, UserPlaybookExtractorConfig
from sagacity.config.model_choice import Role
from sagacity.config.tenant_config import TenantConfig, window_of
from sagacity.domain.memory import MemoryKind
from sagacity.learning.deduplication.judge import ModelJudge
from sagacity.learning.extractors.base import Extractor
from sagacity.learning.extractors.profile import ModelProfileExtractor
from sagacity.learning.extractors.rules import RuleProfileExtractor, RuleUserPlaybookExtractor
from sagacity.learning.extractors.user_playbook import ModelUserPlaybookExtractor
from sagacity.learning.prompt_runner import Asker, Calls
from sagacity.learning.windows.gate import ModelGate

KINDS = (MemoryKind.PROFILE, MemoryKind.USER_PLAYBOOK)
"""What is learned from a user's log, side by side."""
NEIGHBOUR_COUNT = 10
"""How many neighbours a candidate is compared with, unless its extractor says otherwise."""

ExtractorConfig = ProfileExtractorConfig | UserPlaybookExtractorConfig
Chosen = TypeVar("Chosen", ProfileExtractorConfig, UserPlaybookExtractorConfig)


@dataclass(frozen=True, slots=True)
class Learner:
    """One configured extractor with its place in the log."""

    name: str
    """The cursor's name: kind and extractor."""
    extractor_name: str
    extractor: Extractor
    window_size: int
    step: int
    sources: frozenset[str]
    """Request sources that it reads; empty for all."""
    neighbour_count: int = NEIGHBOUR_COUNT
    """With how many near memories its candidates are compared."""
    neighbour_threshold: float = 0.0
    """How near these have to be, as a relevance in 0..1 (see `domain.query.relevance`)."""
    asks_a_model: bool = True
    """Whether its extractor makes use of what is known, and of an image; rules do not."""

    def reads(self, source: str) -> bool:
        """Return whether it reads turns that came from there."""
        return not self.sources or source in self.sources


@dataclass(frozen=True, slots=True)
class LearnerGroup:
    """The learners of one kind, whose candidates are deduplicated together."""

    kind: MemoryKind
    learners: tuple[Learner, ...]
    gate: ModelGate | None
    judge: ModelJudge | None
    incremental: bool = False
    """Whether they read one after another, each told what the former ones found."""
    expander: Asker | None = None
    """Who gives other words for new memories, where the tenant wants them; see `learning.expand`."""

    @property
    def neighbour_count(self) -> int:
        """The most that any of the learners wants."""
        return max((learner.neighbour_count for learner in self.learners), default=NEIGHBOUR_COUNT)


class Groups(Protocol):
    """Builds a tenant's learners; `learner_groups` is the one in use."""

    def __call__(
        self, config: TenantConfig, calls: Calls, *, by_hand: bool = False, names: Collection[str] = ()
    ) -> Sequence[LearnerGroup]:
        """Return the learners, by kind."""
        ...


def learner_groups(
    config: TenantConfig, calls: Calls, *, by_hand: bool = False, names: Collection[str] = ()
) -> Sequence[LearnerGroup]:
    """
    Build the learners that *config* asks for; by rules where no model may be called.

    Args:
        config: the tenant's choices.
        calls: what its learners may call.
        by_hand: someone asked for it: extractors that never run by themselves do, and no gate keeps any from it.
        names: only extractors of these names; none for all.
    """
    profiles = _chosen(config.profile_extractors(asked=by_hand), names)
    playbooks = _chosen(config.user_playbook_extractors(asked=by_hand), names)
    groups = (
        (MemoryKind.PROFILE, profiles, [_profile_learner(config, one, calls) for one in profiles]),
        (MemoryKind.USER_PLAYBOOK, playbooks, [_playbook_learner(config, one, calls) for one in playbooks]),
    )
    return [
        LearnerGroup(
            kind=kind,
            learners=tuple(learners),
            gate=None if by_hand else _gate(config, calls, kind, chosen),
            judge=None
            if (asker := calls.asker(Role.GENERATION, f"deduplication:{kind}")) is None
            else ModelJudge(asker, kind),
            incremental=config.incremental_extraction,
            expander=calls.asker(Role.GENERATION, f"expansion:{kind}")
            if config.enable_document_expansion
            else None,
        )
        for kind, chosen, learners in groups
        if learners
    ]


def learner_names(config: TenantConfig) -> list[str]:
    """Return the names of the learners that *config* asks for."""
    return [learner.name for group in learner_groups(config, Calls()) for learner in group.learners]


def learner_name(kind: MemoryKind, extractor_name: str) -> str:
    """Return the name under which an extractor's cursor and dead letters are kept."""
    return f"{kind}:{extractor_name}"


def _chosen(configured: Sequence[Chosen], names: Collection[str]) -> list[Chosen]:
    return [one for one in configured if not names or one.extractor_name in names]


def _learner(
    config: TenantConfig, kind: MemoryKind, chosen: ExtractorConfig, extractor: Extractor
) -> Learner:
    size, step = window_of(config, chosen)
    compared = chosen.deduplication_config if isinstance(chosen, UserPlaybookExtractorConfig) else None
    return Learner(
        name=learner_name(kind, chosen.extractor_name),
        extractor_name=chosen.extractor_name,
        extractor=extractor,
        window_size=size,
        step=step,
        sources=frozenset(chosen.request_sources_enabled or ()),
        neighbour_count=NEIGHBOUR_COUNT if compared is None else compared.search_top_k,
        neighbour_threshold=0.0 if compared is None else compared.search_threshold,
        asks_a_model=not isinstance(extractor, RuleProfileExtractor | RuleUserPlaybookExtractor),
    )


def _profile_learner(config: TenantConfig, chosen: ProfileExtractorConfig, calls: Calls) -> Learner:
    kind = MemoryKind.PROFILE
    asker = calls.asker(Role.GENERATION, learner_name(kind, chosen.extractor_name))
    if asker is None:
        return _learner(config, kind, chosen, RuleProfileExtractor())
    extractor = ModelProfileExtractor(
        asker,
        name=chosen.extractor_name,
        definition=chosen.extraction_definition_prompt,
        agent_context=_context(config, chosen),
        metadata_definition=chosen.metadata_definition_prompt or "",
    )
    return _learner(config, kind, chosen, extractor)


def _playbook_learner(config: TenantConfig, chosen: UserPlaybookExtractorConfig, calls: Calls) -> Learner:
    kind = MemoryKind.USER_PLAYBOOK
    asker = calls.asker(Role.GENERATION, learner_name(kind, chosen.extractor_name))
    if asker is None:
        return _learner(config, kind, chosen, RuleUserPlaybookExtractor())
    extractor = ModelUserPlaybookExtractor(
        asker,
        name=chosen.extractor_name,
        definition=chosen.extraction_definition_prompt,
        agent_context=_context(config, chosen),
        tools=[(tool.tool_name, tool.tool_description) for tool in config.tool_can_use or ()],
    )
    return _learner(config, kind, chosen, extractor)


def _context(config: TenantConfig, chosen: ExtractorConfig) -> str:
    return "\n".join(filter(None, (config.agent_context_prompt, chosen.context_prompt)))


def _gate(
    config: TenantConfig, calls: Calls, kind: MemoryKind, chosen: Sequence[ExtractorConfig]
) -> ModelGate | None:
    """A model's gate costs a call a window, so it is used where its model, or its question, was chosen."""
    named = config.llm_config is not None and config.llm_config.should_run_model_name
    if config.skip_should_run_check or not (named or any(map(_condition, chosen))):
        return None
    asker: Asker | None = calls.asker(Role.SHOULD_RUN, f"gate:{kind}")
    if asker is None:
        return None
    return ModelGate(
        asker,
        definitions=[(one.extraction_definition_prompt, _condition(one)) for one in chosen],
        agent_context=config.agent_context_prompt or "",
    )


def _condition(chosen: ExtractorConfig) -> str:
    if isinstance(chosen, UserPlaybookExtractorConfig):
        return ""
    return (chosen.should_extract_profile_prompt_override or "").strip()
