"""What may be found at all is settled before any search, whatever its rank."""

from dataclasses import replace
from datetime import timedelta

import sqlalchemy as sa

from sagacity.domain.condition import parse_condition
from sagacity.domain.interaction import NewInteraction
from sagacity.domain.kinds import TENANT_KINDS, visibility_of
from sagacity.domain.memory import Approval, Memory, MemoryKind, Status, Visibility
from sagacity.domain.query import Filter
from sagacity.storage.hits import Hit
from sagacity.storage.schema.tables import memories
from sagacity.storage.search.writing import Document
from sagacity.storage.transaction import Storage
from support.filters import CONDITIONS, NAMES, VERSIONS, asked_for, furnished
from support.parts import ANNA, BEN, ORG, OTHER_ORG, START, StoppedClock, new_memory, said, unit_rows

ODD_TAG = 'odd "quotes" $.a \\ über STRASSE ' + "long" * 5_000
ARCHIVED_STATUSES = {Status.ARCHIVED, Status.ARCHIVE_IN_PROGRESS}
VERSIONED = {MemoryKind.USER_PLAYBOOK, MemoryKind.AGENT_PLAYBOOK, MemoryKind.SKILL}


def admits(wanted: Filter, memory: Memory) -> bool:
    """What a filter means, in plain words."""
    status, expires_at = memory.status, memory.expires_at
    if status is Status.CURRENT and memory.valid_to is not None:
        expires_at = min(filter(None, (expires_at, memory.valid_to)))
    if wanted.as_of is not None and status in ARCHIVED_STATUSES and memory.updated_at > wanted.as_of:
        status = Status.CURRENT  # what these are put away since is their last change
    valid_at = wanted.as_of or wanted.valid_at
    event_at = memory.valid_from or memory.created_at
    approvals = wanted.approvals if memory.kind in TENANT_KINDS else {Approval.APPROVED, Approval.PENDING}
    return (
        memory.kind in wanted.kinds
        and (wanted.user_id is None or memory.user_id in (wanted.user_id, None))
        and (not wanted.user_ids or memory.user_id in (*wanted.user_ids, None))
        and (not wanted.statuses or status in wanted.statuses)
        and (not wanted.visibility or visibility_of(memory) in wanted.visibility)
        and (not wanted.approvals or memory.approval in approvals)
        and (memory.kind not in VERSIONED or memory.agent_version in (wanted.agent_versions or VERSIONS))
        and (memory.kind not in VERSIONED or memory.name in (wanted.names or NAMES))
        and wanted.is_held in (None, memory.is_held)
        and wanted.source in (None, memory.source)
        and wanted.request_id in (None, *memory.source_request_ids[:1])
        and {tag.lower() for tag in wanted.tags} <= tags_of(memory)
        and (wanted.metadata is None or MEANT[wanted.metadata](memory))
        and (wanted.start is None or memory.updated_at >= wanted.start)
        and (wanted.end is None or memory.updated_at <= wanted.end)
        and (wanted.event_start is None or event_at >= wanted.event_start)
        and (wanted.event_end is None or event_at <= wanted.event_end)
        and (valid_at is None or expires_at is None or expires_at > valid_at)
        and (wanted.as_of is None or memory.created_at <= wanted.as_of)
    )


def tags_of(memory: Memory) -> set[str]:
    listed = memory.metadata.get("tags")
    named = [one for one in listed if isinstance(one, str)] if isinstance(listed, list) else []
    return {tag.lower() for tag in (*memory.keywords, *named)}


MEANT = dict(
    zip(
        CONDITIONS,
        (
            lambda memory: memory.metadata.get("level") in (1, 2),
            lambda memory: memory.metadata.get("level") in (2, "2"),
            lambda memory: "level" not in memory.metadata,
            lambda memory: "by" in memory.metadata or memory.attributes.custom_features.get("mood") == "calm",
            lambda memory: "WORK" in memory.metadata.get("tags", ()),
        ),
        strict=True,
    )
)
"""The conditions of the support file, in plain words."""


def test_the_filter_property_covers_every_field() -> None:
    """A field that is added to Filter has to be added to the property below."""
    assert set(Filter.model_fields) == {
        "kinds", "interactions", "user_id", "user_ids", "statuses", "visibility", "approvals", "agent_versions", "names", "source",
        "request_id", "is_held", "tags", "metadata", "start", "end", "event_start", "event_end", "valid_at", "as_of",
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
            listed = await snapshot.memories.list_wanted(wanted, 1_000)
            newest = sorted(admitted, key=lambda m: (m.updated_at, m.memory_id), reverse=True)
            assert [m.memory_id for m in listed] == [m.memory_id for m in newest], wanted
            found_any += bool(hits)
    assert found_any > 20


async def test_filters_hold_for_turns(storage: Storage) -> None:
    """Turns are found with their own user, source, version, request and time."""
    await storage.append(ORG, said("green tea", source="web", agent_version="v1"))
    await storage.append(ORG, said("black tea", request_id="r2", user_id="ben"))
    turns = Filter(interactions=True)
    for change, count in (
        ({}, 2), ({"user_id": "anna"}, 1), ({"source": "web"}, 1), ({"agent_versions": ("v1",)}, 2),
        ({"request_id": "r2"}, 1), ({"end": START - timedelta(seconds=1)}, 0), ({"interactions": False}, 0),
    ):  # fmt: skip
        wanted = turns.model_copy(update=change)
        assert len(await found(storage, wanted)) == count, change


async def found(storage: Storage, wanted: Filter) -> list[Hit]:
    async with storage.read(ORG) as snapshot:
        return list(await snapshot.search.by_terms(wanted, "tea", 50))


async def test_filters_of_turns_ask_their_request_and_their_moment(storage: Storage) -> None:
    """Tags and metadata are the request's; when it happened is the turn's; when it was known is its arrival."""
    past = NewInteraction(content="green tea", happened_at=START - timedelta(days=9))
    tagged = said(metadata={"tags": ["Drinks", "home", "", ODD_TAG], "mood": {"level": 3}})
    await storage.append(ORG, tagged.model_copy(update={"interactions": (past,)}))
    await storage.append(ORG, said("black tea", request_id="r2", user_id=BEN))
    await storage.append(OTHER_ORG, said("their tea", metadata={"tags": ["drinks"], "mood": {"level": 3}}))
    turns = Filter(interactions=True)
    before, level = START - timedelta(days=1), {"mood.level": {"gt": 2}}
    for change, contents in (
        ({"tags": ("DRINKS",)}, ["green tea"]), ({"tags": ("drinks", "away")}, []),
        ({"tags": ("", " drinks ")}, ["green tea"]), ({"tags": (ODD_TAG,)}, ["green tea"]), ({"tags": ("odd",)}, []),
        ({"metadata": parse_condition(level)}, ["green tea"]),
        ({"metadata": parse_condition({"not": level})}, ["black tea"]),
        ({"event_end": before}, ["green tea"]), ({"event_start": before}, ["black tea"]),
        ({"as_of": START}, ["green tea", "black tea"]), ({"as_of": before}, []),
        ({"user_ids": (ANNA, BEN)}, ["green tea", "black tea"]), ({"user_ids": (BEN,)}, ["black tea"]),
        ({"user_ids": (BEN,), "user_id": ANNA}, []),
    ):  # fmt: skip
        wanted = turns.model_copy(update=change)
        async with storage.read(ORG) as snapshot:
            hits = await snapshot.search.by_terms(wanted, "tea", 50)
            found = await snapshot.interactions.get([hit.owner_id for hit in hits])
            listed = await snapshot.interactions.list_wanted(wanted, 50)
        assert {turn.content for turn in found} == set(contents), change
        assert {turn.content for turn in listed} == set(contents), change


async def test_as_of_knows_what_was_put_away_later(storage: Storage, clock: StoppedClock) -> None:
    """A memory that was archived is current to whoever asks about the time before."""
    async with storage.begin(ORG) as tx:
        [kept] = await tx.memories.add([new_memory("tea")])
    archived_at = clock.advance(100)
    async with storage.begin(ORG) as tx:
        await tx.memories.save(
            [kept.model_copy(update={"status": Status.ARCHIVED, "updated_at": archived_at})]
        )
    edited_at = clock.advance(100)
    async with storage.begin(ORG) as tx:
        put_away = await tx.memories.get(kept.memory_id)
        await tx.memories.save([put_away.model_copy(update={"rationale": "why", "updated_at": edited_at})])
    assert put_away.archived_at == archived_at
    profiles = Filter(kinds=(MemoryKind.PROFILE,), user_id=ANNA)
    for seconds, statuses, count in (
        (-1, (Status.CURRENT,), 0), (0, (Status.CURRENT,), 1), (99, (Status.CURRENT,), 1), (100, (Status.CURRENT,), 0),
        (99, (Status.ARCHIVED,), 0), (100, (Status.ARCHIVED,), 1),
    ):  # fmt: skip
        as_of = START + timedelta(seconds=seconds)
        wanted = profiles.model_copy(update={"as_of": as_of, "statuses": statuses})
        assert len(await found(storage, wanted)) == count, (seconds, statuses)
    async with storage.begin(ORG) as tx:
        put_away = await tx.memories.get(kept.memory_id)
        await tx.memories.save([put_away.model_copy(update={"status": Status.CURRENT})])
    async with storage.read(ORG) as snapshot:
        assert (await snapshot.memories.get(kept.memory_id)).archived_at is None
    assert len(await found(storage, profiles)) == 1


async def test_what_is_withheld_after_a_search_is_not_found_by_the_next(vectors_storage: Storage) -> None:
    """What a search keeps in memory of documents that are plainly served is no more than they are by then."""
    rows = [new_memory(f"tea {number}", uid=f"u{number}") for number in range(6)]
    vectors = dict(zip((row.uid for row in rows), unit_rows(len(rows)), strict=True))
    async with vectors_storage.begin(ORG) as tx:
        kept = [one.memory_id for one in await tx.memories.add(rows, vectors=vectors)]
    wanted = Filter(kinds=(MemoryKind.PROFILE,), visibility=(Visibility.SERVED,), valid_at=START)

    async def found_now() -> list[set[int]]:
        async with vectors_storage.read(ORG) as snapshot:
            by_words = await snapshot.search.by_terms(wanted, "tea", 9)
            near = await snapshot.search.by_vector(wanted, vectors["u0"], 9)
            many = await snapshot.search.by_vectors(wanted, vectors["u0"][None], 9)
        return [{hit.owner_id for hit in hits} for hits in (by_words, near.hits, many[0].hits)]

    assert await found_now() == [set(kept)] * 3
    over = START - timedelta(seconds=1)
    async with vectors_storage.begin(ORG) as tx:
        plain = [
            Document("profile", number, row.content, START, user_id=row.user_id or "")
            for row, number in zip(rows, kept, strict=True)
        ]
        await tx.search.put(
            [
                replace(plain[0], status=Status.ARCHIVED),
                replace(plain[1], visibility=Visibility.REJECTED),
                replace(plain[2], expires_at=over),
                replace(plain[3], is_held=True),
            ]
        )
        held = sa.select(memories.c.memory_id).where(memories.c.memory_id == kept[4])
        await tx.search.mark_held("profile", held, is_held=True)
    assert await found_now() == [{kept[5]}] * 3
