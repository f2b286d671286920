"""Usage of memory: how often memories are surfaced, at how many tokens, and with what result."""

from typing import Annotated

from fastapi import Query

from sagacity.api.dependencies import Reads
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.domain.amounts import counted
from sagacity.domain.effects import EffectFilter, EffectReport
from sagacity.domain.memory import MemoryKind
from sagacity.memories.effects import effect_report
from sagacity.memories.usage import MOST_ITEMS, injection_stats
from sagacity.schemas.base import Label
from sagacity.schemas.usage import GetInjectionStatsBody, InjectionStat, InjectionStats

router = resource("usage")


@router.post("/get_injection_stats", response_model_exclude_none=True, openapi_extra=sdk(repeatable=True))
@limited(Rate.SEARCH)
async def get_injection_stats(body: GetInjectionStatsBody, caller: Reads) -> InjectionStats:
    """
    Return how often each memory was surfaced by searches, contexts and chats, and how often cited.

    Those that were surfaced most often come first.

    Memories of all kinds are counted, each by its kind and id; turns are not. Events of other servers may be counted up
    to 10 seconds late. With a user's own token, only what was surfaced for that user is counted.
    """
    found = await injection_stats(caller.acting, days=body.days_back)
    return InjectionStats(
        stats=tuple(
            InjectionStat.model_validate({**dict(one), "content": content}, extra="ignore")
            for one, content in found
        ),
        msg=f"only the {MOST_ITEMS:,} memories that were surfaced most often"
        if len(found) == MOST_ITEMS
        else counted(len(found), "memory"),
    )


@router.get("/v1/usage/effects", openapi_extra=sdk(positional=()))
@limited(Rate.SEARCH)
async def get_usage_effects(
    caller: Reads,
    *,
    kind: Annotated[MemoryKind | None, Query(description="Only memories of this kind.")] = None,
    evaluation_name: Annotated[Label | None, Query(description="Only what this evaluator says.")] = None,
    limit: Annotated[int, Query(ge=1, le=1_000, description="How many memories at the most.")] = 100,
    offset: Annotated[
        int, Query(ge=0, le=1_000_000, description="How many memories to leave out before those.")
    ] = 0,
) -> EffectReport:
    """
    Return how sessions that are shown a memory differ from those that are drawn to go without it.

    It needs `holdout_share` in the configuration. No conclusion is drawn before 20 sessions on each side were
    judged. With a user's own token, only that user's sessions are compared.
    """
    wanted = EffectFilter(kinds=() if kind is None else (kind,), evaluation_name=evaluation_name)
    return await effect_report(caller.acting, wanted, limit=limit, offset=offset)
