"""What may be found at all is settled before any search, whatever its rank."""

from datetime import timedelta

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sagacity.domain.memory import Approval, Memory, MemoryKind, Status
from sagacity.domain.query import Filter
from sagacity.storage.base import Hit
from sagacity.storage.transaction import Storage
from support.parts import ORG, START, new_memory, said, unit_rows

ALL_KINDS = Filter(kinds=tuple(MemoryKind), interactions=True, statuses=())
NAMES, SOURCES, VERSIONS, REQUESTS = ("n1", "n2"), ("s1", "s2"), ("v1", "v2"), ("q1", "q2")
MOMENTS = [START + timedelta(hours=hour) for hour in range(6)]
WORD_SETS = ("tea", "tea coffee", "coffee", "milk tea tea")


def furnished() -> list:
    """Memories of every sort, no two alike."""
    rng = np.random.default_rng(11)

    def pick(options):
        return options[rng.integers(len(options))]

    rows = []
    for n in range(240):
        kind = pick(list(MemoryKind))
        own = kind not in (MemoryKind.AGENT_PLAYBOOK, MemoryKind.SKILL)
        rows.append(
            new_memory(
                pick(WORD_SETS),
                uid=f"f{n}",
                kind=kind,
                user_id=pick(("anna", "ben")) if own else None,
                at=pick(MOMENTS),
                name=pick(NAMES),
                source=pick(SOURCES),
                agent_version=pick(VERSIONS),
                status=pick(list(Status)),
                approval=pick(list(Approval)),
                source_request_ids=(pick(REQUESTS),),
                expires_at=pick([None, *MOMENTS]),
            )
        )
    return rows


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


def subsets(options):
    return st.lists(st.sampled_from(list(options)), unique=True).map(tuple)


FILTERS = st.builds(
    Filter,
    kinds=subsets(MemoryKind),
    interactions=st.just(value=False),
    user_id=st.sampled_from([None, "anna", "ben", "nobody"]),
    statuses=subsets(Status),
    approvals=subsets(Approval),
    agent_version=st.sampled_from([None, *VERSIONS]),
    name=st.sampled_from([None, *NAMES]),
    source=st.sampled_from([None, *SOURCES]),
    request_id=st.sampled_from([None, *REQUESTS]),
    start=st.sampled_from([None, *MOMENTS]),
    end=st.sampled_from([None, *MOMENTS]),
    valid_at=st.sampled_from([None, *MOMENTS]),
)


def test_the_filter_property_covers_every_field() -> None:
    """A field that is added to Filter has to be added to the property below."""
    assert set(Filter.model_fields) == {
        "kinds", "interactions", "user_id", "statuses", "approvals", "agent_version", "name", "source",
        "request_id", "start", "end", "valid_at",
    }  # fmt: skip


async def test_filters_hold_before_the_search(storage: Storage) -> None:
    """Whatever is asked for, exactly what the filter admits is found, by term and by vector, whatever its rank."""
    rows = furnished()
    vectors = dict(zip((row.uid for row in rows), unit_rows(len(rows)), strict=True))
    async with storage.begin(ORG) as tx:
        kept = await tx.memories.add(rows, vectors=vectors)
    asked: list[Filter] = []

    @settings(
        max_examples=120,
        deadline=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
        database=None,
    )
    @given(FILTERS)
    def collect(wanted: Filter) -> None:
        asked.append(wanted)

    collect()
    # Narrow ones as well, each field by itself, which a random choice of all rarely gives.
    for name, value in (("name", "n1"), ("source", "s2"), ("agent_version", "v1"), ("request_id", "q2"),
                        ("start", MOMENTS[3]), ("end", MOMENTS[2]), ("valid_at", MOMENTS[2]),
                        ("user_id", "anna"), ("approvals", (Approval.REJECTED,))):  # fmt: skip
        asked.append(ALL_KINDS.model_copy(update={name: value}))
    found_any = 0
    async with storage.read(ORG) as snapshot:
        for wanted in asked:
            admitted = [memory for memory in kept if admits(wanted, memory)]
            hits = await snapshot.search.by_terms(wanted, "tea", 1_000)
            assert {h.owner_id for h in hits} == {m.memory_id for m in admitted if "tea" in m.content}, wanted
            hits = await snapshot.search.by_vector(wanted, vectors["f0"], 1_000)
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
