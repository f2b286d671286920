"""Extract facts about the user with a model."""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial

from sagacity.config.extractor_config import ProfileExtractorConfig
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.change import Candidate
from sagacity.domain.cursor import Window
from sagacity.domain.extraction import Rejection
from sagacity.domain.graph import EntityMention, RelationshipMention
from sagacity.domain.ids import InteractionId
from sagacity.domain.memory import MemoryKind
from sagacity.learning.extractors.base import ConfiguredExtractor, Extraction, Extractor, Known
from sagacity.learning.extractors.citations import Citations
from sagacity.learning.extractors.grounding import (
    MOST_ENTRIES,
    agent_context,
    extracted,
    known_lines,
    named_in,
    or_none_given,
    user_lines,
)
from sagacity.learning.extractors.outputs import ProfileDraft, ProfileExtraction
from sagacity.learning.extractors.rules import RuleProfileExtractor
from sagacity.learning.prompt_runner import PromptRunner
from sagacity.learning.windows.render import render_window

PROFILE_PROMPT = "profile_extraction"

_SAID = 0.9
_INFERRED = 0.6
_NOT_BY_THE_USER = 0.5
"""The confidence in what only agents or tools said, which is less than in anything that the user said."""


class ModelProfileExtractor:
    """Asks a model once per window, and keeps the facts that cite existing turns."""

    def __init__(
        self,
        prompt_runner: PromptRunner,
        *,
        name: str,
        definition: str,
        agent_context: str = "",
        metadata_definition: str = "",
    ) -> None:
        self._prompt_runner = prompt_runner
        self._name = name
        self.settings = {
            "agent_context": or_none_given(agent_context),
            "definition": or_none_given(definition),
            "metadata_definition": or_none_given(metadata_definition),
            "limit": str(MOST_ENTRIES),
        }
        """What the tenant says of it, as its prompts carry it."""

    @property
    def name(self) -> str:
        """The extractor's name in the tenant's configuration."""
        return self._name

    @property
    def kind(self) -> MemoryKind:
        """Profiles."""
        return MemoryKind.PROFILE

    async def extract(self, window: Window, known: Sequence[Known]) -> Extraction:
        """Propose what the unread turns tell about the user; see `Extractor`."""
        variables = {
            **self.settings,
            "user": user_lines(window.user_id, known),
            "known": known_lines(known),
            "conversation": render_window(window),
        }
        answer = await self._prompt_runner.ask(
            PROFILE_PROMPT, variables, ProfileExtraction, image=window.image
        )
        return await extracted(
            profile_candidates(answer.value.profiles, Citations(window, answer.instructions), window, known),
            prompt_version=answer.prompt_version,
            model=answer.model,
        )


def profile_candidates(
    drafts: Iterable[ProfileDraft], citations: Citations, window: Window, known: Sequence[Known]
) -> Iterator[Candidate | Rejection]:
    """Turn facts that a model proposed into candidates, or yield why one is rejected."""
    said_by_user = frozenset(turn.interaction_id for turn in window.unread if turn.is_user)
    for draft in drafts:
        yield _candidate(draft, citations, said_by_user, known)


def _candidate(
    draft: ProfileDraft,
    citations: Citations,
    said_by_user: frozenset[InteractionId],
    known: Sequence[Known],
) -> Candidate | Rejection:
    if not draft.content:
        return Rejection.EMPTY
    evidence = citations.behind(draft.evidence, draft.content, is_inferred=draft.inferred)
    if not evidence:
        return Rejection.UNSUPPORTED
    confidence = _INFERRED if draft.inferred else _SAID
    slot = draft.slot.lower()
    return Candidate(
        kind=MemoryKind.PROFILE,
        content=draft.content,
        time_to_live=draft.time_to_live,
        custom_features={feature.name: feature.value for feature in draft.features if feature.name},
        slot=slot,
        exclusive=draft.exclusive and bool(slot),
        negates=draft.negates,
        ends=named_in(draft.ends, known),
        valid_until=draft.valid_until,
        confidence=confidence if said_by_user.intersection(evidence) else min(confidence, _NOT_BY_THE_USER),
        evidence=evidence,
        entities=tuple(
            EntityMention(name=it.name, entity_type=it.type, description=it.description)
            for it in draft.entities
            if it.name and citations.mentions(it.name, draft.content)
        ),
        relationships=tuple(
            RelationshipMention(
                source=it.source, target=it.target, relationship_type=it.type, description=it.description
            )
            for it in draft.relationships
            if it.type
            and all(name and citations.mentions(name, draft.content) for name in (it.source, it.target))
        ),
    )


def profile_extractors(config: TenantConfig, *, asked: bool) -> list[ConfiguredExtractor]:
    """Return the configured extractors; if *asked*, also those that run only on request."""
    return [
        ConfiguredExtractor(
            name=one.extractor_name,
            definition=one.extraction_definition_prompt,
            window=one,
            sources=frozenset(one.request_sources_enabled or ()),
            open=partial(_open, config, one),
            condition=(one.should_extract_profile_prompt_override or "").strip(),
        )
        for one in config.profile_extractors(asked=asked)
    ]


def _open(
    config: TenantConfig, chosen: ProfileExtractorConfig, prompt_runner: PromptRunner | None
) -> Extractor:
    if prompt_runner is None:
        return RuleProfileExtractor()
    return ModelProfileExtractor(
        prompt_runner,
        name=chosen.extractor_name,
        definition=chosen.extraction_definition_prompt,
        agent_context=agent_context(config, chosen.context_prompt),
        metadata_definition=chosen.metadata_definition_prompt or "",
    )
