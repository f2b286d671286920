"""Each problem of memories is found where it was put, and nowhere else; on every database."""

from datetime import timedelta

from sagacity.domain.ids import RequestId, UserId
from sagacity.domain.memory import Attributes, MemoryKind, NewMemory, Status
from sagacity.domain.memory_health import MOST_CHARACTERS, Counts, MemoryProblem, score_of
from sagacity.domain.review_queue import DuplicatePair
from sagacity.memories.acting import Parts
from sagacity.memories.memory_health import exclusive_slots, memory_health
from support.acting import for_everyone
from support.parts import ANNA, BEN, ORG, OTHER_ORG, START, new_memory, said

LONG_AGO = START - timedelta(days=60)
HOME = Attributes(slot="location.home")


async def kept(parts: Parts) -> None:
    """Memories of Anna's with one problem each, sound ones beside them, and others' that are as bad."""
    for request_id in ("stays", "goes"):
        await parts.storage.append(ORG, said("I live in Lyon.", request_id=request_id))
    async with parts.storage.read(ORG) as snapshot:
        here, gone = [
            turn.interaction_id for turn in await snapshot.interactions.log(ANNA, after_seq=0, limit=9)
        ]
    new = [
        new_memory("works as a nurse", uid="sound", source_interaction_ids=(here, gone)),
        new_memory(" . ", uid="blank"),
        new_memory("The user said hello.", uid="greeting", kind=MemoryKind.SEMANTIC),
        new_memory("word " * MOST_CHARACTERS, uid="pasted"),
        new_memory("word " * MOST_CHARACTERS, uid="told at length", kind=MemoryKind.EPISODIC),
        new_memory("drinks green tea", uid="first"),
        new_memory("likes to drink green tea", uid="second"),
        new_memory("lives in Paris", uid="former home", attributes=HOME),
        new_memory("lives in Lyon", uid="home", attributes=HOME),
        new_memory("lives in Rome", uid="archived home", attributes=HOME, status=Status.ARCHIVED),
        new_memory("Does not live in Oslo.", uid="denied home", attributes=HOME),
        new_memory("collects stamps", uid="stale", at=LONG_AGO),
        new_memory("sings in a choir", uid="orphaned", source_interaction_ids=(gone,)),
        new_memory("-", uid="Ben's", user_id=BEN),
    ]
    await _stored(parts, new)
    async with parts.storage.begin(ORG) as transaction:
        await transaction.interactions.delete_requests([RequestId("goes")])
    async with parts.storage.begin(OTHER_ORG) as transaction:
        await transaction.memories.add([new_memory("?", uid="theirs")])


async def _stored(parts: Parts, new: list[NewMemory]) -> None:
    async with parts.storage.begin(ORG) as transaction:
        stored = await transaction.memories.add(new)
        number = {one.uid: one.memory_id for one in stored}
        [scope] = [
            one
            for one in await transaction.duplicates.uncompared(limit=9, user_id=ANNA)
            if one.kind is MemoryKind.PROFILE
        ]
        changed = await transaction.duplicates.changed(scope, limit=99)
        pair = DuplicatePair(memory_id=number["first"], other_id=number["second"], similarity=0.9)
        await transaction.duplicates.replace(scope, changed, [pair])


def uids(found: Counts) -> dict[MemoryProblem, set[str]]:
    return {problem: {one.uid for one in ones} for problem, ones in found.examples.items()}


async def test_each_problem_is_found_where_it_is(parts: Parts) -> None:
    """One user's memories, all users', and another organisation's."""
    acting = for_everyone(parts)
    await kept(parts)
    of_anna = await memory_health(acting, ANNA, days_back=30)
    assert of_anna.found.total == 12
    assert uids(of_anna.found) == {
        MemoryProblem.JUNK: {"blank", "greeting", "pasted"},
        MemoryProblem.DUPLICATE: {"second"},
        MemoryProblem.CONTRADICTION: {"former home"},
        MemoryProblem.STALE: {"stale"},
        MemoryProblem.ORPHANED: {"orphaned"},
    }
    assert of_anna.score == round(100 * (1 - (3 + 0.75 + 1 + 0.25 + 0.75) / 12))
    assert all(len(one.content) <= 200 for ones in of_anna.found.examples.values() for one in ones)
    everyone = await memory_health(acting, None, days_back=90)
    assert (everyone.found.total, everyone.found.counts[MemoryProblem.JUNK]) == (13, 4)
    assert len(everyone.found.examples[MemoryProblem.JUNK]) == 3
    assert everyone.found.counts[MemoryProblem.STALE] == 0
    nobody = await memory_health(acting, UserId("nobody"), days_back=30)
    assert (nobody.score, nobody.found.total, nobody.found.examples) == (None, 0, {})


def test_a_score_is_never_below_zero() -> None:
    """However many problems each memory has."""
    assert score_of(2, dict.fromkeys(MemoryProblem, 2)) == 0
    assert score_of(4, {MemoryProblem.STALE: 4}) == 75


def test_slots_of_one_value_are_those_of_the_rules() -> None:
    """Not those that people fill with many values."""
    assert {"location.home", "identity.name", "work.employer"} <= set(exclusive_slots())
    assert not {"", "taste.{what}"} & set(exclusive_slots())
