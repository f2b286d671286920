"""What a rule makes of a clause."""

from sagacity.domain.base import Value
from sagacity.domain.graph import EntityMention, RelationshipMention
from sagacity.domain.memory import TimeToLive


class Draft(Value):
    """What one rule makes of one clause."""

    rule: str
    content: str
    slot: str = ""
    exclusive: bool = False
    negates: bool = False
    time_to_live: TimeToLive = TimeToLive.INFINITY
    until: str = ""
    """The words that say until when it holds, or a plan with its day; see `domain/time/ends.py: last_day`."""
    confidence: float
    entities: tuple[EntityMention, ...] = ()
    relationships: tuple[RelationshipMention, ...] = ()
