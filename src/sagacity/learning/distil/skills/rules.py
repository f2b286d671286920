"""Write a skill without a model: what the playbooks say, in order and without repetition."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence

from pydantic import JsonValue

from sagacity.domain.interaction import ToolUse
from sagacity.domain.memory import BlockingIssue, Memory, Provenance
from sagacity.learning.deduplication.text_equivalence import Statement, read
from sagacity.learning.distil.skills.text import one_line
from sagacity.learning.distil.spec import BY_RULES, Draft, Material
from sagacity.learning.windows.render import shorten

_MOST_ITEMS = 25
_MOST_TRIGGERS = 12
_ITEM_CHARACTERS = 600
_NAME_WORDS, _NAME_CHARACTERS = 6, 60
_DESCRIPTION_CHARACTERS = 1_000
_VALUE_CHARACTERS = 60
_SHARED_CONVERSATIONS = 2
_UNTELLING = frozenset(
    "a an the and or of to in on for from with by at is are be when whenever if user users user's they "
    "their them asks ask asked asking wants want wanted says say said before after while this that".split()
)


def write_by_rules(material: Material, *, playbook_name: str, learner: str) -> Draft:
    """
    Write what the playbooks of a cluster say as one skill.

    What most playbooks say comes first, then what is newer; repetitions in other words are left out. The tools are
    those called in at least two of the conversations, with the arguments that were the same in every call. The same
    material gives the same text.

    Args:
        material: the playbooks, newest first, and the interactions behind them.
        playbook_name: names the skill if no playbook says when it applies.
        learner: the learner's name, for the provenance.
    """
    playbooks = material.members
    triggers = _once([book.trigger or "" for book in playbooks])[:_MOST_TRIGGERS]
    steps = _once([book.content for book in playbooks])[:_MOST_ITEMS]
    pitfalls = _once([book.pitfall or "" for book in playbooks])[:_MOST_ITEMS]
    issues = _issues(playbooks)
    tools = _tools(material)
    name = _former_name(material) or _name(triggers) or playbook_name
    sections = (
        ("When to use", [f"- {text}" for text in triggers]),
        ("What to do", [f"{number}. {text}" for number, text in enumerate(steps, start=1)]),
        ("What to avoid", [f"- {text}" for text in pitfalls]),
        ("What may stand in the way", [f"- {_issue(issue)}" for issue in issues]),
        ("Tools", [f"- {line}" for _, line in tools]),
    )
    body = [f"## {title}\n\n" + "\n".join(lines) for title, lines in sections if lines]
    return Draft(
        name=name,
        trigger=_description(name, triggers),
        content="\n\n".join([f"# {_title(name)}", *body]),
        tools=tuple(tool for tool, _ in tools),
        blocking_issues=tuple(issues),
        provenance=Provenance(learner=learner, method=BY_RULES),
    )


def _once(texts: Sequence[str]) -> list[str]:
    """Return the distinct statements in their first wording, most frequent first, ties in the given order."""
    wording: dict[Statement | str, str] = {}
    count: Counter[Statement | str] = Counter()
    for text in texts:
        if line := shorten(one_line(text), _ITEM_CHARACTERS):
            said = read(line)
            key = said if said.words else line
            wording.setdefault(key, line)
            count[key] += 1
    return [wording[key] for key, _ in count.most_common()]  # ties keep the order of first occurrence


def _name(triggers: Sequence[str]) -> str:
    """Return the meaningful words of the trigger that has most in common with the others."""
    words = [list(dict.fromkeys(_telling(trigger))) for trigger in triggers]
    weight = Counter(word for of_one in words for word in of_one)
    nothing: list[str] = []
    best = max(
        words, key=lambda one: sum(weight[word] - 1 for word in one) / max(len(one), 1), default=nothing
    )
    name = ""
    for word in best[:_NAME_WORDS]:
        longer = f"{name} {word}".strip()
        if len(longer) > _NAME_CHARACTERS:
            break
        name = longer
    return name


def _telling(text: str) -> Iterable[str]:
    words = (word.strip(".,;:!?()[]{}\"'`*_#<>") for word in text.lower().split())
    return (word for word in words if word and word not in _UNTELLING)


def _former_name(material: Material) -> str:
    facts = material.former.attributes.skill if material.former is not None else None
    return facts.name if facts is not None else ""


def _title(name: str) -> str:
    text = one_line(name).replace("-", " ")
    return text[:1].upper() + text[1:]


def _description(name: str, triggers: Sequence[str]) -> str:
    if not triggers:
        return f"What was learned about {one_line(name)}."
    said = f"Use when: {triggers[0].rstrip('.')}"
    for trigger in triggers[1:]:
        longer = f"{said}; or: {trigger.rstrip('.')}"
        if len(longer) > _DESCRIPTION_CHARACTERS:
            break
        said = longer
    return f"{said}."


def _issues(playbooks: Sequence[Memory]) -> list[BlockingIssue]:
    found = {
        (book.blocking_issue.kind, read(book.blocking_issue.details)): book.blocking_issue
        for book in reversed(playbooks)
        if book.blocking_issue is not None
    }
    return list(found.values())[::-1][:_MOST_ITEMS]


def _issue(issue: BlockingIssue) -> str:
    kind = str(issue.kind).replace("_", " ")
    details = shorten(one_line(issue.details), _ITEM_CHARACTERS)
    return f"{kind}: {details}" if details else kind


def _tools(material: Material) -> list[tuple[str, str]]:
    """Return the tools that conversations have in common, with a line on each, most used first."""
    calls: dict[str, list[ToolUse]] = {}
    used_in: Counter[str] = Counter()
    for turns in material.conversations:
        used = [tool for turn in turns for tool in turn.tools_used if one_line(tool.tool_name)]
        used_in.update({one_line(tool.tool_name) for tool in used})
        for tool in used:
            calls.setdefault(one_line(tool.tool_name), []).append(tool)
    total = len(material.conversations)
    return [
        (
            name,
            f"`{name.replace('`', '')}`, called in {count} of {total} conversations{_arguments(calls[name])}",
        )
        for name, count in sorted(used_in.items(), key=lambda item: (-item[1], item[0]))
        if count >= _SHARED_CONVERSATIONS
    ][:_MOST_ITEMS]


def _arguments(calls: Sequence[ToolUse]) -> str:
    """Return the arguments that were the same in every call."""
    first, *others = (call.tool_data for call in calls)
    same = {
        one_line(key): value
        for key, value in first.items()
        if _is_plain(value) and all(other.get(key) == value for other in others)
    }
    shown = ", ".join(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in same.items())
    return f", always with {one_line(shown)}" if shown else ""


def _is_plain(value: JsonValue) -> bool:
    if isinstance(value, str):
        return 0 < len(value) <= _VALUE_CHARACTERS
    return isinstance(value, bool | int | float)
