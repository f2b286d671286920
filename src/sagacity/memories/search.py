"""
Search on behalf of a principal, among what may be served.

What may be served is a condition of the search itself (`Filter.visibility`), so a page is full however much is left
out.
"""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import chain

from sagacity.domain.base import Value
from sagacity.domain.ids import SessionId
from sagacity.domain.interaction import Interaction
from sagacity.domain.kinds import REVIEWED_KINDS, TENANT_KINDS, visibility_of
from sagacity.domain.memory import Memory, Visibility
from sagacity.domain.query import Filter, Found, Query, Ranking, Scored, Trace
from sagacity.memories.acting import Acting
from sagacity.memories.holdout import HELD_OUT, without_held_out
from sagacity.memories.usage import note_found
from sagacity.retrieval.cautions import is_caution, within_limit
from sagacity.retrieval.query.rewriting import Turn

REFORMULATION = "reformulation"
_REVIEWABLE = (Visibility.SERVED, Visibility.WAITS_FOR_REVIEW, Visibility.REJECTED)
"""The visibility that is searched if the caller names approvals."""
_ALL = "all"
BEFORE_SIFTING = 1_000
"""How many results are looked through if some are dropped for attributes that are in no index."""


class Question(Value):
    """The question, and the outcome of rewriting it."""

    text: str
    rewritten: str | None = None
    trace: Trace = Trace()


async def rewritten(acting: Acting, text: str, history: Sequence[Turn]) -> Question:
    """Return the question as rewritten by a model, or the original if that fails."""
    made = await acting.parts.query_rewriter.reformulate(acting.tenant, text, history)
    trace = Trace(strategies={REFORMULATION: made.milliseconds})
    if made.problem:
        trace = trace.failed_with(REFORMULATION, made.problem)
    return Question(text=made.text, rewritten=made.rewritten, trace=trace)


async def search_by_kind(
    acting: Acting,
    query: Query,
    *,
    session_id: SessionId | None = None,
    include_expired: bool = False,
    counts_withheld: bool = False,
) -> tuple[Mapping[str, Sequence[Scored]], Trace]:
    """
    Return the result of `found_by_kind`, and record that it was surfaced.

    Memories held out from the session are left out; see `holdout.py`.
    """
    found, trace = await found_by_kind(
        acting, query, include_expired=include_expired, counts_withheld=counts_withheld
    )
    found, held_out = await without_held_out(acting, query, session_id, found)
    note_found(acting, query.wanted, chain.from_iterable(found.values()), session_id=session_id)
    return found, trace.left_out(**{HELD_OUT: held_out})


async def found_by_kind(
    acting: Acting, query: Query, *, include_expired: bool = False, counts_withheld: bool = False
) -> tuple[Mapping[str, Sequence[Scored]], Trace]:
    """
    Return what is found and may be served, by kind, each best first. The caller records what it returns.

    Args:
        acting: on whose behalf.
        query: what is searched for.
        include_expired: also find expired memories.
        counts_withheld: report in the trace how many results wait for a review.
    """
    query = await _weighed(acting, _servable(acting, query, include_expired=include_expired))
    searched = acting.parts.searcher.search_kinds(acting.principal, query)
    if counts_withheld:
        found, waiting = await asyncio.gather(searched, count_waiting(acting, query.wanted))
    else:
        found, waiting = await searched, 0
    trace = next((one.trace for one in found.values()), Trace()).left_out(waits_for_review=waiting)
    return {kind: _of_then(query.wanted, one.items) for kind, one in found.items()}, trace


async def search_memories(
    acting: Acting,
    query: Query,
    *,
    session_id: SessionId | None = None,
    keep: Callable[[Memory], bool] | None = None,
    include_expired: bool = False,
    counts_withheld: bool = False,
) -> Found:
    """
    Return what is found and may be served, best first; without a text, the newest.

    Args:
        acting: on whose behalf.
        query: what is searched for.
        session_id: in which session it is used; that may be drawn to go without some of it. None if not known.
        keep: which of those found are returned, by what no index knows; the others are told as `other_attributes`.
        include_expired: also find expired memories.
        counts_withheld: report in the trace how many results wait for a review.
    """
    query = await _weighed(acting, _servable(acting, query, include_expired=include_expired))
    deep = query if keep is None else query.model_copy(update={"limit": max(query.limit, BEFORE_SIFTING)})
    if query.text:
        found = await acting.parts.searcher.search(acting.principal, deep)
    else:
        found = Found(
            items=tuple(
                Scored(memory=one, score=0.0) for one in await _newest(acting, query.wanted, deep.limit)
            )
        )
    items, trace = _of_then(query.wanted, found.items), found.trace
    if keep is not None:
        kept = tuple(one for one in items if one.memory is not None and keep(one.memory))
        trace = trace.left_out(other_attributes=len(items) - len(kept))
        items = tuple(within_limit(kept, query.limit, is_caution))
    if counts_withheld:
        trace = trace.left_out(waits_for_review=await count_waiting(acting, query.wanted))
    kept, held_out = await without_held_out(acting, query, session_id, {_ALL: items})
    note_found(acting, query.wanted, kept[_ALL], session_id=session_id)
    return Found(items=kept[_ALL], trace=trace.left_out(**{HELD_OUT: held_out}))


async def rank_again(acting: Acting, query: Query, uids: Collection[str]) -> Found:
    """
    Return those memories of *uids* that are found and may be served, the most relevant first.

    The reranker alone orders them; without one, they are in the order of the search.
    """
    if not uids:
        return Found(items=())
    among = query.model_copy(update={"limit": len(uids), "rerank": False})
    found = await search_memories(acting, among, keep=lambda memory: memory.uid in uids)
    again = await acting.parts.searcher.look_again(query.text, found)
    return again.model_copy(update={"items": again.items[: query.limit]})


def profiles_with(
    *, extractor_name: str | None, custom_feature: str | None
) -> Callable[[Memory], bool] | None:
    """
    Return the predicate by which profiles are kept; None if all are.

    Args:
        extractor_name: of an extractor that learned it; None for any.
        custom_feature: a text that one of the custom features must contain; None for any.
    """
    if extractor_name is None and custom_feature is None:
        return None

    def keep(memory: Memory) -> bool:
        features = memory.attributes.custom_features.values()
        names = {memory.name, *memory.attributes.extractor_names}
        return (extractor_name is None or extractor_name in names) and (
            custom_feature is None or any(custom_feature in str(value) for value in features)
        )

    return keep


async def search_turns(acting: Acting, query: Query, *, among_newest: int | None = None) -> Found:
    """
    Return the turns found, best first, with neighbours if requested; without a text, the newest.

    Args:
        acting: on whose behalf.
        query: what is searched for.
        among_newest: among how many of the newest turns to look; None for all.
    """
    query = await _weighed(acting, query)
    wanted, searcher = query.wanted, acting.parts.searcher
    if not query.text:
        newest = await _newest_turns(acting, wanted, among_newest or query.limit)
        found = Found(items=tuple(Scored(interaction=turn, score=0.0) for turn in newest[: query.limit]))
    elif among_newest is None:
        found = await searcher.search(acting.principal, query.model_copy(update={"neighbours": 0}))
    else:
        newest = await _newest_turns(acting, wanted, among_newest)
        since = min((turn.created_at for turn in newest), default=None)
        narrowed = wanted.model_copy(update={"start": since or wanted.start})
        deep = query.model_copy(update={"wanted": narrowed, "limit": BEFORE_SIFTING, "neighbours": 0})
        found = _among(await searcher.search(acting.principal, deep), newest, query.limit)
    items = await searcher.with_neighbours(acting.principal, wanted, found.items, query.neighbours)
    return found.model_copy(update={"items": items})


def _servable(acting: Acting, query: Query, *, include_expired: bool) -> Query:
    """
    Return the query limited to what may be served.

    That is memories that have not expired and need no review or are approved. If the caller names approvals, memories
    with those are searched instead.
    """
    conditions = {
        "visibility": _REVIEWABLE if query.wanted.approvals else (Visibility.SERVED,),
        "valid_at": None if include_expired else acting.parts.clock.now(),
    }
    return query.model_copy(update={"wanted": query.wanted.model_copy(update=conditions)})


async def _weighed(acting: Acting, query: Query) -> Query:
    """Return the query with the organisation's weights, if its ranking uses them."""
    if query.ranking is not Ranking.WEIGHTED:
        return query
    weights = (await acting.config()).ranking_weights.to_domain()
    return query.model_copy(update={"weights": weights})


async def count_waiting(acting: Acting, wanted: Filter) -> int:
    """Count the memories that *wanted* would admit after a review; 0 if the caller names approvals."""
    kinds = tuple(kind for kind in wanted.kinds if kind in TENANT_KINDS)
    if not kinds or wanted.approvals or Visibility.SERVED not in wanted.visibility:
        return 0
    reviewed = wanted.model_copy(update={"kinds": kinds, "interactions": False})
    async with acting.read(user_id=wanted.user_id) as snapshot:
        return await snapshot.search.count_withheld(reviewed, Visibility.WAITS_FOR_REVIEW)


def joined(before: Trace, after: Trace) -> Trace:
    """Return one trace of two steps."""
    return after.model_copy(
        update={
            "strategies": before.strategies | after.strategies,
            "failed": before.failed | after.failed,
        }
    )


def _of_then(wanted: Filter, items: Sequence[Scored]) -> tuple[Scored, ...]:
    """Leave out what was not served at the time of the question: documents only know the present review."""
    if wanted.as_of is None:
        return tuple(items)
    return tuple(one for one in items if one.memory is None or _was_admitted(wanted, one.memory))


def _was_admitted(wanted: Filter, memory: Memory) -> bool:
    if wanted.approvals and memory.kind in REVIEWED_KINDS:
        return memory.approval in wanted.approvals
    return not wanted.visibility or visibility_of(memory) in wanted.visibility


def _among(found: Found, turns: Sequence[Interaction], limit: int) -> Found:
    """Return only those of *found* that are among *turns*."""
    admitted = {turn.interaction_id for turn in turns}
    items = [one for one in found.items if one.interaction and one.interaction.interaction_id in admitted]
    return Found(items=tuple(items[:limit]), trace=found.trace)


async def _newest(acting: Acting, wanted: Filter, limit: int) -> list[Memory]:
    async with acting.read(user_id=wanted.user_id) as snapshot:
        newest = await snapshot.memories.list_wanted(wanted, limit)
        return newest if wanted.as_of is None else await snapshot.changes.as_they_were(newest, wanted.as_of)


async def _newest_turns(acting: Acting, wanted: Filter, limit: int) -> list[Interaction]:
    async with acting.read(user_id=wanted.user_id) as snapshot:
        return await snapshot.interactions.list_wanted(wanted, limit)
