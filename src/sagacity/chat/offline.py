"""An answer without a model: the best of what is remembered, with dates, and labelled as that."""

import re
from collections.abc import Sequence

from sagacity.domain.chat import EXTRACTIVE_MARKS, is_extractive
from sagacity.domain.context import Context, ContextItem, SectionName

NO_MODEL = "No language model is configured"
_FOUND, _NOTHING, _NOT_SEARCHED = EXTRACTIVE_MARKS
MOST_LINES = 5
MODEL = "extractive"
"""What stands for the model's name with such an answer."""
_SPEAKERS = {"user": "you said", "assistant": "I said"}
_SPEAKER = re.compile(r"^(\d{4}-\d\d-\d\d) (user|assistant): ")
_SAID = frozenset({SectionName.ENTITIES, SectionName.HISTORY})
_LEAST_RELEVANCE = 0.1
"""Of a line that is quoted: below it, one in ten answers (`benchmarks/relevance.py` shows how well that holds)."""


def extractive_answer(context: Context, *, why: str = "", is_whole: bool = True) -> str:
    """
    Return an answer that quotes the most likely lines of *context*, each with its citation.

    Args:
        context: what is remembered.
        why: why no model answers, such as "The spending cap is reached"; empty: there is none.
        is_whole: whether all that is remembered could be searched.
    """
    reason = f"{why or NO_MODEL},"
    items = best(context)
    if not items:
        return f"{reason} {_NOTHING if is_whole else _NOT_SEARCHED}"
    return "\n".join((f"{reason} {_FOUND}", *(f"- {said_in(item)} [{item.citation}]" for item in items)))


def best(context: Context) -> Sequence[ContextItem]:
    """Return the lines that are most likely to answer, best first, without former answers of this kind."""
    found = [item for one in context.sections if one.name not in _SAID for item in one.items]
    likely = [
        item
        for item in found
        if (item.relevance is None or item.relevance >= _LEAST_RELEVANCE) and not is_extractive(item.text)
    ]
    return sorted(likely, key=lambda item: (-(item.relevance or 0.0), -item.score))[:MOST_LINES]


def said_in(item: ContextItem) -> str:
    """Return what a line of a context says, without its source, and with who said it in words."""
    text = " ".join(item.text.strip().removeprefix(f"- [{item.citation}]").split())
    return _SPEAKER.sub(lambda found: f"{found[1]}, {_SPEAKERS[found[2]]}: ", text)
