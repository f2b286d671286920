"""What a question was taken to ask for."""

from datetime import datetime
from enum import StrEnum

from sagacity.domain.base import Value
from sagacity.domain.memory import MemoryKind


class Intent(StrEnum):
    """What a message wants, as the chat contract names it."""

    RECALL = "recall"
    COMMAND = "command"
    QUESTION = "question"
    CONVERSATION = "conversation"


class Speaker(StrEnum):
    """Whose words are asked for."""

    USER = "user"
    AGENT = "agent"


class Tense(StrEnum):
    """Whether a question is about the time before or after the reference date."""

    PAST = "past"
    FUTURE = "future"


class TimeKind(StrEnum):
    """The type of time that a question names."""

    PRESENT = "present"
    """Today, tonight, now; "now" has no start."""
    RECENT = "recent"
    """Yesterday, last night, lately."""
    DAY = "day"
    WEEKDAY = "weekday"
    WEEKEND = "weekend"
    WEEK = "week"
    MONTH = "month"
    QUARTER = "quarter"
    YEAR = "year"
    SEASON = "season"
    MONTH_NAME = "month_name"
    SPECIFIC_DATE = "specific_date"
    RANGE = "range"
    """Between two times, or since, before, after or until one."""
    ANCHOR = "anchor"
    """Counted from something whose date only memories know."""


class TimeReference(Value):
    """
    A time that a question names.

    Both ends are inclusive, None is open. A reference to something whose date only memories know ("two days before my
    birthday") has an `anchor` and no ends until `domain/time/anchors.py` finds the date.
    """

    text: str
    """As it stands in the question."""
    kind: TimeKind
    start: datetime | None = None
    end: datetime | None = None
    anchor: str = ""
    """What it is counted from: birthday, sister's wedding."""
    first_day: int | None = None
    """First day of the range, counted from the anchor's date, negative before it; None is open."""
    last_day: int | None = None
    """Last day of the range, counted likewise."""
    tense: Tense | None = None
    """Which occurrence is meant of what comes every year; None for the nearest."""


class AnchorDate(Value):
    """A date as a memory states it; without a year it comes every year, or the year is not known."""

    month: int
    day: int
    year: int | None = None


class QueryAnalysis(Value):
    """
    The analysis of a question.

    Ranking uses the speaker, the time and the intent; the explanation shows all of it, for the caller to use. It
    excludes nothing from a search.
    """

    original_query: str
    reference_at: datetime
    """What "today" is to the question."""
    intent: Intent
    confidence: float = 0.5
    """0 to 1: how sure the intent is."""
    keywords: tuple[str, ...] = ()
    """Words that carry the question, as written in lower case, in order, each once."""
    phrases: tuple[str, ...] = ()
    """What stands in quotation marks."""
    topics: tuple[str, ...] = ()
    """In lower case: the phrases, and what follows "about" or "regarding"."""
    entities_mentioned: tuple[str, ...] = ()
    """Names: those of the user's graph first, as they are kept there, then others that look like names."""
    time_reference: TimeReference | None = None
    negated: tuple[str, ...] = ()
    """Words that the question excludes ("not", "without", "other than")."""
    speaker: Speaker | None = None
    """Whose words are asked for: the agent's in "what did you recommend", the user's in "what did I say"."""
    requires_memory: bool = True
    memory_types_needed: tuple[MemoryKind, ...] = ()
    """Kinds most likely to answer, most likely first; other kinds are found as well."""
