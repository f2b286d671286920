"""What groups of playbooks promise: their ids last, and what was made of them may go without them."""

from datetime import timedelta

from sagacity.domain.cluster import PlaybookCluster
from sagacity.domain.memory import MemoryKind
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
    async with storage.read(ORG) as snapshot:
        assert await snapshot.clusters.names("aggregation") == [
            ("sales", "v1"),
            ("support", "v1"),
            ("support", "v2"),
        ]
        assert await snapshot.clusters.names("nobody") == []


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
