"""Extract facts about the user and rules for the agent in one model call, which takes half the tokens of two."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence

from sagacity.domain.change import Candidate
from sagacity.domain.cursor import Window
from sagacity.domain.errors import ProviderError
from sagacity.domain.extraction import Rejection
from sagacity.domain.memory import MemoryKind
from sagacity.learning.extractors.base import Extraction, Known
from sagacity.learning.extractors.citations import Citations
from sagacity.learning.extractors.expert import has_expert
from sagacity.learning.extractors.grounding import extracted, known_lines, playbook_candidate, user_lines
from sagacity.learning.extractors.outputs import ConversationExtraction
from sagacity.learning.extractors.profile import ModelProfileExtractor, profile_candidates
from sagacity.learning.extractors.user_playbook import ModelUserPlaybookExtractor
from sagacity.learning.prompt_runner import PromptRunner
from sagacity.learning.windows.render import render_window

CONVERSATION_PROMPT = "conversation_extraction"
SHARED_KINDS = (MemoryKind.PROFILE, MemoryKind.USER_PLAYBOOK)
_FIELDS = {MemoryKind.PROFILE: "profiles", MemoryKind.USER_PLAYBOOK: "playbooks"}


class ConversationExtractor:
    """Asks a model once per window for what two extractors, one of each kind, would ask for in two calls."""

    def __init__(
        self,
        prompt_runner: PromptRunner,
        *,
        profile: ModelProfileExtractor,
        playbook: ModelUserPlaybookExtractor,
    ) -> None:
        self._prompt_runner = prompt_runner
        facts, rules = profile.settings, playbook.settings
        self._fixed = {
            "agent_context": _both(facts["agent_context"], rules["agent_context"]),
            "tools": rules["tools"],
            "profile_definition": facts["definition"],
            "metadata_definition": facts["metadata_definition"],
            "playbook_definition": rules["definition"],
            "limit": facts["limit"],
        }

    def reads(self, window: Window) -> bool:
        """Whether one call is enough for *window*; an expert's answers need their own prompt."""
        return not has_expert(window)

    async def extract(
        self, window: Window, known: Mapping[MemoryKind, Sequence[Known]]
    ) -> Mapping[MemoryKind, Extraction]:
        """
        Propose what the unread turns of *window* teach, by kind; kinds that the answer did not reach are left out.

        Args:
            window: the turns; context turns give meaning, but no candidates of their own.
            known: the user's memories of each kind that need not be repeated, most important first.

        Raises:
            ProviderError: the model failed.
        """
        facts, rules = known[MemoryKind.PROFILE], known[MemoryKind.USER_PLAYBOOK]
        variables = {
            **self._fixed,
            "user": user_lines(window.user_id, facts),
            "known_profiles": known_lines(facts),
            "known_playbooks": known_lines(rules, letter="R"),
            "conversation": render_window(window),
        }
        answer = await self._prompt_runner.ask(
            CONVERSATION_PROMPT, variables, ConversationExtraction, image=window.image
        )
        citations = Citations(window, answer.instructions)
        found: dict[MemoryKind, Iterable[Candidate | Rejection]] = {
            MemoryKind.PROFILE: profile_candidates(answer.value.profiles, citations, window, facts),
            MemoryKind.USER_PLAYBOOK: (
                playbook_candidate(draft, citations) for draft in answer.value.playbooks
            ),
        }
        return {
            kind: await extracted(proposed, prompt_version=answer.prompt_version, model=answer.model)
            for kind, proposed in found.items()
            if _FIELDS[kind] not in answer.value.lacking
        }


class SharedCall:
    """One call's answer for all kinds: requested by the first that asks, and kept for the others even if it failed."""

    def __init__(self, extractor: ConversationExtractor, known: Mapping[MemoryKind, Sequence[Known]]) -> None:
        self._extractor = extractor
        self._known = known
        self._asking = asyncio.Lock()
        self._found: Mapping[MemoryKind, Extraction] | ProviderError | None = None

    async def extract(self, kind: MemoryKind, window: Window) -> Extraction | None:
        """
        Return what the unread turns of *window* teach of one kind; all learners that share the call read these turns.

        None if the answer did not reach that kind, which then needs a call of its own.

        Raises:
            ProviderError: the model failed.
        """
        async with self._asking:
            if self._found is None:
                try:
                    self._found = await self._extractor.extract(window, self._known)
                except ProviderError as error:
                    self._found = error
        if isinstance(self._found, ProviderError):
            raise self._found
        return self._found.get(kind)


def _both(one: str, other: str) -> str:
    return one if one == other else f"{one}\n{other}"
