"""Ask a model whether similar candidates and memories are the same, complement each other, or exclude each other."""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime

from sagacity.domain.change import Action
from sagacity.domain.memory import Memory, TimeToLive
from sagacity.learning.deduplication.cases import Case, Verdict
from sagacity.learning.extractors.outputs import ProfileVerdict, UserPlaybookVerdict
from sagacity.learning.extractors.table import DeduplicationPrompt
from sagacity.learning.prompt_runner import PromptRunner
from sagacity.learning.windows.render import shorten

_TEXT_CHARS = 800
_SLOT_CHARS = 60
_LABEL = re.compile(r"[NE]\d+")
_ACTIONS = {"add": Action.ADD, "same": Action.UPDATE, "merge": Action.MERGE, "replace": Action.SUPERSEDE}


class ModelJudge:
    """Asks a model once for all cases. Candidates are labelled N1.. in the order of the log, memories E1.."""

    def __init__(self, prompt_runner: PromptRunner, prompt: DeduplicationPrompt) -> None:
        self._prompt_runner = prompt_runner
        self._prompt = prompt

    async def judge(self, cases: Sequence[Case]) -> Sequence[Verdict]:
        """Return the model's verdicts on the cases that it named; see `Judge`."""
        oldest_first = sorted(cases, key=lambda case: (max(case.candidate.evidence), case.index))
        new = {f"N{n}": case for n, case in enumerate(oldest_first, start=1)}
        known = {memory.memory_id: memory for case in oldest_first for memory in case.memories}
        old = {f"E{n}": memory for n, memory in enumerate(known.values(), start=1)}
        items = {"items": _describe(new, old)}
        answer = await self._prompt_runner.ask(self._prompt.name, items, self._prompt.output)
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
        facts = _facts("new", candidate.said_at, candidate.slot, candidate.time_to_live)
        lines += [f"{label} ({facts}, resembles {', '.join(alike)})"]
        lines += _says(candidate.trigger, candidate.content, candidate.pitfall)
    for label, memory in old.items():
        own = memory.attributes
        lines += [
            f"{label} ({_facts('remembered', own.said_at or memory.updated_at, own.slot, own.time_to_live)})"
        ]
        lines += _says(memory.trigger, memory.content, memory.pitfall)
    return "\n".join(lines)


def _facts(what: str, said_at: datetime | None, slot: str, time_to_live: TimeToLive) -> str:
    """Write when something was said and, for facts, the slot and how long it holds."""
    parts = (
        what,
        f"said {said_at:%Y-%m-%d %H:%M}" if said_at else "",
        f"slot {shorten(_one_line(slot), _SLOT_CHARS)}" if slot else "",
        f"lifetime {time_to_live}",
    )
    return ", ".join(part for part in parts if part)


def _says(trigger: str | None, content: str, pitfall: str | None) -> list[str]:
    parts = (("when", trigger or ""), ("says", content), ("avoid", pitfall or ""))
    return [f"    {name}: {shorten(_one_line(text), _TEXT_CHARS)}" for name, text in parts if text]


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _verdict(
    given: ProfileVerdict | UserPlaybookVerdict, new: Mapping[str, Case], old: Mapping[str, Memory]
) -> Verdict | None:
    case = new.get(_label(given.item))
    if case is None:
        return None
    named = [_label(target) for target in given.targets]
    targets = tuple(old[label].memory_id for label in named if label in old)
    others = tuple(new[label].index for label in named if label in new)
    twin = next(iter(others), None)
    action = _ACTIONS[given.action]
    if action is Action.UPDATE and not targets and twin is not None:
        action = Action.DISCARD
    is_profile = isinstance(given, ProfileVerdict)
    return Verdict(
        index=case.index,
        action=action,
        targets=targets,
        twin=twin,
        rivals=others if action is Action.SUPERSEDE else (),
        content=given.merged_content or None,
        trigger=None if is_profile else given.merged_trigger or None,
        pitfall=None if is_profile else given.merged_pitfall or None,
        time_to_live=given.merged_time_to_live if is_profile else None,
        reason=given.reason,
    )


def _label(text: str) -> str:
    found = _LABEL.search(text.upper())
    return found[0] if found else ""
