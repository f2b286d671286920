"""Decisions become memories."""

from datetime import timedelta

from sagacity.domain.change import Action, Candidate, Decision
from sagacity.domain.extraction import Rejection
from sagacity.domain.graph import EntityMention, RelationshipMention
from sagacity.domain.ids import InteractionId, RunId
from sagacity.domain.interaction import NewInteraction
from sagacity.domain.memory import Attributes, MemoryKind, Provenance, Status, TimeToLive
from sagacity.domain.query import Filter
from sagacity.learning.writing.apply import Applied, Proposal, Run, apply
from sagacity.retrieval.context.known_entities import known_entities
from sagacity.storage.transaction import Storage
from support.graphs import speak, ties_of
from support.learning import learned
from support.parts import ANNA, ORG, START, CountingIds, StoppedClock, new_memory, said, unit_rows

RUN = RunId("run")


def candidate(content: str, evidence: tuple[int, ...], **fields) -> Candidate:
    return Candidate(
        kind=fields.pop("kind", MemoryKind.PROFILE), content=content, evidence=evidence, **fields
    )


def decided(action: Action, one: Candidate, *targets: int) -> Decision:
    return Decision(action=action, candidate=one, targets=targets)


async def applied(
    storage: Storage, clock: StoppedClock, *decisions: Decision, vector=None, uids: str = "uid"
) -> Applied:
    async with storage.read(ORG) as snapshot:
        turns = await snapshot.interactions.log(ANNA, after_seq=0, limit=100)
    provenance = Provenance(learner="profile:x", method="rules", run_id=RUN)
    proposals = [Proposal(one, "x", provenance, vector) for one in decisions]
    async with storage.begin(ORG) as tx:
        known = {turn.interaction_id: turn for turn in turns}
        run = Run(tx, ANNA, known, run_id=RUN, now=clock.now(), ids=CountingIds(uids))
        return await apply(run, proposals)


async def publish(storage: Storage, clock: StoppedClock) -> None:
    """Three turns, an hour apart, of two requests."""
    await storage.append(ORG, said("a", request_id="r1", source="web", agent_version="v1"))
    clock.advance(3_600)
    await storage.append(ORG, said("b", request_id="r2", source="mail", agent_version="v2"))
    clock.advance(3_600)
    await storage.append(ORG, said("c", request_id="r3", source="mail", agent_version="v3"))


async def test_added_memory_carries_what_was_proposed(storage: Storage, clock: StoppedClock) -> None:
    """Each field is where it belongs; times count from the newest turn of the evidence, in whatever order it came."""
    await publish(storage, clock)
    one = candidate(
        "Likes tea.", (2, 1), slot="drink", time_to_live=TimeToLive.ONE_WEEK, confidence=0.7,
        keywords=("tea",), custom_features={"k": "v"}, entities=(EntityMention(name="Tea"),),
        relationships=(RelationshipMention(source="user", target="Tea", relationship_type="likes"),),
    )  # fmt: skip
    [row] = unit_rows(1)
    done = await applied(storage, clock, decided(Action.ADD, one), vector=row)
    assert (done.added_count, done.updated_count, done.removed_count) == (1, 0, 0)
    [memory] = await learned(storage)
    said_at = START + timedelta(hours=1)
    assert (memory.content, memory.keywords, memory.confidence) == ("Likes tea.", ("tea",), 0.7)
    assert (memory.source, memory.agent_version, memory.name) == ("mail", "v2", "")
    assert (memory.source_request_ids, memory.source_interaction_ids) == (("r1", "r2"), (1, 2))
    assert (memory.valid_from, memory.expires_at) == (said_at, said_at + timedelta(days=7))
    assert memory.created_at == clock.now()
    assert memory.attributes == Attributes(
        time_to_live=TimeToLive.ONE_WEEK,
        custom_features={"k": "v"},
        extractor_names=("x",),
        slot="drink",
        said_at=said_at,
    )
    async with storage.read(ORG) as snapshot:
        assert await ties_of(snapshot) == [("user", "likes", "Tea")]
        assert list(await snapshot.search.vectors_of(["profile"], [memory.memory_id])) == [memory.memory_id]
        [run] = await snapshot.changes.list_runs(MemoryKind.PROFILE, limit=9)
    assert (run.run_id, run.request_id, run.added, run.removed) == ("run", "r2", (memory,), ())


async def test_a_memory_holds_since_it_was_said(storage: Storage, clock: StoppedClock) -> None:
    """By its sender's clock, as an imported conversation is old; a clock that runs ahead does not count."""
    for number, happened in enumerate((START - timedelta(days=200), START + timedelta(days=9)), start=1):
        turn = NewInteraction(content="I like tea.", happened_at=happened)
        request = said(request_id=f"r{number}").model_copy(update={"interactions": (turn,)})
        await storage.append(ORG, request)
    old, ahead = candidate("Likes tea.", (1,)), candidate("Likes coffee.", (2,))
    await applied(storage, clock, decided(Action.ADD, old), decided(Action.ADD, ahead))
    assert {one.content: one.valid_from for one in await learned(storage)} == {
        "Likes tea.": START - timedelta(days=200),
        "Likes coffee.": START,
    }
    async with storage.read(ORG) as snapshot:
        wanted = Filter(kinds=(MemoryKind.PROFILE,), user_id=ANNA, event_end=START - timedelta(days=199))
        assert [one.content for one in await snapshot.memories.list_wanted(wanted, 9)] == ["Likes tea."]


async def test_time_to_live_counts_from_when_it_was_said(storage: Storage, clock: StoppedClock) -> None:
    """A plan of last year, published today, is past; said again it holds on, and an older word shortens nothing."""
    ago = [timedelta(days=days) for days in (200, 20, 90)]
    turns = tuple(NewInteraction(content="I run.", happened_at=START - one) for one in ago)
    await storage.append(ORG, said().model_copy(update={"interactions": turns}))
    expiries = []
    for number in (1, 2, 3):
        one = candidate("Runs.", (number,), time_to_live=TimeToLive.ONE_QUARTER)
        known = [memory.memory_id for memory in await learned(storage)]
        action = Action.UPDATE if known else Action.ADD
        await applied(storage, clock, decided(action, one, *known))
        [memory] = await learned(storage)
        expiries.append(memory.expires_at - START)
    assert expiries == [timedelta(days=-110), timedelta(days=70), timedelta(days=70)]


async def test_playbook_carries_its_extractors_name(storage: Storage, clock: StoppedClock) -> None:
    """A playbook is filed under who found it."""
    await publish(storage, clock)
    one = candidate(
        "Use pnpm.", (1,), kind=MemoryKind.USER_PLAYBOOK, trigger="when installing", pitfall="npm"
    )
    await applied(storage, clock, decided(Action.ADD, one))
    [memory] = await learned(storage, MemoryKind.USER_PLAYBOOK)
    assert (memory.name, memory.trigger, memory.pitfall) == ("x", "when installing", "npm")


async def test_superseded_memory_is_archived_with_its_successor(
    storage: Storage, clock: StoppedClock
) -> None:
    """The former one stays in history, and says by what and from when on it was replaced."""
    await publish(storage, clock)
    async with storage.begin(ORG) as tx:
        [old, other] = await tx.memories.add([new_memory("Lives in Rome."), new_memory("Has a cat.")])
    new = candidate("Lives in Oslo.", (3,))
    done = await applied(storage, clock, decided(Action.SUPERSEDE, new, old.memory_id))
    assert (done.added_count, done.removed_count) == (1, 1)
    [kept, home] = await learned(storage)
    [former] = await learned(storage, statuses=(Status.ARCHIVED,))
    assert (kept, home.content) == (other, "Lives in Oslo.")
    assert former.superseded_by == home.memory_id
    assert former.valid_to == home.valid_from == START + timedelta(hours=2)


async def test_merged_memory_says_the_relationships_of_those_it_was_merged_from(
    storage: Storage, clock: StoppedClock
) -> None:
    """They hold as long as it does; a memory that replaces another says only its own."""
    await publish(storage, clock)
    async with storage.begin(ORG) as tx:
        sister = await speak(tx, "Lisa is a sister.", ties=(("Lisa", "sister_of", "user", 0.8),))
        work = await speak(tx, "Lisa works at Acme.", ties=(("Lisa", "works_at", "Acme", 0.8),))
    home = (RelationshipMention(source="Lisa", target="Bonn", relationship_type="lives_in"),)
    one = candidate("Lisa, a sister, lives in Bonn.", (1,), relationships=home)
    await applied(storage, clock, decided(Action.MERGE, one, sister.memory_id))
    assert await told_of_lisa(storage) == {"sister of user", "works at Acme", "lives in Bonn"}
    other = (RelationshipMention(source="Lisa", target="Globex", relationship_type="works_at"),)
    new = candidate("Lisa works at Globex.", (2,), relationships=other)
    await applied(storage, clock, decided(Action.SUPERSEDE, new, work.memory_id), uids="later")
    assert await told_of_lisa(storage) == {"sister of user", "works at Globex", "lives in Bonn"}


async def told_of_lisa(storage: Storage) -> set[str]:
    async with storage.read(ORG, user_id=ANNA) as snapshot:
        [lisa] = await known_entities(snapshot, ANNA, "Lisa")
    return set(lisa.details)


async def test_discarded_and_baseless_candidates_leave_no_trace(
    storage: Storage, clock: StoppedClock
) -> None:
    """What is discarded, or rests on turns that are gone, is neither stored nor counted in the graph."""
    await publish(storage, clock)
    tie = (RelationshipMention(source="user", target="Ghost", relationship_type="knows"),)
    done = await applied(
        storage,
        clock,
        decided(Action.DISCARD, candidate("x", (1,), relationships=tie)),
        decided(Action.ADD, candidate("y", (99,), relationships=tie)),
    )
    assert (done.added_count, done.changes) == (0, [])
    assert await learned(storage) == []
    async with storage.read(ORG) as snapshot:
        assert await ties_of(snapshot) == []


async def test_update_of_a_memory_that_is_gone_adds_it(storage: Storage, clock: StoppedClock) -> None:
    """A target that was deleted meanwhile does not swallow what was said."""
    await publish(storage, clock)
    done = await applied(storage, clock, decided(Action.UPDATE, candidate("Likes tea.", (1,)), 99))
    assert (done.added_count, done.updated_count) == (1, 0)
    assert [memory.content for memory in await learned(storage)] == ["Likes tea."]


async def test_update_never_moves_an_expiry_back(storage: Storage, clock: StoppedClock) -> None:
    """An old turn that is read late refreshes nothing that newer turns said."""
    await publish(storage, clock)
    later = START + timedelta(days=30)
    fresh = new_memory(
        "Likes tea.", attributes=Attributes(time_to_live=TimeToLive.ONE_DAY), expires_at=later,
        source_interaction_ids=(3,),
    )  # fmt: skip
    async with storage.begin(ORG) as tx:
        [memory] = await tx.memories.add([fresh])
    await applied(storage, clock, decided(Action.UPDATE, candidate("Likes tea.", (1,)), memory.memory_id))
    [kept] = await learned(storage)
    assert (kept.expires_at, kept.source_interaction_ids) == (later, (3, 1))


async def test_what_is_said_again_adds_what_was_missing(storage: Storage, clock: StoppedClock) -> None:
    """What was there stays, and nothing is added to what a person confirmed."""
    await publish(storage, clock)
    known = {"kind": MemoryKind.USER_PLAYBOOK, "source_interaction_ids": (1,), "keywords": ("a",)}
    mine, theirs = (
        new_memory("Use pnpm.", uid="m", rationale="faster", **known),
        new_memory("Use uv.", uid="t", attributes=Attributes(confirmed_through=InteractionId(3)), **known),
    )
    async with storage.begin(ORG) as tx:
        stored = await tx.memories.add([mine, theirs])
    for memory in stored:
        again = candidate(
            memory.content, (2,), kind=MemoryKind.USER_PLAYBOOK, pitfall="npm", rationale="said so",
            keywords=("b",), custom_features={"team": "web"},
        )  # fmt: skip
        await applied(storage, clock, decided(Action.UPDATE, again, memory.memory_id))
    async with storage.read(ORG) as snapshot:
        open_one, confirmed = await snapshot.memories.get_many([one.memory_id for one in stored])
    assert (open_one.pitfall, open_one.rationale, open_one.keywords) == ("npm", "faster", ("a", "b"))
    assert open_one.attributes.custom_features == {"team": "web"}
    assert (confirmed.pitfall, confirmed.rationale, confirmed.keywords) == (None, None, ("a",))
    assert confirmed.attributes.custom_features == {}
    assert {one.source_interaction_ids for one in (open_one, confirmed)} == {(1, 2)}


async def test_end_that_a_person_set_outlives_what_was_said_before_it(
    storage: Storage, clock: StoppedClock
) -> None:
    """Of a fact that would hold for ever: read again it still ends then; said again after that it holds again."""
    days = [timedelta(days=one) for one in (-20, -3, -1)]
    turns = tuple(NewInteraction(content="I run.", happened_at=START + one) for one in days)
    await storage.append(ORG, said().model_copy(update={"interactions": turns}))
    until = START - timedelta(days=2)
    async with storage.begin(ORG) as tx:
        [memory] = await tx.memories.add([new_memory("Runs.", expires_at=until)])
    ends = []
    for number in (1, 2, 3):
        one = candidate("Runs.", (number,))
        await applied(storage, clock, decided(Action.UPDATE, one, memory.memory_id))
        [kept] = await learned(storage)
        ends.append(kept.expires_at)
    assert ends == [until, until, None]


async def test_claim_of_an_agent_lowers_the_confidence_in_what_it_contradicts(
    storage: Storage, clock: StoppedClock
) -> None:
    """By a tenth each time, and never below that in the claim; the memory stands, and its history has the change."""
    await publish(storage, clock)
    async with storage.begin(ORG) as tx:
        [home] = await tx.memories.add([new_memory("Lives in Rome.", confidence=0.55)])
    claim = Decision(
        action=Action.DISCARD,
        candidate=candidate("Lives in Oslo.", (3,), confidence=0.5, is_unconfirmed=True),
        dropped=Rejection.OUTDATED,
        doubts=(home.memory_id,),
    )
    for _ in range(2):
        await applied(storage, clock, claim)
        [doubted] = await learned(storage)
        assert (doubted.content, doubted.confidence) == ("Lives in Rome.", 0.5)
