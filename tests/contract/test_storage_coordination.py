"""What learners lean on: cursors, leases, dead letters, due users; and the organisation's own rows."""

import asyncio
import subprocess
import sys
from datetime import timedelta

import pytest

from sagacity.auth.tokens import hash_token, new_token
from sagacity.domain.cursor import DeadLetterStatus, Outcome, Window
from sagacity.domain.errors import Conflict, IndexMismatch, NotFound, Unauthorized
from sagacity.domain.memory import MemoryKind
from sagacity.domain.query import Filter
from sagacity.storage.transaction import Storage
from support.parts import ANNA, BEN, ORG, OTHER_ORG, START, CountingIds, StoppedClock, cursor_at, opened, said
from support.tokens import with_token

pytestmark = pytest.mark.own_database


def window(first: int, last: int, user_id=ANNA) -> Window:
    return Window(user_id=user_id, first_seq=first, last_seq=last, unread=())


# --- cursors ---------------------------------------------------------------------------------------------------------


async def test_cursor_starts_at_nothing_and_keeps_what_is_saved(storage: Storage) -> None:
    """A learner that never ran has none; what is saved comes back."""
    saved = cursor_at(5, outcome=Outcome.FAILED, attempts=2, error="e", next_try_at=START)
    async with storage.begin(ORG) as tx:
        assert await tx.cursors.of_user(ANNA) == {}
        await tx.cursors.save(saved)
        kept = saved.model_copy(update={"updated_at": START})
        assert await tx.cursors.of_user(ANNA) == {"profile:x1": kept}
        assert await tx.cursors.of_user(BEN) == {}


async def test_cursor_never_moves_back(storage: Storage) -> None:
    """A cursor that another holder moved on stays where it is."""
    async with storage.begin(ORG) as tx:
        for seq in (5, 3, 7, 6):
            await tx.cursors.save(cursor_at(seq, outcome=Outcome.LEARNED))
        assert [one.seq for one in (await tx.cursors.of_user(ANNA)).values()] == [7]


async def test_forced_after_looks_beyond_the_cursor(storage: Storage) -> None:
    """Only unread requests can ask for haste."""
    await storage.append(ORG, said("a", force_extraction=True))
    await storage.append(ORG, said("b", request_id="r2"))
    async with storage.read(ORG) as snapshot:
        assert await snapshot.cursors.forced_after(ANNA, 0)
        assert not await snapshot.cursors.forced_after(ANNA, 1)
        assert not await snapshot.cursors.forced_after(BEN, 0)


# --- due users -------------------------------------------------------------------------------------------------------


async def test_due_scopes_longest_due_first(storage: Storage, clock: StoppedClock) -> None:
    """Users of all organisations, in the order in which they became due; no more than asked for."""
    for n, (tenant, user) in enumerate([(ORG, ANNA), (OTHER_ORG, ANNA), (ORG, BEN)]):
        await storage.append(tenant, said("x", user_id=user, request_id=f"r{n}"))
        clock.advance(10)
    due = await storage.due_scopes(limit=10)
    assert [(scope.tenant, scope.user_id) for scope in due] == [(ORG, ANNA), (OTHER_ORG, ANNA), (ORG, BEN)]
    assert await storage.due_scopes(limit=1) == due[:1]
    assert await storage.next_due_at() == START


async def test_due_later_is_not_due_now(storage: Storage, clock: StoppedClock) -> None:
    """A user is due when its moment has come, and nothing waits once it is cleared."""
    await storage.append(ORG, said("x"))
    async with storage.begin(ORG) as tx:
        assert await tx.cursors.set_due(
            ANNA, START + timedelta(seconds=30), head=await tx.cursors.log_head(ANNA)
        )
    assert await storage.due_scopes(limit=10) == []
    assert await storage.next_due_at() == START + timedelta(seconds=30)
    clock.advance(30)
    assert len(await storage.due_scopes(limit=10)) == 1
    async with storage.begin(ORG) as tx:
        await tx.cursors.set_due(ANNA, None)
        assert (await tx.cursors.log_head(ANNA)).due_at is None
    assert await storage.due_scopes(limit=10) == []
    assert await storage.next_due_at() is None


async def test_a_log_that_grows_is_due_once_it_was_quiet(
    database_url: str, clock: StoppedClock, ids: CountingIds
) -> None:
    """Or at once, if somebody asked; news put nothing off that is due already."""
    async with opened(database_url, clock, ids, quiet_seconds=30) as storage:
        await storage.append(ORG, said("x"))
        assert await storage.due_scopes(limit=10) == []
        clock.advance(20)
        await storage.append(ORG, said("y", request_id="r2"))
        assert await storage.next_due_at() == START + timedelta(seconds=30)
        await storage.append(ORG, said("z", request_id="r3", force_extraction=True))
        assert await storage.next_due_at() == START + timedelta(seconds=20)
        clock.advance(20)
        await storage.append(ORG, said("z", request_id="r4"))
        assert await storage.next_due_at() == START + timedelta(seconds=20)


async def test_due_is_not_cleared_over_news(storage: Storage) -> None:
    """Who saw the log before it grew cannot say that nothing waits."""
    await storage.append(ORG, said("x"))
    async with storage.read(ORG) as snapshot:
        seen = await snapshot.cursors.log_head(ANNA)
    await storage.append(ORG, said("y", request_id="r2"))
    async with storage.begin(ORG) as tx:
        assert not await tx.cursors.set_due(ANNA, None, head=seen)
        assert (await tx.cursors.log_head(ANNA)).due_at == START


async def test_due_is_not_cleared_over_a_replay(storage: Storage, clock: StoppedClock) -> None:
    """Who saw the log before a dead letter of it was queued cannot say that nothing waits."""
    await storage.append(ORG, said("x"))
    window = Window(user_id=ANNA, first_seq=1, last_seq=1, unread=())
    async with storage.begin(ORG) as tx:
        await tx.dead_letters.add("l", window, attempts=5, error_kind="E", error="no")
        await tx.cursors.set_due(ANNA, None)
    async with storage.read(ORG) as snapshot:
        seen = await snapshot.cursors.log_head(ANNA)
        [letter] = await snapshot.dead_letters.list_newest()
    clock.advance(1)
    async with storage.begin(ORG) as tx:
        await tx.dead_letters.replay(letter.dead_letter_id)
    async with storage.begin(ORG) as tx:
        assert not await tx.cursors.set_due(ANNA, None, head=seen)
    assert len(await storage.due_scopes(limit=10)) == 1


async def test_cursor_is_moved_from_where_it_was_read(storage: Storage) -> None:
    """A window that was finished by another worker is not done again, whoever did it."""
    await storage.append(ORG, said("x"))
    start = cursor_at()
    done = start.model_copy(update={"seq": 5})
    async with storage.begin(ORG) as tx:
        await tx.cursors.save(done, read=start)
    with pytest.raises(Conflict):
        async with storage.begin(ORG) as tx:
            await tx.cursors.save(done, read=start)
    failed = done.model_copy(update={"attempts": 1})
    async with storage.begin(ORG) as tx:
        await tx.cursors.save(failed, read=done)
    with pytest.raises(Conflict):
        async with storage.begin(ORG) as tx:
            await tx.cursors.save(failed, read=done)
    async with storage.read(ORG) as snapshot:
        [kept] = (await snapshot.cursors.of_user(ANNA)).values()
    assert (kept.seq, kept.attempts) == (5, 1)


# --- leases ----------------------------------------------------------------------------------------------------------


async def test_lease_has_one_holder(storage: Storage) -> None:
    """Of many that claim at once one gets it; it can prolong it; another name is another lease."""

    async def claim(owner: str, name: str = "scope"):
        async with storage.begin(ORG) as tx:
            return await tx.leases.claim(name, owner, 60)

    claimed = [lease for lease in await asyncio.gather(*(claim(f"o{n}") for n in range(10))) if lease]
    assert len(claimed) == 1
    assert await claim(claimed[0].owner) == claimed[0]
    assert await claim("someone else") is None
    assert await claim("someone else", "other scope") is not None


async def test_lapsed_lease_is_taken_over_with_higher_fencing(storage: Storage, clock: StoppedClock) -> None:
    """After it lapsed another may take it, and the former holder cannot commit any more."""
    async with storage.begin(ORG) as tx:
        old = await tx.leases.claim("scope", "old", 60)
        clock.advance(59)
        assert await tx.leases.claim("scope", "new", 60) is None
        clock.advance(1)
        new = await tx.leases.claim("scope", "new", 60)
        assert new.fencing == old.fencing + 1
        await tx.leases.check(new)
        with pytest.raises(Conflict):
            await tx.leases.check(old)
        await tx.leases.finish(old)  # gives nothing back that is not its own
        await tx.leases.check(new)
        assert await tx.leases.claim("scope", "third", 60) is None


async def test_finished_lease_is_free_and_keeps_its_fencing(storage: Storage) -> None:
    """The next holder's number is higher, also after an orderly end."""
    async with storage.begin(ORG) as tx:
        first = await tx.leases.claim("scope", "a", 60)
        await tx.leases.finish(first)
        second = await tx.leases.claim("scope", "b", 60)
        assert second.fencing > first.fencing
        with pytest.raises(Conflict):
            await tx.leases.check(first)


# --- dead letters ----------------------------------------------------------------------------------------------------


async def test_dead_letters_are_parked_listed_and_replayed(storage: Storage, clock: StoppedClock) -> None:
    """A parked window is listed newest first, and a replay queues it and makes its user due."""
    await storage.append(ORG, said("x", "y"))
    async with storage.begin(ORG) as tx:
        await tx.cursors.set_due(ANNA, None)
        await tx.dead_letters.add("l", window(1, 1), attempts=5, error_kind="ProviderError", error="down")
        await tx.dead_letters.add("l", window(2, 2, BEN), attempts=5, error_kind="E", error="e")
    clock.advance(5)
    async with storage.begin(ORG) as tx:
        newest, oldest = await tx.dead_letters.list_newest()
        assert (newest.user_id, oldest.user_id, oldest.error) == (BEN, ANNA, "down")
        assert [one.user_id for one in await tx.dead_letters.list_newest(user_id=ANNA)] == [ANNA]
        queued = await tx.dead_letters.replay(oldest.dead_letter_id)
        assert queued.status is DeadLetterStatus.QUEUED
        assert await tx.dead_letters.list_newest(statuses=[DeadLetterStatus.QUEUED]) == [queued]
        assert (await tx.cursors.log_head(ANNA)).due_at == clock.now()
        with pytest.raises(Conflict, match="queued"):
            await tx.dead_letters.replay(oldest.dead_letter_id)
        with pytest.raises(NotFound):
            await tx.dead_letters.replay(999)


async def test_window_parked_again_stays_one_dead_letter(storage: Storage) -> None:
    """A replay that fails parks the same dead letter, with the newer error."""
    async with storage.begin(ORG) as tx:
        await tx.dead_letters.add("l", window(1, 9), attempts=5, error_kind="E", error="first")
        [letter] = await tx.dead_letters.list_newest()
        await tx.dead_letters.replay(letter.dead_letter_id)
        await tx.dead_letters.add("l", window(1, 9), attempts=6, error_kind="E", error="second")
        [again] = await tx.dead_letters.list_newest()
    assert (again.dead_letter_id, again.status, again.error, again.attempts) == (
        letter.dead_letter_id, DeadLetterStatus.PARKED, "second", 6,
    )  # fmt: skip


# --- the organisation ------------------------------------------------------------------------------------------------


async def test_config_counts_its_versions(storage: Storage) -> None:
    """No configuration is None; each set is a version more, also when sets race."""
    async with storage.read(ORG) as snapshot:
        assert await snapshot.organisation.config() is None

    async def change(text: str) -> int:
        async with storage.begin(ORG) as tx:
            return await tx.organisation.set_config(text)

    versions = await asyncio.gather(*(change(str(n)) for n in range(10)))
    assert sorted(versions) == list(range(1, 11))
    async with storage.read(ORG) as snapshot:
        text, version, _ = await snapshot.organisation.config()
    assert (text, version) == (str(versions.index(10)), 10)


async def test_token_is_found_until_revoked(storage: Storage) -> None:
    """A token tells its organisation; unknown and revoked ones are refused; only its own organisation revokes it."""
    assert not await storage.has_tokens()
    secret = new_token()
    async with storage.begin(ORG) as tx:
        token = await with_token(tx, "laptop", secret=secret)
    assert await storage.has_tokens()
    assert await storage.find_token(hash_token(secret)) == token
    with pytest.raises(Unauthorized):
        await storage.find_token(hash_token(new_token()))
    with pytest.raises(NotFound):
        async with storage.begin(OTHER_ORG) as tx:
            await tx.tokens.revoke(token.token_id)
    assert (await storage.find_token(hash_token(secret))).org_id == ORG.org_id
    async with storage.begin(ORG) as tx:
        await tx.tokens.revoke(token.token_id)
        assert [one.revoked_at for one in await tx.tokens.list_page(limit=9)] == [START]
    with pytest.raises(Unauthorized):
        await storage.find_token(hash_token(secret))
    assert await storage.has_tokens()  # a server that had a token never opens up again


async def test_index_belongs_to_one_embedder(storage: Storage) -> None:
    """The first embedder claims the index; another one is told which command mends it."""
    await storage.claim_index("minilm", 384)
    await storage.claim_index("minilm", 384)
    with pytest.raises(IndexMismatch, match="sagacity reindex"):
        await storage.claim_index("other", 384)
    with pytest.raises(IndexMismatch):
        await storage.claim_index("minilm", 512)


# --- several processes -----------------------------------------------------------------------------------------------

WRITER = """
import asyncio, sys
from sagacity.domain.clock import SystemClock
from sagacity.domain.ids import TimeOrderedIds
from support.parts import ORG, new_memory, opened, said

async def main(url, name):
    async with opened(url, SystemClock(), TimeOrderedIds()) as storage:
        async def one(n):
            await storage.append(ORG, said(f"{name} {n}", request_id=f"{name}-{n}"))
            async with storage.begin(ORG) as tx:
                await tx.memories.add([new_memory(f"{name} {n}", uid=f"{name}-{n}")])
        for start in range(0, 60, 10):
            await asyncio.gather(*(one(n) for n in range(start, start + 10)))

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.one_database
async def test_two_processes_lose_nothing(storage: Storage, database_url: str) -> None:
    """Two processes that write the same database at the same time store all of it, in one gapless log."""
    names = ["one", "two"]
    running = [
        subprocess.Popen(
            [sys.executable, "-W", "error", "-c", WRITER, database_url, name],
            env={"PYTHONPATH": ":".join(sys.path)},
            stderr=subprocess.PIPE,
        )
        for name in names
    ]
    for process in running:
        _, errors = await asyncio.to_thread(process.communicate, timeout=60)
        assert process.returncode == 0, errors.decode()
    sent = {f"{name} {n}" for name in names for n in range(60)}
    async with storage.read(ORG) as snapshot:
        turns = await snapshot.interactions.log(ANNA, after_seq=0, limit=1_000)
        found = await snapshot.memories.find_uids([text.replace(" ", "-") for text in sent])
        scopes = await snapshot.search.scopes(Filter(kinds=tuple(MemoryKind), interactions=True))
    assert {turn.content for turn in turns} == sent
    assert [turn.seq for turn in turns] == list(range(1, 121))
    assert {memory.content for memory in found.values()} == sent
    assert {scope.kind: scope.document_count for scope in scopes} == {"interaction": 120, "profile": 120}
