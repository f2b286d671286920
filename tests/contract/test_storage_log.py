"""What the log promises: once, in order, whole or not at all."""

import asyncio
from collections import Counter

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection

from sagacity.domain.errors import Conflict, NotFound, StorageError, StorageUnavailable
from sagacity.domain.ids import OrgId
from sagacity.domain.interaction import NewInteraction, NewRequest
from sagacity.domain.tenant import Tenant
from sagacity.domain.trust import Origin
from sagacity.storage.transaction import Storage
from support.faults import Faulty
from support.parts import ANNA, BEN, ORG, OTHER_ORG, opened, said


async def log(storage: Storage, user_id=ANNA, tenant=ORG):
    async with storage.read(tenant) as snapshot:
        return await snapshot.interactions.log(user_id, after_seq=0, limit=10_000)


async def test_append_keeps_every_field(storage: Storage) -> None:
    """What was sent comes back as it was sent."""
    turn = NewInteraction(
        role="Assistant",
        content="tea \x01 \x7f \U0001f375 \u202e",
        shadow_content="shadow",
        expert_content="expert",
        user_action="click",
        user_action_description="clicked",
        image_url="https://example.org/a.png",
        image_base64="aGk=",
        tools_used=({"tool_name": "t", "tool_data": {"a": [1, None, {"b": 1.5}]}},),
        citations=({"entity_type": "profile", "entity_id": "p"},),
        origin=Origin.WEB_PAGE,
    )
    request = said("first", session_id="s", source="web", agent_version="v1", metadata={"k": ["v"]})
    request = request.model_copy(update={"interactions": (*request.interactions, turn)})
    stored = await storage.append(ORG, request)
    first, read = await log(storage)
    async with storage.read(ORG) as snapshot:
        image = await snapshot.interactions.image(read.interaction_id, longest=1_000)
    second = read.model_copy(update={"image_url": image, "image_base64": turn.image_base64})
    assert NewInteraction(**{name: getattr(second, name) for name in NewInteraction.model_fields}) == turn
    assert (first.content, first.source, first.agent_version, first.session_id) == ("first", "web", "v1", "s")
    assert (stored.first_seq, stored.last_seq, stored.metadata) == (1, 2, {"k": ["v"]})
    async with storage.read(ORG) as snapshot:
        assert await snapshot.interactions.get_request(request.request_id) == stored


async def test_image_is_read_by_itself(storage: Storage) -> None:
    """A log of turns tells only that one came, so that many turns never hold megabytes; one at a time is read whole."""
    large = "aGVsbG8=" * 100_000
    turns = (
        NewInteraction(image_base64=large),
        NewInteraction(image_url=f"data:image/png;base64,{large}"),
        NewInteraction(content="none"),
    )
    await storage.append(ORG, said().model_copy(update={"interactions": turns}))
    async with storage.read(ORG) as snapshot:
        read = snapshot.interactions
        by_log = await read.log(ANNA, after_seq=0, limit=9)
        in_session = await read.page_of_session(ANNA, by_log[0].session_id, limit=9, newest=True)
        for listed in (by_log, await read.log_before(ANNA, seq=3, limit=9), in_session):
            assert [turn.has_image for turn in listed] == [True, True, False]
            assert sum(len(turn.model_dump_json()) for turn in listed) < 2_000
        first, second, third = (turn.interaction_id for turn in by_log)
        assert await read.image(first, longest=len(large)) == large
        assert await read.image(first, longest=len(large) - 1) == ""
        assert await read.image(second, longest=10**6) == turns[1].image_url
        assert [await read.image(number, longest=10**6) for number in (third, third + 99)] == ["", ""]
        [shown] = [turn for turn in await read.get([second]) if turn.image_url]
        assert shown.image_url == turns[1].image_url
    async with storage.read(OTHER_ORG) as snapshot:
        assert await snapshot.interactions.image(first, longest=10**6) == ""


async def test_append_same_request_twice_stores_once(storage: Storage) -> None:
    """A retried publish gives the first one's reply and adds nothing."""
    first = await storage.append(ORG, said("tea", "cake"))
    again = await storage.append(ORG, said("tea", "cake"))
    assert again == first
    assert [turn.content for turn in await log(storage)] == ["tea", "cake"]


async def test_append_same_request_ten_times_at_once_stores_once(storage: Storage) -> None:
    """Ten retries that arrive together are one."""
    stored = await asyncio.gather(*(storage.append(ORG, said("tea")) for _ in range(10)))
    assert stored == [stored[0]] * 10
    assert [turn.content for turn in await log(storage)] == ["tea"]


async def test_append_same_request_by_two_storages_at_once_stores_once(
    storage: Storage, database_url, clock, ids
) -> None:
    """Nor do two processes' worth of connections store it twice."""
    async with opened(database_url, clock, ids) as other:
        stored = await asyncio.gather(*((storage, other)[n % 2].append(ORG, said("tea")) for n in range(10)))
    assert stored == [stored[0]] * 10
    assert len(await log(storage)) == 1


async def test_append_other_content_under_known_id_conflicts(storage: Storage) -> None:
    """An id stands for one content for ever."""
    await storage.append(ORG, said("tea"))
    with pytest.raises(Conflict, match="r1"):
        await storage.append(ORG, said("coffee"))
    assert [turn.content for turn in await log(storage)] == ["tea"]


async def test_append_within_one_batch_is_idempotent(storage: Storage) -> None:
    """The same request twice in one batch is stored once; other content under its id refuses the batch."""
    async with storage.begin(ORG) as transaction:
        first, second = await transaction.interactions.append([said("tea"), said("tea")])
    assert first == second
    with pytest.raises(Conflict):
        async with storage.begin(ORG) as transaction:
            await transaction.interactions.append([said("a", request_id="x"), said("b", request_id="x")])
    assert [turn.content for turn in await log(storage)] == ["tea"]


async def test_append_request_without_turns_is_kept(storage: Storage) -> None:
    """A request with no turn is a request all the same, and moves no number."""
    empty = await storage.append(ORG, said(request_id="empty"))
    await storage.append(ORG, said("tea", request_id="full"))
    assert empty.last_seq - empty.first_seq == -1
    assert [turn.seq for turn in await log(storage)] == [1]
    async with storage.read(ORG) as snapshot:
        assert (await snapshot.interactions.get_request(empty.request_id)).user_id == ANNA


async def test_seq_is_gapless_in_order_of_commit(storage: Storage) -> None:
    """Each user's turns count 1, 2, 3… whoever else publishes at the same time, and a request's stand together."""
    sent = [
        said(*(f"{n}.{i}" for i in range(1 + n % 3)), request_id=f"r{n}", user_id=(ANNA, BEN)[n % 2])
        for n in range(40)
    ]
    stored = await asyncio.gather(*(storage.append(ORG, request) for request in sent))
    for user in (ANNA, BEN):
        turns = await log(storage, user)
        assert [turn.seq for turn in turns] == list(range(1, len(turns) + 1))
        assert [turn.interaction_id for turn in turns] == sorted(turn.interaction_id for turn in turns)
    for request, kept in zip(sent, stored, strict=True):
        turns = [
            turn for turn in await log(storage, request.user_id) if turn.request_id == request.request_id
        ]
        assert [turn.seq for turn in turns] == list(range(kept.first_seq, kept.last_seq + 1))
        assert [turn.content for turn in turns] == [turn.content for turn in request.interactions]


async def test_seq_of_one_id_in_two_organisations_is_apart(storage: Storage) -> None:
    """Equal users and requests of two organisations have nothing to do with each other."""
    await storage.append(ORG, said("mine"))
    await storage.append(OTHER_ORG, said("theirs"))
    assert [(turn.seq, turn.content) for turn in await log(storage)] == [(1, "mine")]
    assert [(turn.seq, turn.content) for turn in await log(storage, tenant=OTHER_ORG)] == [(1, "theirs")]


async def test_group_commit_bad_request_fails_alone(storage: Storage) -> None:
    """Of requests that share a commit, the one that conflicts fails and the others are stored."""
    await storage.append(ORG, said("tea", request_id="taken"))
    sent = [said(str(n), request_id=f"r{n}") for n in range(20)]
    sent.insert(10, said("coffee", request_id="taken"))
    results = await asyncio.gather(*(storage.append(ORG, r) for r in sent), return_exceptions=True)
    assert [type(result).__name__ for result in results] == ["Request"] * 10 + ["Conflict"] + ["Request"] * 10
    assert sorted(turn.content for turn in await log(storage)) == sorted(["tea", *map(str, range(20))])


async def test_group_commit_request_that_no_database_takes_fails_alone(storage: Storage) -> None:
    """So does one with text that cannot be encoded; nobody else is cancelled for it."""
    half = NewInteraction.model_construct(**dict(NewInteraction()) | {"content": "half \ud800 a pair"})
    bad = said("x", request_id="bad").model_copy(update={"interactions": (half,)})
    sent = [said("a", request_id="a"), bad, said("b", request_id="b")]
    results = await asyncio.gather(*(storage.append(ORG, r) for r in sent), return_exceptions=True)
    assert [isinstance(result, Exception) for result in results] == [False, True, False]
    assert sorted(turn.content for turn in await log(storage)) == ["a", "b"]


async def test_group_commit_of_unknown_organisation_fails_and_tells(storage: Storage) -> None:
    """An append that the database refuses raises StorageError, and the next one works."""
    with pytest.raises(StorageError):
        await storage.append(Tenant(org_id=OrgId("nobody")), said("tea"))
    await storage.append(ORG, said("tea"))
    assert len(await log(storage)) == 1


async def test_group_commit_survives_callers_that_leave(storage: Storage) -> None:
    """A caller that is cancelled loses no accepted row and breaks no other's."""
    tasks = [
        asyncio.create_task(storage.append(ORG, said(str(n), request_id=f"r{n}", user_id=f"u{n % 5}")))
        for n in range(60)
    ]
    await asyncio.sleep(0.002)
    for task in tasks[::3]:
        task.cancel()
    results = await asyncio.gather(*tasks, return_exceptions=True)
    kept = {result.request_id for result in results if not isinstance(result, BaseException)}
    assert kept >= {f"r{n}" for n in range(60) if n % 3}
    stored = Counter([turn.request_id for n in range(5) for turn in await log(storage, f"u{n}")])
    assert set(stored.values()) == {1}
    assert set(stored) >= kept
    await storage.append(ORG, said("later", request_id="later"))


async def test_begin_rolls_back_everything(storage: Storage) -> None:
    """A block that raises leaves nothing behind: no turn, no number, no search document."""
    with pytest.raises(ZeroDivisionError):  # noqa: PT012
        async with storage.begin(ORG) as transaction:
            await transaction.interactions.append([said("tea")])
            raise ZeroDivisionError
    await storage.append(ORG, said("cake", request_id="r2"))
    async with storage.read(ORG) as snapshot:
        assert (await snapshot.cursors.log_head(ANNA)).end == 1
        assert await snapshot.interactions.count() == 1
        with pytest.raises(NotFound):
            await snapshot.interactions.get_request("r1")


async def test_begin_rolls_back_when_cancelled(storage: Storage) -> None:
    """So does one that is cancelled, and the next writer is not in its way."""
    inside = asyncio.Event()

    async def write() -> None:
        async with storage.begin(ORG) as transaction:
            await transaction.interactions.append([said("tea")])
            inside.set()
            await asyncio.sleep(60)

    task = asyncio.create_task(write())
    await inside.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await storage.append(ORG, said("cake", request_id="r2"))
    assert [turn.content for turn in await log(storage)] == ["cake"]


async def test_cancelled_anywhere_leaves_connections_usable(storage: Storage) -> None:
    """Reads and writes that are cancelled at any point give their connections back."""

    async def write(n: int) -> None:
        async with storage.begin(ORG) as transaction:
            await transaction.interactions.append([said("tea", request_id=f"w{n}")])

    async def read() -> None:
        async with storage.read(ORG) as snapshot:
            await snapshot.interactions.count()

    for n in range(40):
        task = asyncio.create_task(write(n) if n % 2 else read())
        for _ in range(n):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await asyncio.wait_for(asyncio.gather(*(read() for _ in range(12))), 60)
    await asyncio.wait_for(write(1_000), 60)
    turns = await log(storage)
    assert [turn.seq for turn in turns] == list(range(1, len(turns) + 1))


async def test_read_can_not_write(storage: Storage) -> None:
    """What `read` hands out refuses to write."""
    with pytest.raises(StorageError):
        async with storage.read(ORG) as snapshot:
            await snapshot.interactions.append([said("tea")])
    assert await log(storage) == []


async def test_read_sees_one_moment(storage: Storage) -> None:
    """What commits during a read does not show in it."""
    await storage.append(ORG, said("before", request_id="r0"))
    async with storage.read(ORG) as snapshot:
        assert await snapshot.interactions.count() == 1
        await storage.append(ORG, said("meanwhile"))
        assert await snapshot.interactions.count() == 1
        assert (await snapshot.cursors.log_head(ANNA)).end == 1
    async with storage.read(ORG) as snapshot:
        assert await snapshot.interactions.count() == 2


async def test_log_pages_and_context(storage: Storage) -> None:
    """`log` reads on from a number, `log_before` gives what leads up to one; both oldest first."""
    await storage.append(ORG, said(*"abcdef"))
    async with storage.read(ORG) as snapshot:
        after = await snapshot.interactions.log(ANNA, after_seq=2, limit=3)
        before = await snapshot.interactions.log_before(ANNA, seq=4, limit=3)
    assert [turn.content for turn in after] == ["c", "d", "e"]
    assert [turn.content for turn in before] == ["b", "c", "d"]


async def test_delete_takes_turns_and_leaves_numbers(storage: Storage) -> None:
    """What is deleted is gone; numbers of turns are never given twice."""
    await storage.append(ORG, said("a", "b"))
    (first, _) = await log(storage)
    async with storage.begin(ORG) as transaction:
        await transaction.interactions.delete(ANNA, first.interaction_id)
        with pytest.raises(NotFound):
            await transaction.interactions.delete(BEN, first.interaction_id + 1)
        assert await transaction.interactions.delete_requests(["r1"]) == 1
    await storage.append(ORG, said("c", request_id="r2"))
    assert [(turn.seq, turn.content) for turn in await log(storage)] == [(3, "c")]


async def test_delete_session_takes_its_requests(storage: Storage) -> None:
    """A session goes with its requests and turns; the others stay."""
    await storage.append(ORG, said("a", session_id="s1"))
    await storage.append(ORG, said("b", request_id="r2", session_id="s2"))
    async with storage.begin(ORG) as transaction:
        assert await transaction.interactions.delete_session("s1") == 1
    assert [turn.content for turn in await log(storage)] == ["b"]


async def test_known_request_is_the_same_whatever_asks_for_haste(storage: Storage) -> None:
    """Flags that say how soon to learn are no content: a retry may differ in them."""
    first = await storage.append(ORG, said("tea"))
    again = await storage.append(ORG, NewRequest(**dict(said("tea")) | {"force_extraction": True}))
    assert again == first


async def test_group_that_lacks_the_database_fails_as_one(storage: Storage) -> None:
    """Nothing is wrong with any of many publishes: all are told after a few tries of all, not after tries of each."""
    tries = 0

    async def count(_connection: AsyncConnection) -> bool:
        nonlocal tries
        tries += 1
        return True

    storage.backend = Faulty(storage.backend, count, after_commit=False)
    requests = [said("tea", request_id=f"r{number}") for number in range(30)]
    ended = await asyncio.gather(*(storage.append(ORG, one) for one in requests), return_exceptions=True)
    assert {type(error) for error in ended} == {StorageUnavailable}
    assert tries in {
        3,
        6,
    }  # three of all; or of the first, which found no company, and of the others together
