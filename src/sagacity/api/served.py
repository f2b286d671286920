"""What a search asks and what may be served of what it finds; the same for searches and for contexts."""

from collections.abc import Callable, Mapping, Sequence

from sagacity.api.dependencies import Caller
from sagacity.api.explain import REFORMULATION
from sagacity.domain.base import Value
from sagacity.domain.memory import MemoryKind
from sagacity.domain.query import Scored, Trace
from sagacity.retrieval.reformulate import Turn
from sagacity.schemas.search import SearchBody, SearchOptions, SearchReviewedBody

BEFORE_SIFTING = 1_000
"""How many results are looked through when some of them may be dropped afterwards."""


class Asked(Value):
    """What is searched for, and what came of rewriting the question."""

    text: str
    rewritten: str | None = None
    trace: Trace = Trace()


async def asked_of(caller: Caller, body: SearchOptions) -> Asked:
    """Return the question, rewritten by a model if that was asked for and came to anything."""
    question = (body.query or "").strip()
    if not (body.enable_reformulation and body.asks):
        return Asked(text=question)
    history = [Turn(role=turn.role, content=turn.content) for turn in body.conversation_history]
    made = await caller.runtime.reformulator.reformulate(caller.tenant, question, history)
    trace = Trace(strategies={REFORMULATION: made.milliseconds})
    if made.problem:
        trace = trace.failed_with(REFORMULATION, made.problem)
    return Asked(text=made.text, rewritten=made.rewritten, trace=trace)


async def served(
    caller: Caller, body: SearchBody, text: str
) -> tuple[Mapping[str, Sequence[Scored]], Trace, dict[str, int]]:
    """
    Return what may be served of each kind that is asked for, the trace, and how many were held back, by the reason.

    What waits for a review could fill up the list: then it is searched again, deeper.
    """
    wanted = body.to_filter(caller.runtime.clock.now(), body.wanted_kinds)

    def serves(one: Scored) -> bool:
        return one.memory is None or body.serves(one.memory)

    query = body.to_query(text, wanted, limit=body.top_k, neighbours=body.neighbours)
    found = await caller.runtime.searcher.search_kinds(caller.principal, query)
    trace = next((one.trace for one in found.values()), Trace())
    lists = {kind: one.items for kind, one in found.items()}
    short = tuple(
        MemoryKind(kind)
        for kind, items in lists.items()
        if len(items) == query.limit and not all(map(serves, items))
    )
    if short:
        deeper = query.model_copy(
            update={
                "wanted": wanted.model_copy(update={"kinds": short, "interactions": False}),
                "limit": BEFORE_SIFTING,
            }
        )
        for kind, again in (await caller.runtime.searcher.search_kinds(caller.principal, deeper)).items():
            lists[kind] = fuller(lists[kind], again.items, serves)
            trace = trace.with_failures(again.trace)
    served = {kind: [one for one in items if serves(one)] for kind, items in lists.items()}
    held = sum(len(lists[kind]) - len(served[kind]) for kind in lists)
    return (
        {kind: items[: body.top_k] for kind, items in served.items()},
        trace,
        {held_back(body): held} if held else {},
    )


def fuller(
    first: tuple[Scored, ...], deeper: tuple[Scored, ...], serves: Callable[[Scored], bool]
) -> tuple[Scored, ...]:
    """Return what a *deeper* search found, or the *first* one where that has more to serve: the deeper may be late."""
    return deeper if sum(map(serves, deeper)) >= sum(map(serves, first)) else first


def held_back(body: SearchReviewedBody) -> str:
    """Return why *body* does not serve what it does not serve."""
    return "other_approval" if body.approvals else "waits_for_review"


def joined(before: Trace, after: Trace) -> Trace:
    """Return one trace of two steps."""
    return after.model_copy(
        update={
            "strategies": before.strategies | after.strategies,
            "failed": before.failed | after.failed,
        }
    )
