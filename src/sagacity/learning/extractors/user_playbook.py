"""Extract rules for the agent with a model, from corrections, successes and experts' answers."""

from collections.abc import Sequence
from functools import partial

from sagacity.config.extractor_config import UserPlaybookExtractorConfig
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.cursor import Window
from sagacity.domain.memory import MemoryKind
from sagacity.learning.extractors.base import (
    NEIGHBOUR_COUNT,
    ConfiguredExtractor,
    Extraction,
    Extractor,
    Known,
)
from sagacity.learning.extractors.citations import Citations
from sagacity.learning.extractors.expert import EXPERT_PROMPT, has_expert, render_triples
from sagacity.learning.extractors.grounding import (
    MOST_ENTRIES,
    agent_context,
    extracted,
    known_lines,
    or_none_given,
    playbook_candidate,
    tool_lines,
)
from sagacity.learning.extractors.outputs import UserPlaybookExtraction
from sagacity.learning.extractors.rules import RuleUserPlaybookExtractor
from sagacity.learning.prompt_runner import PromptRunner
from sagacity.learning.windows.render import render_window

PLAYBOOK_PROMPT = "user_playbook_extraction"


class ModelUserPlaybookExtractor:
    """
    Asks a model once per window.

    If an expert answered an unread turn, the model is asked what separates agent and expert, and for corrections;
    otherwise for corrections and successes.
    """

    def __init__(
        self,
        prompt_runner: PromptRunner,
        *,
        name: str,
        definition: str,
        agent_context: str = "",
        tools: Sequence[tuple[str, str]] = (),
    ) -> None:
        self._prompt_runner = prompt_runner
        self._name = name
        self.settings = {
            "agent_context": or_none_given(agent_context),
            "definition": or_none_given(definition),
            "tools": tool_lines(tools),
            "limit": str(MOST_ENTRIES),
        }
        """What the tenant says of it, as its prompts carry it."""

    @property
    def name(self) -> str:
        """The extractor's name in the tenant's configuration."""
        return self._name

    @property
    def kind(self) -> MemoryKind:
        """User playbooks."""
        return MemoryKind.USER_PLAYBOOK

    async def extract(self, window: Window, known: Sequence[Known]) -> Extraction:
        """Propose what the unread turns teach the agent; see `Extractor`."""
        variables = {
            **self.settings,
            "known": known_lines(known),
            "conversation": render_window(window),
        }
        prompt = PLAYBOOK_PROMPT
        if has_expert(window):
            prompt = EXPERT_PROMPT
            variables["triples"] = render_triples(window)
        answer = await self._prompt_runner.ask(prompt, variables, UserPlaybookExtraction, image=window.image)
        citations = Citations(window, answer.instructions)
        return await extracted(
            (playbook_candidate(draft, citations) for draft in answer.value.playbooks),
            prompt_version=answer.prompt_version,
            model=answer.model,
        )


def user_playbook_extractors(config: TenantConfig, *, asked: bool) -> list[ConfiguredExtractor]:
    """Return the configured extractors; if *asked*, also those that run only on request."""
    return [_configured(config, one) for one in config.user_playbook_extractors(asked=asked)]


def _configured(config: TenantConfig, chosen: UserPlaybookExtractorConfig) -> ConfiguredExtractor:
    compared = chosen.deduplication_config
    return ConfiguredExtractor(
        name=chosen.extractor_name,
        definition=chosen.extraction_definition_prompt,
        window=chosen,
        sources=frozenset(chosen.request_sources_enabled or ()),
        open=partial(_open, config, chosen),
        neighbour_count=NEIGHBOUR_COUNT if compared is None else compared.search_top_k,
        neighbour_threshold=0.0 if compared is None else compared.search_threshold,
    )


def _open(
    config: TenantConfig, chosen: UserPlaybookExtractorConfig, prompt_runner: PromptRunner | None
) -> Extractor:
    if prompt_runner is None:
        return RuleUserPlaybookExtractor()
    return ModelUserPlaybookExtractor(
        prompt_runner,
        name=chosen.extractor_name,
        definition=chosen.extraction_definition_prompt,
        agent_context=agent_context(config, chosen.context_prompt),
        tools=[(tool.tool_name, tool.tool_description) for tool in config.tool_can_use or ()],
    )
