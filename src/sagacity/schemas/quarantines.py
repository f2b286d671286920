"""Bodies and replies about quarantines."""

from datetime import datetime

from sagacity.domain.paced import each
from sagacity.domain.quarantine import Held, Quarantine, QuarantineTarget
from sagacity.domain.views.interaction import InteractionView, interaction_view
from sagacity.domain.views.memory import MemoryView, memory_view
from sagacity.schemas.base import Body, Id, Label, Reply, Schema


class QuarantineBody(Body):
    """What to hold."""

    target: QuarantineTarget
    """What `value` names: a `source` of requests, a `request`, a `user`, or a `learner` (or playbook name)."""
    value: Id
    """The source, the id or the name."""
    reason: Label = ""
    """The reason, which is stored with the quarantine."""


class ReleaseBody(Body):
    """Why a quarantine is released."""

    reason: Label = ""
    """The reason, which is stored with the quarantine."""


class QuarantineView(Schema):
    """A quarantine, with who began and who ended it."""

    quarantine_id: str
    """Its id, to look at it or release it."""
    target: QuarantineTarget
    """What `value` names."""
    value: str
    """The source, the id or the name."""
    reason: str = ""
    """Why it is held."""
    actor: str = ""
    """Who began it."""
    request_count: int = 0
    """Number of requests that it held at the start."""
    memory_count: int = 0
    """Number of memories that it held at the start."""
    created_at: datetime
    """When it began."""
    is_standing: bool
    """Whether it still holds anything: it was not released."""
    released_at: datetime | None = None
    """When it was released."""
    released_by: str = ""
    """Who released it."""
    release_reason: str = ""
    """Why it was released."""


class QuarantinesPage(Reply):
    """Quarantines, the newest first."""

    quarantines: tuple[QuarantineView, ...] = ()
    """One for each quarantine."""


class HeldPage(Reply):
    """A page of what a quarantine holds."""

    memories: tuple[MemoryView, ...] = ()
    """Memories of all kinds, oldest first."""
    interactions: tuple[InteractionView, ...] = ()
    """Turns, oldest first."""


def quarantine_view(one: Quarantine) -> QuarantineView:
    """Show a quarantine."""
    return QuarantineView(**one.model_dump(), is_standing=one.released_at is None)


async def held_page(held: Held) -> HeldPage:
    """Show what a quarantine holds."""
    return HeldPage(
        memories=tuple(await each(memory_view, held.memories)),
        interactions=tuple(await each(interaction_view, held.turns)),
    )
