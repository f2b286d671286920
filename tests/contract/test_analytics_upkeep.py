"""Days of recorded calls: summed up once, whatever happens meanwhile, and deleted only after that."""

import statistics
from collections import Counter
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from sagacity.domain.analytics import AnalyticsFilter, RequestAnalytics, RequestStatus
from sagacity.domain.analytics_reports import DayTotals, Granularity, step_of
from sagacity.domain.errors import StorageUnavailable
from sagacity.domain.ids import ORGANISATION
from sagacity.domain.retention import CALLS, Limits
from sagacity.domain.tenant import DueScope
from sagacity.learning.analytics_upkeep import AFTER_MIDNIGHT, AnalyticsUpkeep
from sagacity.learning.tasks.runner import TaskRunner
from sagacity.providers.embedders.minilm import MiniLM
from sagacity.storage.transaction import Storage
from support.faults import Faulty
from support.learning import task_parts
from support.measured import measured, random_calls
from support.parts import ANNA, BEN, ORG, OTHER_ORG, CountingIds, StoppedClock

DAY = timedelta(days=1)
MONTH_END = datetime(2024, 2, 28, tzinfo=UTC)
"""The day before a leap day."""
KEPT_DAYS = 3


@pytest.fixture
def clock() -> StoppedClock:
    return StoppedClock(MONTH_END)


async def add(storage: Storage, *calls: RequestAnalytics) -> None:
    async with storage.begin(ORG) as transaction:
        await transaction.request_analytics.add(calls)


def upkeep(storage: Storage, embedder: MiniLM, clock: StoppedClock, ids: CountingIds) -> TaskRunner:
    limits = Limits(days={CALLS: KEPT_DAYS})
    return keeping(limits, storage, embedder, clock, ids)


def keeping(limits: Limits, storage: Storage, embedder, clock: StoppedClock, ids: CountingIds) -> TaskRunner:
    parts = task_parts(storage, embedder, clock, ids, limits=limits, cleanup_batch=7)
    return TaskRunner(parts, [AnalyticsUpkeep(parts)])


async def days(storage: Storage, tenant=ORG) -> list[DayTotals]:
    async with storage.read(tenant) as snapshot:
        end = MONTH_END + 400 * DAY
        return await snapshot.analytics_days.list_days(start=MONTH_END - 400 * DAY, end=end, limit=9_999)


async def left(storage: Storage) -> int:
    async with storage.read(ORG) as snapshot:
        return await snapshot.request_analytics.count(AnalyticsFilter())


class BreaksOnce:
    """Breaks one transaction of a run, by its number from 0 on."""

    def __init__(self, *, at: int) -> None:
        self.count = 0
        self._at = at

    async def __call__(self, _connection: object) -> bool:
        self.count += 1
        return self.count == self._at + 1


async def test_a_day_is_what_its_calls_were(
    storage: Storage, embedder: MiniLM, clock: StoppedClock, ids: CountingIds
) -> None:
    """By user, over a leap day and the end of a month; today is not over."""
    calls = random_calls(400, start=MONTH_END, days=3.5)
    await add(storage, *calls)
    clock.advance(3.5 * 86_400)
    await upkeep(storage, embedder, clock, ids).run(DueScope(tenant=ORG, user_id=ORGANISATION))
    kept = await days(storage)
    assert [(one.date, one.user_id) for one in kept] == [
        (MONTH_END + number * DAY, user) for number in (2, 1, 0) for user in (ANNA, BEN)
    ]
    assert [f"{one.date:%m-%d}" for one in kept[::2]] == ["03-01", "02-29", "02-28"]
    for one in kept:
        of_day = [
            call
            for call in calls
            if call.user_id == one.user_id and step_of(call.created_at, Granularity.DAY) == one.date
        ]
        ends, types = Counter(call.status for call in of_day), Counter(call.request_type for call in of_day)
        assert one.total_requests == len(of_day)
        assert one.successful_requests == ends["success"]
        assert one.partial_requests == ends["partial"]
        assert one.error_requests == ends["error"] + ends["timeout"]
        assert one.chat_stream_requests == types["chat_stream"]
        assert one.chat_complete_requests == types["chat_complete"]
        assert one.memory_search_requests == types["memory_search"]
        assert one.context_build_requests == types["context_build"]
        good = [call.total_time_ms for call in of_day if call.status is RequestStatus.SUCCESS]
        told = [one.latency_stats[name] for name in ("p50", "p95", "p99", "avg", "min", "max")]
        assert told == pytest.approx(
            [*np.percentile(good, [50, 95, 99]), np.mean(good), min(good), max(good)]
        )
        first_bytes = [call.ttfb_ms for call in of_day if call.ttfb_ms is not None]
        assert one.latency_stats["avg_ttfb"] == pytest.approx(statistics.fmean(first_bytes))
        raw = [call.retrieval_metrics.total_raw_results for call in of_day]
        assert one.retrieval_stats["avg_total_results"] == pytest.approx(statistics.fmean(raw))
        contexts = [call.context_metrics for call in of_day if call.context_metrics.token_budget_max]
        tokens = statistics.fmean(each.total_context_tokens for each in contexts)
        assert one.context_stats["avg_tokens"] == pytest.approx(tokens)
        assert one.intent_distribution == Counter(
            call.query_analysis.intent for call in of_day if call.query_analysis.intent
        )
    assert await days(storage, OTHER_ORG) == []


async def test_days_stay_when_their_calls_are_deleted(
    storage: Storage, embedder: MiniLM, clock: StoppedClock, ids: CountingIds
) -> None:
    """By whole days, in batches; a day is not written again once its calls may be gone."""
    await add(storage, *(measured(f"{n}", at=MONTH_END + n * DAY / 10) for n in range(60)))
    runner = upkeep(storage, embedder, clock, ids)
    sums: dict[datetime, int] = {}
    for _ in range(12):
        clock.advance(86_400)
        await runner.run(DueScope(tenant=ORG, user_id=ORGANISATION))
        for one in await days(storage):
            sums.setdefault(one.date, one.total_requests)
            assert one.total_requests == sums[one.date] == 10
        oldest_kept = step_of(clock.now(), Granularity.DAY) - KEPT_DAYS * DAY
        gone = max((oldest_kept - MONTH_END) // DAY, 0)
        assert await left(storage) == 60 - 10 * min(gone, 6)
    assert sorted(sums) == [MONTH_END + number * DAY for number in range(6)]


async def test_only_so_many_calls_stay_and_sums_are_of_all(
    storage: Storage, embedder: MiniLM, clock: StoppedClock, ids: CountingIds
) -> None:
    """The oldest go, of whichever day; the newest day is whole until another one is summed up."""
    await add(storage, *(measured(f"{n}", at=MONTH_END + n * DAY / 10) for n in range(60)))
    runner = keeping(Limits(rows={CALLS: 15}), storage, embedder, clock, ids)
    clock.advance(6 * 86_400)
    for _ in range(3):
        await runner.run(DueScope(tenant=ORG, user_id=ORGANISATION))
        assert {one.date: one.total_requests for one in await days(storage)} == {
            MONTH_END + number * DAY: 10 for number in range(6)
        }
        assert await left(storage) == 15
        clock.advance(86_400)
    runner = keeping(Limits(rows={CALLS: 2}), storage, embedder, clock, ids)
    await runner.run(DueScope(tenant=ORG, user_id=ORGANISATION))
    assert await left(storage) == 10
    await keeping(Limits(days={CALLS: 0}), storage, embedder, clock, ids).run(
        DueScope(tenant=ORG, user_id=ORGANISATION)
    )
    assert await left(storage) == 10


async def test_calls_that_come_late_are_counted_the_next_night(
    storage: Storage, embedder: MiniLM, clock: StoppedClock, ids: CountingIds
) -> None:
    await add(storage, measured("in time", at=MONTH_END))
    runner = upkeep(storage, embedder, clock, ids)
    clock.advance(86_400)
    await runner.run(DueScope(tenant=ORG, user_id=ORGANISATION))
    await add(storage, measured("late", at=MONTH_END), measured("late", user_id=BEN, at=MONTH_END))
    await add(storage, measured("ben's", user_id=BEN, at=MONTH_END))
    clock.advance(86_400)
    await runner.run(DueScope(tenant=ORG, user_id=ORGANISATION))
    assert {one.user_id: one.total_requests for one in await days(storage)} == {ANNA: 2, BEN: 1}


async def test_next_look_is_the_next_night(
    storage: Storage, embedder: MiniLM, clock: StoppedClock, ids: CountingIds
) -> None:
    """As long as there are calls; an organisation without any is left alone."""
    runner = upkeep(storage, embedder, clock, ids)
    for calls, due_at in (([], None), ([measured("one", at=MONTH_END)], MONTH_END + DAY + AFTER_MIDNIGHT)):
        await add(storage, *calls)
        async with storage.begin(ORG) as transaction:
            await transaction.cursors.ensure_due(ORGANISATION)
        await runner.run(DueScope(tenant=ORG, user_id=ORGANISATION))
        async with storage.read(ORG) as snapshot:
            assert (await snapshot.cursors.log_head(ORGANISATION)).due_at == due_at


@pytest.mark.parametrize("after_commit", [False, True])
async def test_a_run_that_breaks_anywhere_is_completed_by_the_next(
    storage: Storage, embedder: MiniLM, clock: StoppedClock, ids: CountingIds, *, after_commit: bool
) -> None:
    """Each transaction in turn breaks off; at the end the days are those of an undisturbed run."""
    calls = random_calls(60, start=MONTH_END, days=5)
    await add(storage, *calls)
    clock.advance(5 * 86_400)
    runner, inner = upkeep(storage, embedder, clock, ids), storage.backend
    broken, last = 0, 0
    while True:
        fault = BreaksOnce(at=last)
        storage.backend = Faulty(inner, fault, after_commit=after_commit)
        try:
            await runner.run(DueScope(tenant=ORG, user_id=ORGANISATION))
        except StorageUnavailable:
            broken += 1
        storage.backend = inner
        if fault.count <= last:
            break
        last += 1
        clock.advance(61)  # the lease of the run that broke off is over
    assert broken > 5
    kept_from = step_of(clock.now(), Granularity.DAY) - KEPT_DAYS * DAY
    for one in await days(storage):
        of_day = [
            call
            for call in calls
            if call.user_id == one.user_id and step_of(call.created_at, Granularity.DAY) == one.date
        ]
        assert one.total_requests == len(of_day)
    assert sum(one.total_requests for one in await days(storage)) == 60
    assert await left(storage) == sum(call.created_at >= kept_from for call in calls)
