"""Facts about the user, read by a model."""

from collections.abc import Sequence

from sagacity.domain.change import Candidate
from sagacity.domain.cursor import Window
from sagacity.domain.graph import EntityMention, RelationshipMention
from sagacity.domain.ids import InteractionId
from sagacity.domain.memory import MemoryKind
from sagacity.learning.extractors.base import Extraction
from sagacity.learning.extractors.grounding import known_lines, or_none_given
from sagacity.learning.extractors.outputs import ProfileDraft, ProfileExtraction
from sagacity.learning.prompt_runner import Asker
from sagacity.learning.windows.render import Rendered, render_window

_PROMPT = "profile_extraction"
_MOST_CANDIDATES = 12

_SAID = 0.9
_INFERRED = 0.6
_NOT_BY_THE_USER = 0.5
"""Confidence in what only agents or tools said: less than in anything that the user said."""


class ModelProfileExtractor:
    """Asks a model once a window; keeps what cites turns that are there."""

    def __init__(
        self,
        asker: Asker,
        *,
        name: str,
        definition: str,
        agent_context: str = "",
        metadata_definition: str = "",
    ) -> None:
        self._asker = asker
        self._name = name
        self._fixed = {
            "agent_context": or_none_given(agent_context),
            "definition": or_none_given(definition),
            "metadata_definition": or_none_given(metadata_definition),
            "limit": str(_MOST_CANDIDATES),
        }

    @property
    def name(self) -> str:
        """The extractor's name in the tenant's configuration."""
        return self._name

    @property
    def kind(self) -> MemoryKind:
        """Profiles."""
        return MemoryKind.PROFILE

    async def extract(self, window: Window, known: Sequence[str]) -> Extraction:
        """Propose what the unread turns tell about the user; see `Extractor`."""
        turns = render_window(window)
        variables = {**self._fixed, "known": known_lines(known), "conversation": turns.text}
        answer = await self._asker.ask(_PROMPT, variables, ProfileExtraction, image=window.image)
        said_by_user = frozenset(turn.interaction_id for turn in window.unread if turn.is_user)
        candidates = [
            candidate
            for draft in answer.value.profiles
            if (candidate := _candidate(draft, turns, said_by_user)) is not None
        ]
        return Extraction(
            candidates=tuple(candidates[:_MOST_CANDIDATES]),
            method="model",
            prompt_version=answer.prompt_version,
            model=answer.model,
        )


def _candidate(
    draft: ProfileDraft, turns: Rendered, said_by_user: frozenset[InteractionId]
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
