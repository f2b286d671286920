"""A model decides whether near candidates and memories are one, complete or exclude one another."""

import re
from collections.abc import Mapping, Sequence

from sagacity.domain.change import Action
from sagacity.domain.memory import Memory
from sagacity.learning.deduplication.deduplicate import Case, Verdict
from sagacity.learning.extractors.outputs import ProfileVerdict, UserPlaybookVerdict
from sagacity.learning.extractors.table import DeduplicationPrompt
from sagacity.learning.prompt_runner import PromptRunner
from sagacity.learning.windows.render import shorten

_TEXT_CHARS = 800
_LABEL = re.compile(r"[NE]\d+")
_ACTIONS = {"add": Action.ADD, "same": Action.UPDATE, "merge": Action.MERGE, "replace": Action.SUPERSEDE}


class ModelJudge:
    """Asks a model once for all cases. New ones are labelled N1.. from the oldest on, memories E1.."""

    def __init__(self, prompt_runner: PromptRunner, prompt: DeduplicationPrompt) -> None:
        self._asker = prompt_runner
        self._prompt = prompt

    async def judge(self, cases: Sequence[Case]) -> Sequence[Verdict]:
        """Return what the model said of each case that it named; see `Judge`."""
        oldest_first = sorted(cases, key=lambda case: (max(case.candidate.evidence), case.index))
        new = {f"N{n}": case for n, case in enumerate(oldest_first, start=1)}
        known = {memory.memory_id: memory for case in oldest_first for memory in case.memories}
        old = {f"E{n}": memory for n, memory in enumerate(known.values(), start=1)}
        items = {"items": _describe(new, old)}
        answer = await self._asker.ask(self._prompt.name, items, self._prompt.output)
        found = (_verdict(one, new, old) for one in answer.value.verdicts)
        return [verdict for verdict in found if verdict is not None]


def _describe(new: Mapping[str, Case], old: Mapping[str, Memory]) -> str:
    labels = {memory.memory_id: label for label, memory in old.items()}
    names = {case.index: label for label, case in new.items()}
    lines: list[str] = []
    for label, case in new.items():
        alike = [
            *(labels[it.memory_id] for it in case.memories),
            *(names[it] for it in case.twins if it in names),
        ]
        candidate = case.candidate
        lines += [f"{label} (new, lifetime {candidate.time_to_live}, resembles {', '.join(alike)})"]
        lines += _says(candidate.trigger, candidate.content)
    for label, memory in old.items():
        life = memory.attributes.time_to_live
        lines += [f"{label} (remembered {memory.updated_at:%Y-%m-%d %H:%M}, lifetime {life})"]
        lines += _says(memory.trigger, memory.content)
    return "\n".join(lines)


def _says(trigger: str | None, content: str) -> list[str]:
    parts = (("when", trigger or ""), ("says", content))
    return [f"    {name}: {shorten(' '.join(text.split()), _TEXT_CHARS)}" for name, text in parts if text]


def _verdict(
    given: ProfileVerdict | UserPlaybookVerdict, new: Mapping[str, Case], old: Mapping[str, Memory]
) -> Verdict | None:
    case = new.get(_label(given.item))
    if case is None:
        return None
    named = [_label(target) for target in given.targets]
    targets = tuple(old[label].memory_id for label in named if label in old)
    twin = next((new[label].index for label in named if label in new), None)
    action = _ACTIONS[given.action]
    if action is Action.UPDATE and not targets and twin is not None:
        action = Action.DISCARD
    is_profile = isinstance(given, ProfileVerdict)
    return Verdict(
        index=case.index,
        action=action,
        targets=targets,
        twin=twin,
        content=given.merged_content or None,
        trigger=None if is_profile else given.merged_trigger or None,
        time_to_live=given.merged_time_to_live if is_profile else None,
        reason=given.reason,
    )


def _label(text: str) -> str:
    found = _LABEL.search(text.upper())
    return found[0] if found else ""
