"""How far a learner has read a user's log, and the windows that it gave up on."""

from datetime import datetime
from enum import StrEnum

from pydantic import Field

from sagacity.domain.base import Value
from sagacity.domain.ids import UserId
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import MemoryKind, Status


class LogHead(Value):
    """The length of a user's log, when it last grew, and when it is due."""

    end: int = 0
    """The number of the last turn; 0 if there is none."""
    last_publish_at: datetime | None = None
    due_at: datetime | None = None
    """None: nothing waits."""


class Outcome(StrEnum):
    """The outcome of a learner's last attempt at a window."""

    LEARNED = "learned"
    NOTHING = "nothing"
    GATED = "gated"
    FAILED = "failed"
    PARKED = "parked"
    HELD = "held"
    """A quarantine holds its turns: it was not read."""


LearnerKey = tuple[MemoryKind, str]
"""A learner: the kind that it learns, and the name of its extractor."""


def learner_name(kind: MemoryKind, extractor_name: str) -> str:
    """Return the name of a learner in receipts, dead letters, provenance and the ledger."""
    return f"{kind}:{extractor_name}"


class Cursor(Value):
    """Everything up to and with `seq` was read by the learner; it never moves back."""

    kind: MemoryKind
    """What the learner learns."""
    extractor_name: str
    user_id: UserId
    version: Status = Status.CURRENT
    """
    The status of what is learned: CURRENT follows the log, PENDING a rerun; ARCHIVED belongs to memories archived by an
    upgrade.
    """
    seq: int = 0
    outcome: Outcome | None = None
    attempts: int = 0
    error: str = ""
    next_try_at: datetime | None = None
    updated_at: datetime | None = None

    @property
    def learner(self) -> str:
        """The learner's name."""
        return learner_name(self.kind, self.extractor_name)


class Window(Value):
    """Turns due for a learner, oldest first, after some that it read before, kept for context."""

    user_id: UserId
    first_seq: int
    last_seq: int
    unread: tuple[Interaction, ...]
    context: tuple[Interaction, ...] = ()
    image: str = Field(default="", repr=False)
    """That of `pictured`, as an address or a `data:` URL; empty where it was not read, or cannot be shown."""

    @property
    def is_held(self) -> bool:
        """Whether quarantines hold its unread turns: all of them, as they are never in one window with others."""
        return any(turn.is_held for turn in self.unread)

    @property
    def pictured(self) -> Interaction | None:
        """The last of the unread turns that an image came with."""
        return next((turn for turn in reversed(self.unread) if turn.has_image), None)

    @property
    def interactions(self) -> tuple[Interaction, ...]:
        """Context and unread turns in the order of the log."""
        return (*self.context, *self.unread)


LEARN, REGENERATE, EVALUATE, SUMMARIZE, FORGET = "learn", "regenerate", "evaluate", "summarize", "forget"
"""Tasks on one user's log, and the names of their leases."""
DISTIL, RETAIN, ERASE, FIND_DUPLICATES = "distil", "retain", "erase", "find_duplicates"
"""Tasks that work on an organisation's own data, and the names of their leases."""


class Lease(Value):
    """The right to do one task of a scope until `expires_at`; `fencing` grows with every holder."""

    task: str
    user_id: UserId | None
    """None: the organisation's."""
    owner: str
    fencing: int
    expires_at: datetime


class DeadLetterStatus(StrEnum):
    """The state of a parked window."""

    PARKED = "parked"
    HELD = "held"
    """Not read, as a quarantine holds its turns; queued once none does."""
    QUEUED = "queued"
    REPLAYED = "replayed"


class DeadLetter(Value):
    """A window that a learner gave up, with the last error; it can be replayed."""

    dead_letter_id: int
    learner: str
    user_id: UserId
    first_seq: int
    last_seq: int
    attempts: int
    error_kind: str
    error: str
    status: DeadLetterStatus
    created_at: datetime
    updated_at: datetime
