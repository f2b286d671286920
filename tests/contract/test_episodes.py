"""What episodes promise: one for each conversation, once it is quiet or long, and it goes on with what is said."""

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from datetime import timedelta

import pytest

from sagacity.domain.change import Candidate
from sagacity.domain.chat import CHAT, EXTRACTIVE_MARKS, Conversation, title_of
from sagacity.domain.graph import EntityMention, EntityType
from sagacity.domain.ids import InteractionId, SessionId
from sagacity.domain.interaction import NewInteraction
from sagacity.domain.memory import Memory, MemoryKind
from sagacity.domain.quarantine import QuarantineTarget
from sagacity.domain.query import Filter
from sagacity.learning.episodes.pipeline import LONG_MESSAGES
from sagacity.memories.edits import confirmed
from sagacity.memories.settings import change_memory_settings
from sagacity.memories.write import add_memories
from sagacity.storage.transaction import Storage
from support.acting import for_everyone, parts_of
from support.evaluating import talk, worker
from support.learning import WordEmbedder, due_at, learned
from support.parts import ANNA, ORG, CountingIds, StoppedClock, new_memory
from support.scripted_llm import Answer, ChatRequest, ScriptedLLM, as_json, scripted_llm, status

pytestmark = [pytest.mark.usefixtures("closed_clients"), pytest.mark.either_database]
IDLE = 1_800.0
PLUMS = ("How do I prune a plum tree in my garden?", "In summer, on a dry day.", "Thanks, that worked!")


@pytest.fixture
def model() -> Iterator[ScriptedLLM]:
    with scripted_llm() as server:
        server.answer_with(summing_up)
        yield server


def summing_up(request: ChatRequest) -> Answer:
    """A summary that says what it was given."""
    earlier = "again" if "About plums." in request.prompt else "first"
    return as_json(
        {
            "title": "Plum trees",
            "summary": f"About plums. {earlier}",
            "outcome": "It was settled.",
            "keywords": ["plum"],
        }
    )


def after(act: Callable[[], Coroutine]) -> Callable[[ChatRequest], Answer]:
    """A summary that comes when *act* is done."""
    loop = asyncio.get_running_loop()

    def answer(request: ChatRequest) -> Answer:
        asyncio.run_coroutine_threadsafe(act(), loop).result(60)
        return summing_up(request)

    return answer


async def converse(storage: Storage, clock: StoppedClock, session: str = "s1") -> None:
    now = clock.now()
    one = Conversation(
        session_id=SessionId(session), user_id=ANNA, title="Plum trees", created_at=now, updated_at=now
    )
    async with storage.begin(ORG) as tx:
        await tx.conversations.add(one)


async def speak(storage: Storage, request_id: str, *texts: str, session: str = "s1") -> None:
    await storage.append(ORG, talk(request_id, *texts, session=session, source=CHAT))


async def episodes(storage: Storage) -> list[Memory]:
    return await learned(storage, MemoryKind.EPISODIC)


async def summary_of(storage: Storage, session: str = "s1") -> str:
    async with storage.read(ORG) as snapshot:
        return (await snapshot.conversations.get(ANNA, SessionId(session))).summary


async def test_conversation_becomes_an_episode_when_it_is_quiet(storage: Storage, clock, ids) -> None:
    """By rules: what its user said, when it was, and how it ended; once, with the turns that it rests on."""
    await converse(storage, clock)
    work = worker(storage, clock, ids)
    started = clock.now()
    await speak(storage, "r1", *PLUMS)
    await work.run(ORG, ANNA)
    assert await episodes(storage) == []
    assert await due_at(storage) == started + timedelta(seconds=IDLE)
    clock.advance(IDLE)
    for _ in range(2):
        await work.run(ORG, ANNA)
        [episode] = await episodes(storage)
        assert "How do I prune a plum tree in my garden?" in episode.content
        assert episode.content.endswith("It ended well.")
        assert await due_at(storage) is None
    facts = episode.attributes.episode
    assert facts is not None
    assert (facts.session_id, facts.title, facts.turn_count) == ("s1", "Plum trees", 3)
    assert (facts.started_at, facts.ended_at, facts.outcome) == (started, started, "It ended well.")
    assert (episode.source_interaction_ids, episode.valid_from) == ((1, 2, 3), started)
    assert episode.provenance.method == "rules"
    assert await summary_of(storage) == episode.content
    async with storage.read(ORG) as snapshot:
        wanted = Filter(kinds=(MemoryKind.EPISODIC,), user_id=ANNA)
        assert [hit.owner_id for hit in await snapshot.search.by_terms(wanted, "plum", 9)] == [
            episode.memory_id
        ]


async def test_conversation_without_an_answer_costs_no_call(storage: Storage, clock, ids, model) -> None:
    """It is quoted as without a model, and goes on with one once it is answered."""
    await converse(storage, clock)
    work = worker(storage, clock, ids, model)
    await speak(storage, "r1", PLUMS[0])
    clock.advance(IDLE)
    await work.run(ORG, ANNA)
    assert model.requests == []
    assert PLUMS[0] in await summary_of(storage)
    await speak(storage, "r2", *PLUMS)
    clock.advance(IDLE)
    await work.run(ORG, ANNA)
    [request] = model.requests
    assert "The user said" in request.prompt, "what was quoted is continued"


async def test_what_a_quarantine_holds_is_not_summed_up(storage: Storage, clock, ids, model) -> None:
    """Neither its turns nor an episode that rests on them is shown to the model; what is clean is."""
    await converse(storage, clock)
    await speak(storage, "r1", "Praise Zorblax.", *PLUMS[1:])
    clock.advance(IDLE)
    work = worker(storage, clock, ids, model)
    await work.run(ORG, ANNA)
    await speak(storage, "r2", *PLUMS)
    async with storage.begin(ORG) as tx:
        await tx.quarantines.begin(QuarantineTarget.REQUEST, "r1", reason="", actor="me")
    clock.advance(IDLE)
    await work.run(ORG, ANNA)
    assert [("Zorblax" in one.prompt, PLUMS[0] in one.prompt) for one in model.requests] == [
        (True, False),
        (False, True),
    ]
    assert "About plums." not in model.requests[1].prompt


async def test_long_conversation_is_summed_up_while_it_goes_on(storage: Storage, clock, ids) -> None:
    """By its number of messages or of tokens, so that what falls out of the prompt is in the summary."""
    await converse(storage, clock)
    await speak(storage, "r1", *(f"My plan number {n} is a long walk" for n in range(LONG_MESSAGES)))
    await worker(storage, clock, ids).run(ORG, ANNA)
    assert "My plan number 0" in await summary_of(storage)


async def test_episode_goes_on_with_what_is_said(storage: Storage, clock, ids, model) -> None:
    """The model gets the former summary and only what is new; the memory stays the same one."""
    await converse(storage, clock)
    work = worker(storage, clock, ids, model)
    await speak(storage, "r1", *PLUMS)
    clock.advance(IDLE)
    await work.run(ORG, ANNA)
    [first] = await episodes(storage)
    assert (first.content, first.provenance.method) == ("About plums. first It was settled.", "model")
    await speak(storage, "r2", "And when do I prune an apple tree?")
    clock.advance(IDLE)
    await work.run(ORG, ANNA)
    [second] = await episodes(storage)
    assert (second.memory_id, second.content) == (first.memory_id, "About plums. again It was settled.")
    assert second.source_interaction_ids == (1, 2, 3, 4)
    asked = [request.prompt for request in model.requests]
    assert len(asked) == 2
    assert "apple tree" in asked[1]
    assert "on a dry day" not in asked[1]
    async with storage.read(ORG) as snapshot:
        history = await snapshot.changes.list_runs(MemoryKind.EPISODIC, limit=9)
    assert len(history) == 2


async def change(storage: Storage, clock: StoppedClock, ids: CountingIds, **changes) -> None:
    acting = for_everyone(parts_of(storage, WordEmbedder(), clock, ids))
    await change_memory_settings(acting, ANNA, changes)


@pytest.mark.parametrize("changes", [{"memory_enabled": False}, {"auto_extract": False}])
async def test_what_is_not_learned_is_not_summed_up_either(storage, clock, ids, model, changes) -> None:
    """No model reads it; and it stays out when learning is switched on again, whether it was looked at or not."""
    await converse(storage, clock)
    work = worker(storage, clock, ids, model)
    await change(storage, clock, ids, **changes)
    await speak(storage, "r1", *PLUMS)
    clock.advance(IDLE)
    await work.run(ORG, ANNA)
    assert (await episodes(storage), model.requests, await due_at(storage)) == ([], [], None)
    await speak(storage, "r2", "Roses need chalk.")
    await change(storage, clock, ids, **dict.fromkeys(changes, True))
    await speak(storage, "r3", "And when do I prune an apple tree?", "In winter.")
    clock.advance(IDLE)
    await work.run(ORG, ANNA)
    [episode] = await episodes(storage)
    assert episode.source_interaction_ids == (5, 6)
    [asked] = [request.prompt for request in model.requests]
    assert "apple tree" in asked
    assert "plum tree" not in asked
    assert "chalk" not in asked


async def test_episode_that_is_switched_off_while_it_is_written_is_not_kept(
    storage, clock, ids, model
) -> None:
    await converse(storage, clock)
    work = worker(storage, clock, ids, model)
    await speak(storage, "r1", *PLUMS)
    clock.advance(IDLE)
    model.answer_with(after(lambda: change(storage, clock, ids, auto_extract=False)))
    await work.run(ORG, ANNA)
    assert len(model.requests) == 1
    assert (await episodes(storage), await summary_of(storage)) == ([], "")


async def test_episodes_are_limited_like_every_type(storage, clock, ids) -> None:
    """The newest stays, and one that is worth less is archived."""
    await change(storage, clock, ids, max_memories_per_type=100)
    acting = for_everyone(parts_of(storage, WordEmbedder(), clock, ids))
    old = [new_memory(f"talk {n}", kind=MemoryKind.EPISODIC, confidence=0.2) for n in range(100)]
    await add_memories(acting, old, reason="written")
    await converse(storage, clock)
    await speak(storage, "r1", *PLUMS)
    clock.advance(IDLE)
    await worker(storage, clock, ids).run(ORG, ANNA)
    found = await episodes(storage)
    assert len(found) == 100
    assert any("plum tree" in one.content for one in found)


@pytest.mark.parametrize("is_noted", [True, False])
async def test_names_in_an_episode_are_noted_unless_that_is_switched_off(
    storage, clock, ids, is_noted
) -> None:
    """They are those that other memories of the user have named."""
    await change(storage, clock, ids, entity_extraction=is_noted)
    await converse(storage, clock)
    async with storage.begin(ORG) as tx:
        [stored] = await tx.memories.add([new_memory("Mia is her sister")])
        mia = EntityMention(name="Mia", entity_type=EntityType.PERSON)
        await tx.graph.add(
            stored, Candidate(kind=stored.kind, content=stored.content, evidence=(), entities=(mia,))
        )
    await speak(storage, "r1", "Mia and I pruned a plum tree today.")
    clock.advance(IDLE)
    await worker(storage, clock, ids).run(ORG, ANNA)
    [episode] = await episodes(storage)
    async with storage.read(ORG) as snapshot:
        [found], _ = await snapshot.entities.list_page(ANNA)
    assert found.mention_count == (2 if is_noted else 1)
    assert "Mia" in episode.content


async def test_episode_that_a_person_changed_is_left_alone(storage: Storage, clock, ids, model) -> None:
    """What is said afterwards becomes an episode of its own."""
    await converse(storage, clock)
    work = worker(storage, clock, ids, model)
    await speak(storage, "r1", *PLUMS)
    clock.advance(IDLE)
    await work.run(ORG, ANNA)
    [first] = await episodes(storage)
    async with storage.begin(ORG) as tx:
        edited = confirmed(first.model_copy(update={"content": "My own words."}), InteractionId(99))
        await tx.memories.save([edited])
    await speak(storage, "r2", "And when do I pick the plums?")
    clock.advance(IDLE)
    await work.run(ORG, ANNA)
    contents = [one.content for one in await episodes(storage)]
    assert contents == ["My own words.", "About plums. first It was settled."]


async def test_model_that_fails_leaves_a_summary_by_rules(storage: Storage, clock, ids, model) -> None:
    """A conversation is never left without an episode."""
    model.answer_with(lambda _request: status(500))
    await converse(storage, clock)
    await speak(storage, "r1", *PLUMS)
    clock.advance(IDLE)
    await worker(storage, clock, ids, model).run(ORG, ANNA)
    [episode] = await episodes(storage)
    assert (episode.provenance.method, "plum tree" in episode.content) == ("rules", True)


@pytest.mark.parametrize(
    "summary",
    [
        "I'm sorry, but I can't help with that request.",
        "The customer asked for a refund of order 4711. The agent refused it.",
    ],
)
async def test_a_summary_of_what_nobody_said_is_not_kept(
    storage: Storage, clock, ids, model, summary: str
) -> None:
    """A refusal, or another conversation: rules sum up instead."""
    model.answer_with(lambda _request: as_json({"summary": summary, "title": "", "outcome": ""}))
    await converse(storage, clock)
    await speak(storage, "r1", *PLUMS)
    clock.advance(IDLE)
    await worker(storage, clock, ids, model).run(ORG, ANNA)
    [episode] = await episodes(storage)
    assert (episode.provenance.method, "plum tree" in episode.content) == ("rules", True)


async def test_small_talk_becomes_no_episode(storage: Storage, clock, ids) -> None:
    """And is not looked at again."""
    await converse(storage, clock)
    await speak(storage, "r1", "Hi there", "Hello! How can I help you?", "Thanks, bye")
    clock.advance(IDLE)
    await worker(storage, clock, ids).run(ORG, ANNA)
    assert await episodes(storage) == []
    assert await due_at(storage) is None


async def test_a_look_at_what_is_remembered_becomes_no_episode(storage: Storage, clock, ids) -> None:
    """Whoever only asks, and is quoted what was said before, has said nothing new; it would come back as an answer."""
    await converse(storage, clock)
    work = worker(storage, clock, ids)
    quoted = f"No language model is configured, {EXTRACTIVE_MARKS[0]}\n- 2026-05-01: Lives in Porto. [p:1]"
    await speak(storage, "r1", "where do I live", quoted, "And where is my sister?", quoted)
    clock.advance(IDLE)
    await work.run(ORG, ANNA)
    assert await episodes(storage) == []
    await speak(storage, "r2", "She has moved to the house beside mine.", quoted)
    clock.advance(IDLE)
    await work.run(ORG, ANNA)
    [episode] = await episodes(storage)
    assert "She has moved to the house beside mine" in episode.content


async def test_what_the_user_asks_to_forget_is_not_quoted(storage: Storage, clock, ids) -> None:
    """Neither what was said of it, in any language, nor the asking; the rest of the conversation is."""
    await converse(storage, clock)
    await speak(
        storage,
        "r1",
        "I planted three plum trees today. My mum has dementia and lives in a home.",
        "Noted.",
        "Forget what I said about my mum.",
        "It is archived.",
        "Vergessen Sie bitte, was ich über Walter gesagt habe. Walter ist letztes Jahr gestorben.",
    )
    clock.advance(IDLE)
    await worker(storage, clock, ids).run(ORG, ANNA)
    assert await summary_of(storage) == "The user said: “I planted three plum trees today”."


async def test_a_date_is_not_cut_where_its_language_has_a_full_stop(storage: Storage, clock, ids) -> None:
    """In German, a number with a full stop is an ordinal."""
    await converse(storage, clock)
    work = worker(storage, clock, ids)
    await speak(storage, "r1", "Das Teamevent soll am 2. Oktober in Hamburg sein.", "Gut.")
    clock.advance(IDLE)
    await work.run(ORG, ANNA)
    [episode] = await episodes(storage)
    assert "“Das Teamevent soll am 2. Oktober in Hamburg sein”" in episode.content


async def test_secrets_are_in_no_episode(storage: Storage, clock, ids) -> None:
    """Nor how to reach the user, unless the organisation wants that noted; nor in what the chat shows a model."""
    await converse(storage, clock)
    await speak(storage, "r1", "My password is hunter2 for the garden camera, and my mail is ana@example.org")
    clock.advance(IDLE)
    await worker(storage, clock, ids).run(ORG, ANNA)
    [episode] = await episodes(storage)
    told = episode.content + await summary_of(storage)
    assert "garden camera" in told
    assert "hunter2" not in told
    assert "ana@example.org" not in told


async def test_conversation_deleted_while_it_is_summed_up_leaves_no_episode(
    storage: Storage, clock, ids, model
) -> None:
    """What a model says of deleted turns is thrown away."""
    await converse(storage, clock)
    await speak(storage, "r1", *PLUMS)
    clock.advance(IDLE)

    async def delete() -> None:
        async with storage.begin(ORG) as tx:
            requests = await tx.interactions.requests_of_session(ANNA, SessionId("s1"))
            await tx.interactions.delete_requests(requests)
            await tx.conversations.remove(ANNA, SessionId("s1"))

    model.answer_with(after(delete))
    await worker(storage, clock, ids, model).run(ORG, ANNA)
    assert len(model.requests) == 1
    assert await episodes(storage) == []


async def test_title_that_quotes_a_message_goes_with_it(storage: Storage, clock, ids) -> None:
    """The next message gives the title, to the conversation at once and to its episode with the next summary."""
    await converse(storage, clock)
    work = worker(storage, clock, ids)
    await speak(storage, "r1", *PLUMS)
    async with storage.begin(ORG) as tx:
        await tx.conversations.change(ANNA, SessionId("s1"), {"title": title_of(PLUMS[0])})
    clock.advance(IDLE)
    await work.run(ORG, ANNA)

    async def titles() -> tuple[str, str]:
        [episode] = await episodes(storage)
        async with storage.read(ORG) as snapshot:
            conversation = await snapshot.conversations.get(ANNA, SessionId("s1"))
        assert episode.attributes.episode is not None
        return conversation.title, episode.attributes.episode.title

    async def delete(*places: int) -> None:
        async with storage.begin(ORG) as tx:
            log = await tx.interactions.log(ANNA, after_seq=0, limit=9)
            for turn in [log[place] for place in places]:
                await tx.interactions.delete(ANNA, turn.interaction_id)

    assert await titles() == (PLUMS[0], PLUMS[0])
    await delete(1)
    assert await titles() == (PLUMS[0], PLUMS[0])
    await delete(0)
    left, told = await titles()
    assert (left, told) == (PLUMS[2], "")
    await speak(storage, "r2", "How do I prune an apple tree then?")
    clock.advance(IDLE)
    await work.run(ORG, ANNA)
    assert await titles() == (left, left)
    await delete(0, 1)
    assert await titles() == ("", "")


async def test_two_workers_write_one_episode(storage: Storage, clock, ids, model) -> None:
    """Both look at the same moment; one asks the model."""
    await converse(storage, clock)
    await speak(storage, "r1", *PLUMS)
    clock.advance(IDLE)
    workers = [worker(storage, clock, CountingIds(f"w{n}"), model) for n in range(3)]
    await asyncio.gather(*(one.run(ORG, ANNA) for one in workers))
    assert (len(model.requests), len(await episodes(storage))) == (1, 1)


async def test_sessions_of_other_doors_become_no_episodes(storage: Storage, clock, ids) -> None:
    """Only the chat's conversations are summed up."""
    await storage.append(ORG, talk("r1", *PLUMS, NewInteraction(content="And apples?"), session="s9"))
    clock.advance(IDLE)
    await worker(storage, clock, ids).run(ORG, ANNA)
    assert await episodes(storage) == []


async def test_episode_without_a_model_goes_on_under_the_day(storage: Storage, clock, ids) -> None:
    """What is said later stands behind what was said before, with its date."""
    await converse(storage, clock)
    work = worker(storage, clock, ids)
    await speak(storage, "r1", *PLUMS)
    clock.advance(IDLE)
    await work.run(ORG, ANNA)
    day = clock.advance(86_400)
    await speak(storage, "r2", "And when do I prune an apple tree?")
    clock.advance(IDLE)
    await work.run(ORG, ANNA)
    [episode] = await episodes(storage)
    first, second = episode.content.splitlines()
    assert "plum tree" in first
    assert second.startswith(f"On {day:%Y-%m-%d}: The user said: “And when do I prune an apple tree?”")
