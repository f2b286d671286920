"""Write the text of a playbook from a cluster: with a model, or without one from its most typical member."""

import asyncio
from collections.abc import Iterator, Sequence
from itertools import count

from sagacity.domain.amounts import counted
from sagacity.domain.errors import MalformedOutput
from sagacity.domain.memory import BlockingIssue, Memory, Provenance
from sagacity.learning.deduplication.text_equivalence import same_words
from sagacity.learning.distil.agent_playbooks.directions import Direction, directions_of, user_count
from sagacity.learning.distil.spec import BY_MODEL, BY_RULES, Draft, Material, rule_text
from sagacity.learning.extractors.citations import is_said_in, speaks_of
from sagacity.learning.extractors.grounding import or_none_given
from sagacity.learning.extractors.outputs import PlaybookAggregation, SharedPlaybookDraft
from sagacity.learning.prompt_runner import PromptRunner
from sagacity.learning.windows.render import Limits, fit, part_lines

PROMPT = "playbook_aggregation"
_MEMBERS_SHOWN = 60
_DIRECTIONS_SHOWN = 12
_MEMBER_LIMITS = Limits(turn_chars=1_000, total_chars=32_000)
_IN_FORCE_LIMITS = Limits(turn_chars=1_000, total_chars=12_000)


async def write_playbook(
    prompt_runner: PromptRunner | None,
    material: Material,
    *,
    agent_context: str,
    overlap: float,
    learner: str,
) -> Draft | None:
    """
    Write the playbook of a cluster.

    Args:
        prompt_runner: the model; None to use the most typical member's text.
        material: the cluster, and playbooks that stay in force.
        agent_context: the agent's purpose.
        overlap: the share of common words above which two members ask for the same.
        learner: the learner's name, for the provenance.

    Returns:
        The text; None if a playbook in force says it all.

    Raises:
        ProviderError: the model failed, or its text says what no member says.
    """
    directions = await asyncio.to_thread(directions_of, material.members, material.vectors, overlap=overlap)
    if prompt_runner is None:
        return _by_rules(material, directions, learner)
    variables = {
        "agent_context": or_none_given(agent_context),
        "rules": _rules_text(directions),
        "in_force": _in_force_text(material),
    }
    answer = await prompt_runner.ask(PROMPT, variables, PlaybookAggregation)
    said = answer.value.playbook
    if said is None or not said.content or any(_says(one, said) for one in material.in_force):
        return None
    said = await asyncio.to_thread(_checked, said, material.members, directions[0].members[0])
    issue = said.blocking_issue
    return Draft(
        trigger=said.trigger or None,
        content=said.content,
        pitfall=said.pitfall or None,
        rationale=said.rationale or None,
        blocking_issues=() if issue is None else (BlockingIssue(kind=issue.kind, details=issue.details),),
        provenance=Provenance(
            learner=learner, method=BY_MODEL, prompt_version=answer.prompt_version, model=answer.model
        ),
    )


def _checked(said: SharedPlaybookDraft, members: Sequence[Memory], typical: Memory) -> SharedPlaybookDraft:
    """
    Return a model's playbook as far as the members say it.

    An invented pitfall is left out, and an invented situation is replaced by that of the most typical member.

    Raises:
        MalformedOutput: what to do is invented.
    """
    rules = [rule_text(one) for one in members]
    if not is_said_in(said.content, rules):
        raise MalformedOutput("the playbook says what no rule of the users says")
    given = {
        "trigger": said.trigger if speaks_of(said.trigger, rules) else typical.trigger or "",
        "pitfall": said.pitfall if said.pitfall and speaks_of(said.pitfall, rules) else None,
    }
    return said.model_copy(update=given)


def _says(playbook: Memory, said: SharedPlaybookDraft) -> bool:
    return (playbook.trigger or "", playbook.content) == (said.trigger, said.content)


def _by_rules(material: Material, directions: Sequence[Direction], learner: str) -> Draft | None:
    """Use the text of the majority's most typical member, unless a playbook in force already says that."""
    majority = directions[0].members
    if any(same_words(one.content, member.content) for one in material.in_force for member in majority):
        return None
    speaker, members = majority[0], material.members
    return Draft(
        trigger=speaker.trigger,
        content=speaker.content,
        pitfall=speaker.pitfall,
        # The member's own rationale is one user's story.
        rationale=(
            f"Learned alike from {counted(user_count(members), 'user')} ({counted(len(members), 'playbook')})."
        ),
        blocking_issues=() if speaker.blocking_issue is None else (speaker.blocking_issue,),
        provenance=Provenance(learner=learner, method=BY_RULES),
    )


def _rules_text(directions: Sequence[Direction]) -> str:
    """Write members group by group; of a large cluster only the most typical, in proportion to each group's size."""
    shown = directions[:_DIRECTIONS_SHOWN]
    left_out = sum(len(one.members) for one in directions[_DIRECTIONS_SHOWN:])
    share = min(1.0, _MEMBERS_SHOWN / sum(len(one.members) for one in directions))

    def write(cap: int) -> str:
        lines: list[str] = []
        place = count(1)  # continues through all groups, so that each number names one rule
        for number, direction in enumerate(shown, start=1):
            lines.append(_group_heading(number, shown))
            most = max(1, round(share * len(direction.members)))
            for member in direction.members[:most]:
                lines += _playbook_lines(next(place), member, cap)
        return "\n".join(
            [*lines, f"({counted(left_out, 'more rule')}, in smaller groups)"] if left_out else lines
        )

    return fit(write, _MEMBER_LIMITS)


def _group_heading(number: int, groups: Sequence[Direction]) -> str:
    """Say how many users a group has, and with which earlier groups it shares users."""
    group = groups[number - 1]
    shared = [
        f"GROUP {other}"
        for other, earlier in enumerate(groups[: number - 1], start=1)
        if group.shares_a_user_with(earlier)
    ]
    note = f"; shares users with {', '.join(shared)}" if shared else ""
    return (
        f"GROUP {number}: {counted(len(group.members), 'rule')} of {counted(group.user_count, 'user')}{note}"
    )


def _in_force_text(material: Material) -> str:
    def write(cap: int) -> str:
        return "\n".join(
            line
            for number, one in enumerate(material.in_force, start=1)
            for line in _playbook_lines(number, one, cap)
        )

    return fit(write, _IN_FORCE_LIMITS) or "(none yet)"


def _playbook_lines(number: int, playbook: Memory, cap: int) -> Iterator[str]:
    """Yield the text of a playbook without its rationale, which may be one user's story."""
    issue = playbook.blocking_issue
    parts = {
        "when": playbook.trigger or "",
        "do": playbook.content,
        "avoid": playbook.pitfall or "",
        "blocked by": "" if issue is None else f"{issue.kind}: {issue.details}",
    }
    for label, text in parts.items():
        if text.strip():
            yield from part_lines(number, label, text, cap)
