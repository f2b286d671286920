"""Judge a session by a model; if answers have shadows, it compares both without knowing which is which."""

from collections.abc import Sequence

from sagacity.config.extractor_config import AgentSuccessConfig
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.interaction import Interaction
from sagacity.learning.evaluate.transcript import as_shadowed, transcript
from sagacity.learning.evaluate.verdict import Verdict, verdict_of, verdict_of_regular
from sagacity.learning.extractors.grounding import or_none_given, tool_lines
from sagacity.learning.extractors.outputs import SessionComparison, SessionVerdict
from sagacity.learning.prompt_runner import PromptRunner
from sagacity.learning.windows.render import DEFAULT_LIMITS

_HALF = DEFAULT_LIMITS.model_copy(update={"total_chars": DEFAULT_LIMITS.total_chars // 2})
"""The limits of each of two transcripts, which share the room of one."""


async def judge_by_model(
    prompt_runner: PromptRunner,
    config: TenantConfig,
    evaluator: AgentSuccessConfig,
    turns: Sequence[Interaction],
    *,
    shadow_first: bool,
) -> Verdict:
    """
    Ask a model how a session went: one call.

    Args:
        prompt_runner: the model.
        config: the tenant's configuration, which describes its agent and tools.
        evaluator: says what counts as a success.
        turns: the turns of the session, oldest first.
        shadow_first: whether the shadow's transcript is shown first; the verdict is always on the regular one.

    Raises:
        ProviderError: the model failed.
    """
    about = {
        "agent_context": or_none_given(config.agent_context_prompt or ""),
        "success_definition": evaluator.success_definition_prompt,
        "metadata_definition": or_none_given(evaluator.metadata_definition_prompt or ""),
        "tools": tool_lines([(tool.tool_name, tool.tool_description) for tool in config.tool_can_use or ()]),
    }
    shadowed = as_shadowed(turns)
    if shadowed is None:
        variables = about | {"conversation": transcript(turns)}
        return verdict_of(
            (await prompt_runner.ask("agent_success_evaluation", variables, SessionVerdict)).value
        )
    first, second = (shadowed, turns) if shadow_first else (turns, shadowed)
    variables = about | {"transcript_a": transcript(first, _HALF), "transcript_b": transcript(second, _HALF)}
    compared = await prompt_runner.ask("agent_success_comparison", variables, SessionComparison)
    return verdict_of_regular(compared.value, shadow_first=shadow_first)
