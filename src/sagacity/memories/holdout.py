"""Leave out memories at random if an organisation wants to measure their effect."""

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
"""What a trace calls what was left out so."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a call would hand out, and what of it its session goes without."""

    held_out: Sequence[Memory] = ()
    shown: Sequence[Memory] = ()
    """What might have been held out, too."""

    def keeps(self, one: Scored) -> bool:
        """Return whether something is handed out."""
        return one.memory is None or all(one.memory.uid != left_out.uid for left_out in self.held_out)


async def holdout_of(acting: Acting, query: Query, session_id: SessionId | None) -> Holdout | None:
    """
    Return the lots that hold for a search; None where nothing is held out.

    So it is where the organisation did not ask for it, the operator turned it off or nothing is recorded; without a
    session, or the one user whose session it is; in a list, which has no question; and where the caller
    looks at what is not served, or at the past.
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
    """Draw for each memory that a call would hand out, and note the lots down."""
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
    Return what a search found without what its session goes without, and how much that was.

    Nothing moves up: all else is as it would have been.
    """
    holdout = await holdout_of(acting, query, session_id)
    lots = drawn(acting, holdout, Pipeline.SEARCH, (one for items in found.values() for one in items))
    kept = {kind: tuple(one for one in items if lots.keeps(one)) for kind, items in found.items()}
    return kept, len(lots.held_out)
