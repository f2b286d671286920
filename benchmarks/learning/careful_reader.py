"""A scenario, and a reader that answers prompts with what a careful person noted of the turns that they show."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import yaml
from learning.rules import begins_word, folded

BETWEEN_TURNS: Final = timedelta(minutes=1)
_TURN = re.compile(r"^\[#(\d+) [^\]]*\] (.*)$", re.MULTILINE)
_KNOWN = re.compile(r"^\W*(K\d+)\b(.*)$", re.MULTILINE)
_ITEM = re.compile(r"^([NE]\d+) .*\n((?:    .*\n?)+)", re.MULTILINE)
_HEAD: Final = 60
"""Characters by which a turn is known again in a prompt."""


@dataclass(frozen=True)
class Turn:
    """A turn, and what a careful reader noted of it: drafts as the prompts ask for them, `ends` as patterns."""

    role: str
    text: str
    at: datetime
    facts: tuple[Mapping[str, Any], ...] = ()
    rules: tuple[Mapping[str, Any], ...] = ()

    @property
    def head(self) -> str:
        """How it begins."""
        return self.text.split("\n")[0][:_HEAD].strip()


@dataclass(frozen=True)
class Expected:
    """What is to be current in the end, as a pattern, and a piece of the turn that says it."""

    pattern: str
    source: str = ""


@dataclass(frozen=True)
class Scenario:
    """Sessions of one user; what is to be current after them, and patterns of what no longer is."""

    name: str
    user_id: str
    sessions: tuple[tuple[Turn, ...], ...]
    expected: tuple[Expected, ...]
    stale: tuple[str, ...]

    @property
    def turns(self) -> list[Turn]:
        """All turns as they were sent."""
        return [turn for session in self.sessions for turn in session]


def load(path: Path) -> Scenario:
    """Read a scenario."""
    given = yaml.safe_load(path.read_text())
    return Scenario(
        name=path.stem,
        user_id=given.get("user", path.stem),
        sessions=tuple(tuple(_turns(session)) for session in given["sessions"]),
        expected=tuple(Expected(one["says"], one.get("from", "")) for one in given["current"]),
        stale=tuple(given.get("stale", ())),
    )


def _turns(session: Mapping[str, Any]) -> Iterator[Turn]:
    for place, turn in enumerate(session["turns"]):
        speaker, text = next(iter(turn.items()))
        yield Turn(
            role=speaker.capitalize(),
            text=text,
            at=session["at"] + place * BETWEEN_TURNS,
            facts=tuple(turn.get("facts", ())),
            rules=tuple(turn.get("rules", ())),
        )


def says(text: str, patterns: Sequence[str]) -> bool:
    """Whether *text* has any of the *patterns*: `a+b!c` has both a and b, each at the start of a word, and no c."""
    return any(_says(folded(text), *one.partition("!")[::2]) for one in patterns)


def _says(text: str, has: str, lacks: str) -> bool:
    return all(begins_word(word, text) for word in has.split("+")) and not (
        lacks and begins_word(lacks, text)
    )


def answer(scenario: Scenario, prompt: str, fields: set[str]) -> Mapping[str, Any] | None:
    """Return the answer to a prompt whose schema has *fields*; None where nothing was noted for such a prompt."""
    if "verdicts" in fields:
        return {"verdicts": verdicts(scenario, prompt)}
    if "worth_reading" in fields:
        return {"reason": "", "worth_reading": True}
    if "playbook" in fields:  # of one user there is nothing to share
        return {"playbook": None}
    given = {"profiles": "facts", "playbooks": "rules"}
    return {key: drafts(scenario, prompt, given[key]) for key in sorted(fields & given.keys())} or None


def drafts(scenario: Scenario, prompt: str, what: str) -> list[Mapping[str, Any]]:
    """
    Return what was noted of the turns under NEW, with this prompt's numbers of turns and labels of memories.

    What a later one of these turns ends is not noted: where two disagree, the later one counts.
    """
    known, _, new = prompt.rpartition("\nNEW\n")
    shown = {text[:_HEAD].strip(): int(number) for number, text in _TURN.findall(new)}
    labels = _KNOWN.findall(known)
    noted = [
        (shown[turn.head], note)
        for turn in scenario.turns
        if turn.head in shown
        for note in getattr(turn, what)
    ]
    return [
        {**note, "evidence": [number], "ends": [label for label, text in labels if _ended(text, note)]}
        for number, note in noted
        if not any(later > number and _ended(note["content"], other) for later, other in noted)
    ]


def _ended(text: str, note: Mapping[str, Any]) -> bool:
    return says(text, note.get("ends", ()))


def verdicts(scenario: Scenario, prompt: str) -> list[Mapping[str, Any]]:
    """Return one verdict for each new memory: it replaces what it excludes, repeats what it says again, or is added."""
    items = dict(_ITEM.findall(prompt))
    return [_verdict(scenario, label, text, items) for label, text in items.items() if label[0] == "N"]


def _verdict(scenario: Scenario, label: str, text: str, items: Mapping[str, str]) -> Mapping[str, Any]:
    others = {other: said for other, said in items.items() if other != label}
    # Which of two that exclude one another holds is for the pipeline to say, by when they were said.
    excluded = [
        other for other, said in others.items() if _ends(scenario, text, said) or _ends(scenario, said, text)
    ]
    repeated = [
        other for other, said in others.items() if says(said, _noted(scenario, text).get("repeats", ()))
    ]
    action, targets = (
        ("replace", excluded) if excluded else ("same", repeated[:1]) if repeated else ("add", [])
    )
    return {"item": label, "reason": "as noted", "action": action, "targets": targets}


def _ends(scenario: Scenario, text: str, other: str) -> bool:
    return says(other, _noted(scenario, text).get("ends", ()))


def _noted(scenario: Scenario, text: str) -> Mapping[str, Any]:
    """Return what was noted in the words of *text*, one of the memories that a prompt shows."""
    notes = (note for turn in scenario.turns for note in (*turn.facts, *turn.rules))
    return next((note for note in notes if note["content"] in text), {})
