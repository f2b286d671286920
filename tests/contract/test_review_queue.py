"""Which memories a person is shown to review, why, and in which order."""

from datetime import timedelta

import pytest
import sqlalchemy as sa

from sagacity.domain.cluster import PlaybookCluster
from sagacity.domain.ids import ORGANISATION
from sagacity.domain.memory import Approval, Memory, MemoryKind, Status
from sagacity.domain.principal import Principal
from sagacity.domain.review_queue import ReviewCandidate, ReviewQuery, ReviewSignal
from sagacity.domain.tenant import DueScope
from sagacity.domain.usage import UsageEventName
from sagacity.learning.duplicates import FindDuplicates
from sagacity.learning.tasks.runner import TaskRunner
from sagacity.storage.schema.tables import memories
from sagacity.storage.transaction import Storage
from support.learning import WordEmbedder, task_parts
from support.parts import ANNA, BEN, ORG, START, CountingIds, StoppedClock, new_memory
from support.reviews import kept, near_rows
from support.usage import used

pytestmark = pytest.mark.either_database

PLAYBOOK, SHARED, PROFILE = MemoryKind.USER_PLAYBOOK, MemoryKind.AGENT_PLAYBOOK, MemoryKind.PROFILE
STALE, DUPLICATE, COSTLY, SUPERSEDEABLE = (
    ReviewSignal.STALE,
    ReviewSignal.DUPLICATE,
    ReviewSignal.HIGH_COST_LOW_CITE,
    ReviewSignal.SUPERSEDEABLE,
)
OLD = START - timedelta(days=70)


async def add(storage: Storage, *new, vectors=None) -> list[Memory]:
    async with storage.begin(ORG) as tx:
        return await tx.memories.add(list(new), vectors=vectors or {})


async def use(storage: Storage, item: str, *, injected: int, cited: int = 0, kind=PLAYBOOK, at=START) -> None:
    names = [UsageEventName.INJECTION] * injected + [UsageEventName.CITATION] * cited
    async with storage.begin(ORG) as tx:
        await tx.usage.add(
            [
                used(
                    ORG.org_id,
                    f"{kind} {item} {at} {n}",
                    event_name=name,
                    entity_type=kind,
                    entity_id=item,
                    at=at,
                )
                for n, name in enumerate(names)
            ]
        )


async def queue(
    storage: Storage, *kinds: MemoryKind, whose=ORG, limit: int = 9, offset: int = 0, **wanted
) -> list[ReviewCandidate]:
    values = {"kinds": kinds or (PLAYBOOK,), "user_id": ANNA, "days_back": 30}
    async with storage.read(whose) as snapshot:
        return await snapshot.review_queue.page(ReviewQuery(**values | wanted), limit=limit, offset=offset)


def told(found: list[ReviewCandidate]) -> dict[str, tuple[int, set[ReviewSignal]]]:
    return {one.content: (one.score, set(one.signals)) for one in found}


async def compare(storage: Storage, clock: StoppedClock, ids: CountingIds, *, batches: bool = False) -> None:
    """Run the task; if cut short, as often as it takes."""
    parts = task_parts(storage, WordEmbedder(), clock, ids)
    runner = TaskRunner(parts, [FindDuplicates(parts)])
    report = await runner.run(DueScope(tenant=ORG, user_id=ORGANISATION))
    assert report.failed == {}


async def test_scores_are_those_of_the_contract(storage: Storage) -> None:
    """Stale by weeks up to 99; cost by uses up to 49; what was cited often enough, or changed lately, is not there."""
    texts = {
        "stale": OLD, "ancient": START - timedelta(days=9_000), "edited": START - timedelta(days=29),
        "costly": OLD, "dear": OLD, "cited": OLD, "rare": OLD, "used before": OLD, "archived": OLD, "kept": OLD,
    }  # fmt: skip
    books = {
        one.content: one
        for one in await add(
            storage,
            *(
                new_memory(
                    text,
                    kind=PLAYBOOK,
                    created_at=START - timedelta(days=9_000),
                    updated_at=at,
                    status=Status.ARCHIVED if text == "archived" else Status.CURRENT,
                )
                for text, at in texts.items()
            ),
        )
    }
    for text, injected, cited in (("costly", 4, 1), ("dear", 30, 2), ("cited", 4, 2), ("rare", 2, 0)):
        await use(storage, str(books[text].memory_id), injected=injected, cited=cited)
    await use(storage, str(books["used before"].memory_id), injected=9, at=OLD)
    # The same numbers of another kind are other memories.
    await use(storage, str(books["stale"].memory_id), injected=9, kind=SHARED)
    async with storage.begin(ORG) as tx:
        await tx.review_actions.add(kept(books["kept"], "later"))
    found = await queue(storage)
    assert told(found) == {
        "ancient": (99, {STALE}), "stale": (60, {STALE}), "used before": (60, {STALE}),
        "dear": (49, {COSTLY}), "costly": (34, {COSTLY}),
    }  # fmt: skip
    assert list(told(found)) == ["ancient", "stale", "used before", "dear", "costly"]
    dear = found[3]
    assert (dear.injection_count, dear.citation_count, dear.last_cited_at) == (30, 2, START)
    assert found[1].last_modified_at == OLD
    assert list(told(await queue(storage, limit=2, offset=1))) == ["stale", "used before"]
    assert list(told(await queue(storage, signals={COSTLY}))) == ["dear", "costly"]
    assert await queue(storage, signals=frozenset()) == await queue(storage, user_id=BEN) == []
    assert told(await queue(storage, whose=Principal(tenant=ORG, user_id=BEN), user_id=None)) == {}
    assert len(await queue(storage, whose=Principal(tenant=ORG, user_id=ANNA), user_id=None)) == 5


async def test_duplicates_are_found_in_the_background(
    storage: Storage, clock: StoppedClock, ids: CountingIds
) -> None:
    """Near ones of one owner, kind and agent version; none that is denied; gone with either memory, and if reworded."""
    rows = near_rows(0.9, 0.84, 0.7, 0.95, 0.99, 0.97)
    new = [
        new_memory("Offer credit.", uid="a", kind=PLAYBOOK),
        new_memory("Offer a credit.", uid="b", kind=PLAYBOOK),
        new_memory("Give credit.", uid="c", kind=PLAYBOOK),
        new_memory("Greet by name.", uid="d", kind=PLAYBOOK),
        new_memory("Offer no credit.", uid="e", kind=PLAYBOOK),
        new_memory("Offer credit!", uid="f", kind=PLAYBOOK, user_id=BEN),
        new_memory("Offer credits.", uid="g", kind=PLAYBOOK, agent_version="v2"),
    ]
    vectors = dict(zip("abcdefg", rows, strict=True))
    added = await add(storage, *new, vectors=vectors)
    of = {one.uid: one for one in added}
    await compare(storage, clock, ids)
    found = await queue(storage)
    assert told(found) == {
        "Offer credit.": (74, {DUPLICATE}), "Offer a credit.": (74, {DUPLICATE}),
        "Give credit.": (59, {DUPLICATE}),
    }  # fmt: skip
    assert [one.content for one in found[0].related] == ["Offer a credit.", "Give credit."]
    assert found[0].related[0].similarity == pytest.approx(0.9, abs=1e-3)
    async with storage.read(ORG) as snapshot:
        assert await snapshot.duplicates.uncompared() == []
    async with storage.begin(ORG) as tx:
        reworded = of["b"].model_copy(update={"content": "Say hello."})
        await tx.memories.save([reworded], vectors={"b": rows[3]})
    assert list(told(await queue(storage))) == ["Offer credit.", "Give credit."]
    await compare(storage, clock, ids)
    assert "Say hello." in told(await queue(storage, signals={DUPLICATE}))
    async with storage.begin(ORG) as tx:
        await tx.memories.save([of["c"].model_copy(update={"status": Status.ARCHIVED})])
        assert await tx.duplicates.of([of["a"].memory_id, of["c"].memory_id]) == []
        await tx.memories.delete(PLAYBOOK, uids=["d"])
    assert await queue(storage) == []


async def test_what_stands_in_a_memorys_place_is_shown(storage: Storage) -> None:
    """The approved playbook that was made of a cluster, one that metadata name, and no other."""
    note = '{"superseded_by": %s}'
    [one, two, noted, nulled, rule, waiting] = await add(
        storage,
        new_memory("Offer credit.", kind=PLAYBOOK),
        new_memory("Greet.", kind=PLAYBOOK),
        new_memory("Ask first.", kind=PLAYBOOK, metadata={"playbook_metadata": note % 2}),
        new_memory("Wait.", kind=PLAYBOOK, metadata={"playbook_metadata": note % "null"}),
        new_memory("Credit for all.", kind=SHARED, user_id=None, approval=Approval.APPROVED),
        new_memory("Greet all.", kind=SHARED, user_id=None),
    )
    async with storage.begin(ORG) as tx:
        await tx.clusters.save(
            [
                PlaybookCluster(
                    cluster_id=made.content, learner="aggregation", name="", agent_version="",
                    member_ids=(member.memory_id,), memory_id=made.memory_id, created_at=START, updated_at=START,
                )
                for member, made in ((one, rule), (two, waiting))
            ]
        )  # fmt: skip
    found = await queue(storage, user_id=None)
    assert told(found) == {"Offer credit.": (100, {SUPERSEDEABLE}), "Ask first.": (100, {SUPERSEDEABLE})}
    assert [(it.kind, it.content) for it in found[0].related] == [(SHARED, "Credit for all.")]
    assert {nulled.content, noted.content} - told(found).keys() == {"Wait."}


@pytest.mark.parametrize("written", ["'not-a-date'", str(10**18), str(-(10**18))])
async def test_what_is_no_date_is_never_stale(storage: Storage, written: str) -> None:
    """Whatever a database holds in its place; the memory is shown for its other signals, without a date."""
    if storage.kind != "sqlite" and "date" in written:
        written = str(10**18)  # only SQLite keeps a text there
    [book] = await add(storage, new_memory("Greet.", kind=PLAYBOOK, at=OLD))
    async with storage.backend.write(ORG.org_id) as connection:
        values = {"updated_at": sa.literal_column(written)}
        await connection.execute(sa.update(memories).values(values))
    assert await queue(storage) == []
    await use(storage, str(book.memory_id), injected=3)
    [found] = await queue(storage)
    assert (found.signals, found.last_modified_at) == ((COSTLY,), None)
