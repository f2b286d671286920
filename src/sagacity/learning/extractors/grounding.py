"""Turn a model's entries into candidates if turns support them."""

import asyncio
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.change import Candidate
from sagacity.domain.extraction import Rejection
from sagacity.domain.graph import NAME_SLOT
from sagacity.domain.ids import MemoryId, UserId
from sagacity.domain.memory import BlockingIssue, MemoryKind
from sagacity.domain.trust import Origin
from sagacity.learning.extractors.base import Extraction, Known
from sagacity.learning.extractors.citations import Citations
from sagacity.learning.extractors.outputs import PlaybookDraft
from sagacity.learning.windows.render import shorten

MOST_ENTRIES: Final = 16
"""The most entries of a kind from one answer. The prompts ask for no more: more notes on two dozen turns would copy
them."""
_KNOWN_CHARS: Final = 300
_NAMES: Final = 3
"""How many of the user's names are shown: a name, a former one and a nickname."""
_LABEL = re.compile(r"K\d+")


def labelled(known: Sequence[Known], letter: str = "K") -> dict[str, Known]:
    """Return known memories by the labels under which a model is shown them: K1, K2 and so on."""
    return {f"{letter}{number}": one for number, one in enumerate(known, start=1)}


def known_lines(known: Sequence[Known], letter: str = "K") -> str:
    """Write known memories, one per line, each with its label, the day it was said, slot and end."""
    lines = [f"{label} {_known_line(one)}" for label, one in labelled(known, letter).items()]
    return "\n".join(lines) or "(nothing yet)"


def user_lines(user_id: UserId, known: Sequence[Known]) -> str:
    """Write who the user is: the id, and the name if a known memory states it."""
    names = [_one_line(one.content) for one in known if one.slot == NAME_SLOT and one.ended_at is None]
    return "\n".join([f"id: {_one_line(user_id)}", *names[:_NAMES]])


def _known_line(one: Known) -> str:
    facts = (
        f"said {one.said_at:%Y-%m-%d}" if one.said_at else "",
        f"slot {_one_line(one.slot)}" if one.slot else "",
        f"ended {one.ended_at:%Y-%m-%d}" if one.ended_at else "",
    )
    said = ", ".join(fact for fact in facts if fact)
    return f"({said}) {_one_line(one.content)}" if said else _one_line(one.content)


def _one_line(text: str) -> str:
    return shorten(" ".join(text.split()), _KNOWN_CHARS)


def named_in(labels: Iterable[str], known: Sequence[Known]) -> tuple[MemoryId, ...]:
    """Return the memories that *labels* stand for; unknown labels are ignored."""
    shown = labelled(known)
    found = (shown.get(label) for text in labels for label in _LABEL.findall(text.upper()))
    return tuple(
        dict.fromkeys(one.memory_id for one in found if one is not None and one.memory_id is not None)
    )


def tool_lines(tools: Sequence[tuple[str, str]]) -> str:
    """Write name and description of each tool, one per line."""
    return "\n".join(f"- {name}: {description}" for name, description in tools) or "(none named)"


def or_none_given(text: str) -> str:
    """Return a text of the operator, or a note that there is none."""
    return text.strip() or "(none given)"


def agent_context(config: TenantConfig, own: str | None) -> str:
    """Return the tenant's description of its agent, extended by an extractor's *own*."""
    return "\n".join(filter(None, (config.agent_context_prompt, own)))


def playbook_candidate(draft: PlaybookDraft, citations: Citations) -> Candidate | Rejection:
    """Turn a rule that a model proposed into a candidate, or return why it is rejected."""
    if not draft.content:
        return Rejection.EMPTY
    said = "\n".join((draft.trigger, draft.content, draft.pitfall or "", draft.rationale))
    evidence = citations.behind(draft.evidence, said, is_order=True)
    if not evidence:
        return Rejection.UNSUPPORTED
    return Candidate(
        kind=MemoryKind.USER_PLAYBOOK,
        content=draft.content,
        trigger=draft.trigger or None,
        pitfall=draft.pitfall or None,
        rationale=draft.rationale or None,
        blocking_issue=draft.blocking_issue
        and BlockingIssue(kind=draft.blocking_issue.kind, details=draft.blocking_issue.details),
        evidence=evidence,
        origin=Origin.TOOL if citations.is_of_a_tool(draft.content, evidence) else None,
    )


async def extracted(
    proposed: Iterable[Candidate | Rejection], *, prompt_version: str, model: str
) -> Extraction:
    """
    Return the first distinct candidates that a model proposed, and how many entries were dropped and why.

    This runs in a thread, because some models propose hundreds of entries.

    Args:
        proposed: yields the candidates and rejections one by one.
        prompt_version: the version of the prompt.
        model: the model that answered.
    """
    return await asyncio.to_thread(_extracted, proposed, prompt_version, model)


def _extracted(proposed: Iterable[Candidate | Rejection], prompt_version: str, model: str) -> Extraction:
    kept: dict[tuple[str, str], Candidate] = {}
    dropped: Counter[Rejection] = Counter()
    for one in proposed:
        if isinstance(one, Rejection):
            dropped[one] += 1
        elif (said := (one.trigger or "", one.content)) in kept:
            dropped[Rejection.REPEATED] += 1
        elif len(kept) == MOST_ENTRIES:
            dropped[Rejection.OVER_LIMIT] += 1
        else:
            kept[said] = one
    return Extraction(
        candidates=tuple(kept.values()),
        dropped=dict(dropped),
        method="model",
        prompt_version=prompt_version,
        model=model,
    )
