"""Record each answer of the chat when it ends, whether it succeeded or not."""

import time

from sagacity.analytics.calls import status_of, told
from sagacity.analytics.metrics import context_metrics, question_metrics, retrieval_metrics, step_timings
from sagacity.domain.analytics import ContextMetrics, RequestAnalytics, RequestStatus, RequestType
from sagacity.domain.chat import Exchange, ExchangeStatus
from sagacity.domain.context import Context
from sagacity.domain.errors import ProviderTimeout, SagacityError
from sagacity.domain.ids import SessionId, UserId
from sagacity.domain.query import Trace
from sagacity.memories.acting import Acting
from sagacity.observability.recording import call_id, harmless

_ENDS = {
    ExchangeStatus.DONE: RequestStatus.SUCCESS,
    ExchangeStatus.STOPPED: RequestStatus.PARTIAL,
    ExchangeStatus.ABANDONED: RequestStatus.PARTIAL,
    ExchangeStatus.INTERRUPTED: RequestStatus.PARTIAL,
    ExchangeStatus.FAILED: RequestStatus.ERROR,
}


def record_answer(
    acting: Acting,
    exchange: Exchange,
    *,
    context: Context | None,
    budget: int,
    milliseconds: float,
    enqueue: float | None = None,
    with_model: bool = True,
    request_id: str | None = None,
) -> None:
    """
    Record an answer that has ended.

    Args:
        acting: on whose behalf.
        exchange: as it ended.
        context: what it could draw on; None where it came to none.
        budget: the token budget of the context.
        milliseconds: from the message to the end of the answer.
        enqueue: milliseconds it took to wake the learners; None if none were woken.
        with_model: whether a model wrote it.
        request_id: of the call that asked for the answer; None: the current call.
    """
    with harmless("analytics.not_recorded"):
        trace, timings = Trace() if context is None else context.trace, exchange.timings
        late = exchange.error_kind == ProviderTimeout.__name__
        acting.parts.analytics.record(
            acting.tenant,
            RequestAnalytics(
                id=acting.parts.ids.new(),
                user_id=exchange.user_id,
                request_id=request_id or call_id(exchange.exchange_id),
                request_type=exchange.request_type,
                conversation_id=exchange.session_id,
                message_id=exchange.message_id,
                total_time_ms=milliseconds,
                ttfb_ms=timings.get("ttfb"),
                step_timings=step_timings(
                    trace,
                    setup_time=timings.get("setup"),
                    history_time=timings.get("history"),
                    llm_ttfb=timings.get("llm_ttfb") if with_model else None,
                    llm_total_time=timings.get("llm_total") if with_model else None,
                    save_response_time=timings.get("save_response"),
                    enqueue_time=enqueue,
                ),
                retrieval_metrics=retrieval_metrics(trace),
                context_metrics=ContextMetrics()
                if context is None
                else context_metrics(context, budget=budget),
                query_analysis=question_metrics(trace.analysis),
                status=RequestStatus.TIMEOUT if late else _status_of(exchange),
                error_message=exchange.error or exchange.memory_note or None,
                error_type=exchange.error_kind or ("MemoryFailed" if exchange.memory_note else None),
                created_at=exchange.created_at,
            ),
        )


def _status_of(exchange: Exchange) -> RequestStatus:
    """Return how an answer ended; it is partial if some of what is remembered could not be read."""
    if exchange.status is ExchangeStatus.DONE and exchange.memory_note:
        return RequestStatus.PARTIAL
    return _ENDS[exchange.status]


def record_refusal(
    acting: Acting,
    request_type: RequestType,
    error: SagacityError,
    *,
    user_id: UserId,
    session_id: SessionId | None,
    started: float,
) -> None:
    """
    Record a message that was refused and therefore has no answer.

    Args:
        acting: on whose behalf.
        request_type: the way in which the answer was requested.
        error: the reason.
        user_id: whose message.
        session_id: the conversation that the message named.
        started: when it came in, by the performance counter.
    """
    with harmless("analytics.not_recorded"):
        analytics_id, (error_type, error_message) = acting.parts.ids.new(), told(error)
        acting.parts.analytics.record(
            acting.tenant,
            RequestAnalytics(
                id=analytics_id,
                user_id=user_id,
                request_id=call_id(analytics_id),
                request_type=request_type,
                conversation_id=session_id,
                total_time_ms=round((time.perf_counter() - started) * 1000, 3),
                status=status_of(error),
                error_message=error_message,
                error_type=error_type,
                created_at=acting.parts.clock.now(),
            ),
        )
