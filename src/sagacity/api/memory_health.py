"""Problems of stored memories: junk, duplicates, contradictions, stale ones, and those without evidence."""

from typing import Annotated

from fastapi import Query

from sagacity.api.dependencies import Reads
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.domain.amounts import counted
from sagacity.domain.memory_health import MemoryProblem
from sagacity.memories.memory_health import memory_health
from sagacity.memories.review_queue import whose_reviews
from sagacity.schemas.base import Id
from sagacity.schemas.memory_health import MemoryHealth, problem_report
from sagacity.schemas.review_queue import MOST_DAYS

router = resource("memory review")
_COMPARING = "memories are still compared with each other, so duplicates may be missing: see the review queue"


@router.get("/memory_health", openapi_extra=sdk(positional=()))
@limited(Rate.RUN)
async def get_memory_health(
    caller: Reads,
    *,
    user_id: Annotated[
        Id | None,
        Query(
            description="Needed unless the token is a user's own, or `include_all_users` is true. Not both."
        ),
    ] = None,
    include_all_users: Annotated[
        bool,
        Query(description="Memories of all users, and of the organisation. Needs the permission to review."),
    ] = False,
    days_back: Annotated[
        int,
        Query(
            ge=1, le=MOST_DAYS, description="For how many days a stale memory was not surfaced or changed."
        ),
    ] = 30,
) -> MemoryHealth:
    """
    Return a health score from 0 to 100, with the count and examples of each problem, and what to do next.

    Problems are `junk`, `duplicate`, `contradiction`, `stale` and `orphaned`. Only memories in force are checked.
    Nothing is changed.
    """
    user = whose_reviews(caller.acting, user_id, include_all_users=include_all_users)
    health = await memory_health(caller.acting, user, days_back=days_back)
    text = counted(health.found.total, "memory")
    return MemoryHealth(
        score=health.score,
        memory_count=health.found.total,
        problems=tuple(problem_report(health.found, problem) for problem in MemoryProblem),
        msg=f"{text}; {_COMPARING}" if health.is_comparing else text,
    )
