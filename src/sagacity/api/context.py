"""Building what an agent should know into a text for its prompt."""

import asyncio
import time

from fastapi import APIRouter

from sagacity.api.dependencies import Reads
from sagacity.api.explain import explained, failures
from sagacity.api.rates import Rate, limited
from sagacity.api.route import Route
from sagacity.api.sdk import sdk
from sagacity.api.search import asked_of, found_by_kind
from sagacity.domain.context import Said
from sagacity.domain.ids import SessionId, UserId
from sagacity.retrieval.context.assemble import build_context
from sagacity.retrieval.context.known_entities import known_entities
from sagacity.schemas.context import ContextBody, ContextPage
from sagacity.storage.transaction import Transaction

router = APIRouter(tags=["context"], route_class=Route)
_HISTORY_TURNS = 100
"""More fit into no budget that leaves room for what was learned."""


@router.post(
    "/context", response_model_exclude_none=True, openapi_extra=sdk(positional=("query",), repeatable=True)
)
@limited(Rate.SEARCH)
async def context(body: ContextBody, caller: Reads) -> ContextPage:
    """
    Return what is known about a question, as one text within a token budget.

    It uses what a search returns: current, unexpired and not rejected memories of this user. Relationships of an entity
    are included if such a memory supports them, or if they were added by hand. If a question does not need memory, the
    reply has a context nevertheless; `trace.analysis.requires_memory` is false then.
    """
    asked = await asked_of(caller, body)
    found, trace = await found_by_kind(caller, body, asked)
    started = time.perf_counter()
    async with caller.read(user_id=body.user_id) as snapshot:
        history = await _history(snapshot, body)
        entities = await known_entities(snapshot, UserId(body.user_id), asked.text, as_of=body.as_of)
    trace, started = trace.took("entities and history", started), time.perf_counter()
    built = await asyncio.to_thread(
        build_context,
        [one for items in found.values() for one in items],
        history=history,
        entities=entities,
        budgets=body.budgets.to_domain(),
        count=caller.runtime.tokens.count,
        question=body.query,
    )
    trace = trace.took("context", started)
    return ContextPage(
        context=built.text,
        total_tokens=built.total_tokens,
        truncated=built.truncated,
        sections=built.sections,
        dropped=built.dropped,
        msg=failures(trace),
        reformulated_query=asked.rewritten,
        trace=explained(body, asked.text, trace),
    )


async def _history(snapshot: Transaction, body: ContextBody) -> list[Said]:
    """Return the conversation so far, oldest first: as the caller brings it, or as it was published."""
    if not body.wants_history:
        return []
    if body.brings_history or body.session_id is None:
        return [Said(role=turn.role, content=turn.content) for turn in body.conversation_history]
    turns = await snapshot.interactions.of_session(
        UserId(body.user_id), SessionId(body.session_id), limit=_HISTORY_TURNS, as_of=body.as_of
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
