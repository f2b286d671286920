"""What groups of playbooks promise: their ids last, and what was made of them may go without them."""

from datetime import timedelta

import pytest

from sagacity.domain.change import Occasion
from sagacity.domain.cluster import CLUSTER_ID, PlaybookCluster
from sagacity.domain.errors import NotFound
from sagacity.domain.memory import MemoryKind, Status
from sagacity.storage.transaction import Storage
from support.parts import ORG, OTHER_ORG, START, new_memory


def cluster(cluster_id: str, **fields) -> PlaybookCluster:
    given = {
        "learner": "aggregation",
        "name": "support",
        "agent_version": "v1",
        "fingerprint": "f",
        "member_ids": (1, 2),
        "created_at": START,
        "updated_at": START,
    }
    return PlaybookCluster(cluster_id=cluster_id, **(given | fields))


async def of(storage: Storage, *which: str, tenant=ORG) -> list[PlaybookCluster]:
    async with storage.read(tenant) as snapshot:
        return await snapshot.clusters.of(*(which or ("aggregation", "support", "v1")))


async def test_clusters_of_a_name_and_version_come_oldest_first(storage: Storage) -> None:
    """Those of other learners, names, versions and organisations are apart."""
    later = cluster("a", created_at=START + timedelta(seconds=1))
    first, second = cluster("b"), cluster("c", member_ids=())
    others = [
        cluster("d", learner="skills"),
        cluster("e", name="sales"),
        cluster("f", agent_version="v2"),
    ]
    async with storage.begin(ORG) as tx:
        await tx.clusters.save([])
        await tx.clusters.save([later, second, first, *others])
    async with storage.begin(OTHER_ORG) as tx:
        await tx.clusters.save([cluster("b", fingerprint="theirs")])
    assert await of(storage) == [first, second, later]
    assert await of(storage, "skills", "support", "v1") == [others[0]]
    assert [one.fingerprint for one in await of(storage, tenant=OTHER_ORG)] == ["theirs"]


async def test_cluster_keeps_its_id_while_it_changes(storage: Storage) -> None:
    """Saved again it is written over, but for when it came about; removed it is gone, and others' stay."""
    async with storage.begin(ORG) as tx:
        await tx.clusters.save([cluster("a"), cluster("b")])
    async with storage.begin(OTHER_ORG) as tx:
        await tx.clusters.save([cluster("a")])
    at = START + timedelta(minutes=1)
    async with storage.begin(ORG) as tx:
        await tx.clusters.save(
            [cluster("a", member_ids=(2, 3, 4), fingerprint="g", updated_at=at, created_at=at)]
        )
        assert await tx.clusters.remove(["b", "none"]) == 1
        assert await tx.clusters.remove([]) == 0
    assert await of(storage) == [cluster("a", member_ids=(2, 3, 4), fingerprint="g", updated_at=at)]
    async with storage.begin(ORG) as tx:
        assert await tx.clusters.remove(["a"]) == 1
    assert await of(storage) == []
    assert await of(storage, tenant=OTHER_ORG) == [cluster("a")]


async def test_cluster_outlives_what_was_made_of_it(storage: Storage) -> None:
    """A playbook that is deleted is forgotten by its cluster; one that is removed leaves its playbook."""
    async with storage.begin(ORG) as tx:
        made = await tx.memories.add(
            [
                new_memory(f"rule {number}", kind=MemoryKind.AGENT_PLAYBOOK, user_id=None)
                for number in range(2)
            ]
        )
        await tx.clusters.save([cluster(one.content, memory_id=one.memory_id) for one in made])
    async with storage.begin(ORG) as tx:
        await tx.memories.delete(MemoryKind.AGENT_PLAYBOOK, ids=[made[0].memory_id])
        await tx.clusters.remove(["rule 1"])
        assert await tx.memories.get(made[1].memory_id) == made[1]
    assert await of(storage) == [cluster("rule 0", memory_id=None)]


async def test_another_organisations_memory_is_never_what_was_made_of_a_cluster(storage: Storage) -> None:
    """Neither new nor written over: the number is left out, as that of a memory that is gone."""
    async with storage.begin(OTHER_ORG) as tx:
        [theirs] = await tx.memories.add([new_memory("theirs", kind=MemoryKind.AGENT_PLAYBOOK, user_id=None)])
    async with storage.begin(ORG) as tx:
        [ours] = await tx.memories.add([new_memory("ours", kind=MemoryKind.AGENT_PLAYBOOK, user_id=None)])
        await tx.clusters.save([cluster("a", memory_id=theirs.memory_id), cluster("b", memory_id=10**9)])
        await tx.clusters.save([cluster("c", memory_id=ours.memory_id)])
    assert [one.memory_id for one in await of(storage)] == [None, None, ours.memory_id]
    async with storage.begin(ORG) as tx:
        await tx.clusters.save([cluster("c", memory_id=theirs.memory_id)])
    assert [one.memory_id for one in await of(storage)] == [None, None, None]


async def test_a_change_of_another_organisations_memory_is_not_recorded(storage: Storage) -> None:
    """It is as if there were no such memory; and nothing of the transaction is written."""
    async with storage.begin(OTHER_ORG) as tx:
        [theirs] = await tx.memories.add([new_memory("theirs")])
    occasion = Occasion(run_id="r", actor="a", reason="because", at=START)
    with pytest.raises(NotFound, match=str(theirs.memory_id)):
        async with storage.begin(ORG) as tx:
            await tx.changes.add([occasion.change(None, theirs)])
    async with storage.begin(ORG) as tx:
        [ours] = await tx.memories.add([new_memory("ours")])
        await tx.changes.add([occasion.change(None, ours)])
        assert await tx.changes.count(ours.memory_id) == 1
    async with storage.read(OTHER_ORG) as snapshot:
        assert await snapshot.changes.count(theirs.memory_id) == 0


async def test_runs_of_one_name_and_version_are_not_pushed_out_by_others(storage: Storage) -> None:
    """The limit counts those that are asked for; what a run did to others is left out."""
    async with storage.begin(ORG) as tx:
        for number in range(4):
            new = new_memory(
                f"rule {number}",
                kind=MemoryKind.AGENT_PLAYBOOK,
                user_id=None,
                name="support",
                agent_version="v1" if number < 2 else "v2",
            )
            [made] = await tx.memories.add([new])
            occasion = Occasion(run_id=f"run-{number % 3}", actor="a", reason="r", at=START)
            await tx.changes.add([occasion.change(None, made)])
    asked = {"actor": "a", "name": "support", "limit": 2}
    async with storage.read(ORG) as snapshot:
        found = {
            version: await snapshot.changes.list_runs(
                MemoryKind.AGENT_PLAYBOOK, agent_version=version, **asked
            )
            for version in ("v1", "v2", "v3")
        }
    told = {
        version: [(log.run_id, [one.content for one in log.added]) for log in logs]
        for version, logs in found.items()
    }
    assert told == {
        "v1": [("run-1", ["rule 1"]), ("run-0", ["rule 0"])],
        "v2": [("run-0", ["rule 3"]), ("run-2", ["rule 2"])],
        "v3": [],
    }


async def test_playbooks_are_found_by_the_cluster_that_they_were_written_from(storage: Storage) -> None:
    """Under whatever name, as long as they are current; and no other organisation's."""
    written = [("a", Status.CURRENT), ("b", Status.CURRENT), ("a", Status.ARCHIVED), ("c", Status.CURRENT)]
    new = [
        new_memory(
            f"rule {place}",
            kind=MemoryKind.AGENT_PLAYBOOK,
            user_id=None,
            name=f"name {place}",
            status=status,
            metadata={CLUSTER_ID: cluster_id},
        )
        for place, (cluster_id, status) in enumerate(written)
    ]
    async with storage.begin(ORG) as tx:
        first, second, *_ = await tx.memories.add(new)
        assert await tx.clusters.written_from(MemoryKind.AGENT_PLAYBOOK, ["a", "b", "z"]) == [
            first.memory_id,
            second.memory_id,
        ]
        assert await tx.clusters.written_from(MemoryKind.AGENT_PLAYBOOK, []) == []
    async with storage.read(OTHER_ORG) as snapshot:
        assert await snapshot.clusters.written_from(MemoryKind.AGENT_PLAYBOOK, ["a", "b"]) == []
