"""Calls are recorded however they end, and what is said of an error is meant for whoever reads the record."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace

import pytest

from sagacity.analytics import measured, record_search
from sagacity.domain.analytics import RequestAnalytics, RequestStatus, RequestType
from sagacity.domain.errors import NotFound, ProviderTimeout, StorageUnavailable
from sagacity.domain.principal import Principal
from sagacity.domain.query import Filter, Query, Trace
from sagacity.domain.tenant import Tenant
from sagacity.memories.acting import Acting, Parts
from sagacity.memories.search import search_by_kind
from support.parts import ANNA, ORG, new_memory


class Kept:
    """Keeps what is recorded."""

    def __init__(self) -> None:
        self.calls: list[RequestAnalytics] = []

    def record(self, tenant: Tenant, call: RequestAnalytics) -> None:
        assert tenant == ORG
        self.calls.append(call)


@pytest.fixture
def kept() -> Kept:
    return Kept()


@pytest.fixture
def acting(parts: Parts, kept: Kept) -> Acting:
    return Acting(replace(parts, analytics=kept), Principal(tenant=ORG))


async def test_a_search_is_recorded_by_one_call(acting: Acting, kept: Kept) -> None:
    """With whatever its trace has."""
    async with acting.begin() as transaction:
        await transaction.memories.add([new_memory("Likes green tea.")])
    started = time.perf_counter()
    wanted = Filter(kinds=(new_memory("x").kind,), user_id=ANNA)
    found, trace = await search_by_kind(acting, Query(text="green tea", wanted=wanted, limit=5))
    record_search(acting, trace, user_id=ANNA, started=started)
    [call] = kept.calls
    assert sum(map(len, found.values())) == 1
    assert (call.request_type, call.status, call.user_id) == ("memory_search", "success", ANNA)
    assert call.retrieval_metrics.keyword_results_count == 1
    assert call.retrieval_metrics.memories_by_type == {"profile": 1}
    retrieval = call.step_timings.total_retrieval_time
    assert retrieval is not None
    assert 0 < retrieval <= call.total_time_ms


async def test_a_user_who_is_not_named_is_the_one_who_calls(acting: Acting, kept: Kept) -> None:
    """So that whoever is signed in finds all of the own calls; the organisation's are nobody's."""
    record_search(acting, Trace(), user_id=None, started=time.perf_counter())
    signed_in = replace(acting, principal=Principal(tenant=ORG, user_id=ANNA))
    record_search(signed_in, Trace(), user_id=None, started=time.perf_counter())
    assert [call.user_id for call in kept.calls] == [None, ANNA]


@pytest.mark.parametrize(
    ("error", "status", "kind"),
    [
        (lambda: NotFound("no such thing"), RequestStatus.ERROR, "NotFound"),
        (lambda: ProviderTimeout("no answer in time"), RequestStatus.TIMEOUT, "ProviderTimeout"),
        (TimeoutError, RequestStatus.TIMEOUT, "Timeout"),
        (asyncio.CancelledError, RequestStatus.TIMEOUT, "Timeout"),
        (lambda: StorageUnavailable("host db.internal"), RequestStatus.ERROR, "InternalError"),
        (lambda: ValueError("secret"), RequestStatus.ERROR, "InternalError"),
    ],
)
async def test_a_call_that_raises_is_recorded_and_raises(
    acting: Acting, kept: Kept, error: Callable[[], BaseException], status: RequestStatus, kind: str
) -> None:
    """Our own words are kept; those of a library or the database stay in the log."""
    raised = error()
    with pytest.raises(type(raised)) as caught, measured(acting, RequestType.CONTEXT_BUILD, user_id=ANNA):
        raise raised
    assert caught.value is raised
    [call] = kept.calls
    assert (call.status, call.error_type, call.request_type) == (status, kind, "context_build")
    assert call.error_message
    assert "secret" not in call.error_message
    assert "db.internal" not in call.error_message
