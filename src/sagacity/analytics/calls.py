"""Record each search and each context when its call ends, whether it succeeded or not."""

import asyncio
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta

from sagacity.analytics.metrics import context_metrics, question_metrics, retrieval_metrics, step_timings
from sagacity.domain.analytics import (
    ContextMetrics,
    RequestAnalytics,
    RequestStatus,
    RequestType,
)
from sagacity.domain.context import Context
from sagacity.domain.errors import ProviderTimeout, SagacityError, StorageError
from sagacity.domain.ids import UserId
from sagacity.domain.query import StrategyName, Trace
from sagacity.memories.acting import Acting
from sagacity.observability.recording import call_id, harmless

_LATE = "the call took longer than it may, and was ended"
_CRASHED = "something went wrong on the server; its log has the details"


@dataclass(slots=True, kw_only=True)
class Measured:
    """A running call, as far as it is known."""

    request_type: RequestType
    started: float
    """When it came in, by the performance counter."""
    came_at: datetime | None = None
    """The same by the clock; None: it is computed from the end."""
    user_id: UserId | None = None
    """Whose memories; None: the organisation's."""
    conversation_id: str | None = None
    trace: Trace | None = None
    context: Context | None = None
    budget: int = 0
    """The token budget of the context."""
    setup_seconds: float = 0.0
    """Time until the search began."""
    problem: BaseException | None = None


@contextmanager
def measured(
    acting: Acting,
    request_type: RequestType,
    *,
    user_id: UserId | None = None,
    conversation_id: str | None = None,
) -> Generator[Measured]:
    """
    Record the block as one call; an exception is recorded and propagates.

    Args:
        acting: on whose behalf.
        request_type: what is asked for.
        user_id: whose memories; None: the organisation's.
        conversation_id: in which conversation, if it is in one.
    """
    call = Measured(
        request_type=request_type,
        started=time.perf_counter(),
        came_at=acting.parts.clock.now(),
        user_id=user_id,
        conversation_id=conversation_id,
    )
    try:
        yield call
    except BaseException as error:
        call.problem = error
        raise
    finally:
        _record(acting, call)


def record_search(acting: Acting, trace: Trace, *, user_id: UserId | None, started: float) -> None:
    """
    Record a search that succeeded.

    Args:
        acting: on whose behalf.
        trace: of the search.
        user_id: whose memories; None: the organisation's.
        started: when the call came in, by the performance counter.
    """
    kind = RequestType.MEMORY_SEARCH
    _record(acting, Measured(request_type=kind, started=started, user_id=user_id, trace=trace))


def status_of(error: BaseException) -> RequestStatus:
    """Return the outcome of a call that raised; a cancelled one exceeded its time limit."""
    late = isinstance(error, ProviderTimeout | TimeoutError | asyncio.CancelledError)
    return RequestStatus.TIMEOUT if late else RequestStatus.ERROR


def told(error: BaseException) -> tuple[str, str]:
    """Return the type of an error, and the part of its message that readers of the record may see."""
    if isinstance(error, asyncio.CancelledError | TimeoutError):
        return "Timeout", _LATE
    if isinstance(error, StorageError) or not isinstance(error, SagacityError):
        return "InternalError", _CRASHED
    return type(error).__name__, str(error)


def _record(acting: Acting, call: Measured) -> None:
    with harmless("analytics.not_recorded"):
        acting.parts.analytics.record(acting.tenant, _recorded(acting, call))


def _recorded(acting: Acting, call: Measured) -> RequestAnalytics:
    context, trace = call.context, call.trace or Trace()
    seconds = time.perf_counter() - call.started
    status, error_type, error_message = _end_of(call.problem, trace)
    analytics_id = acting.parts.ids.new()
    return RequestAnalytics(
        id=analytics_id,
        user_id=call.user_id or acting.principal.user_id,
        request_id=call_id(analytics_id),
        request_type=call.request_type,
        conversation_id=call.conversation_id,
        total_time_ms=round(seconds * 1000, 3),
        step_timings=step_timings(trace, setup_time=round(call.setup_seconds * 1000, 3) or None),
        retrieval_metrics=retrieval_metrics(trace),
        context_metrics=ContextMetrics() if context is None else context_metrics(context, budget=call.budget),
        query_analysis=question_metrics(trace.analysis),
        status=status,
        error_message=error_message,
        error_type=error_type,
        created_at=call.came_at or acting.parts.clock.now() - timedelta(seconds=seconds),
    )


def _end_of(problem: BaseException | None, trace: Trace) -> tuple[RequestStatus, str | None, str | None]:
    """Return the outcome of a call with the error's type and message; if a strategy failed, it is partial."""
    if problem is not None:
        return status_of(problem), *told(problem)
    failed = sorted(_STRATEGIES & trace.failed.keys())
    if failed:
        return RequestStatus.PARTIAL, "StrategyFailed", f"without an answer of: {', '.join(failed)}"
    return RequestStatus.SUCCESS, None, None


_STRATEGIES = frozenset(map(str, StrategyName))
