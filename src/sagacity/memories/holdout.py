"""Leave out memories at random, if an organisation wants to measure their effect."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sagacity.config.site import HOLDOUT
from sagacity.domain.holdout import Holdout, may_be_held_out
from sagacity.domain.ids import SessionId
from sagacity.domain.memory import Memory, Status
from sagacity.domain.query import Query, Scored
from sagacity.domain.recorder import UNRECORDED
from sagacity.domain.usage import Pipeline
from sagacity.memories.acting import Acting
from sagacity.memories.usage import note_lots

HELD_OUT = "held_out"
"""The name in traces for memories left out by the draw."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """The memories that a call would return, and which of them are held out from its session."""

    held_out: Sequence[Memory] = ()
    shown: Sequence[Memory] = ()
    """Memories that might have been held out, too."""

    def keeps(self, one: Scored) -> bool:
        """Return whether something is handed out."""
        return one.memory is None or all(one.memory.uid != left_out.uid for left_out in self.held_out)


async def holdout_of(acting: Acting, query: Query, session_id: SessionId | None) -> Holdout | None:
    """
    Return the draw that applies to a search; None if nothing is held out.

    Nothing is held out if the organisation did not ask for it, the operator turned it off, or usage is not recorded;
    without a session, or without the one user of that session; in a list, which has no question; and if the caller
    reads memories that are not served, or reads the past.
    """
    wanted = query.wanted
    user_id = acting.principal.user_id if wanted.user_id is None else wanted.user_id
    if session_id is None or user_id is None or wanted.user_ids or not query.text:
        return None
    if wanted.as_of is not None or wanted.approvals or wanted.statuses != (Status.CURRENT,):
        return None
    share = 0.0 if acting.parts.usage is UNRECORDED else (await acting.config()).holdout_share
    if not share or not await acting.parts.is_on(HOLDOUT, acting.tenant.org_id):
        return None
    return Holdout(share=share, org_id=acting.tenant.org_id, user_id=user_id, session_id=session_id)


def drawn(acting: Acting, holdout: Holdout | None, pipeline: Pipeline, found: Iterable[Scored]) -> Drawn:
    """Draw for each memory that a call would return, and record the draws."""
    if holdout is None:
        return Drawn()
    eligible = [one.memory for one in found if one.memory is not None and may_be_held_out(one)]
    held_out = [memory for memory in eligible if holdout.leaves_out(memory)]
    shown = [memory for memory in eligible if memory not in held_out]
    note_lots(acting, holdout, pipeline, shown=shown, held_out=held_out)
    return Drawn(held_out, shown)


async def without_held_out(
    acting: Acting, query: Query, session_id: SessionId | None, found: Mapping[str, Sequence[Scored]]
) -> tuple[dict[str, tuple[Scored, ...]], int]:
    """
    Return a search's results without the held-out ones, and how many those are.

    Nothing moves up into their places: the rest stays as it would have been.
    """
    holdout = await holdout_of(acting, query, session_id)
    lots = drawn(acting, holdout, Pipeline.SEARCH, (one for items in found.values() for one in items))
    kept = {kind: tuple(one for one in items if lots.keeps(one)) for kind, items in found.items()}
    return kept, len(lots.held_out)
