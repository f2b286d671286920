"""The end of a session, as a conversation that goes on is read."""

from sagacity.domain.ids import SessionId
from sagacity.storage.transaction import Storage
from support.parts import ANNA, BEN, ORG, OTHER_ORG, said


async def end_of(storage: Storage, session_id: str, *, limit=10, org=ORG, user_id=ANNA) -> list[str]:
    async with storage.read(org, user_id=user_id) as snapshot:
        turns = await snapshot.interactions.of_session(user_id, SessionId(session_id), limit=limit)
    return [turn.content for turn in turns]


async def test_the_newest_turns_come_oldest_first(storage: Storage) -> None:
    """Those of one session, of one user, of one organisation, however they are interleaved with others."""
    one, two = SessionId("s-1"), SessionId("s-2")
    await storage.append(ORG, said("a", "b", request_id="r1", session_id=one))
    await storage.append(ORG, said("other session", request_id="r2", session_id=two))
    await storage.append(ORG, said("no session", request_id="r3"))
    await storage.append(ORG, said("c", request_id="r4", session_id=one))
    await storage.append(ORG, said("of ben", request_id="r5", session_id=one, user_id=BEN))
    await storage.append(OTHER_ORG, said("elsewhere", request_id="r1", session_id=one))
    assert await end_of(storage, "s-1") == ["a", "b", "c"]
    assert await end_of(storage, "s-1", limit=2) == ["b", "c"]
    assert await end_of(storage, "s-1", user_id=BEN) == ["of ben"]
    assert await end_of(storage, "s-1", org=OTHER_ORG) == ["elsewhere"]
    assert await end_of(storage, "s-3") == []
