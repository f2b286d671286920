"""Where turns stand, what stands beside them, and when they happened."""

from datetime import timedelta

from sagacity.domain.ids import SessionId
from sagacity.domain.interaction import Interaction, NewInteraction, NewRequest
from sagacity.domain.query import Filter
from sagacity.storage.evidence.turn_windows import REACH
from sagacity.storage.hits import Hits
from sagacity.storage.transaction import Storage, Transaction
from support.parts import ANNA, BEN, ORG, OTHER_ORG, START, StoppedClock, said

LONG_AGO = START - timedelta(days=1_000)


async def turns_of(snapshot: Transaction, user_id=ANNA) -> list[Interaction]:
    return await snapshot.interactions.log(user_id, after_seq=0, limit=1_000)


async def beside(storage: Storage, content: str, count: int) -> list[str]:
    """What stands beside Anna's turn of that content."""
    async with storage.read(ORG) as snapshot:
        [turn] = [one for one in await turns_of(snapshot) if one.content == content]
        found = await snapshot.interactions.beside([turn], count)
    assert list(found) == [turn.interaction_id]
    return [one.content for one in found[turn.interaction_id]]


async def test_beside_gives_the_nearest_of_the_session(storage: Storage) -> None:
    """Sessions interleave, and one session goes over several requests."""
    for number, session in enumerate("ababbaab"):
        await storage.append(ORG, said(f"{session}{number}", request_id=f"r{number}", session_id=session))
    assert await beside(storage, "a2", 1) == ["a0", "a5"]
    assert await beside(storage, "a2", 2) == ["a0", "a5", "a6"]
    assert await beside(storage, "b7", 2) == ["b3", "b4"]
    assert await beside(storage, "b7", 0) == []


async def test_beside_without_a_session_stays_in_the_request(storage: Storage) -> None:
    """Turns that came without a session stand beside those that came with them."""
    await storage.append(ORG, said("a", "b", "c"))
    await storage.append(ORG, said("d", "e", request_id="r2"))
    await storage.append(ORG, said("f", request_id="r3", session_id="s"))
    assert await beside(storage, "b", 9) == ["a", "c"]
    assert await beside(storage, "e", 9) == ["d"]
    assert await beside(storage, "f", 9) == []


async def test_as_of_leaves_out_what_had_not_arrived(storage: Storage, clock: StoppedClock) -> None:
    """Beside a turn, and of a session."""
    await storage.append(ORG, said("a", "b", session_id="s"))
    then = clock.now()
    clock.advance(60)
    await storage.append(ORG, said("c", request_id="r2", session_id="s"))
    async with storage.read(ORG) as snapshot:
        turns = await turns_of(snapshot)
        for moment, expected in ((then, ["a"]), (clock.now(), ["a", "c"])):
            found = await snapshot.interactions.beside([turns[1]], 5, as_of=moment)
            assert [one.content for one in found[turns[1].interaction_id]] == expected
        session = await snapshot.interactions.of_session(ANNA, SessionId("s"), limit=9, as_of=then)
    assert [one.content for one in session] == ["a", "b"]


async def test_beside_looks_so_far_and_no_further(storage: Storage) -> None:
    """What lies far off in the log is another matter, even of the same session."""
    await storage.append(ORG, said("near", *[f"other {n}" for n in range(REACH - 1)], "here", session_id="s"))
    await storage.append(ORG, said("far", request_id="r2", session_id="t"))
    await storage.append(ORG, said(*[f"more {n}" for n in range(REACH)], request_id="r3", session_id="u"))
    await storage.append(ORG, said("back", request_id="r4", session_id="t"))
    assert (await beside(storage, "here", 1_000))[0] == "near"
    assert await beside(storage, "far", 1_000) == []


async def test_beside_of_many_turns_keeps_them_apart(storage: Storage) -> None:
    """Each turn has its own list; another user's session of the same id is another session."""
    await storage.append(ORG, said("a", "b", "c", session_id="s"))
    await storage.append(ORG, said("x", "y", request_id="r2", user_id=BEN, session_id="s"))
    await storage.append(OTHER_ORG, said("p", "q", session_id="s"))
    async with storage.read(ORG) as snapshot:
        turns = await turns_of(snapshot) + await turns_of(snapshot, BEN)
        found = await snapshot.interactions.beside(turns, 1)
    contents = {turn.content: [one.content for one in found[turn.interaction_id]] for turn in turns}
    assert contents == {"a": ["b"], "b": ["a", "c"], "c": ["b"], "x": ["y"], "y": ["x"]}
    async with storage.read(OTHER_ORG) as snapshot:
        assert await snapshot.interactions.beside(turns, 1) == {turn.interaction_id: [] for turn in turns}


async def test_standing_says_where_and_when(storage: Storage) -> None:
    """A turn's session, number, speaker and the sender's time if there is one; nothing of another organisation's."""
    request = said("I sold my car", session_id="s")
    answer = NewInteraction(role="Ben", content="For how much?", happened_at=LONG_AGO)
    await storage.append(ORG, request.model_copy(update={"interactions": (*request.interactions, answer)}))
    wanted = Filter(interactions=True, user_id=ANNA)
    async with storage.read(ORG) as snapshot:
        hits = [one.hit for one in await snapshot.search.newest_turns(wanted, 9)]
        standings = await snapshot.search.signals_of(Hits.of(hits).parts)
    second, first = (standings[hit.kind, hit.owner_id] for hit in hits)
    assert [(one.session, one.seq) for one in (first, second)] == [((ANNA, "s"), 1), ((ANNA, "s"), 2)]
    assert [one.happened_at for one in (first, second)] == [START, LONG_AGO]
    assert (first.first_person, second.first_person) == (0.5, 0.0)
    assert [(one.speaker, one.asks) for one in (first, second)] == [("", False), ("Ben", True)]
    async with storage.read(OTHER_ORG) as snapshot:
        assert await snapshot.search.signals_of(Hits.of(hits).parts) == {}


async def test_happened_at_is_kept_beside_arrival(storage: Storage) -> None:
    """The sender's clock says when it happened, ours when it arrived."""
    await storage.append(ORG, happened(LONG_AGO))
    async with storage.read(ORG) as snapshot:
        [turn] = await turns_of(snapshot)
    assert (turn.happened_at, turn.created_at) == (LONG_AGO, START)


async def test_request_sent_again_with_other_times_is_the_same(storage: Storage) -> None:
    """A client that stamps a retry anew sends the same content; the first stamp stays."""
    first = await storage.append(ORG, happened(LONG_AGO))
    assert await storage.append(ORG, happened(START)) == first
    async with storage.read(ORG) as snapshot:
        assert [turn.happened_at for turn in await turns_of(snapshot)] == [LONG_AGO]


def happened(at) -> NewRequest:
    return said("a").model_copy(update={"interactions": (NewInteraction(content="a", happened_at=at),)})
