"""What the walk along ties promises: what a plain search of the graph finds, by indexes, and bounded."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise

import pytest
from sqlalchemy import event

from sagacity.domain.change import Candidate
from sagacity.domain.graph import EntityMention, RelationshipMention
from sagacity.domain.ids import MemoryId, UserId
from sagacity.domain.memory import MemoryKind, Status
from sagacity.storage.graph.traversal import DECAY, near
from sagacity.storage.graph.validity import held_at
from sagacity.storage.transaction import Storage, Transaction
from support.parts import ANNA, BEN, ORG, OTHER_ORG, new_memory

Tie = tuple[str, str, float]


@dataclass
class Drawn:
    """A graph as the test knows it: ties, and which memory speaks of which names."""

    ties: list[Tie]
    memories: dict[MemoryId, set[str]]


async def speak(
    tx: Transaction, text: str, names: Sequence[str], ties: Sequence[Tie] = (), user_id: UserId = ANNA
) -> MemoryId:
    """Store a memory that speaks of names and ties."""
    [memory] = await tx.memories.add([new_memory(text, user_id=user_id)])
    candidate = Candidate(
        kind=MemoryKind.PROFILE,
        content=text,
        evidence=(1,),
        entities=tuple(EntityMention(name=name) for name in names),
        relationships=tuple(
            RelationshipMention(source=a, target=b, relationship_type="knows", confidence=sure)
            for a, b, sure in ties
        ),
    )
    await tx.graph.add(memory, candidate)
    return memory.memory_id


async def draw(tx: Transaction, seed: int) -> Drawn:
    """Store a random graph with cycles, loops, doubled ties and the user's own node in the middle."""
    chance = random.Random(seed)
    names = ["user", *(f"N{number}" for number in range(chance.randint(2, 14)))]
    drawn = Drawn([], {})
    for number in range(chance.randint(1, 30)):
        ties = [
            (chance.choice(names), chance.choice(names), chance.choice((0.2, 0.5, 0.8, 1.0)))
            for _ in range(chance.randint(0, 2))
        ]
        said = {chance.choice(names)} | {name for a, b, _ in ties for name in (a, b)}
        drawn.memories[await speak(tx, f"memory {number}", sorted(said), ties)] = said
        drawn.ties += ties
    return drawn


def expected(drawn: Drawn, starts: Sequence[str], hops: int) -> dict[MemoryId, tuple[float, int]]:
    """Step by step over sets: the best score of each name, then of each memory."""
    best = dict.fromkeys(starts, (1.0, 0))
    reached = dict(best)
    for step in range(1, hops + 1):
        further: dict[str, tuple[float, int]] = {}
        for a, b, _ in drawn.ties:
            sure = max(c for x, y, c in drawn.ties if {x, y} == {a, b} and (x, y) == (a, b))
            for here, there in ((a, b), (b, a)):
                if here in reached and there != "user" and here != there:
                    score = reached[here][0] * sure * DECAY
                    further[there] = max(further.get(there, (0.0, 0)), (score, step))
        for name, (score, step_there) in further.items():
            if score > best.get(name, (0.0, 0))[0]:
                best[name] = (score, step_there)
        reached = further
    found = {}
    for memory_id, said in drawn.memories.items():
        ways = [best[name] for name in said if name in best]
        if ways:
            found[memory_id] = max(ways, key=lambda way: (way[0], -way[1]))
    return found


@pytest.mark.parametrize("seed", range(10))
async def test_walk_finds_what_a_search_step_by_step_finds(storage: Storage, seed: int) -> None:
    """On random graphs: the same memories, scores and lengths, best first."""
    chance = random.Random(seed + 1_000)
    async with storage.begin(ORG) as tx:
        drawn = await draw(tx, seed)
    said = sorted({name for names in drawn.memories.values() for name in names})
    starts = chance.sample(said, min(len(said), chance.randint(1, 3)))
    for hops in range(4):
        async with storage.read(ORG, user_id=ANNA) as snapshot:
            ids = [entity.entity_id for entity in await snapshot.graph.find(ANNA, starts)]
            near = await snapshot.graph.memories_around(ANNA, ids, hops=hops, limit=99)
        wanted = expected(drawn, starts, hops)
        assert {one.memory_id: (one.score, one.hops) for one in near} == {
            memory_id: (pytest.approx(score), steps) for memory_id, (score, steps) in wanted.items()
        }
        assert all((a.score, a.memory_id) > (b.score, b.memory_id) for a, b in pairwise(near))
        assert near[:3] == await _near(storage, ids, hops, 3)


async def _near(storage: Storage, ids: list, hops: int, limit: int) -> list:
    async with storage.read(ORG) as snapshot:
        return await snapshot.graph.memories_around(ANNA, ids, hops=hops, limit=limit)


async def test_own_node_joins_nothing_unless_it_is_asked_for(storage: Storage) -> None:
    """Two friends of the user are not near each other by that alone; from the user both are."""
    async with storage.begin(ORG) as tx:
        ana = await speak(tx, "sister Ana", ["Ana"], [("user", "Ana", 0.8)])
        bea = await speak(tx, "friend Bea", ["Bea"], [("user", "Bea", 1.0)])
    async with storage.read(ORG) as snapshot:
        find = snapshot.graph.find
        [start], [me] = await find(ANNA, ["ANA"]), await find(ANNA, ["user"])
        alone = await snapshot.graph.memories_around(ANNA, [start.entity_id])
        both = await snapshot.graph.memories_around(ANNA, [me.entity_id])
    assert [(one.memory_id, one.score, one.hops, one.via) for one in alone] == [
        (ana, 1.0, 0, start.entity_id)
    ]
    assert [(one.memory_id, one.score) for one in both] == [(bea, 1.0), (ana, 1.0)]


@pytest.mark.one_database
async def test_hub_is_walked_in_bounds(storage: Storage) -> None:
    """From one of a thousand ties: the surest, at once, and no more memories than asked for."""
    async with storage.begin(ORG) as tx:
        names = [f"N{number}" for number in range(1_000)]
        ties = [("Hub", name, 0.5 + number / 10_000) for number, name in enumerate(names)]
        for start in range(0, len(ties), 500):
            some = ties[start : start + 500]
            await speak(tx, f"hub {start}", ["Hub"], some)
        leaf = await speak(tx, "about the last", [names[-1]])
        other = await speak(tx, "about the first", [names[0]])
    async with storage.read(ORG) as snapshot:
        [hub] = await snapshot.graph.find(ANNA, ["hub"])
        found = await snapshot.graph.memories_around(ANNA, [hub.entity_id], hops=4, limit=20)
    scores = {one.memory_id: one.score for one in found}
    assert scores[leaf] == pytest.approx(ties[-1][2] * DECAY)
    assert other not in scores
    assert len(found) == 3


async def test_walk_keeps_to_one_user_and_to_what_is_current(storage: Storage) -> None:
    """Ids of another user or organisation lead nowhere; archived memories are found when they are asked for."""
    async with storage.begin(ORG) as tx:
        kept = await speak(tx, "Ana sings", ["Ana"])
        gone = await speak(tx, "Ana danced", ["Ana"])
        await speak(tx, "Ana of Ben", ["Ana"], user_id=BEN)
        await tx.memories.save([(await tx.memories.get(gone)).model_copy(update={"status": Status.ARCHIVED})])
    async with storage.read(ORG) as snapshot:
        [mine], [theirs] = [await snapshot.graph.find(user, ["ana"]) for user in (ANNA, BEN)]
        ids = [mine.entity_id, theirs.entity_id]
        near = snapshot.graph.memories_around
        assert [one.memory_id for one in await near(ANNA, ids)] == [kept]
        assert [one.memory_id for one in await near(ANNA, ids, statuses=())] == [gone, kept]
        assert await near(ANNA, [theirs.entity_id]) == []
    async with storage.read(OTHER_ORG) as snapshot:
        assert await snapshot.graph.memories_around(ANNA, ids) == []
        assert await snapshot.graph.find(ANNA, ["ana"]) == []


async def test_walk_reads_by_indexes(storage: Storage) -> None:
    """No step reads a table from end to end."""
    given = {
        "org_id": ORG.org_id,
        "user_id": ANNA,
        "starts": [1],
        "hops": 2,
        "limit": 50,
    } | dict(held_at(datetime.now(UTC)))
    async with storage.begin(ORG) as tx:
        for number in range(60):
            await speak(tx, f"m{number}", [f"N{number}"], [(f"N{number}", f"N{number + 1}", 0.8)])
    async with storage.backend.read(ORG.org_id) as connection:
        explain, lateral = "EXPLAIN QUERY PLAN", False
        if storage.kind == "postgresql":
            explain, lateral = "EXPLAIN", True
            await connection.exec_driver_sql("SET LOCAL enable_seqscan = off")  # the tables are small

        def explained(_connection, _cursor, statement, parameters, *_):
            return f"{explain} {statement}", parameters

        event.listen(connection.sync_connection, "before_cursor_execute", explained, retval=True)
        plan = [str(row) for row in await connection.execute(near(lateral=lateral), given)]
    tables = ("tie_", "by_", "relationships", "memories", "mention", "entities", "own")
    full = [
        line
        for line in plan
        if "Seq Scan" in line or ("SCAN" in line and any(name in line for name in tables))
    ]
    assert len(plan) > 8
    assert full == []
