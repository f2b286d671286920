"""Recorded calls: nothing is lost, sums agree with rows on every database, and no tenant sees another's."""

import statistics
from collections import Counter
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from sagacity.domain.analytics import (
    FAILURES,
    AnalyticsFilter,
    RequestAnalytics,
    RequestStatus,
    RequestType,
)
from sagacity.domain.analytics_reports import OF_NO_VALUES, Granularity, Metric, step_of
from sagacity.domain.errors import NotFound
from sagacity.storage.transaction import Storage
from support.measured import measured, random_calls
from support.parts import ANNA, BEN, ORG, OTHER_ORG, START

MONTH_END = datetime(2024, 2, 27, 5, 30, tzinfo=UTC)
"""Five days from here pass a leap day and the end of a month."""
ALL = AnalyticsFilter()


async def add(storage: Storage, *calls: RequestAnalytics, tenant=ORG) -> None:
    async with storage.begin(tenant) as transaction:
        await transaction.request_analytics.add(calls)


async def page(storage: Storage, wanted: AnalyticsFilter = ALL, tenant=ORG, limit: int = 1000, **more):
    async with storage.read(tenant) as snapshot:
        return await snapshot.request_analytics.page(wanted, limit=limit, **more)


async def test_call_comes_back_as_it_was_written(storage: Storage) -> None:
    """Every field; once, however often it is written; and to no other tenant and user."""
    calls = random_calls(20, start=START, days=1)
    await add(storage, *calls)
    await add(storage, calls[0].model_copy(update={"total_time_ms": 1e6}), calls[1])
    async with storage.read(ORG) as snapshot:
        for call in calls:
            assert await snapshot.request_analytics.get(call.id) == call
            assert await snapshot.request_analytics.get(call.id, user_id=call.user_id) == call
            other = BEN if call.user_id == ANNA else ANNA
            with pytest.raises(NotFound):
                await snapshot.request_analytics.get(call.id, user_id=other)
    assert await page(storage) == sorted(calls, key=lambda one: (one.created_at, one.id), reverse=True)
    assert await page(storage, tenant=OTHER_ORG) == []
    async with storage.read(OTHER_ORG) as snapshot:
        with pytest.raises(NotFound):
            await snapshot.request_analytics.get(calls[0].id)


async def test_pages_join_without_gap_or_repetition(storage: Storage) -> None:
    """By number and by the last one seen; those of the same moment, too."""
    calls = [measured(f"{n:02}", at=START + timedelta(seconds=n // 4)) for n in range(11)]
    await add(storage, *calls)
    newest_first = [one.id for one in reversed(calls)]
    by_number = [one.id for n in range(4) for one in await page(storage, limit=3, offset=3 * n)]
    assert by_number == newest_first
    names: list[str] = []
    before = None
    while part := await page(storage, limit=3, before=before):
        names += [one.id for one in part]
        before = (part[-1].created_at, part[-1].id)
    assert names == newest_first


async def test_each_filter_narrows(storage: Storage) -> None:
    """To what the same condition leaves of the rows; the count agrees."""
    calls = random_calls(200, start=START, days=3)
    await add(storage, *calls)
    day, middle = timedelta(days=1), statistics.median(one.total_time_ms for one in calls)
    exact = calls[0].total_time_ms
    cases = [
        ({"user_id": ANNA}, lambda one: one.user_id == ANNA),
        ({"request_type": RequestType.MEMORY_SEARCH}, lambda one: one.request_type == "memory_search"),
        ({"status": RequestStatus.TIMEOUT}, lambda one: one.status == "timeout"),
        ({"conversation_id": "talk 1"}, lambda one: one.conversation_id == "talk 1"),
        ({"start": START + day, "end": START + 2 * day}, lambda one: day <= one.created_at - START < 2 * day),
        ({"min_latency_ms": middle}, lambda one: one.total_time_ms >= middle),
        ({"min_latency_ms": exact, "max_latency_ms": exact}, lambda one: one.total_time_ms == exact),
    ]
    for given, holds in cases:
        wanted = AnalyticsFilter(**given)
        expected = {one.id for one in calls if holds(one)}
        assert 0 < len(expected) < len(calls)
        assert {one.id for one in await page(storage, wanted)} == expected
        async with storage.read(ORG) as snapshot:
            assert await snapshot.request_analytics.count(wanted) == len(expected)


async def test_totals_agree_with_the_rows(storage: Storage) -> None:
    """Counts by end, and means; the mean of context tokens only over calls that built one."""
    calls = random_calls(300, start=START, days=2)
    await add(storage, *calls)
    await add(storage, measured("other's"), tenant=OTHER_ORG)
    async with storage.read(ORG) as snapshot:
        totals = await snapshot.analytics_reports.totals(ALL)
        by_type = await snapshot.analytics_reports.counts(ALL, "request_type")
        intents = await snapshot.analytics_reports.counts(ALL, "intent")
    assert totals.total_requests == 300
    ends = Counter(one.status for one in calls)
    assert totals.successful_requests == ends["success"]
    assert totals.partial_requests == ends["partial"]
    assert totals.error_requests == ends["error"] + ends["timeout"]
    assert totals.avg_latency_ms == pytest.approx(statistics.fmean(one.total_time_ms for one in calls))
    first_bytes = [one.ttfb_ms for one in calls if one.ttfb_ms is not None]
    assert totals.avg_ttfb_ms == pytest.approx(statistics.fmean(first_bytes))
    searched = [one for one in calls if one.step_timings.total_retrieval_time is not None]
    raw = [one.retrieval_metrics.total_raw_results for one in searched]
    assert totals.avg_retrieval_results == pytest.approx(statistics.fmean(raw))
    contexts = [one.context_metrics for one in calls if one.context_metrics.token_budget_max]
    assert totals.avg_context_tokens == pytest.approx(
        statistics.fmean(one.total_context_tokens for one in contexts)
    )
    assert by_type == Counter(str(one.request_type) for one in calls)
    assert intents == Counter(one.query_analysis.intent for one in calls if one.query_analysis.intent)


@pytest.mark.parametrize("count", [1, 2, 3, 40, 301])
async def test_percentiles_are_those_of_numpy(storage: Storage, count: int) -> None:
    """Of each step over the calls that took it, successes only; null where none did, and zeros of the whole call."""
    calls = random_calls(count, start=START, days=2, seed=count)
    await add(storage, *calls)
    async with storage.read(ORG) as snapshot:
        report = await snapshot.analytics_reports.latency(ALL)
    good = [one for one in calls if one.status == "success"]
    steps = {
        "total_time": [one.total_time_ms for one in good],
        "ttfb": [one.ttfb_ms for one in good],
        "retrieval": [one.step_timings.total_retrieval_time for one in good],
        "llm": [one.step_timings.llm_total_time for one in good],
        "ranking": [one.step_timings.ranking_time for one in good],
        "context_building": [one.step_timings.context_building_time for one in good],
    }
    for name, with_gaps in steps.items():
        values, told = [one for one in with_gaps if one is not None], getattr(report, name)
        if not values:
            assert told == (OF_NO_VALUES if name == "total_time" else None)
            continue
        assert told.sample_count == len(values)
        expected = [*np.percentile(values, [50, 95, 99]), np.mean(values), min(values), max(values)]
        assert list(told.model_dump(exclude={"sample_count"}).values()) == pytest.approx(expected)
        assert told.p50 == pytest.approx(statistics.median(values))


async def test_nothing_gives_reports_of_nothing(storage: Storage) -> None:
    async with storage.read(ORG) as snapshot:
        reports = snapshot.analytics_reports
        totals, latency = await reports.totals(ALL), await reports.latency(ALL)
        retrieval = await reports.retrieval(ALL)
        steps = await reports.steps(ALL, Metric.LATENCY, Granularity.DAY)
    assert (totals.total_requests, totals.avg_latency_ms, totals.avg_ttfb_ms) == (0, 0, None)
    assert latency.total_time == OF_NO_VALUES
    assert set(latency.model_dump(exclude={"total_time"}).values()) == {None}
    assert (retrieval.total_requests, retrieval.score_distribution, retrieval.truncation_rate) == (0, {}, 0)
    assert steps == []


@pytest.mark.parametrize("granularity", list(Granularity))
async def test_steps_hold_what_came_in_during_them(storage: Storage, granularity: Granularity) -> None:
    """Over a leap day and the end of a month, on the calendar's hours, days and weeks of UTC."""
    calls = random_calls(300, start=MONTH_END, days=5)
    await add(storage, *calls)
    async with storage.read(ORG) as snapshot:
        requests = await snapshot.analytics_reports.steps(ALL, Metric.REQUESTS, granularity)
        errors = await snapshot.analytics_reports.steps(ALL, Metric.ERRORS, granularity)
        latency = await snapshot.analytics_reports.steps(ALL, Metric.LATENCY, granularity)
    of_step: dict[datetime, list[RequestAnalytics]] = {}
    for one in sorted(calls, key=lambda one: one.created_at):
        of_step.setdefault(step_of(one.created_at, granularity), []).append(one)
    assert [one.timestamp for one in requests] == list(of_step)
    assert [one.value for one in requests] == [len(some) for some in of_step.values()]
    assert [one.value for one in errors] == [
        sum(one.status in FAILURES for one in some) for some in of_step.values()
    ]
    good = {
        at: [one.total_time_ms for one in some if one.status == "success"] for at, some in of_step.items()
    }
    assert {one.timestamp: one.value for one in latency} == pytest.approx(
        {at: statistics.fmean(some) for at, some in good.items() if some}
    )


async def test_retrieval_agrees_with_the_rows(storage: Storage) -> None:
    """Means over calls that searched, the spread of a strategy's scores weighted by how many each call had."""
    calls = random_calls(300, start=START, days=2)
    await add(storage, *calls)
    async with storage.read(ORG) as snapshot:
        told = await snapshot.analytics_reports.retrieval(ALL)
    searched = [one for one in calls if one.step_timings.total_retrieval_time is not None]
    metrics = [one.retrieval_metrics for one in searched]
    assert told.total_requests == len(searched)
    for name, field in (
        ("avg_vector_results", "vector_results_count"),
        ("avg_keyword_results", "keyword_results_count"),
        ("avg_graph_results", "graph_results_count"),
        ("avg_total_results", "total_raw_results"),
    ):
        mean = statistics.fmean(getattr(one, field) for one in metrics)
        assert getattr(told, name) == pytest.approx(mean)
    found = [one for one in metrics if one.total_raw_results]
    shares = [one.deduplication_removed / one.total_raw_results for one in found]
    assert told.avg_deduplication_rate == pytest.approx(statistics.fmean(shares))
    combined = [one.avg_combined_score for one in metrics if one.avg_combined_score is not None]
    assert told.avg_combined_score == pytest.approx(statistics.fmean(combined))
    spreads = [(one.score_distribution["vector"], one.vector_results_count) for one in found]
    assert set(told.score_distribution) == {"vector"}
    vector = told.score_distribution["vector"]
    assert vector.min == min(one.min for one, _ in spreads)
    assert vector.max == max(one.max for one, _ in spreads)
    weights = sum(count for _, count in spreads)
    assert vector.avg == pytest.approx(sum(one.avg * count for one, count in spreads) / weights)
    profiles = sum(one.memories_by_type["profile"] for one in metrics)
    assert told.memories_by_type_total["profile"] == profiles
    assert told.avg_memories_by_type["profile"] == pytest.approx(profiles / len(searched))
    contexts = [one.context_metrics for one in searched if one.context_metrics.token_budget_max]
    assert told.truncation_rate == pytest.approx(
        statistics.fmean(one.truncation_occurred for one in contexts)
    )
    assert told.avg_context_tokens == pytest.approx(
        statistics.fmean(one.total_context_tokens for one in contexts)
    )
