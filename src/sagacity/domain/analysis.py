"""The analysis of a question."""

from datetime import datetime
from enum import StrEnum

from sagacity.domain.base import Value
from sagacity.domain.memory import MemoryKind


class Intent(StrEnum):
    """The intent of a message, in the chat contract's terms."""

    RECALL = "recall"
    COMMAND = "command"
    QUESTION = "question"
    CONVERSATION = "conversation"


class Speaker(StrEnum):
    """Whose words the question asks for."""

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
    """Relative to an event whose date only memories know."""


class TimeReference(Value):
    """
    A time that a question names.

    Both ends are inclusive, None is open. A reference to something whose date only memories know ("two days before my
    birthday") has an `anchor` and no ends until `domain/time/anchors.py` finds the date.
    """

    text: str
    """As written in the question."""
    kind: TimeKind
    start: datetime | None = None
    end: datetime | None = None
    anchor: str = ""
    """The event that it is relative to: birthday, sister's wedding."""
    first_day: int | None = None
    """First day of the range relative to the anchor's date, negative before it; None if open."""
    last_day: int | None = None
    """Last day of the range, relative likewise."""
    tense: Tense | None = None
    """Which occurrence of a yearly event is meant; None for the nearest."""


class AnchorDate(Value):
    """A date that a memory states; without a year it recurs, or its year is not known."""

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
    """The date that "today" means in the question."""
    intent: Intent
    confidence: float = 0.5
    """Confidence of the intent, from 0 to 1."""
    keywords: tuple[str, ...] = ()
    """Content words of the question, in lower case, in order, each once."""
    phrases: tuple[str, ...] = ()
    """Phrases in quotation marks."""
    topics: tuple[str, ...] = ()
    """In lower case: quoted phrases, and the words after "about" or "regarding"."""
    entities_mentioned: tuple[str, ...] = ()
    """Names: those of the user's graph first, as they are kept there, then others that look like names."""
    time_reference: TimeReference | None = None
    negated: tuple[str, ...] = ()
    """Words that the question excludes ("not", "without", "other than")."""
    speaker: Speaker | None = None
    """Whose words the question asks for: the agent's in "what did you recommend", the user's in "what did I say"."""
    requires_memory: bool = True
    memory_types_needed: tuple[MemoryKind, ...] = ()
    """Kinds most likely to answer, most likely first; other kinds are searched too."""
