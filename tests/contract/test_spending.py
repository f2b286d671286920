"""What a tenant spent: counted at once in this process, soon over all, and read whole only once a period."""

from datetime import timedelta

from sagacity.config.spending_cap import SpendingCap
from sagacity.domain.ids import UserId
from sagacity.domain.ledger import ModelCallRecord
from sagacity.learning.spending import FRESH, RunningSums
from sagacity.storage.transaction import Storage
from support.parts import ORG, OTHER_ORG, StoppedClock

CAP = SpendingCap(max_tokens=1_000)


def call(clock: StoppedClock, tokens: int) -> ModelCallRecord:
    return ModelCallRecord(
        learner="l", user_id=UserId("u"), model="m", prompt="p", prompt_tokens=tokens, created_at=clock.now()
    )


async def test_sums_agree_with_the_ledger_at_every_age_of_its_calls(
    storage: Storage, clock: StoppedClock
) -> None:
    """Calls are written by others all day; whenever the sum is fresh again it is the whole day's, each call once."""
    sums, expected = RunningSums(storage, clock), 0
    clock.advance((timedelta(days=1) - timedelta(hours=clock.now().hour)).total_seconds())
    start = CAP.start(clock.now())
    for number, pause_minutes in enumerate((0, 1, 4, 9, 10, 11, 60, 3)):
        clock.advance(60 * pause_minutes + FRESH.total_seconds())
        async with storage.begin(ORG) as transaction:
            await transaction.model_calls.add(call(clock, 2**number))
        async with storage.begin(OTHER_ORG) as transaction:
            await transaction.model_calls.add(call(clock, 1_000_000))
        expected += 2**number
        assert (await sums.of(ORG, CAP)).token_count == expected
    sums.add(ORG, call(clock, 5_000))
    assert (await sums.of(ORG, CAP)).token_count == expected + 5_000
    clock.advance(FRESH.total_seconds())  # the ledger, which has not got it, is asked again
    assert (await sums.of(ORG, CAP)).token_count == expected
    assert CAP.start(clock.now()) == start
    clock.advance(timedelta(days=1).total_seconds())
    assert (await sums.of(ORG, CAP)).token_count == 0
