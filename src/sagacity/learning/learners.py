"""A tenant's configuration becomes its learners: who reads the log, in which steps, looking for what."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sagacity.config.extractor_config import ProfileExtractorConfig, UserPlaybookExtractorConfig
from sagacity.config.model_choice import Role
from sagacity.config.tenant_config import TenantConfig, window_of
from sagacity.domain.memory import MemoryKind
from sagacity.learning.extractors.base import Extractor
from sagacity.learning.extractors.profile import ModelProfileExtractor
from sagacity.learning.extractors.rules import RuleProfileExtractor, RuleUserPlaybookExtractor
from sagacity.learning.extractors.user_playbook import ModelUserPlaybookExtractor
from sagacity.learning.gate import ModelGate
from sagacity.learning.judge import ModelJudge
from sagacity.providers.base import LLM

Models = Callable[[TenantConfig, Role], LLM | None]
"""Opens the model that serves a tenant in a role; None when there is no key."""

Groups = Callable[[TenantConfig, Models], "Sequence[LearnerGroup]"]
"""Builds a tenant's learners; `learner_groups` is the one in use."""

KINDS = (MemoryKind.PROFILE, MemoryKind.USER_PLAYBOOK)
"""What is learned from a user's log, side by side."""


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


@dataclass(frozen=True, slots=True)
class LearnerGroup:
    """The learners of one kind, whose candidates are deduplicated together."""

    kind: MemoryKind
    learners: tuple[Learner, ...]
    gate: ModelGate | None
    judge: ModelJudge | None
    neighbour_count: int


def learner_groups(config: TenantConfig, models: Models) -> list[LearnerGroup]:
    """Build the learners that *config* asks for; by rules where there is no model."""
    llm = models(config, Role.GENERATION)
    profiles = tuple(
        _learner(config, MemoryKind.PROFILE, one, _profile_extractor(config, one, llm))
        for one in config.profile_extractor_configs
        if not one.manual_trigger
    )
    playbooks = tuple(
        _learner(config, MemoryKind.USER_PLAYBOOK, one, _playbook_extractor(config, one, llm))
        for one in config.user_playbook_extractor_configs
    )
    deduplication = next((c.deduplication_config for c in config.user_playbook_extractor_configs), None)
    return [
        LearnerGroup(
            kind=kind,
            learners=learners,
            gate=_gate(config, models, definitions),
            judge=None if llm is None else ModelJudge(llm, kind),
            neighbour_count=10 if deduplication is None else deduplication.search_top_k,
        )
        for kind, learners, definitions in (
            (
                MemoryKind.PROFILE,
                profiles,
                [one.extraction_definition_prompt for one in config.profile_extractor_configs],
            ),
            (
                MemoryKind.USER_PLAYBOOK,
                playbooks,
                [one.extraction_definition_prompt for one in config.user_playbook_extractor_configs],
            ),
        )
        if learners
    ]


def learner_name(kind: MemoryKind, extractor_name: str) -> str:
    """Return the name under which an extractor's cursor and dead letters are kept."""
    return f"{kind}:{extractor_name}"


def _learner(
    config: TenantConfig,
    kind: MemoryKind,
    chosen: ProfileExtractorConfig | UserPlaybookExtractorConfig,
    extractor: Extractor,
) -> Learner:
    size, step = window_of(config, chosen)
    return Learner(
        name=learner_name(kind, chosen.extractor_name),
        extractor_name=chosen.extractor_name,
        extractor=extractor,
        window_size=size,
        step=step,
        sources=frozenset(chosen.request_sources_enabled or ()),
    )


def _profile_extractor(config: TenantConfig, chosen: ProfileExtractorConfig, llm: LLM | None) -> Extractor:
    if llm is None:
        return RuleProfileExtractor()
    return ModelProfileExtractor(
        llm,
        name=chosen.extractor_name,
        definition=chosen.extraction_definition_prompt,
        agent_context="\n".join(filter(None, (config.agent_context_prompt, chosen.context_prompt))),
        metadata_definition=chosen.metadata_definition_prompt or "",
    )


def _playbook_extractor(
    config: TenantConfig, chosen: UserPlaybookExtractorConfig, llm: LLM | None
) -> Extractor:
    if llm is None:
        return RuleUserPlaybookExtractor()
    return ModelUserPlaybookExtractor(
        llm,
        name=chosen.extractor_name,
        definition=chosen.extraction_definition_prompt,
        agent_context="\n".join(filter(None, (config.agent_context_prompt, chosen.context_prompt))),
        tools=[(tool.tool_name, tool.tool_description) for tool in config.tool_can_use or ()],
    )


def _gate(config: TenantConfig, models: Models, definitions: list[str]) -> ModelGate | None:
    """A model gate costs a call a window, so only one that was asked for by name is used."""
    named = config.llm_config is not None and config.llm_config.should_run_model_name
    llm = models(config, Role.SHOULD_RUN) if named and not config.skip_should_run_check else None
    if llm is None:
        return None
    return ModelGate(llm, definitions=definitions, agent_context=config.agent_context_prompt or "")
