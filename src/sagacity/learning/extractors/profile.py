"""Facts about the user, read by a model."""

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice

from sagacity.config.extractor_config import ProfileExtractorConfig
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.change import Candidate
from sagacity.domain.cursor import Window
from sagacity.domain.graph import EntityMention, RelationshipMention
from sagacity.domain.ids import InteractionId
from sagacity.domain.memory import MemoryKind
from sagacity.learning.extractors.base import ConfiguredExtractor, Extraction, Extractor, Known
from sagacity.learning.extractors.grounding import (
    agent_context,
    known_lines,
    named_in,
    or_none_given,
    user_lines,
)
from sagacity.learning.extractors.outputs import ProfileDraft, ProfileExtraction
from sagacity.learning.extractors.rules import RuleProfileExtractor
from sagacity.learning.prompt_runner import PromptRunner
from sagacity.learning.windows.render import Rendered, render_window

PROFILE_PROMPT = "profile_extraction"
_MOST_CANDIDATES = 12

_SAID = 0.9
_INFERRED = 0.6
_NOT_BY_THE_USER = 0.5
"""Confidence in what only agents or tools said: less than in anything that the user said."""


class ModelProfileExtractor:
    """Asks a model once a window; keeps what cites turns that are there."""

    def __init__(
        self,
        prompt_runner: PromptRunner,
        *,
        name: str,
        definition: str,
        agent_context: str = "",
        metadata_definition: str = "",
    ) -> None:
        self._asker = prompt_runner
        self._name = name
        self.settings = {
            "agent_context": or_none_given(agent_context),
            "definition": or_none_given(definition),
            "metadata_definition": or_none_given(metadata_definition),
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
        turns = render_window(window)
        variables = {
            **self.settings,
            "limit": str(_MOST_CANDIDATES),
            "user": user_lines(window.user_id, known),
            "known": known_lines(known),
            "conversation": turns.text,
        }
        answer = await self._asker.ask(PROFILE_PROMPT, variables, ProfileExtraction, image=window.image)
        return Extraction(
            candidates=profile_candidates(
                answer.value.profiles, turns, window, known, limit=_MOST_CANDIDATES
            ),
            method="model",
            prompt_version=answer.prompt_version,
            model=answer.model,
        )


def profile_candidates(
    drafts: Iterable[ProfileDraft], turns: Rendered, window: Window, known: Sequence[Known], *, limit: int
) -> tuple[Candidate, ...]:
    """
    Turn facts that a model proposed into candidates.

    Dropped are those without text and those that cite no unread turn; of the rest the first *limit* stay.
    """
    said_by_user = frozenset(turn.interaction_id for turn in window.unread if turn.is_user)
    candidates = (_candidate(draft, turns, said_by_user, known) for draft in drafts)
    return tuple(islice(filter(None, candidates), limit))


def _candidate(
    draft: ProfileDraft,
    turns: Rendered,
    said_by_user: frozenset[InteractionId],
    known: Sequence[Known],
) -> Candidate | None:
    evidence = turns.evidence(draft.evidence)
    if not evidence or not draft.content:
        return None
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
            if it.name
        ),
        relationships=tuple(
            RelationshipMention(
                source=it.source, target=it.target, relationship_type=it.type, description=it.description
            )
            for it in draft.relationships
            if it.source and it.target and it.type
        ),
    )


def profile_extractors(config: TenantConfig, *, asked: bool) -> list[ConfiguredExtractor]:
    """Return those that the tenant configured; *asked*: also those that run only on request."""
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
