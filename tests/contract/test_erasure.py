"""Erasing a user: nothing is left in any table or file, others keep all that is theirs, and no end is too soon."""

import asyncio
from contextlib import suppress
from dataclasses import replace

import pytest
import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncConnection

from sagacity.analytics.emitter import Emitter, EmitterPolicy
from sagacity.analytics.writers import CallWriter, UsageWriter
from sagacity.auth.erasure_key import ErasureKey
from sagacity.domain.cursor import DISTIL, LEARN
from sagacity.domain.errors import Conflict, NotFound
from sagacity.domain.ids import ORGANISATION, UserId
from sagacity.domain.memory import Approval, MemoryKind
from sagacity.domain.operation import OperationName, OperationParameters
from sagacity.domain.tenant import DueScope, Tenant
from sagacity.learning.erasure.report import is_genuine
from sagacity.learning.erasure.task import Erase
from sagacity.learning.tasks.runner import TaskRunner
from sagacity.memories.erasure import erasure_of
from sagacity.memories.operations import cancel
from sagacity.storage.erasure.places import PLACES, Place
from sagacity.storage.erasure.scan import scan_tables
from sagacity.storage.postgres.owner import vacuum
from sagacity.storage.transaction import Storage
from support.account_rows import invitation
from support.aggregation import NAME, VERSION, Aggregating
from support.erasing import KEY, OTHERS, WHO, WORD, Erasing
from support.faults import Faulty
from support.learning import WordEmbedder, task_parts
from support.loop_work import loop_work
from support.measured import measured
from support.parts import BEN, ORG, OTHER_ORG, StoppedClock, new_memory, said
from support.planted import Planted, bytes_with, dump, person_of_word, tables_with
from support.usage import used


@pytest.fixture
def erasing(storage: Storage, embedder, clock, ids) -> Erasing:
    return Erasing(storage, embedder, clock, ids)


async def _plant(storage: Storage, *, count: int) -> None:
    await Planted(ORG, WHO, WORD, count=count, start=10_000).plant(storage.backend)
    await Planted(ORG, BEN, OTHERS, count=count, start=20_000).plant(storage.backend, derived=False)
    await Planted(OTHER_ORG, WHO, OTHERS, count=count, start=30_000).plant(storage.backend)


async def _know(storage: Storage, tenant: Tenant) -> None:
    """Have an organisation invite the person's address, and the person invite somebody else there."""
    person = person_of_word(WORD, ORG.org_id)
    sent = {"somebody": person.email, person.pseudonym: "friend@example.com"}
    async with storage.begin(tenant) as transaction:
        for sender, email in sent.items():
            fields = {"invitation_id": sender, "email": email, "created_by": sender}
            await transaction.invitations.add(invitation(email).model_copy(update=fields))


def _theirs(rows: dict[str, list[str]]) -> dict[str, list[str]]:
    """The rows that hold others' words."""
    return {table: [one for one in lines if OTHERS in one] for table, lines in rows.items()}


async def _check_gone(storage: Storage, before: dict[str, list[str]]) -> None:
    after = await dump(storage.backend, ORG)
    assert tables_with(after, WORD, WHO) == {}
    assert tables_with(after, person_of_word(WORD, ORG.org_id).pseudonym).keys() == {"audit_log"}
    assert _theirs(after) == _theirs(before)
    if storage.backend.file is not None:
        assert bytes_with(storage.backend.file, WORD) == []


@pytest.mark.parametrize("count", [4, pytest.param(50, marks=pytest.mark.full)])
async def test_words_planted_in_every_field_of_every_table_are_nowhere_afterwards(
    erasing: Erasing, storage: Storage, count: int
) -> None:
    """Neither a table nor a byte of the files holds one; other users and other organisations keep every row."""
    await _plant(storage, count=count)
    before, elsewhere = await dump(storage.backend, ORG), await dump(storage.backend, OTHER_ORG)
    await _know(storage, OTHER_ORG)
    planted = tables_with(before, WORD, WHO)
    held = {name for name, place in PLACES.items() if place not in (Place.NOTHING, Place.DERIVED)}
    assert held - {"duplicate_pairs"} <= planted.keys()  # that one has only numbers
    done = await erasing.erase()
    await _check_gone(storage, before)
    after = await dump(storage.backend, OTHER_ORG)
    assert (len(elsewhere.pop("members")), after.pop("members")) == (1, [])
    assert len(after.pop("audit_log")) == len(elsewhere.pop("audit_log")) + 5
    assert after == elsewhere
    assert done.sealed is None
    assert done.report is not None
    assert is_genuine(done.report)
    assert done.report.scan.found == done.report.scan.mentions == ()
    assert (done.report.deleted["requests"], done.report.unnamed["model_calls"]) == (count, count)
    assert len(done.report.withdrawn) == count
    assert WHO not in done.report.model_dump_json()
    assert len(erasing.told) == 1


@pytest.mark.one_database
@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.full)])
async def test_killed_in_any_transaction_it_goes_on_to_the_end(
    storage: Storage, embedder, clock, ids, step: int
) -> None:
    """Each try is cut short a little later than the one before; nothing is left, and nobody else loses anything."""
    await _plant(storage, count=4)
    before = await dump(storage.backend, ORG)
    left, backend, tries = 0, storage.backend, 0

    async def dies(_connection: AsyncConnection) -> bool:
        nonlocal left
        left -= 1
        if left < 0:
            raise asyncio.CancelledError
        return False

    killed = Storage(Faulty(backend, dies, after_commit=False), clock=clock, ids=ids)
    erasing = Erasing(killed, embedder, clock, ids, batch=3)
    left = 9
    operation = await erasing.ask()
    while (await erasure_of(erasing.acting, operation.operation_id)).finished_at is None:
        tries += 1
        left = tries * step
        with suppress(asyncio.CancelledError):
            await erasing.work()
        clock.advance(61)
        async with storage.read(ORG) as snapshot:
            assert await snapshot.operations.trouble(operation.operation_id) == ""
    assert tries > 3
    await _check_gone(storage, before)


async def test_nothing_is_published_until_the_end_and_then_a_new_user_begins(
    erasing: Erasing, storage: Storage
) -> None:
    """Meanwhile a publish is refused, and asked again it is one run; afterwards the log begins at one, for good."""
    await storage.append(ORG, said("first", "second", user_id=WHO))
    first, again = await erasing.ask(), await erasing.ask()
    assert first.operation_id == again.operation_id
    with pytest.raises(Conflict, match="being erased"):
        await storage.append(ORG, said("late", request_id="late", user_id=WHO))
    await storage.append(ORG, said("somebody else", request_id="other", user_id=BEN))
    with pytest.raises(Conflict, match="cannot be cancelled"):
        await cancel(erasing.acting, operation_id=first.operation_id, name=None)
    assert (await cancel(erasing.acting, operation_id=None, name=None)).operations == ()
    await erasing.work()
    kept = await storage.append(ORG, said("new here", request_id="new", user_id=WHO))
    assert kept.first_seq == 1
    await erasing.work()
    async with storage.read(ORG) as snapshot:
        assert [turn.content for turn in await snapshot.interactions.log(WHO, after_seq=0, limit=9)] == [
            "new here"
        ]
    second = await erasing.ask()
    assert second.operation_id != first.operation_id


async def test_who_worked_on_the_user_before_cannot_write_afterwards(
    erasing: Erasing, storage: Storage
) -> None:
    """A learner and a distillation that read before the end have lost their leases, whoever holds them now."""
    await storage.append(ORG, said("first", user_id=WHO))
    async with storage.begin(ORG) as transaction:
        await transaction.memories.add([new_memory("a rule", kind=MemoryKind.USER_PLAYBOOK, user_id=WHO)])
        learning = await transaction.leases.claim(LEARN, "old", 600, user_id=WHO)
        distilling = await transaction.leases.claim(DISTIL, "old", 600)
    await erasing.erase()
    await storage.append(ORG, said("new", request_id="new", user_id=WHO))
    async with storage.begin(ORG) as transaction:
        assert await transaction.leases.claim(LEARN, "new", 600, user_id=WHO) is not None
    for lease in (learning, distilling):
        with pytest.raises(Conflict):
            async with storage.begin(ORG) as transaction:
                await transaction.leases.check(lease)


async def test_what_comes_late_is_deleted_and_the_user_counts_once(
    erasing: Erasing, storage: Storage
) -> None:
    """Such as the record of a call, which another process still had to write."""
    await storage.append(ORG, said("first", user_id=WHO))

    async def late() -> None:
        async with storage.begin(ORG) as transaction:
            await transaction.leases.claim(LEARN, "late", 600, user_id=WHO)

    erasing.then = late
    done = await erasing.erase()
    assert done.report is not None
    assert (done.report.deleted["leases"], done.report.deleted["users"]) == (1, 1)
    assert tables_with(await dump(storage.backend, ORG), WHO) == {}


async def test_records_that_wait_in_another_process_are_not_written_afterwards(
    erasing: Erasing, storage: Storage, clock: StoppedClock
) -> None:
    """It was told nothing. What it recorded of others, or of a new user with the same id, is written."""
    policy = EmitterPolicy(seconds=3_600)
    calls = Emitter(storage, CallWriter(storage, clock, lambda: KEY), policy)
    events = Emitter(storage, UsageWriter(storage, clock, lambda: KEY), policy)
    for user_id in (WHO, BEN):
        calls.record(ORG, measured(f"call of {user_id}", user_id=UserId(user_id)))
        events.record(ORG, used(ORG.org_id, f"event of {user_id}", user_id=UserId(user_id)))
    await erasing.erase()
    await calls.flush()
    await events.flush()
    rows = await dump(storage.backend, ORG)
    assert tables_with(rows, WHO) == {}
    assert tables_with(rows, BEN) == {"request_analytics": 1, "usage_events": 1}
    clock.advance(1)
    calls.record(ORG, measured("a new user's call", user_id=UserId(WHO), at=clock.now()))
    await calls.flush()
    assert tables_with(await dump(storage.backend, ORG), WHO) == {"request_analytics": 1}


async def test_what_rested_on_the_user_is_made_again_from_what_others_taught(
    erasing: Erasing, storage: Storage, clock, ids
) -> None:
    """An approved playbook of all users goes with its words and its history; the next one rests on the others alone."""
    aggregating = Aggregating(storage, clock, ids)
    rules = ["use pnpm for packages", "use pnpm for packages here", "use pnpm for all packages"]
    for number, rule in enumerate(rules):
        await aggregating.teach(rule, user_id=f"user-{number}")
    await aggregating.teach("use pnpm for zqxpackages", user_id=WHO)
    await aggregating.run()
    [made] = await aggregating.shared()
    await aggregating.change(made, content="use pnpm for zqxpackages", approval=Approval.APPROVED)
    done = await erasing.erase()
    assert await aggregating.shared() == []
    [withdrawn] = done.withdrawn
    assert (withdrawn.uid, withdrawn.was_approved, withdrawn.name, withdrawn.agent_version) == (
        *(made.uid, True),
        *(NAME, VERSION),
    )
    assert withdrawn.is_derived_again
    assert await aggregating.aggregator.due(ORG) == [(NAME, VERSION)]
    await aggregating.run()
    [again] = await aggregating.shared()
    assert again.content in rules
    assert again.metadata["user_count"] == 3
    assert tables_with(await dump(storage.backend, ORG), "zqx") == {}


async def test_operations_that_wait_for_the_user_end_without_it(erasing: Erasing, storage: Storage) -> None:
    """A run of the user alone is cancelled; one of several goes on with the others."""
    await storage.append(ORG, said("one", user_id=WHO))
    await storage.append(ORG, said("two", request_id="r2", user_id=BEN))
    async with storage.begin(ORG) as transaction:
        alone = await transaction.operations.start(
            OperationName.PROFILE_GENERATION, OperationParameters(user_id=WHO)
        )
        both = await transaction.operations.start(OperationName.PLAYBOOK_GENERATION, OperationParameters())
    await erasing.erase()
    async with storage.read(ORG) as snapshot:
        ended = await snapshot.operations.get(alone.operation_id)
        going = await snapshot.operations.get(both.operation_id)
    assert (str(ended.status), ended.parameters.user_id) == ("cancelled", None)
    assert (str(going.status), going.total_count) == ("in_progress", 1)


async def test_another_key_erases_nothing_and_is_told(
    erasing: Erasing, storage: Storage, embedder, clock, ids
) -> None:
    """A process with another key cannot read whom it is about: it says so, and waits."""
    await storage.append(ORG, said("one", user_id=WHO))
    operation = await erasing.ask()
    parts = task_parts(storage, WordEmbedder(), clock, ids)
    parts = replace(parts, erasure_key=lambda: ErasureKey(b"x" * 32))
    await TaskRunner(parts, [Erase(parts)]).run(DueScope(tenant=ORG, user_id=ORGANISATION))
    async with storage.read(ORG) as snapshot:
        assert "SAGACITY_ERASURE_KEY" in await snapshot.operations.trouble(operation.operation_id)
        assert (await snapshot.interactions.log(WHO, after_seq=0, limit=9)) != []
    clock.advance(3_600)
    await erasing.work()
    assert (await erasure_of(erasing.acting, operation.operation_id)).report is not None


async def test_somebody_unknown_is_erased_too_and_others_see_no_report(erasing: Erasing) -> None:
    """That nothing was stored is a result; another organisation's erasures are not there."""
    done = await erasing.erase("nobody-ever")
    assert done.report is not None
    assert sum(done.report.deleted.values()) == done.report.deleted["users"] == 1
    elsewhere = replace(
        erasing.acting, principal=erasing.acting.principal.model_copy(update={"tenant": OTHER_ORG})
    )
    with pytest.raises(NotFound):
        await erasure_of(elsewhere, done.erasure_id)


async def test_the_owner_of_a_postgresql_database_vacuums_every_table(postgres, kept_database: str) -> None:
    """It is done beside others, and by the role that may."""
    await vacuum(sa.make_url(postgres.url_of(kept_database)))


MOST_CALLS = 60_000
"""Between two turns of the loop; with the fields written for each spelling: 137,000 (SQLite), 188,000 (PostgreSQL)."""


async def test_a_search_of_the_tables_leaves_the_loop_to_others(storage: Storage) -> None:
    """What is searched of a table is written once in a statement, not once for each text that is looked for."""
    needles = [f'Zoë "{number}"' for number in range(19)]  # three spellings each, not compiled before
    with loop_work() as work:
        await scan_tables(storage.backend, ORG.org_id, needles, user_id=None)
    assert work.longest < MOST_CALLS
