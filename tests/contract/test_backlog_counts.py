"""What waits, counted over all organisations."""

from sagacity.domain.backlog import Backlog
from sagacity.domain.cursor import DeadLetterStatus, Window
from sagacity.domain.ids import UserId
from sagacity.storage.transaction import Storage
from support.evaluating import talk
from support.parts import ANNA, ORG, OTHER_ORG, StoppedClock


async def test_what_waits_is_counted_over_all_organisations(storage: Storage, clock: StoppedClock) -> None:
    """Logs that are due with the oldest of them, cursors behind, documents without vectors, parked letters."""
    before = await storage.backlog()
    assert before == Backlog()
    since = clock.now()
    await storage.append(ORG, talk("r1", "a", "b"))
    clock.advance(60)
    await storage.append(OTHER_ORG, talk("r1", "a", "b"))
    window = Window(user_id=UserId(ANNA), first_seq=1, last_seq=1, unread=())
    for tenant in (ORG, OTHER_ORG):
        async with storage.begin(tenant) as transaction:
            for name in ("x", "y"):
                await transaction.dead_letters.add(name, window, attempts=5, error_kind="X", error="no")
    async with storage.begin(ORG) as transaction:
        [letter, *_] = await transaction.dead_letters.list_newest(statuses=[DeadLetterStatus.PARKED])
        await transaction.dead_letters.mark(
            letter.dead_letter_id, DeadLetterStatus.REPLAYED, was=DeadLetterStatus.PARKED
        )
    found = await storage.backlog()
    assert (found.due_count, found.oldest_due_at) == (2, since)
    assert (found.unembedded_count, found.parked_count) == (4, 3)
    assert storage.backend.connections.limit >= storage.backend.connections.in_use >= 0
