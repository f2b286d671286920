"""Build a context for a question: search, then write the results as text within a token budget."""

import asyncio
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sagacity.domain.citations import LETTER_OF
from sagacity.domain.context import Context, ContextBudgets, KnownEntity, Said
from sagacity.domain.ids import InteractionId, SessionId, UserId
from sagacity.domain.interaction import INTERACTION
from sagacity.domain.kinds import KINDS, USER_KINDS
from sagacity.domain.query import Query, Scored, StrategyName
from sagacity.domain.usage import Pipeline
from sagacity.memories.acting import Acting
from sagacity.memories.holdout import HELD_OUT, Drawn, drawn, holdout_of
from sagacity.memories.search import Question, found_by_kind, joined
from sagacity.memories.usage import note_context
from sagacity.retrieval.cautions import is_caution, within_limit
from sagacity.retrieval.context.assemble import build_context
from sagacity.retrieval.context.known_entities import known_entities
from sagacity.storage.transaction import Transaction

FEW = 40
"""A user with no more memories of a kind gets all of them. About as many as the default budget of profiles holds."""
_BESIDE = "entities and history"
"""The trace's name for reading both, in parallel with the search."""
_HISTORY_TURNS = 100
"""More turns would not fit into any budget that leaves room for memories."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRequest:
    """A request for a context."""

    user_id: UserId
    question: Question
    asked: str
    """The question in the user's words."""
    query: Query
    strategies: Sequence[StrategyName] | None = None
    """Which strategies search; None for all."""
    budgets: ContextBudgets
    history: Sequence[Said] = ()
    """The conversation so far, oldest first, if the caller sent it."""
    session_id: SessionId | None = None
    """The published session whose conversation is read; None to read none."""
    in_session: SessionId | None = None
    """The conversation in which the context is used, whether it is read or not; None if not known."""
    leaves_out: Collection[InteractionId] = ()
    """Turns that the prompt contains elsewhere."""
    takes_few_whole: bool = False
    """Whether a user who has no more than `FEW` memories of a kind gets all of them, if they fit."""


async def context_for(
    acting: Acting, request: ContextRequest, *, include_expired: bool = False, counts_withheld: bool = False
) -> Context:
    """
    Return what is known about a question as text, with the trace of the search.

    Args:
        acting: on whose behalf.
        request: the question, and whose it is.
        include_expired: also find expired memories.
        counts_withheld: report in the trace how many results wait for a review.
    """
    context, found = await sourced_context(
        acting, request, include_expired=include_expired, counts_withheld=counts_withheld
    )
    note_context(
        acting,
        context,
        found,
        pipeline=Pipeline.CONTEXT,
        user_id=request.user_id,
        session_id=request.in_session,
    )
    return context


async def sourced_context(
    acting: Acting, request: ContextRequest, *, include_expired: bool = False, counts_withheld: bool = False
) -> tuple[Context, Sequence[Scored]]:
    """
    Return what `context_for` returns, and the search results that the text was written from.

    The text may contain only a part of them. The caller records which memories were surfaced.
    """
    strategies = tuple(request.strategies or StrategyName)
    query = request.query.model_copy(update={"strategies": strategies})
    deep = max(query.limit, FEW + 1) if request.takes_few_whole else query.limit
    (found, trace), (history, entities, milliseconds) = await asyncio.gather(
        found_by_kind(
            acting,
            query.model_copy(update={"limit": deep, "neighbours": 0}),
            include_expired=include_expired,
            counts_withheld=counts_withheld,
        ),
        _entities_and_history(acting, request),
    )
    considered = [
        one
        for kind, items in found.items()
        for one in _considered(kind, items, query.limit_of(kind))
        if one.interaction is None or one.interaction.interaction_id not in request.leaves_out
    ]
    considered = await acting.parts.searcher.with_neighbours(
        acting.principal, query.wanted, considered, query.neighbours
    )
    trace = joined(request.question.trace, trace)
    trace = trace.model_copy(update={"strategies": trace.strategies | {_BESIDE: milliseconds}})
    started = time.perf_counter()

    async def build(items: Sequence[Scored]) -> Context:
        return await asyncio.to_thread(
            build_context,
            items,
            history=history,
            entities=entities,
            budgets=request.budgets,
            count=acting.parts.tokens.count,
            question=request.asked,
        )

    built = await build(considered)
    lots = await _drawn(acting, request, built, considered)
    if lots.held_out:
        kept = [one for one in _said(built, considered) if lots.keeps(one)]
        built = (await build(kept)).model_copy(
            update={"dropped": built.dropped, "truncated": built.truncated}
        )
        trace = trace.left_out(**{HELD_OUT: len(lots.held_out)})
    return built.model_copy(update={"trace": trace.took("context", started)}), considered


async def _drawn(
    acting: Acting, request: ContextRequest, built: Context, considered: Sequence[Scored]
) -> Drawn:
    """Draw lots for each memory of a context; see `holdout.py`."""
    holdout = await holdout_of(acting, request.query, request.in_session)
    if holdout is None:
        return Drawn()
    return drawn(acting, holdout, Pipeline.CONTEXT, _said(built, considered))


def _said(built: Context, considered: Sequence[Scored]) -> list[Scored]:
    """Return those of the considered results that a context contains: memories and turns, alone or with neighbours."""
    shown = {item.citation for section in built.sections for item in section.items}

    def citations(one: Scored) -> set[str]:
        if one.memory is not None:
            return {f"{KINDS[one.memory.kind].citation}:{one.memory.memory_id}"}
        turns = (turn for turn in (one.interaction, *one.neighbours) if turn is not None)
        return {f"{LETTER_OF[INTERACTION]}:{turn.interaction_id}" for turn in turns}

    return [one for one in considered if citations(one) & shown]


def _considered(kind: str, items: Sequence[Scored], limit: int) -> Sequence[Scored]:
    """Return all of a user's memories of a kind if they are few, else the first ones."""
    return items if kind in USER_KINDS and len(items) <= FEW else within_limit(items, limit, is_caution)


async def _entities_and_history(
    acting: Acting, request: ContextRequest
) -> tuple[Sequence[Said], Sequence[KnownEntity], float]:
    """Return the conversation so far, the entities that the question names, and the milliseconds of reading both."""
    started = time.perf_counter()
    query = request.query

    async def look(snapshot: Transaction) -> tuple[Sequence[Said], Sequence[KnownEntity]]:
        history = await _history(snapshot, request)
        return history, await known_entities(snapshot, request.user_id, query.text, as_of=query.wanted.as_of)

    history, entities = await acting.visit(look, user_id=request.user_id)
    return history, entities, round((time.perf_counter() - started) * 1000, 3)


async def _history(snapshot: Transaction, request: ContextRequest) -> Sequence[Said]:
    if request.session_id is None:
        return request.history
    turns = await snapshot.interactions.of_session(
        request.user_id, request.session_id, limit=_HISTORY_TURNS, as_of=request.query.wanted.as_of
    )
    return [
        Said(
            role=turn.role,
            content=turn.content or turn.user_action_description,
            interaction_id=turn.interaction_id,
            said_at=turn.happened_at or turn.created_at,
        )
        for turn in turns
    ]
