"""The ledger of model calls: nothing is lost, sums agree with rows, and no tenant sees another's."""

from datetime import UTC, datetime, timedelta

import pytest

from sagacity.domain.ids import UserId
from sagacity.domain.ledger import CallFilter, Grouping, ModelCallRecord, Spending
from sagacity.storage.transaction import Storage
from support.parts import ANNA, BEN, ORG, OTHER_ORG

MIDNIGHT = datetime(2026, 11, 22, tzinfo=UTC)
ALL = CallFilter()


def call(learner: str = "profile:x", *, hours: float = 0.0, **fields) -> ModelCallRecord:
    values = {"user_id": ANNA, "model": "m1", "prompt": "p/v1", "prompt_tokens": 11, "completion_tokens": 7}
    return ModelCallRecord(
        learner=learner, **{"created_at": MIDNIGHT + timedelta(hours=hours), **values, **fields}
    )


async def add(storage: Storage, *calls: ModelCallRecord, tenant=ORG) -> None:
    for one in calls:
        async with storage.begin(tenant) as transaction:
            await transaction.model_calls.add(one)


async def listed(storage: Storage, wanted: CallFilter = ALL, tenant=ORG, **more):
    async with storage.read(tenant) as snapshot:
        return await snapshot.model_calls.list_newest(wanted, **more)


async def totals(storage: Storage, by: Grouping, wanted: CallFilter = ALL):
    async with storage.read(ORG) as snapshot:
        return await snapshot.model_calls.totals(wanted, by)


async def test_record_comes_back_as_it_was_written(storage: Storage) -> None:
    """Every field, and a number; another tenant sees nothing of it."""
    record = call(attempt=2, cost_usd=0.25, duration_ms=1234, outcome="ProviderTimeout")
    await add(storage, record)
    (entry,) = await listed(storage)
    assert ModelCallRecord(**entry.model_dump(exclude={"call_id"})) == record
    assert entry.call_id > 0
    assert await listed(storage, tenant=OTHER_ORG) == []


async def test_pages_join_without_gap_or_repetition(storage: Storage) -> None:
    """Newest first by time, then by number; each page goes on behind the one before."""
    await add(storage, *(call(f"l{n}", hours=hours) for n, hours in enumerate([0, 3, 1, 1, 1, 2])))
    await add(storage, call("other's", hours=1), tenant=OTHER_ORG)
    names: list[str] = []
    before = None
    while page := await listed(storage, before=before, limit=2):
        names += [entry.learner for entry in page]
        before = page[-1].call_id
    assert names == ["l1", "l5", "l4", "l3", "l2", "l0"]


@pytest.mark.parametrize(
    ("wanted", "learners"),
    [
        (CallFilter(learner="b"), ["b"]),
        (CallFilter(user_id=UserId(BEN)), ["b"]),
        (CallFilter(user_id=UserId("")), ["c"]),
        (CallFilter(model="m2"), ["c"]),
        (CallFilter(outcome="ProviderTimeout"), ["b"]),
        (CallFilter(start=MIDNIGHT + timedelta(hours=1)), ["c", "b"]),
        (CallFilter(end=MIDNIGHT + timedelta(hours=1)), ["a"]),
        (CallFilter(learner="b", model="m2"), []),
    ],
)
async def test_filters_hold_together(storage: Storage, wanted: CallFilter, learners: list[str]) -> None:
    """Each filter narrows; the start belongs to the span and the end does not."""
    await add(
        storage,
        call("a"),
        call("b", hours=1, user_id=BEN, outcome="ProviderTimeout"),
        call("c", hours=2, user_id="", model="m2"),
    )
    assert [entry.learner for entry in await listed(storage, wanted)] == learners
    assert {total.key for total in await totals(storage, Grouping.LEARNER, wanted)} == set(learners)


async def test_totals_are_those_of_the_rows(storage: Storage) -> None:
    """By learner, user, day of UTC and model; what was never priced costs nothing and is counted."""
    await add(
        storage,
        call("a", cost_usd=0.5, duration_ms=10),
        call("a", hours=23.99, prompt_tokens=0, completion_tokens=0, outcome="ProviderError", duration_ms=5),
        call("b", hours=24, user_id=BEN, model="m2", prompt_tokens=100, cost_usd=0.25),
        call("b", hours=25, user_id=""),
    )
    await add(storage, call("a"), tenant=OTHER_ORG)
    b, a = await totals(storage, Grouping.LEARNER)
    assert (a.key, a.call_count, a.failed_count, a.prompt_tokens, a.completion_tokens) == ("a", 2, 1, 11, 7)
    assert (a.cost_usd, a.unpriced_count, a.duration_ms, a.token_count) == (0.5, 1, 15, 18)
    assert (b.key, b.call_count, b.token_count, b.cost_usd, b.unpriced_count) == ("b", 2, 125, 0.25, 1)
    by_user = [(one.key, one.call_count) for one in await totals(storage, Grouping.USER)]
    assert sorted(by_user) == [("", 1), (ANNA, 2), (BEN, 1)]
    by_day = [(one.key, one.call_count) for one in await totals(storage, Grouping.DAY)]
    assert by_day == [("2026-11-23", 2), ("2026-11-22", 2)]
    assert [(one.key, one.call_count) for one in await totals(storage, Grouping.MODEL)] == [
        ("m2", 1),
        ("m1", 3),
    ]


async def test_spent_counts_since_a_moment(storage: Storage) -> None:
    """The sum of nothing is nothing; the moment itself counts."""
    async with storage.read(ORG) as snapshot:
        assert await snapshot.model_calls.spent(MIDNIGHT) == Spending()
    await add(storage, call(hours=-0.001), call(hours=0, cost_usd=0.125), call(hours=5))
    await add(storage, call(hours=5), tenant=OTHER_ORG)
    async with storage.read(ORG) as snapshot:
        spent = await snapshot.model_calls.spent(MIDNIGHT)
    assert (spent.call_count, spent.token_count, spent.cost_usd) == (2, 36, 0.125)
    assert spent.unpriced_count == 1
