"""Quarantines: take data out of everything that is served, and put it back."""

from typing import Annotated

from fastapi import Path, Query

from sagacity.api.dependencies import Reviews
from sagacity.api.parameters import MaxRows
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.domain.amounts import counted
from sagacity.memories.quarantines import held_by, list_quarantines, quarantine, quarantine_of, release
from sagacity.schemas.base import ExactId, Limit
from sagacity.schemas.quarantines import (
    HeldPage,
    QuarantineBody,
    QuarantinesPage,
    QuarantineView,
    ReleaseBody,
    held_page,
    quarantine_view,
)

router = resource("quarantines")
QuarantineId = Annotated[ExactId, Path(description="The quarantine, as `GET /api/quarantines` lists it.")]


@router.post("/quarantines", openapi_extra=sdk(positional=("target", "value")), operation_id="quarantine")
@limited(Rate.RUN)
async def begin_quarantine(body: QuarantineBody, caller: Reviews) -> QuarantineView:
    """
    Take a source, a request, a user or a learner out of everything that is served, at once.

    Everything derived from it goes with it: memories of every kind, also those that serve all users, entities,
    summaries and evaluations. Nothing is deleted. What is published or learned of it later is held too. What
    is already held gets 409.
    """
    return quarantine_view(await quarantine(caller.acting, body.target, body.value, reason=body.reason))


@router.get("/quarantines", openapi_extra=sdk())
async def get_quarantines(
    caller: Reviews,
    is_standing: Annotated[
        bool | None,
        Query(
            description="`true`: only those that stand. `false`: only those that were released. Default: all."
        ),
    ] = None,
    limit: MaxRows = 100,
) -> QuarantinesPage:
    """Return quarantines, the newest first."""
    found = await list_quarantines(caller.acting, is_standing=is_standing, limit=limit)
    return QuarantinesPage(
        quarantines=tuple(map(quarantine_view, found)), msg=counted(len(found), "quarantine")
    )


@router.get("/quarantines/{quarantine_id}", openapi_extra=sdk())
async def get_quarantine(quarantine_id: QuarantineId, caller: Reviews) -> QuarantineView:
    """Return one quarantine."""
    return quarantine_view(await quarantine_of(caller.acting, quarantine_id))


@router.get("/quarantines/{quarantine_id}/held", response_model_exclude_none=True, openapi_extra=sdk())
async def get_held(
    quarantine_id: QuarantineId,
    caller: Reviews,
    limit: Annotated[
        Limit, Query(description="The largest number of memories, and of turns, to return.")
    ] = 100,
    offset: Annotated[
        int, Query(ge=0, le=1_000_000, description="How many memories, and turns, to leave out before them.")
    ] = 0,
) -> HeldPage:
    """Return what a quarantine holds, for review; empty after its release."""
    return await held_page(await held_by(caller.acting, quarantine_id, limit=limit, offset=offset))


@router.post(
    "/quarantines/{quarantine_id}/release",
    openapi_extra=sdk(repeatable=True),
    operation_id="release_quarantine",
)
@limited(Rate.RUN)
async def end_quarantine(quarantine_id: QuarantineId, body: ReleaseBody, caller: Reviews) -> QuarantineView:
    """Release a quarantine: what no other one holds is served again as before. Repeating it changes nothing."""
    return quarantine_view(await release(caller.acting, quarantine_id, reason=body.reason))
