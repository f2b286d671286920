"""Build a context: what an agent should know, as text for its prompt."""

import time

from sagacity.analytics.calls import Measured, measured
from sagacity.api.dependencies import Caller, Reads
from sagacity.api.explain import explained, remarks
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.api.search import question_of
from sagacity.domain.analytics import RequestType
from sagacity.domain.context import Said
from sagacity.domain.ids import SessionId
from sagacity.memories.context import ContextRequest, context_for
from sagacity.schemas.context import ContextBody, ContextPage
from sagacity.schemas.search_query import kinds_of, to_query

router = resource("context")


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
    with measured(
        caller.acting,
        RequestType.CONTEXT_BUILD,
        user_id=body.users[0],
        conversation_id=body.session_id or None,
    ) as call:
        return await _context(body, caller, call)


async def _context(body: ContextBody, caller: Caller, call: Measured) -> ContextPage:
    started = time.perf_counter()
    question = await question_of(caller, body)
    call.setup_seconds = time.perf_counter() - started
    history = body.conversation_history if body.wants_history else ()
    request = ContextRequest(
        user_id=body.users[0],
        question=question,
        asked=body.text,
        query=to_query(body, question.text, kinds_of(body)),
        strategies=body.strategies,
        budgets=body.budgets.to_domain(),
        history=[Said(role=turn.role, content=turn.content) for turn in history],
        session_id=SessionId(body.session_id) if body.session_id and body.reads_history else None,
        in_session=SessionId(body.session_id) if body.session_id else None,
        takes_few_whole="top_k" not in body.model_fields_set,
    )
    built = await context_for(
        caller.acting, request, include_expired=body.include_expired, counts_withheld=body.explain
    )
    call.trace, call.context, call.budget = built.trace, built, request.budgets.total_tokens
    return ContextPage(
        context=built.text,
        total_tokens=built.total_tokens,
        truncated=built.truncated,
        sections=built.sections,
        dropped=built.dropped,
        msg=remarks(built.trace, threshold=body.threshold, is_empty=not built.text),
        reformulated_query=question.rewritten,
        trace=explained(body, question.text, built.trace),
    )
