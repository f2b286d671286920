"""Write the text of a skill: with a model if there is one, else by rules."""

import asyncio
from collections.abc import Iterator, Sequence

from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.amounts import counted
from sagacity.domain.errors import MalformedOutput
from sagacity.domain.memory import Memory, MemoryKind, Provenance, SkillFacts
from sagacity.learning.distil.skills.rules import write_by_rules
from sagacity.learning.distil.spec import BY_MODEL, Draft, Material, rule_text
from sagacity.learning.extractors.citations import is_said_in
from sagacity.learning.extractors.grounding import or_none_given, tool_lines
from sagacity.learning.extractors.outputs import SkillGenerationOutput
from sagacity.learning.prompt_runner import PromptRunner
from sagacity.learning.windows.render import Limits, fit, part_lines, render_conversations

GENERATION_PROMPT = "skill_generation"
UPDATE_PROMPT = "skill_update"
_PLAYBOOKS_SHOWN = 80
_PLAYBOOK_LIMITS = Limits(turn_chars=1_500, total_chars=32_000)
_CONVERSATION_LIMITS = Limits(turn_chars=2_500, tool_chars=1_500, total_chars=32_000)
_SKILL_CHARACTERS = 30_000
_DESCRIPTION_CHARACTERS = 1_024


async def write_skill(
    prompt_runner: PromptRunner | None,
    material: Material,
    *,
    config: TenantConfig,
    playbook_name: str,
    learner: str,
) -> Draft | None:
    """
    Write or rewrite a skill.

    Args:
        prompt_runner: the model; None: rules write.
        material: playbooks that belong together, newest first, the interactions behind them, and the current skill if
            there is one.
        config: the configuration, which names the agent's purpose and tools.
        playbook_name: names the skill if nothing else does.
        learner: the learner's name, for the provenance.

    Returns:
        The skill; None if the model finds no task that the playbooks have in common.

    Raises:
        ProviderError: the model failed, or its text says what neither the playbooks nor the conversations say.
    """
    if prompt_runner is None:
        return await asyncio.to_thread(write_by_rules, material, playbook_name=playbook_name, learner=learner)
    variables = {
        "agent_context": or_none_given(config.agent_context_prompt or ""),
        "tools": tool_lines([(tool.tool_name, tool.tool_description) for tool in config.tool_can_use or ()]),
        "playbooks": playbook_lines(material.members),
        "conversations": render_conversations(material.conversations, _CONVERSATION_LIMITS) or "(none kept)",
    }
    prompt = GENERATION_PROMPT
    if material.former is not None:
        prompt = UPDATE_PROMPT
        variables["skill"] = _skill_text(material.former)
        variables["withdrawn"] = _withdrawn_lines(material)
    answer = await prompt_runner.ask(prompt, variables, SkillGenerationOutput)
    said = answer.value
    if not said.worth_writing:
        return None
    shown = [variables[name] for name in ("conversations", "tools", "skill") if name in variables]
    rules = [rule_text(one) for one in (*material.members, *material.still_current)]
    text = f"{said.description}\n{said.instructions}"
    if not await asyncio.to_thread(is_said_in, text, rules, shown):
        raise MalformedOutput("the skill says what no rule of the users says")
    former = material.former.attributes.skill if material.former is not None else None
    return Draft(
        name=former.name if former is not None and former.name else said.name,
        trigger=said.description[:_DESCRIPTION_CHARACTERS].rstrip(),
        content=said.instructions,
        tools=tuple(dict.fromkeys(tool for tool in said.allowed_tools if _is_named(tool, (*rules, *shown)))),
        blocking_issues=tuple(
            {book.blocking_issue: None for book in material.members if book.blocking_issue is not None}
        )[:_PLAYBOOKS_SHOWN],
        provenance=Provenance(
            learner=learner, method=BY_MODEL, prompt_version=answer.prompt_version, model=answer.model
        ),
    )


def _is_named(tool: str, texts: Sequence[str]) -> bool:
    return bool(tool) and any(tool in text for text in texts)


def playbook_lines(playbooks: Sequence[Memory]) -> str:
    """Write playbooks with all their fields, numbered; of very many only the first."""
    shown = playbooks[:_PLAYBOOKS_SHOWN]
    left_out = len(playbooks) - len(shown)

    def write(cap: int) -> str:
        lines = [line for number, book in enumerate(shown, start=1) for line in _lines(number, book, cap)]
        return "\n".join([*lines, f"({left_out} older ones left out)"] if left_out else lines)

    return fit(write, _PLAYBOOK_LIMITS)


def _lines(number: int, book: Memory, cap: int) -> Iterator[str]:
    issue = book.blocking_issue
    parts = {
        "when": book.trigger or "",
        "do": book.content,
        "avoid": book.pitfall or "",
        "why": book.rationale or "",
        "blocked by": "" if issue is None else f"{issue.kind}: {issue.details}",
    }
    for label, text in parts.items():
        if text.strip():
            yield from part_lines(number, label, text, cap)


def _withdrawn_lines(material: Material) -> str:
    """Write the playbooks that the skill must no longer rest on, newest first, and how many were deleted."""
    # A skill that a person wrote may name any number.
    books = [one for one in material.withdrawn if one.kind is MemoryKind.USER_PLAYBOOK]
    lines = [playbook_lines(sorted(books, key=lambda one: one.memory_id, reverse=True))] if books else []
    if material.deleted_count:
        lines.append(f"({counted(material.deleted_count, 'rule')} deleted, with the words)")
    return "\n".join(lines) or "(none)"


def _skill_text(skill: Memory) -> str:
    facts = skill.attributes.skill or SkillFacts()
    text = f"name: {facts.name}\ndescription: {skill.trigger or ''}\n\n{skill.content}"
    return text[:_SKILL_CHARACTERS]
