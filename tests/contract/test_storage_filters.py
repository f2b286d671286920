"""What may be found at all is settled before any search, whatever its rank."""

from datetime import timedelta

from sagacity.domain.memory import Memory, MemoryKind
from sagacity.domain.query import Filter
from sagacity.storage.base import Hit
from sagacity.storage.transaction import Storage
from support.filters import asked_for, furnished
from support.parts import ORG, START, said, unit_rows

VERSIONED = {MemoryKind.USER_PLAYBOOK, MemoryKind.AGENT_PLAYBOOK, MemoryKind.SKILL}


def admits(wanted: Filter, memory: Memory) -> bool:
    return (
        memory.kind in wanted.kinds
        and (wanted.user_id is None or memory.user_id in (wanted.user_id, None))
        and (not wanted.statuses or memory.status in wanted.statuses)
        and (not wanted.approvals or memory.approval in wanted.approvals)
        and (memory.kind not in VERSIONED or wanted.agent_version in (None, memory.agent_version))
        and (memory.kind not in VERSIONED or wanted.name in (None, memory.name))
        and wanted.source in (None, memory.source)
        and wanted.request_id in (None, *memory.source_request_ids[:1])
        and (wanted.start is None or memory.updated_at >= wanted.start)
        and (wanted.end is None or memory.updated_at <= wanted.end)
        and (wanted.valid_at is None or memory.expires_at is None or memory.expires_at > wanted.valid_at)
    )


def test_the_filter_property_covers_every_field() -> None:
    """A field that is added to Filter has to be added to the property below."""
    assert set(Filter.model_fields) == {
        "kinds", "interactions", "user_id", "statuses", "approvals", "agent_version", "name", "source",
        "request_id", "start", "end", "valid_at",
    }  # fmt: skip


async def test_filters_hold_before_the_search(vectors_storage: Storage) -> None:
    """Whatever is asked for, exactly what the filter admits is found, by term and by vector, whatever its rank."""
    rows = furnished()
    vectors = dict(zip((row.uid for row in rows), unit_rows(len(rows)), strict=True))
    async with vectors_storage.begin(ORG) as tx:
        kept = await tx.memories.add(rows, vectors=vectors)
    asked = asked_for()
    found_any = 0
    async with vectors_storage.read(ORG) as snapshot:
        for wanted in asked:
            admitted = [memory for memory in kept if admits(wanted, memory)]
            hits = await snapshot.search.by_terms(wanted, "tea", 1_000)
            assert {h.owner_id for h in hits} == {m.memory_id for m in admitted if "tea" in m.content}, wanted
            hits = (await snapshot.search.by_vector(wanted, vectors["f0"], 1_000)).hits
            assert {h.owner_id for h in hits} == {m.memory_id for m in admitted}, wanted
            found_any += bool(hits)
    assert found_any > 20


async def test_filters_hold_for_turns(storage: Storage) -> None:
    """Turns are found with their own user, source, version, request and time."""
    await storage.append(ORG, said("green tea", source="web", agent_version="v1"))
    await storage.append(ORG, said("black tea", request_id="r2", user_id="ben"))
    turns = Filter(interactions=True)
    for change, count in (
        ({}, 2), ({"user_id": "anna"}, 1), ({"source": "web"}, 1), ({"agent_version": "v1"}, 2),
        ({"request_id": "r2"}, 1), ({"end": START - timedelta(seconds=1)}, 0), ({"interactions": False}, 0),
    ):  # fmt: skip
        wanted = turns.model_copy(update=change)
        assert len(await found(storage, wanted)) == count, change


async def found(storage: Storage, wanted: Filter) -> list[Hit]:
    async with storage.read(ORG) as snapshot:
        return await snapshot.search.by_terms(wanted, "tea", 50)
