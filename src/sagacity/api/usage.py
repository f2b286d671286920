"""How often memories are surfaced, and how many tokens that took."""

from fastapi import APIRouter

from sagacity.api.dependencies import Reads
from sagacity.api.rates import Rate, limited
from sagacity.api.route import Route
from sagacity.api.sdk import sdk
from sagacity.domain.amounts import counted
from sagacity.memories.usage import MOST_ITEMS, injection_stats
from sagacity.schemas.usage import GetInjectionStatsBody, InjectionStat, InjectionStats

router = APIRouter(tags=["usage"], route_class=Route)


@router.post("/get_injection_stats", response_model_exclude_none=True, openapi_extra=sdk(repeatable=True))
@limited(Rate.SEARCH)
async def get_injection_stats(body: GetInjectionStatsBody, caller: Reads) -> InjectionStats:
    """
    Return how often each memory was surfaced by searches, contexts and chats, most often first.

    Memories of all kinds are counted, each by its kind and id; turns are not. Events of other servers may be counted up
    to 10 seconds late. With a user's own token, only what was surfaced for that user is counted.
    """
    found = await injection_stats(caller.acting, days=body.days_back)
    return InjectionStats(
        stats=tuple(InjectionStat.model_validate(one, from_attributes=True) for one in found),
        msg=f"only the {MOST_ITEMS:,} memories that were surfaced most often"
        if len(found) == MOST_ITEMS
        else counted(len(found), "memory"),
    )
