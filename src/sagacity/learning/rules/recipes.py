"""Success recipes: the tools that led to a user's praise, in their order."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Final

from sagacity.domain.base import Value
from sagacity.domain.change import Candidate
from sagacity.domain.ids import InteractionId
from sagacity.domain.interaction import Interaction, ToolUse
from sagacity.domain.memory import MemoryKind
from sagacity.learning.rules.requests import gist
from sagacity.learning.rules.sentences import Stance, split_sentences
from sagacity.learning.rules.wording import keywords, shorten

MIN_CALLS: Final = 3
MAX_STEPS: Final = 8

_PRAISE = re.compile(
    r"(?:(?:that|this|it|which|all of (?:that|this))(?:'s| is| was| all)?\s(?:really |just |"
    r"actually )?(?:worked|works|did it|fixed it|solved it|exactly what i (?:needed|wanted)|perfect|"
    r"spot on)|perfect(?:ly)?\b(?!\s(?:time|day|example|for))|(?:works|worked) (?:perfectly|great|"
    r"like a charm|now)|problem solved|exactly what i (?:needed|wanted)|you nailed it|appreciate (?:that|"
    r"it|your help)|brilliant|excellent)\b",
    re.IGNORECASE,
)
_ERROR = re.compile(
    r"\b(?:error|exception|not[ _]found|failed|failure|invalid|denied|timed? ?out)\b", re.IGNORECASE
)
_OUTCOMES = ("output", "result", "response", "error", "status", "observation")


class _Call(Value):
    tool: ToolUse
    interaction_id: InteractionId
    failed: bool


def recipe_candidates(turns: Sequence[Interaction], unread: frozenset[int]) -> Iterator[Candidate]:
    """Yield a candidate where the user praises, in an unread turn, what three or more tool calls led to."""
    calls: list[_Call] = []
    request = ""
    for turn in turns:
        if not turn.is_user:
            calls += [
                _Call(tool=tool, interaction_id=turn.interaction_id, failed=failed(tool))
                for tool in turn.tools_used
            ]
            continue
        request = request or gist(turn.content)
        if is_praise(turn.content) and calls:
            if turn.seq in unread and request:
                yield from _recipe(calls, turn, request)
            calls, request = [], ""


def is_praise(text: str) -> bool:
    """Whether *text* says, in its author's own name, that the outcome was right."""
    return any(
        _PRAISE.match(sentence.text, clause.start)
        for sentence in split_sentences(text)
        for clause in sentence.clauses
        if clause.stance is Stance.STATED
    )


def failed(tool: ToolUse) -> bool:
    """Whether the recorded outcome of a call is an error."""
    outcomes = [tool.tool_data[key] for key in _OUTCOMES if tool.tool_data.get(key)]
    return any(_ERROR.search(json.dumps(outcome)[:2_000]) for outcome in outcomes)


def _recipe(calls: Sequence[_Call], praise: Interaction, request: str) -> Iterator[Candidate]:
    worked = [call for call in calls if not call.failed]
    steps: list[str] = []
    for call in worked:
        if not steps or steps[-1] != call.tool.tool_name:
            steps.append(call.tool.tool_name)
    if len(worked) < MIN_CALLS or len(set(steps)) < 2 or len(steps) > MAX_STEPS:  # noqa: PLR2004 - one tool is no order
        return
    misses = dict.fromkeys(call.tool.tool_name for call in calls if call.failed)
    evidence = dict.fromkeys((*(call.interaction_id for call in calls), praise.interaction_id))
    yield Candidate(
        kind=MemoryKind.USER_PLAYBOOK,
        trigger=request,
        content=f"Call {', then '.join(steps)}.",
        pitfall=f"A first call of {' and '.join(misses)} failed: check its arguments." if misses else None,
        rationale=f'The user said of the outcome: "{shorten(praise.content, 120)}"',
        slot=f"recipe.{'.'.join(steps)}",
        keywords=keywords(" ".join(dict.fromkeys(steps))),
        confidence=0.7,
        evidence=tuple(evidence),
    )
