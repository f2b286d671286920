"""The effect of memories on sessions: those that were shown one, compared with those drawn to go without."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Final, NamedTuple

from sagacity.domain.base import DescribedValue, Value
from sagacity.domain.holdout import ExtractorVersion
from sagacity.domain.memory import MemoryKind

FEWEST: Final = 20
"""At least this many sessions on each side must have been judged before an effect is claimed."""
MOST_CORRECTIONS: Final = 5
"""Corrections of a session beyond this many are not counted: an interval needs a highest value."""
MOST_TURNS: Final = 50
"""Turns of a session beyond this many are not counted, for the same reason."""


class EffectFinding(StrEnum):
    """What is said of a memory's effect on success."""

    HELPS = "helps"
    HARMS = "harms"
    NO_DIFFERENCE_SHOWN = "no_difference_shown"
    TOO_FEW = "too_few"


class EffectFilter(Value):
    """Of which sessions effects are reported."""

    kinds: tuple[MemoryKind, ...] = ()
    """Kinds of memory; empty for all that may be held out."""
    evaluation_name: str | None = None
    """Only what this evaluator says; None for all together."""


class Lots(Value):
    """Sessions that count alike: with one memory, or those of one extractor version."""

    share: float
    is_held_out: bool
    sessions: int
    is_success: bool | None = None
    """By all evaluators that judged; None where none did."""
    corrections: int = 0
    """Up to `MOST_CORRECTIONS`; of judged sessions."""
    turns: int = 0
    """Up to `MOST_TURNS`; of judged sessions."""


class Tally(NamedTuple):
    """Which memory, and how its sessions went."""

    kind: MemoryKind
    entity_id: str
    """What the API knows it by."""
    lots: Sequence[Lots]


class Difference(DescribedValue):
    """One figure of the sessions that were shown a memory, compared with those that went without."""

    shown: float
    """The mean of the judged sessions that were shown it."""
    held_out: float
    """The mean of the judged sessions that went without."""
    difference: float
    """The first minus the second."""
    low: float
    """The lower end of the interval in which the true difference lies."""
    high: float
    """The upper end. With 95 % confidence it lies between both, however often that is looked at."""


class Effect(DescribedValue):
    """How sessions with a memory differ from those that were drawn to go without."""

    finding: EffectFinding
    """What is said of success: `helps`, `harms`, `no_difference_shown`, or `too_few`."""
    e_value: float
    """The evidence against no difference in success; 1 is none. The more memories are compared, the more it takes."""
    shown_sessions: int = 0
    """Sessions that were shown it and might have gone without."""
    held_out_sessions: int = 0
    """Sessions that went without, and would have been shown it."""
    judged_shown: int = 0
    """Those of the first that were judged."""
    judged_held_out: int = 0
    """Those of the second that were judged."""
    missing_shown: int = 0
    """How many more sessions that were shown it have to be judged before anything is claimed."""
    missing_held_out: int = 0
    """How many more sessions that went without have to be judged before anything is claimed."""
    success: Difference | None = None
    """The share of sessions that were a success, from 0 to 1; null while there are too few."""
    corrections: Difference | None = None
    """How often users corrected the agent, counted up to 5 a session; null while there are too few."""
    turns: Difference | None = None
    """Turns of a session, counted up to 50; null while there are too few."""


class MemoryEffect(Effect):
    """The effect of one memory, beside what it costs and how often it is cited."""

    entity_type: MemoryKind
    """The kind of memory."""
    entity_id: str
    """The memory's id in the API: a profile's id, or another memory's number."""
    content: str | None = None
    """What it says; null if it is gone."""
    surfaced_count: int = 0
    """How often it was surfaced, as far as that is kept."""
    total_prompt_tokens: int = 0
    """Tokens of its content, over all of these."""
    citation_count: int = 0
    """How often answers cited it, as far as that is kept."""


class ExtractorEffect(Effect):
    """The effect of the memories of one extractor version. Of each session one such memory is looked at."""

    entity_type: MemoryKind
    """The kind of memory."""
    extractor: ExtractorVersion
    """What made them."""


class EffectReport(DescribedValue):
    """The effect of memories on the success of sessions."""

    holdout_share: float
    """The share of sessions that go without a memory at present; 0: none."""
    compared: int = 0
    """Memories of which enough sessions were judged; a finding allows for all of them."""
    total: int = 0
    """All memories of which something is known."""
    memories: tuple[MemoryEffect, ...] = ()
    """Those with the most evidence first."""
    extractors: tuple[ExtractorEffect, ...] = ()
    """By kind and extractor version, those with the most evidence first."""
    summary: tuple[str, ...] = ()
    """What it says, in sentences."""
