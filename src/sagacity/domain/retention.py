"""Retention: limits by age and by count on tables that would grow without end."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum

from sagacity.domain.base import Value
from sagacity.domain.cursor import LearnerKey

TURNS = "interactions"
"""Turns have limits, too; they go by rules of their own, for learners read them and memories rest on them."""
CALLS = "request_analytics"
"""So do recorded calls: they go after the day in which they came in was summed up."""


class Record(StrEnum):
    """A table of records on which nothing depends."""

    DEAD_LETTERS = "dead_letters"
    EVALUATIONS = "evaluations"
    EXTRACTIONS = "extractions"
    MODEL_CALLS = "model_calls"
    OPERATIONS = "operations"
    REVIEW_ACTIONS = "review_actions"
    USAGE_EVENTS = "usage_events"


TABLES = (TURNS, CALLS, *map(str, Record))
"""What may have limits."""


class Limits(Value):
    """The limits of each table, by its name; a table without one, or with 0, keeps all."""

    days: Mapping[str, int] = {}
    """After how many days rows are deleted."""
    rows: Mapping[str, int] = {}
    """How many of its newest rows an organisation keeps."""
    retain_evidence: bool = True
    """Whether turns that support a current memory stay, whatever their age and number."""


NO_LIMITS = Limits()


class TurnsToGo(Value):
    """Which turns may be deleted."""

    learners: tuple[LearnerKey, ...] = ()
    """The learners that must have read a turn."""
    judged: bool = False
    """Whether sessions are evaluated; then turns of those that wait for it stay."""
    before: datetime | None = None
    """Turns written since then stay."""
    retain_evidence: bool = False
    """Whether turns that support a current memory stay."""
