"""What keyword search promises: always in step, statistics of the scope itself, any script, filters first."""

import asyncio
import json
import math
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import pytest
import sqlalchemy as sa

from sagacity.domain.errors import IndexMismatch
from sagacity.domain.interaction import NewInteraction
from sagacity.domain.memory import Approval, Memory, MemoryKind, Status
from sagacity.domain.query import Filter
from sagacity.storage.hits import Hit
from sagacity.storage.schema.tables import search_documents, search_scopes
from sagacity.storage.search.bm25 import K1, B
from sagacity.storage.search.keywords import date_terms, terms_of
from sagacity.storage.search.term_index import pack_terms
from sagacity.storage.transaction import Storage
from support.parts import ANNA, ORG, OTHER_ORG, START, new_memory, said, unit_rows

PROFILES = Filter(kinds=(MemoryKind.PROFILE,), user_id=ANNA)
ALL_KINDS = Filter(kinds=tuple(MemoryKind), interactions=True, statuses=())
BLNS = Path(__file__).parent.parent / "data" / "hostile" / "blns.json"
SCRIPTS = {
    "Привет, как дела": "дела",
    "我喜欢喝绿茶": "绿茶",
    "私は東京に住んでいます": "東京",
    "ผมชอบกินข้าวผัด": "ข้าวผัด",
    "मुझे हिन्दी पसंद है": "हिन्दी",
    "أحب القهوة العربية": "القهوة",
    "אני אוהב קפה": "קפה",
    "저는 서울에 살아요": "서울에",
    "Straße in MÜNCHEN": "strasse münchen",
    "cafe\u0301 noir": "caf\u00e9",
    "ﬁne ﬂow": "fine",
    "naïve ①②": "12 naïve",
    "snake_case_name": "snake case",
    "O’Brien's boat": "o'brien",
}


async def keyword(storage: Storage, text: str, wanted: Filter = PROFILES, limit: int = 50) -> list[Hit]:
    async with storage.read(ORG) as snapshot:
        return list(await snapshot.search.by_terms(wanted, text, limit))


async def contents(storage: Storage, text: str, wanted: Filter = PROFILES) -> list[str]:
    async with storage.read(ORG) as snapshot:
        hits = await snapshot.search.by_terms(wanted, text, 50)
        found = await snapshot.memories.get_many([hit.owner_id for hit in hits])
    return [memory.content for memory in found]


async def index_of(storage: Storage):
    """Documents, packed terms and scope counts as they stand, without numbers and vectors."""
    rows, scopes = [], []
    async with storage.backend.read(None) as connection:
        for tenant in (ORG, OTHER_ORG):
            await storage.backend.enter(connection, tenant.org_id)
            for table, kept in ((search_documents, rows), (search_scopes, scopes)):
                kept.extend(await connection.execute(sa.select(table).where(table.c.org_id == tenant.org_id)))
    owner = {row.document_id: (row.org_id, row.kind, row.owner_id) for row in rows}
    documents = {
        owner[row.document_id]: (
            row.status, row.approval, row.agent_version, row.name, row.source, row.request_id,
            row.changed_at, row.expires_at, row.text, row.term_count, row.vector is None,
            row.created_at, row.event_at, row.archived_at, row.facts, row.visibility,
        )
        for row in rows
    }  # fmt: skip
    terms = {owner[row.document_id]: row.terms for row in rows}
    counts = {
        (s.org_id, s.kind, s.user_id): (s.document_count, s.term_count) for s in scopes if s.document_count
    }
    scope_of = {row.scope_id: (row.org_id, row.kind, row.user_id) for row in scopes}
    assert all(scope_of[row.scope_id][:2] == (row.org_id, row.kind) for row in rows)
    return documents, terms, counts


async def assert_in_step(storage: Storage) -> None:
    """The index is what it would be if it were made anew."""
    before = await index_of(storage)
    expected: dict[tuple, str] = {}
    terms: dict[tuple, Counter] = {}
    owners: Counter = Counter()
    totals: Counter = Counter()
    for tenant in (ORG, OTHER_ORG):
        async with storage.read(tenant) as snapshot:
            turns = await snapshot.interactions.list_wanted(Filter(interactions=True), 10_000)
            memories: list[Memory] = []
            for kind in MemoryKind:
                memories += await snapshot.memories.list_newest(kind, limit=10_000)
        texts = [
            (
                ("interaction", t.interaction_id),
                t.user_id,
                t.search_text,
                date_terms(t.happened_at or t.created_at),
            )
            for t in turns
        ]
        texts += [((str(m.kind), m.memory_id), m.user_id or "", m.search_text, Counter()) for m in memories]
        for (kind, number), user, text, of_date in texts:
            expected[tenant.org_id, kind, number] = text
            terms[tenant.org_id, kind, number] = terms_of(text) + of_date
            owners[tenant.org_id, kind, user] += 1
            totals[tenant.org_id, kind, user] += terms[tenant.org_id, kind, number].total()
    documents, packed, sizes = before
    assert {owner: row[8] for owner, row in documents.items()} == expected
    assert packed == {owner: pack_terms(counts) for owner, counts in terms.items()}
    assert sizes == {scope: (owners[scope], totals[scope]) for scope in owners}


async def test_index_is_in_step_after_every_write(storage: Storage) -> None:
    """After adding, saving and deleting memories and turns the index is as if made from scratch."""
    await storage.append(ORG, said("green tea", "black coffee", session_id="s"))
    await storage.append(OTHER_ORG, said("green tea"))
    await assert_in_step(storage)
    async with storage.begin(ORG) as tx:
        added = await tx.memories.add(
            [
                new_memory("likes tea", keywords=("drink", "tea")),
                new_memory(
                    "works at night", kind=MemoryKind.USER_PLAYBOOK, trigger="when asked", pitfall="no"
                ),
                new_memory("be brief", kind=MemoryKind.AGENT_PLAYBOOK, user_id=None),
            ]
        )
    await assert_in_step(storage)
    async with storage.begin(ORG) as tx:
        changed = [memory.model_copy(update={"content": f"{memory.content} now"}) for memory in added[:2]]
        await tx.memories.save(changed)
        await tx.memories.save([added[2].model_copy(update={"status": Status.ARCHIVED})])
    await assert_in_step(storage)
    async with storage.begin(ORG) as tx:
        [turn, _] = await tx.interactions.log(ANNA, after_seq=0, limit=9)
        await tx.interactions.delete(ANNA, turn.interaction_id)
        assert await tx.memories.delete(MemoryKind.PROFILE, ids=[added[0].memory_id]) == 1
    await assert_in_step(storage)
    with pytest.raises(ZeroDivisionError):  # noqa: PT012
        async with storage.begin(ORG) as tx:
            await tx.interactions.delete_all()
            raise ZeroDivisionError
    await assert_in_step(storage)
    async with storage.begin(ORG) as tx:
        await tx.interactions.delete_session("s")
        await tx.interactions.delete_all()
        await tx.memories.delete(MemoryKind.AGENT_PLAYBOOK)
    await assert_in_step(storage)


async def test_rebuilt_index_equals_the_kept_one(storage: Storage) -> None:
    """`reindex` makes the same documents, terms and counts from the rows alone."""
    await storage.append(ORG, said("green tea", "black coffee", source="web", agent_version="v"))
    async with storage.begin(ORG) as tx:
        memories = [new_memory(f"tea {n}", name="x", source_request_ids=("r1",)) for n in range(3)]
        [*_, last] = await tx.memories.add(memories)
        await tx.memories.save([last.model_copy(update={"approval": Approval.APPROVED, "expires_at": START})])
    kept = await index_of(storage)
    await storage.rebuild_index("some embedder", 16, lambda done, total: None)
    assert await index_of(storage) == kept


async def test_of_those_that_start_at_once_one_records_the_index_and_all_compare(storage: Storage) -> None:
    """None fails because another one was there first, unless it has another embedder."""
    await asyncio.gather(*(storage.organisations() for _ in range(8)))  # none waits for a connection then
    await asyncio.gather(*(storage.claim_index("one", 16) for _ in range(8)))
    with pytest.raises(IndexMismatch, match="made with one"):
        await storage.claim_index("another", 16)


async def test_rebuilding_for_the_same_embedder_keeps_what_it_made(storage: Storage) -> None:
    """Vectors of unchanged texts stay, others are made anew; with another embedder all are."""
    await storage.claim_index("one", 16)
    rows = unit_rows(3)
    async with storage.begin(ORG) as tx:
        kept = await tx.memories.add(
            [new_memory(f"tea {n}", uid=f"u{n}") for n in range(3)],
            vectors={f"u{n}": rows[n] for n in range(3)},
        )
        changed = sa.update(search_documents).where(search_documents.c.owner_id == kept[1].memory_id)
        await tx.search._scope.run(changed.values(text="what nobody wrote"))
        before = (await tx.search.by_vector(PROFILES, rows[0], 9)).hits
    for embedder, found in (("one", {kept[0].memory_id, kept[2].memory_id}), ("another", set())):
        await storage.rebuild_index(embedder, 16, lambda done, total: None)
        await assert_in_step(storage)
        async with storage.read(ORG) as snapshot:
            hits = (await snapshot.search.by_vector(PROFILES, rows[0], 9)).hits
            waiting = await snapshot.search.unembedded(9)
        expected = {hit.owner_id: pytest.approx(hit.score) for hit in before if hit.owner_id in found}
        assert {hit.owner_id: hit.score for hit in hits} == expected
        assert len(waiting) == 3 - len(found)


async def test_rebuilding_refreshes_what_turns_are_filtered_by(storage: Storage) -> None:
    """What is missing of terms and documents is there afterwards."""
    await storage.append(ORG, said("green tea", metadata={"tags": ["Drinks"]}))
    async with storage.begin(ORG) as tx:
        scope = tx.search._scope
        await scope.run(sa.update(search_documents).values(event_at=None, created_at=None, facts=None))
        await scope.run(sa.update(search_documents).values(terms=b""))
    drinks = Filter(interactions=True, tags=("drinks",), event_start=START, as_of=START)
    assert await keyword(storage, "tea", drinks) == []
    await storage.rebuild_index("some embedder", 16, lambda done, total: None)
    assert len(await keyword(storage, "2026", drinks)) == 1
    await assert_in_step(storage)


async def test_turns_are_found_by_their_date_and_speaker(storage: Storage) -> None:
    """By the day on which they happened, as their senders say, and by the name under which they spoke."""
    may = datetime(2023, 5, 20, 10, tzinfo=UTC)
    turns = (
        NewInteraction(content="green tea", happened_at=may, role="Caroline"),
        NewInteraction(content="green tea"),
    )
    await storage.append(ORG, said().model_copy(update={"interactions": turns}))
    wanted = Filter(interactions=True)
    async with storage.read(ORG) as snapshot:
        [first, _] = await snapshot.interactions.log(ANNA, after_seq=0, limit=9)
    for question in ("what did I say on the 20 of that month", "on Saturday", "what did Caroline say"):
        assert [hit.owner_id for hit in await keyword(storage, question, wanted)] == [first.interaction_id], (
            question
        )
    async with storage.begin(ORG) as tx:
        await tx.interactions.delete(ANNA, first.interaction_id)
    await assert_in_step(storage)


def bm25(texts: dict[int, str], query: str) -> list[tuple[int, float]]:
    """A plain reference: documents by owner, scored against all of them."""
    counts = {owner: terms_of(text) for owner, text in texts.items()}
    average = max(sum(count.total() for count in counts.values()) / len(counts), 1.0)
    scores: dict[int, float] = {}
    for term in terms_of(query):
        having = [owner for owner, count in counts.items() if count[term]]
        weight = math.log(1 + (len(counts) - len(having) + 0.5) / (len(having) + 0.5))
        for owner in having:
            frequency, length = counts[owner][term], counts[owner].total()
            norm = K1 * (1 - B + B * length / average)
            scores[owner] = scores.get(owner, 0.0) + weight * frequency * (K1 + 1) / (frequency + norm)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


WORDS = "tea coffee milk sugar cake bread the boat river walk walking Ana's 東京 кофе".split()


async def test_scores_equal_a_plain_reference(storage: Storage) -> None:
    """Scores and order are those of BM25 over the scope's own documents."""
    rng = np.random.default_rng(3)
    texts = [" ".join(rng.choice(WORDS, size=rng.integers(1, 12))) for _ in range(120)]
    async with storage.begin(ORG) as tx:
        kept = await tx.memories.add([new_memory(text) for text in texts])
    known = {memory.memory_id: memory.content for memory in kept}
    for query in ("tea", "tea coffee walking", "東京 bread кофе", "the", "unheard", "milk milk milk"):
        hits = await keyword(storage, query, limit=200)
        expected = bm25(known, query)
        got = {hit.owner_id: hit.score for hit in hits}
        assert got == pytest.approx(dict(expected))
        assert all(hit.score > 0 for hit in hits)
        # Equal scores may differ in their last bit between the two; the order is that of the scores.
        assert [round(hit.score, 9) for hit in hits] == [round(score, 9) for _, score in expected]


async def test_statistics_are_the_scopes_own(storage: Storage) -> None:
    """Rows of another user, kind or organisation change no score."""
    async with storage.begin(ORG) as tx:
        await tx.memories.add([new_memory("green tea"), new_memory("black coffee"), new_memory("tea tea")])
    before = await keyword(storage, "tea")
    async with storage.begin(ORG) as tx:
        await tx.memories.add([new_memory("tea " * 9, user_id="ben") for _ in range(50)])
        await tx.memories.add([new_memory("tea", kind=MemoryKind.SEMANTIC) for _ in range(50)])
    async with storage.begin(OTHER_ORG) as tx:
        await tx.memories.add([new_memory("tea") for _ in range(50)])
    assert await keyword(storage, "tea") == before
    assert len(before) == 2


@pytest.mark.parametrize(("text", "query"), SCRIPTS.items(), ids=lambda text: ascii(text)[:30])
async def test_any_script_is_found(storage: Storage, text: str, query: str) -> None:
    """A word of any script finds the text it is in, and not another in the same script."""
    async with storage.begin(ORG) as tx:
        await tx.memories.add([new_memory(text), new_memory("something else")])
    assert await contents(storage, query) == [text]


async def test_word_with_marks_is_one_word(storage: Storage) -> None:
    """Vowel signs do not cut a word into letters that any word has; points may be left out."""
    async with storage.begin(ORG) as tx:
        await tx.memories.add([new_memory(text) for text in ("हिन्दी", "नदी", "বাংলা", "বলা", "كِتَاب", "تب")])
    assert await contents(storage, "हिन्दी") == ["हिन्दी"]
    assert await contents(storage, "বাংলা") == ["বাংলা"]
    assert await contents(storage, "كتاب") == ["كِتَاب"]


@pytest.mark.one_database
async def test_naughty_strings_are_kept_and_found(storage: Storage) -> None:
    """Each of a collection of hostile strings is stored as it is, and found by itself where it has a word."""
    texts = [text for text in json.loads(BLNS.read_text("utf-8")) if text]
    async with storage.begin(ORG) as tx:
        kept = await tx.memories.add([new_memory(text) for text in texts])
    async with storage.read(ORG) as snapshot:
        read = await snapshot.memories.get_many([memory.memory_id for memory in kept])
        assert [memory.content for memory in read] == texts
        for memory in kept:
            hits = await snapshot.search.by_terms(PROFILES, memory.content, 500)
            assert (memory.memory_id in {hit.owner_id for hit in hits}) == bool(terms_of(memory.content))
    await assert_in_step(storage)


async def test_long_query_is_answered(storage: Storage) -> None:
    """A query of many thousand words is as good as a short one."""
    async with storage.begin(ORG) as tx:
        await tx.memories.add([new_memory(f"word{n} tea") for n in range(3_000)])
    query = " ".join(f"word{n}" for n in range(20_000))
    assert len(await keyword(storage, query, limit=5_000)) == 3_000


async def test_saved_text_replaces_the_old(storage: Storage) -> None:
    """After an edit the new words find it, the old ones do not, and a stale vector is dropped."""
    [row] = unit_rows(1)
    async with storage.begin(ORG) as tx:
        [memory] = await tx.memories.add([new_memory("green tea", uid="u")], vectors={"u": row})
        await tx.memories.save([memory.model_copy(update={"confidence": 0.5})])
        assert list(await tx.search.vectors_of(["profile"], [memory.memory_id])) == [memory.memory_id]
        await tx.memories.save([memory.model_copy(update={"content": "black coffee"})])
        assert await tx.search.vectors_of(["profile"], [memory.memory_id]) == {}
        assert [item.text for item in await tx.search.unembedded(9)] == ["black coffee"]
    assert await contents(storage, "tea") == []
    assert await contents(storage, "coffee") == ["black coffee"]


async def test_vectors_of_changed_documents_are_not_taken(storage: Storage) -> None:
    """A vector that was computed of a text that changed meanwhile is dropped; the new text keeps waiting."""
    async with storage.begin(ORG) as tx:
        [memory] = await tx.memories.add([new_memory("green tea")])
        waiting = await tx.search.unembedded(9)
    async with storage.begin(ORG) as tx:
        await tx.memories.save([memory.model_copy(update={"content": "black coffee"})])
        await tx.search.set_vectors(waiting, unit_rows(1))
        assert [item.text for item in await tx.search.unembedded(9)] == ["black coffee"]


async def test_vectors_of_removed_documents_reach_no_other(storage: Storage) -> None:
    """A document's number is never another's: a late vector cannot land on someone else's text."""
    async with storage.begin(ORG) as tx:
        [memory] = await tx.memories.add([new_memory("green tea")])
        waiting = await tx.search.unembedded(9)
    async with storage.begin(ORG) as tx:
        await tx.memories.delete(MemoryKind.PROFILE, ids=[memory.memory_id])
        await tx.memories.add([new_memory("black coffee", user_id="ben")])
        await tx.search.set_vectors(waiting, unit_rows(1))
        assert [item.text for item in await tx.search.unembedded(9)] == ["black coffee"]


async def test_unembedded_are_given_up_and_counted(storage: Storage) -> None:
    """A document that fails five times leaves the queue, stays findable by its words, and says why."""
    async with storage.begin(ORG) as tx:
        [memory] = await tx.memories.add([new_memory("green tea")])
        for n in range(5):
            waiting = await tx.search.unembedded(9)
            assert len(waiting) == 1, n
            await tx.search.embed_failed(waiting, "refused")
        assert await tx.search.unembedded(9) == []
        assert await tx.search.progress("profile", [memory.memory_id]) == (0, 1, "refused")
    assert await storage.unembedded_tenants() == []
    assert await contents(storage, "tea") == ["green tea"]


async def test_limit_counts_per_kind_best_first(storage: Storage) -> None:
    """A search gives the best of each kind, so that one kind's many do not crowd out another's few."""
    async with storage.begin(ORG) as tx:
        await tx.memories.add([new_memory("tea tea tea") for _ in range(9)])
        await tx.memories.add([new_memory("some tea", kind=MemoryKind.SEMANTIC) for _ in range(9)])
    hits = await keyword(storage, "tea", Filter(kinds=tuple(MemoryKind), user_id=ANNA), 3)
    assert Counter(hit.kind for hit in hits) == {"profile": 3, "semantic": 3}
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


@pytest.mark.parametrize("statuses", [(Status.CURRENT,), (Status.CURRENT, Status.PENDING)])
async def test_surest_of_the_newest_come_first(storage: Storage, statuses: tuple[Status, ...]) -> None:
    """Surer ones that are not among the newest are left out; of those as sure the newer one is first."""
    sure = {"oldest": 1.0, "old": 0.5, "middle": 0.9, "late": 0.5, "last": 0.2}
    async with storage.begin(ORG) as tx:
        for day, (uid, confidence) in enumerate(sure.items()):
            memory = new_memory(uid, uid=uid, confidence=confidence, updated_at=START + timedelta(days=day))
            await tx.memories.add([memory])
    wanted = PROFILES.model_copy(update={"statuses": statuses})
    async with storage.read(ORG) as snapshot:
        hits = await snapshot.search.surest_memories(wanted, MemoryKind.PROFILE, 3, newest=4)
        found = await snapshot.memories.get_many([hit.owner_id for hit in hits])
    assert [memory.uid for memory in found] == ["middle", "late", "old"]
    assert [hit.score for hit in hits] == [0.9, 0.5, 0.5]
