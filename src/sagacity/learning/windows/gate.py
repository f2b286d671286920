"""Whether a window is worth reading: first by a cheap local check, then by a model if one is configured."""

import asyncio
import re
from collections.abc import Sequence

from sagacity.domain.courtesy import is_courtesy
from sagacity.domain.cursor import Window
from sagacity.domain.errors import ProviderError
from sagacity.domain.interaction import Interaction, UserAction
from sagacity.learning.extractors.grounding import or_none_given
from sagacity.learning.extractors.outputs import ShouldExtract
from sagacity.learning.prompt_runner import PromptRunner
from sagacity.learning.windows.render import DEFAULT_LIMITS, render_window

_QUESTION = re.compile("[?\uff1f\u061f\u037e\u055e\u1367\u2047]")


def worth_reading(window: Window) -> bool:
    """
    Tell whether the unread turns may teach anything.

    False only if no person wrote or did anything, no tool was used and no expert answered, or if people wrote only
    greetings, thanks and acknowledgements. An acknowledgement that answers a question counts ("Shall I always reply in
    French?" - "Sure"), and so does every word, in any script, that is not on the short lists here.
    """
    before = "" if not window.context else window.context[-1].content
    for turn in window.unread:
        if _shows_something(turn) or (turn.is_user and says_something(turn.content, before)):
            return True
        if turn.content.strip():
            before = turn.content
    return False


def _shows_something(turn: Interaction) -> bool:
    acted = turn.user_action is not UserAction.NONE or turn.has_image
    return bool(turn.expert_content.strip() or turn.tools_used or (turn.is_user and acted))


def says_something(text: str, before: str) -> bool:
    """Tell whether what a person wrote after *before* is more than a greeting, thanks or an acknowledgement."""
    answers = bool(_QUESTION.search(before))
    if not any(map(str.isalnum, text)):
        return answers and bool(text.strip())
    return not is_courtesy(text, answers=answers)


class ModelGate:
    """Asks a model whether a window is worth the extractors' time."""

    def __init__(
        self,
        prompt_runner: PromptRunner,
        *,
        definitions: Sequence[tuple[str, str]],
        agent_context: str = "",
    ) -> None:
        """
        Open a gate for the extractors of one kind.

        Args:
            prompt_runner: the model.
            definitions: what each extractor looks for, and when a window is worth reading, if configured.
            agent_context: the agent's purpose.
        """
        self._prompt_runner = prompt_runner
        self._fixed = {
            "agent_context": or_none_given(agent_context),
            "definitions": "\n\n".join(f"{n}. {_wanted(*one)}" for n, one in enumerate(definitions, start=1))
            or or_none_given(""),
        }
        self._asking = asyncio.Lock()
        self._answers: dict[tuple[int, ...], bool] = {}

    async def worth_reading(self, window: Window) -> bool:
        """
        Tell whether the unread turns may teach anything; True if the model fails.

        Extractors that read the same turns share one answer.
        """
        turns = tuple(turn.interaction_id for turn in window.unread)
        async with self._asking:
            if turns not in self._answers:
                self._answers[turns] = await self._ask(window)
            return self._answers[turns]

    async def _ask(self, window: Window) -> bool:
        variables = {**self._fixed, "conversation": render_window(window, DEFAULT_LIMITS)}
        try:
            answer = await self._prompt_runner.ask("should_extract", variables, ShouldExtract)
        except ProviderError:
            return True
        return answer.value.worth_reading


def _wanted(definition: str, condition: str) -> str:
    return f"{definition.strip()}\n   Worth reading if: {condition}" if condition else definition.strip()
