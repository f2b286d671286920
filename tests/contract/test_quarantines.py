"""What storage promises of quarantines, on every database."""

from collections.abc import Sequence
from datetime import timedelta

import pytest

from sagacity.domain.chat import AnswerSource, Conversation
from sagacity.domain.cluster import PlaybookCluster
from sagacity.domain.ids import InteractionId, MemoryId, RequestId, SessionId, UserId
from sagacity.domain.interaction import INTERACTION, NewInteraction
from sagacity.domain.memory import ArchivedBy, Attributes, Memory, MemoryKind, NewMemory, SkillFacts, Status
from sagacity.domain.principal import Principal
from sagacity.domain.quarantine import QuarantineTarget
from sagacity.domain.query import Filter
from sagacity.learning.windows.learners import Learner
from sagacity.learning.windows.window import Due, read_windows
from sagacity.storage.transaction import Storage, Transaction
from support.exchanges import exchange
from support.learning import Recorder
from support.parts import ANNA, BEN, ORG, OTHER_ORG, START, new_memory, said

SOURCE, LEARNER = QuarantineTarget.SOURCE, QuarantineTarget.LEARNER
ALL = Filter(kinds=tuple(MemoryKind), interactions=True, statuses=())
WHY = {"reason": "planted", "actor": "me"}


async def begin(storage: Storage, target: QuarantineTarget, value: str) -> str:
    async with storage.begin(ORG) as tx:
        return (await tx.quarantines.begin(target, value, **WHY)).quarantine_id


async def release(storage: Storage, quarantine_id: str) -> None:
    async with storage.begin(ORG) as tx:
        await tx.quarantines.release(quarantine_id, **WHY)


async def found(storage: Storage, tenant=ORG) -> set[str]:
    """What callers see of memories and turns, by list and by search."""
    async with storage.read(Principal(tenant=tenant)) as tx:
        listed = {one.content for one in await tx.memories.list_wanted(ALL, 99)}
        turns = {one.content for one in await tx.interactions.list_wanted(ALL, 99)}
        hits = await tx.search.by_terms(ALL, "poison clean", 99)
        by_number = await tx.memories.get_many([hit.owner_id for hit in hits if hit.kind != "interaction"])
        assert {one.content for one in by_number} == listed
        assert len(hits) == len(listed) + len(turns)
        return listed | turns


async def test_what_comes_later_is_held_and_a_cancelled_one_held_nothing(storage: Storage) -> None:
    """Turns, what they teach and what is made of that; another organisation's stay. Released, all are back."""
    for tenant in (ORG, OTHER_ORG):
        await storage.append(tenant, said("poison turn", request_id="r1", source="web"))
        await storage.append(tenant, said("clean turn", request_id="r2", source="app"))
    with pytest.raises(RuntimeError):
        await _cut_short(storage)
    assert await found(storage) == {"poison turn", "clean turn"}
    one = await begin(storage, SOURCE, "web")
    assert await found(storage) == {"clean turn"}
    assert await found(storage, OTHER_ORG) == {"poison turn", "clean turn"}
    await storage.append(ORG, said("poison again", request_id="r3", source="web"))
    async with storage.begin(ORG) as tx:
        [learned, clean] = await tx.memories.add(
            [
                new_memory("poison memory", kind=MemoryKind.USER_PLAYBOOK, source_request_ids=("r2", "r3")),
                new_memory("clean memory", source_request_ids=("r2",)),
            ]
        )
        assert (learned.is_held, clean.is_held) == (True, False)
        skill = _skill("poison skill", learned.memory_id)
        [made] = await tx.memories.add([skill])
        await tx.memories.save([clean.model_copy(update={"source_request_ids": ("r2", "r1")})])
    assert made.is_held
    assert await found(storage) == {"clean turn"}
    await release(storage, one)
    everything = {
        "poison turn",
        "clean turn",
        "poison again",
        "poison memory",
        "clean memory",
        "poison skill",
    }
    assert await found(storage) == everything


async def test_all_that_a_learner_made_is_held_with_what_rests_on_it(storage: Storage) -> None:
    """By the name of an extractor or a playbook; groups with a held member are left alone by distillation."""
    async with storage.begin(ORG) as tx:
        noted = new_memory("poison fact", attributes=Attributes(extractor_names=('o"dd', "wrong")))
        [_, rule, other, _] = await tx.memories.add(
            [
                noted,
                new_memory("poison rule", kind=MemoryKind.USER_PLAYBOOK, name="wrong"),
                new_memory("clean rule", kind=MemoryKind.USER_PLAYBOOK, name="style", user_id=BEN),
                new_memory("clean fact", attributes=Attributes(extractor_names=("Wrong", "wrongly"))),
            ]
        )
        [shared] = await tx.memories.add([_skill("poison skill", None)])
        group = {
            "learner": "skills",
            "name": "style",
            "agent_version": "",
            "member_ids": (rule.memory_id, other.memory_id),
        }
        at = {"created_at": START, "updated_at": START, "memory_id": shared.memory_id}
        await tx.clusters.save([PlaybookCluster(cluster_id="c", **group, **at)])
    first = await begin(storage, LEARNER, "wrong")
    second = await begin(storage, QuarantineTarget.USER, ANNA)
    async with storage.begin(ORG) as tx:
        assert await tx.quarantines.held_learners() == {"wrong"}
        assert await tx.clusters.of("skills", "style", "") == []
        assert await tx.clusters.candidates("skills", "style", "") == {}
        assert list(await tx.clusters.candidates("other", "style", "")) == [other.memory_id]
    assert await found(storage) == {"clean rule"}
    await release(storage, second)
    assert await found(storage) == {"clean rule", "clean fact"}
    async with storage.read(Principal(tenant=ORG), shows_held=True) as tx:
        held = await tx.quarantines.held_by(await tx.quarantines.get(first), limit=9, offset=0)
        assert [one.content for one in held.memories] == ["poison fact", "poison rule", "poison skill"]
    await release(storage, first)
    assert len(await found(storage)) == 5


async def test_an_erased_user_leaves_no_quarantine_behind(storage: Storage) -> None:
    """Neither the user's own, nor one of the user's requests, nor a reason that names the user."""
    await storage.append(ORG, said("poison", request_id="r1", user_id=UserId("longname"), source="web"))
    for target, value in ((QuarantineTarget.USER, "longname"), (QuarantineTarget.REQUEST, "r1")):
        await begin(storage, target, value)
    async with storage.begin(ORG) as tx:
        kept = await tx.quarantines.begin(SOURCE, "web", reason="what longname sent", actor="me")
        await tx.quarantines.forget_user("longname")
        [left] = await tx.quarantines.list_newest(limit=9)
    assert (left.quarantine_id, left.reason) == (kept.quarantine_id, "")
    assert await found(storage) == set()


async def test_no_window_mixes_what_is_held_with_what_is_not(storage: Storage) -> None:
    """Clean turns are read without held ones, before them or among them; each goes on where the other ended."""
    for number, source in enumerate(("web", "app", "app", "web", "app"), start=1):
        await storage.append(ORG, said(f"turn {number}", request_id=f"r{number}", source=source))
    await begin(storage, SOURCE, "web")
    learner = Learner(
        kind=MemoryKind.PROFILE,
        extractor_name="x",
        extractor=Recorder(),
        window_size=10,
        step=5,
        sources=frozenset(),
    )
    read: list[tuple[list[int], list[int]]] = []
    async with storage.read(ORG) as tx:
        first = 1
        while first <= 5:
            [window] = await read_windows(tx, ANNA, Due(learner, first, 5))
            read.append(([one.seq for one in window.context], [one.seq for one in window.unread]))
            first = window.last_seq + 1
    assert read == [([], [1]), ([], [2, 3]), ([1, 2, 3], [4]), ([2, 3], [5])]


async def _cut_short(storage: Storage) -> None:
    async with storage.begin(ORG) as tx:
        await tx.quarantines.begin(SOURCE, "web", **WHY)
        raise RuntimeError


def _skill(content: str, playbook_id: MemoryId | None) -> NewMemory:
    facts = SkillFacts(name=content, user_playbook_ids=() if playbook_id is None else (playbook_id,))
    return new_memory(content, kind=MemoryKind.SKILL, user_id=None, attributes=Attributes(skill=facts))


async def states(storage: Storage) -> dict[str, Memory]:
    """All memories by what they say."""
    async with storage.read(ORG) as tx:
        return {one.content: one for one in await tx.memories.list_wanted(ALL, 99)}


async def in_force(storage: Storage) -> set[str]:
    """What callers find in force, by list and by search."""
    wanted = ALL.model_copy(update={"statuses": (Status.CURRENT,), "interactions": False})
    async with storage.read(Principal(tenant=ORG)) as tx:
        listed = {one.content for one in await tx.memories.list_wanted(wanted, 99)}
        hits = await tx.search.by_terms(wanted, "poison clean", 99)
        assert {one.content for one in await tx.memories.get_many([hit.owner_id for hit in hits])} == listed
    return listed


async def replaced(storage: Storage, *, by: dict[str, str]) -> None:
    """Store memories, the poison of them by a source that is held later, each replaced by another or by none."""
    async with storage.begin(ORG) as tx:
        stored = await tx.memories.add(
            [new_memory(one, source="web" if "poison" in one else "app") for one in by]
        )
        known = {one.content: one for one in stored}
        await tx.memories.save(
            [
                known[one].model_copy(
                    update={
                        "status": Status.ARCHIVED,
                        "archived_by": ArchivedBy.LEARNER,
                        "superseded_by": known[successor].memory_id,
                        "valid_to": START,
                    }
                )
                for one, successor in by.items()
                if successor
            ]
        )


async def test_what_poison_replaced_is_in_force_while_it_is_held(storage: Storage) -> None:
    """Unless something clean replaced the poison in turn; afterwards everything stands as before, but for news."""
    await replaced(
        storage,
        by={
            "clean one": "poison one",
            "poison one": "",
            "clean two": "poison two",
            "poison two": "poison three",
            "poison three": "",
            "clean three": "poison four",
            "poison four": "clean four",
            "clean four": "",
        },
    )
    before = await states(storage)
    first = await begin(storage, SOURCE, "web")
    assert await in_force(storage) == {"clean one", "clean two", "clean four"}
    assert (await states(storage))["clean one"].valid_to is None
    second = await begin(storage, QuarantineTarget.USER, ANNA)
    assert await in_force(storage) == set()
    await release(storage, second)
    await release(storage, first)
    assert await states(storage) == before
    assert await in_force(storage) == {"poison one", "poison three", "clean four"}
    third = await begin(storage, SOURCE, "web")
    async with storage.begin(ORG) as tx:
        both = ALL.model_copy(update={"is_held": None})
        known = {one.content: one for one in await tx.memories.list_wanted(both, 99)}
        later = known["clean one"].model_copy(update={"updated_at": START + timedelta(days=1)})
        await tx.memories.save([later])
        await tx.memories.delete(MemoryKind.PROFILE, ids=[known["poison three"].memory_id])
    await release(storage, third)
    assert await in_force(storage) == {"poison one", "clean one", "clean two", "clean four"}


async def test_an_answer_that_had_poison_in_sight_is_held_with_what_rests_on_it(storage: Storage) -> None:
    """Also one that saw only such an answer, and one that is stored when the quarantine stands already."""
    async with storage.begin(ORG) as tx:
        [poison] = await tx.memories.add([new_memory("poison fact", source="web")])
        answers = [
            await _answer(tx, word, saw) for word, saw in (("one", (f"p:{poison.memory_id}",)), ("two", ()))
        ]
        answers.append(await _answer(tx, "three", (f"i:{answers[0]}",)))
        await tx.memories.add(
            [
                new_memory(
                    f"clean or poison {number}",
                    source_request_ids=(RequestId(word),),
                    source_interaction_ids=(answers[number],),
                )
                for number, word in enumerate(("one", "two"))
            ]
        )
    everything = await found(storage)
    one = await begin(storage, SOURCE, "web")
    two = await begin(storage, QuarantineTarget.USER, "nobody")
    questions = {f"clean question {word}" for word in ("one", "two", "three")}
    left = {*questions, "clean answer two", "clean or poison 1"}
    assert await found(storage) == left
    async with storage.begin(ORG) as tx:
        answers.append(await _answer(tx, "four", (f"p:{poison.memory_id}",)))
    left.add("clean question four")
    assert await found(storage) == left
    await release(storage, two)
    assert await found(storage) == left
    await release(storage, one)
    assert await found(storage) == everything | {"clean question four", "clean answer four"}


async def _answer(tx: Transaction, word: str, saw: Sequence[str]) -> InteractionId:
    """A question, and its answer with *saw* in the prompt; returns the answer's number."""
    await tx.interactions.append([said(f"clean question {word}", request_id=word)])
    kinds = {"p": "profile", "i": INTERACTION}
    sources = tuple(AnswerSource(citation=name, kind=kinds[name[0]], item_id=name[2:]) for name in saw)
    talk = Conversation(session_id=SessionId(word), user_id=ANNA, created_at=START, updated_at=START)
    await tx.conversations.add(talk)
    running = exchange(word, session_id=word, request_id=word)
    await tx.exchanges.add(running.model_copy(update={"memories": sources}))
    answer = NewInteraction(role="Assistant", content=f"clean answer {word}")
    [number] = await tx.interactions.extend(RequestId(word), [answer])
    await tx.exchanges.write(running.exchange_id, word, {"answer_turn": number})
    await tx.quarantines.hold_answer(number, sources)
    return number
