"""An answer without a model: the best matching memories with their dates, labelled as such."""

import re
from collections.abc import Collection, Sequence

from sagacity.domain.caution import Caution, caution_of, cautions_touched
from sagacity.domain.chat import EXTRACTIVE_MARKS, is_extractive
from sagacity.domain.context import Context, ContextItem, SectionName
from sagacity.domain.interaction import INTERACTION
from sagacity.domain.memory import MemoryKind
from sagacity.retrieval.query.forgets import Forgets, what_to_forget
from sagacity.retrieval.query.intents import (
    asks_all_that_is_known,
    asks_for_a_fact,
    asks_nothing,
    asks_what_is_unknown,
    only_asks,
)

NO_MODEL = "No language model is configured"
_FOUND, _NOTHING, _NOT_SEARCHED, _KEPT, _OFF, _NEAREST, _UNKNOWN, _FORGOTTEN, _NOT_ALL = EXTRACTIVE_MARKS
_DELETE = (
    "Your own words stay in the log. To delete memories for good, list them in `sagacity chat` with /memories, and "
    "name them to /forget; `sagacity users delete` erases all that is stored of a user."
)
MOST_LINES = 5
MODEL = "extractive"
"""The model's name for such an answer."""
_SPEAKERS = {"user": "you said", "assistant": "I said"}
_SPEAKER = re.compile(r"^(\d{4}-\d\d-\d\d) (user|assistant): ")
_LEAD = re.compile(r"^\d{4}-\d\d-\d\d[^:]{0,80}: ")
_SAID = frozenset({SectionName.ENTITIES, SectionName.HISTORY})
_LEAST_RELEVANCE = 0.1
"""The least relevance of a quoted line. Fewer than one in ten lines below it answer; see `benchmarks/relevance.py`."""
_LEAST_SHARE = 0.4
"""
A line is quoted if it has at least this share of the best line's relevance.

Of the 142 questions of `benchmarks/relevance.py` that have an answer, 137 are answered (138 without this limit), with
0.7 wrong lines per question instead of 2.5.
"""
_SURE = 0.3
"""
From this relevance of the best line on, the lines are called an answer, below it the nearest that is remembered.

In `benchmarks/relevance.py`, 9 of the 142 questions that have an answer stay below it, and 38 of the 56 without one.
"""


def extractive_answer(
    message: str, context: Context, *, why: str = "", is_whole: bool = True, is_off: bool = False
) -> str:
    """
    Return an answer that quotes the most likely lines of *context*, each with its citation.

    If the message asks for nothing, only cautions are quoted: an allergy, in reply to "I'm cooking prawns tonight". If
    it asks to forget something, nothing is quoted, and the answer says what happens to those memories.

    Args:
        message: of the user.
        context: what is remembered.
        why: why no model answers, such as "The spending cap is reached"; empty if no model is configured.
        is_whole: whether all memories and the conversation so far could be read.
        is_off: whether the user's settings switch memory off.
    """
    reason = f"{why or NO_MODEL},"
    if (forgets := what_to_forget(message)) is not None:
        return f"{reason} {_NOT_ALL if forgets is Forgets.EVERYTHING else _FORGOTTEN} {_DELETE}"
    if is_off:
        return f"{reason} {_OFF}"
    if asks_what_is_unknown(message):
        return f"{reason} {_UNKNOWN}"
    told = asks_nothing(message)
    touched = frozenset[Caution]() if asks_for_a_fact(message) else cautions_touched(message)
    items = known(context) if asks_all_that_is_known(message) else best(context, touched)
    if told:
        items = [item for item in items if _warns(item, touched)]
    if not items:
        return f"{reason} {_KEPT if told else _NOTHING if is_whole else _NOT_SEARCHED}"
    is_sure = asks_all_that_is_known(message) or any(_is_sure(item, touched) for item in items)
    lead = _FOUND if is_sure else _NEAREST
    return "\n".join((f"{reason} {lead}", *(f"- {said_in(item)} [{item.citation}]" for item in items)))


def best(context: Context, touched: Collection[Caution] = ()) -> Sequence[ContextItem]:
    """
    Return the lines that most likely answer: first those that warn of something *touched*, then the most relevant.

    Left out are earlier answers without a model, turns that only ask or ask to forget something, and lines that are
    much less relevant than the best.
    """
    found = _lines(context)
    warns = {item.citation for item in found if _warns(item, touched)}
    likely = [
        item
        for item in found
        if item.citation in warns
        or (
            (item.relevance or 0.0) >= _LEAST_RELEVANCE
            and not is_extractive(item.text)
            and not _only_asks(item)
        )
    ]
    least = _LEAST_SHARE * max((item.relevance or 0.0 for item in likely), default=0.0)
    kept = [item for item in likely if item.citation in warns or (item.relevance or 0.0) >= least]
    ordered = sorted(
        kept, key=lambda item: (item.citation not in warns, -(item.relevance or 0.0), -item.score)
    )
    return ordered[:MOST_LINES]


def known(context: Context) -> Sequence[ContextItem]:
    """Return what is known about the user, best first, for a message that asks for all of it."""
    facts = [item for item in _lines(context) if item.kind != INTERACTION]
    return sorted(facts, key=lambda item: (item.kind != MemoryKind.PROFILE, -item.score))[:MOST_LINES]


def _lines(context: Context) -> list[ContextItem]:
    return [item for one in context.sections if one.name not in _SAID for item in one.items]


def _is_sure(item: ContextItem, touched: Collection[Caution]) -> bool:
    return (item.relevance or 0.0) >= _SURE or _warns(item, touched)


def _warns(item: ContextItem, touched: Collection[Caution]) -> bool:
    return bool(touched) and item.kind != INTERACTION and caution_of(_words_of(item)) in touched


def _only_asks(item: ContextItem) -> bool:
    words = _words_of(item)
    return item.kind == INTERACTION and (only_asks(words) or what_to_forget(words) is not None)


def _words_of(item: ContextItem) -> str:
    """Return what a line says, without its source, its day and its speaker."""
    return _LEAD.sub("", item.text.strip().removeprefix(f"- [{item.citation}]").strip())


def said_in(item: ContextItem) -> str:
    """Return what a line of a context says, without its source, and with who said it in words."""
    text = " ".join(item.text.strip().removeprefix(f"- [{item.citation}]").split())
    return _SPEAKER.sub(lambda found: f"{found[1]}, {_SPEAKERS[found[2]]}: ", text)
