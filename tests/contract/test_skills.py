"""Clusters of user playbooks become skills, on both databases: when, what, and what a person's word is worth."""

import asyncio

import pytest

from sagacity.domain.errors import Conflict, MalformedOutput
from sagacity.domain.interaction import NewInteraction, ToolUse
from sagacity.domain.ledger import CallFilter
from sagacity.domain.memory import Approval, MemoryKind, Status
from support.learning import WordEmbedder
from support.loop_work import loop_work
from support.parts import ORG, OTHER_ORG, said
from support.scripted_llm import as_json, garbage, scripted_llm
from support.skills import (
    ACTS,
    NAME,
    REFUND,
    SKILL,
    TRAINS,
    TRAVEL,
    VERSION,
    OneConfig,
    change,
    clusters_of,
    facts,
    generate,
    generator,
    lease,
    scripted,
    skills,
    teach,
)

pytestmark = [pytest.mark.usefixtures("closed_clients"), pytest.mark.either_database]
HOUR = 3_600
MOST_CALLS = 50_000
"""Between two turns of the loop; 2,000 playbooks in one step took 270,000."""


@pytest.fixture
def server():
    with scripted_llm() as running:
        yield running


async def test_rules_write_one_skill_a_cluster(storage, clock, ids):
    """Without a model: what the playbooks say, each thing once, pending, at 1.0.0; a small group gives none."""
    books = await teach(storage, REFUND, *ACTS, ACTS[0], pitfall="promise nothing")
    await teach(storage, TRAVEL, "compare two fares", "mention the seat")
    made = await generate(storage, generator(storage, clock, ids))
    assert (made.created, made.updated, made.skipped_reason) == (1, 0, "")
    assert (made.playbook_count, made.cluster_count) == (6, 1)
    [skill] = await skills(storage)
    assert (skill.kind, skill.user_id, skill.name, skill.agent_version) == (
        MemoryKind.SKILL, None, NAME, VERSION,
    )  # fmt: skip
    assert (skill.approval, skill.provenance.method, facts(skill).version) == (
        Approval.PENDING, "rules", "1.0.0",
    )  # fmt: skip
    assert facts(skill).user_playbook_ids == tuple(book.memory_id for book in books)
    assert skill.content.splitlines()[0].startswith("# ")
    assert f"1. {ACTS[0]}" in skill.content, "what two say comes first"
    assert [skill.content.count(one) for one in (*ACTS, "promise nothing")] == [1, 1, 1, 1]
    assert REFUND in (skill.trigger or "")
    [cluster] = await clusters_of(storage)
    assert (cluster.memory_id, cluster.member_ids) == (
        skill.memory_id, tuple(book.memory_id for book in books),
    )  # fmt: skip


async def test_when_it_runs(storage, clock, ids):
    """Not enabled: no. Within the cooldown: no, and it says until when. Asked for: always, and that begins none."""
    await teach(storage, REFUND, *ACTS)
    off = generator(storage, clock, ids, configs=OneConfig(enabled=False))
    assert "not enabled" in (await generate(storage, off)).skipped_reason
    on = generator(storage, clock, ids, configs=OneConfig(cooldown_hours=2))
    assert (await generate(storage, on)).created == 1
    clock.advance(2 * HOUR - 1)
    again = generator(storage, clock, ids, configs=OneConfig(cooldown_hours=2))  # as after a restart
    assert "ends at 2026-05-01 12:00" in (await generate(storage, again)).skipped_reason
    await teach(storage, REFUND, "thank the customer")
    assert (await generate(storage, again)).updated == 0
    assert (await generate(storage, off, rerun=True)).updated == 1
    clock.advance(HOUR)
    await teach(storage, REFUND, "close the case")
    assert (await generate(storage, again)).updated == 1
    clock.advance(HOUR)
    assert "ends at 2026-05-01 14:59" in (await generate(storage, again)).skipped_reason


async def test_after_an_aggregation_only_where_it_is_wanted(storage, clock, ids):
    """`auto_generate_on_aggregation` and `enabled`, both."""
    await teach(storage, REFUND, *ACTS)
    for options, created in (
        ({"auto_generate_on_aggregation": False}, 0),
        ({"auto_generate_on_aggregation": True, "enabled": False}, 0),
        ({"auto_generate_on_aggregation": True}, 1),
    ):
        made = await generate(storage, generator(storage, clock, ids, configs=OneConfig(**options)))
        assert (made.created, bool(made.skipped_reason)) == (created, not created), options


async def test_a_model_that_fails_begins_no_cooldown(storage, clock, ids, server):
    """The run says what went wrong, writes nothing, and is tried again after the next aggregation."""
    await teach(storage, REFUND, *ACTS)
    one = generator(storage, clock, ids, models=scripted(server))
    server.answer_with(garbage())
    with pytest.raises(MalformedOutput):
        await generate(storage, one)
    assert await skills(storage) == []
    server.answer_with(as_json(SKILL))
    made = await generate(storage, one)
    assert (made.created, made.skipped_reason) == (1, "")


async def test_a_pending_skill_is_written_anew_in_place(storage, clock, ids):
    """The minor version grows, numbers of playbooks are merged, and the former text is in the history."""
    books = await teach(storage, REFUND, *ACTS)
    one = generator(storage, clock, ids)
    await generate(storage, one)
    [before] = await skills(storage)
    async with storage.begin(ORG) as tx:
        await tx.memories.delete(MemoryKind.USER_PLAYBOOK, ids=[books[0].memory_id])
    [new] = await teach(storage, REFUND, "thank the customer")
    clock.advance(60)
    made = await generate(storage, one, rerun=True)
    assert (made.created, made.updated) == (0, 1)
    [after] = await skills(storage)
    assert (after.memory_id, facts(after).version, facts(after).name) == (
        before.memory_id, "1.1.0", facts(before).name,
    )  # fmt: skip
    assert facts(after).user_playbook_ids == (*(book.memory_id for book in books), new.memory_id)
    assert "thank the customer" in after.content
    assert ACTS[0] not in after.content
    assert after.updated_at == clock.now()
    async with storage.read(ORG) as snapshot:
        [added, updated] = await snapshot.changes.of_memories([after.memory_id], limit=10)
        hits = await snapshot.memories.list_newest(MemoryKind.SKILL, limit=10)
    assert (added.action, updated.action, updated.actor) == ("added", "updated", f"skills:{NAME}")
    assert (updated.before.content, updated.after.content) == (before.content, after.content)
    assert len(hits) == 1


async def test_nothing_changes_where_nothing_changed(storage, clock, ids, server):
    """Equal members: no call of a model, no new version, also when someone asks."""
    await teach(storage, REFUND, *ACTS)
    server.answer_with([as_json(SKILL)])
    one = generator(storage, clock, ids, models=scripted(server))
    assert (await generate(storage, one)).created == 1
    [before] = await skills(storage)
    made = await generate(storage, one, rerun=True)
    assert (made.created, made.updated, made.cluster_count) == (0, 0, 1)
    assert await skills(storage) == [before]
    assert len(server.requests) == 1


@pytest.mark.parametrize("decided", ["approved", "edited"])
async def test_what_a_person_decided_is_not_written_over(storage, clock, ids, decided):
    """A new one waits for its review and names whose place it takes; further changes go into that one."""
    await teach(storage, REFUND, *ACTS)
    one = generator(storage, clock, ids)
    await generate(storage, one)
    [first] = await skills(storage)
    if decided == "edited":
        edited = facts(first).model_copy(update={"is_edited": True})
        first = await change(storage, first, attributes=first.attributes.model_copy(update={"skill": edited}))
    else:
        first = await change(storage, first, approval=Approval(decided))
    await teach(storage, REFUND, "thank the customer")
    assert (await generate(storage, one, rerun=True)).updated == 1
    kept, second = await skills(storage)
    assert kept == first
    assert (second.approval, facts(second).version, facts(second).replaces) == (
        Approval.PENDING, "1.1.0", first.memory_id,
    )  # fmt: skip
    await teach(storage, REFUND, "close the case")
    assert (await generate(storage, one, rerun=True)).updated == 1
    kept, third = await skills(storage)
    assert (kept, third.memory_id) == (first, second.memory_id)
    assert (facts(third).version, facts(third).replaces) == ("1.2.0", first.memory_id)


async def test_a_deleted_skill_comes_back_only_when_asked_for(storage, clock, ids):
    """Who deletes a skill does not want it again tomorrow; a rerun, or other playbooks, make a new one."""
    await teach(storage, REFUND, *ACTS)
    one = generator(storage, clock, ids, configs=OneConfig(cooldown_hours=0))
    await generate(storage, one)
    async with storage.begin(ORG) as tx:
        await tx.memories.delete(MemoryKind.SKILL)
    assert (await generate(storage, one)).created == 0
    made = await generate(storage, one, rerun=True)
    assert made.created == 1
    assert [facts(skill).version for skill in await skills(storage)] == ["1.0.0"]
    assert len(await clusters_of(storage)) == 1


async def test_a_model_is_shown_playbooks_and_conversations_as_data(storage, clock, ids, server):
    """Rules with their reasons, turns with the tool calls beside them, no more than asked for, all of it fenced."""
    orders = ToolUse(tool_name="orders.find", tool_data={"limit": 5})
    request = said("I want my money back", request_id="r1", user_id="u0")
    await storage.append(
        ORG,
        request.model_copy(
            update={
                "interactions": (
                    *(NewInteraction(content=f"small talk {n}") for n in range(30)),
                    NewInteraction(role="agent", content="Looking.", tools_used=(orders,)),
                    NewInteraction(content="No, first look up the order! {{playbooks}}"),
                )
            }
        ),
    )
    async with storage.read(ORG) as snapshot:
        turns = (await snapshot.interactions.of_requests(["r1"]))["r1"]
    evidence = turns[-1].interaction_id
    await teach(
        storage, REFUND, *ACTS, rationale="It failed.",
        source_request_ids=("r1",), source_interaction_ids=(evidence,),
    )  # fmt: skip
    server.answer_with([as_json(SKILL)])
    configs = OneConfig(max_interactions_per_skill=4)
    one = generator(storage, clock, ids, models=scripted(server), configs=configs)
    assert (await generate(storage, one)).created == 1
    [skill] = await skills(storage)
    assert (skill.content, skill.trigger) == (SKILL["instructions"], SKILL["description"])
    assert (facts(skill).name, facts(skill).tools) == ("process-refunds", ("orders.find",))
    assert (skill.provenance.method, skill.provenance.prompt_version, skill.provenance.learner) == (
        "model", "skill_generation/v1", f"skills:{NAME}",
    )  # fmt: skip
    [asked] = server.requests
    system, user = (message["content"] for message in asked.messages)
    data = user.split("<<<conversations ")[1]
    assert "tool orders.find" in data
    assert '{"limit": 5}' in data
    assert "No, first look up the order! {{playbooks}}" in data
    assert data.count("small talk") == 2
    assert "why] It failed." in user.split("<<<playbooks ")[1]
    assert "small talk" not in system
    async with storage.read(ORG) as snapshot:
        [call] = await snapshot.model_calls.list_newest(CallFilter(), limit=10)
    assert (call.learner, call.user_id, call.prompt, call.outcome) == (
        f"skills:{NAME}", "", "skill_generation/v1", "ok",
    )  # fmt: skip


async def test_an_update_by_a_model_gets_the_skill_as_it_stands(storage, clock, ids, server):
    """`skill_update`; the name stays, so that whoever has the folder finds it again."""
    await teach(storage, REFUND, *ACTS)
    better = SKILL | {"name": "another-name", "instructions": "# Refunds\n\n1. Look it up.\n2. Thank."}
    server.answer_with([as_json(SKILL), as_json(better)])
    one = generator(storage, clock, ids, models=scripted(server))
    await generate(storage, one)
    await teach(storage, REFUND, "thank the customer")
    assert (await generate(storage, one, rerun=True)).updated == 1
    [skill] = await skills(storage)
    assert (facts(skill).name, facts(skill).version) == ("process-refunds", "1.1.0")
    assert (skill.content, skill.provenance.prompt_version) == (better["instructions"], "skill_update/v2")
    assert SKILL["instructions"] in server.requests[1].messages[1]["content"]


async def archive(storage, *books) -> None:
    async with storage.begin(ORG) as tx:
        found = await tx.memories.get_many([book.memory_id for book in books])
        await tx.memories.save([one.model_copy(update={"status": Status.ARCHIVED}) for one in found])


async def test_an_update_by_a_model_is_told_what_was_withdrawn(storage, clock, ids, server):
    """By its words; of what was deleted, how many. What was not withdrawn is not among them."""
    books = await teach(storage, REFUND, *ACTS, "thank the customer", "ask for the reason")
    server.answer_with([as_json(SKILL), as_json(SKILL)])
    one = generator(storage, clock, ids, models=scripted(server))
    await generate(storage, one)
    await archive(storage, books[0])
    async with storage.begin(ORG) as tx:
        await tx.memories.delete(MemoryKind.USER_PLAYBOOK, ids=[books[1].memory_id])
    await generate(storage, one, rerun=True)
    user = server.requests[1].messages[1]["content"]
    rules, rest = user.split("<<<playbooks ")[1].split("<<<withdrawn ")
    withdrawn = rest.split("<<<conversations ")[0]
    assert ACTS[0] in withdrawn
    assert "(1 rule deleted, with the words)" in withdrawn
    assert ACTS[0] not in rules
    for kept in (ACTS[2], "thank the customer", "ask for the reason"):
        assert kept in rules
        assert kept not in withdrawn


async def test_a_rule_that_only_fell_out_of_its_cluster_keeps_its_lines(storage, clock, ids):
    """Its words drifted to another occasion; nobody withdrew it."""
    books = await teach(storage, REFUND, *ACTS, "thank the customer")
    one = generator(storage, clock, ids)
    await generate(storage, one)
    [skill] = await skills(storage)
    [far] = await teach(storage, TRAVEL, "name the platform")
    rested = facts(skill).model_copy(
        update={"user_playbook_ids": (*facts(skill).user_playbook_ids, far.memory_id)}
    )
    await change(storage, skill, attributes=skill.attributes.model_copy(update={"skill": rested}))
    await archive(storage, books[0])
    assert (await generate(storage, one, rerun=True)).updated == 1
    [after] = await skills(storage)
    assert "name the platform" in after.content
    assert ACTS[0] not in after.content


async def test_a_model_that_finds_no_skill_is_not_asked_again(storage, clock, ids, server):
    """Until the members change, or someone asks."""
    await teach(storage, REFUND, *ACTS)
    nothing = as_json({"worth_writing": False})
    server.answer_with([nothing, nothing, as_json(SKILL)])
    one = generator(storage, clock, ids, models=scripted(server), configs=OneConfig(cooldown_hours=0))
    for rerun, created, calls in ((False, 0, 1), (False, 0, 1), (True, 0, 2), (True, 1, 3)):
        assert (await generate(storage, one, rerun=rerun)).created == created
        assert len(server.requests) == calls


async def test_a_model_writes_anew_what_rules_wrote_and_never_the_other_way(storage, clock, ids, server):
    """With a key it gets better; while the key is gone, it does not get worse."""
    await teach(storage, REFUND, *ACTS)
    by_rules = generator(storage, clock, ids)
    await generate(storage, by_rules)
    server.answer_with([as_json(SKILL), as_json(SKILL | {"instructions": "# New"})])
    by_model = generator(storage, clock, ids, models=scripted(server))
    assert (await generate(storage, by_model, rerun=True)).updated == 1
    await teach(storage, REFUND, "thank the customer")
    assert (await generate(storage, by_rules, rerun=True)).updated == 0
    [skill] = await skills(storage)
    assert (skill.content, facts(skill).version) == (SKILL["instructions"], "1.1.0")
    assert (await generate(storage, by_model, rerun=True)).updated == 1, "it was still due"


async def test_one_cluster_that_fails_leaves_the_others(storage, clock, ids, server):
    """It is due again the next time; where all fail, nothing is written and the run fails."""
    await teach(storage, REFUND, *ACTS)
    await teach(storage, TRAVEL, "compare two fares", "mention the seat", "say the platform")
    one = generator(storage, clock, ids, models=scripted(server))
    server.answer_with(garbage())
    with pytest.raises(MalformedOutput):
        await generate(storage, one, rerun=True)
    assert (await skills(storage), await clusters_of(storage)) == ([], [])
    server.answer_with(lambda request: as_json(SKILL) if REFUND in request.prompt else garbage())
    made = await generate(storage, one)
    assert (made.created, made.failed) == (1, 1)
    server.answer_with(lambda request: as_json(TRAINS))
    made = await generate(storage, one, rerun=True)
    assert (made.created, made.failed) == (1, 0)
    assert {facts(skill).name for skill in await skills(storage)} == {"process-refunds", "book-trains"}


@pytest.mark.parametrize(
    "instructions",
    [
        "# Refunds\n\n1. Look up the order.\n2. Offer a voucher instead.\n3. Escalate to the legal team.",
        "# Refunds\n\n1. Look up the order.\n2. Ask for the receipt within 14 days.",
    ],
)
async def test_a_skill_that_no_rule_says_is_refused(storage, clock, ids, server, instructions):
    """Steps and values that stand in neither the rules nor the conversations are a model's invention."""
    await teach(storage, REFUND, *ACTS)
    one = generator(storage, clock, ids, models=scripted(server))
    server.answer_with(as_json(SKILL | {"instructions": instructions}))
    with pytest.raises(MalformedOutput, match="says what no rule of the users says"):
        await generate(storage, one, rerun=True)
    assert await skills(storage) == []


async def test_what_happens_while_a_model_writes_counts(storage, clock, ids, server):
    """A playbook that is deleted meanwhile goes into no skill; an approval meanwhile keeps the text approved."""
    books = await teach(storage, REFUND, *ACTS)
    one = generator(storage, clock, ids, models=scripted(server))
    loop = asyncio.get_running_loop()

    async def forget() -> None:
        async with storage.begin(ORG) as tx:
            await tx.memories.delete(MemoryKind.USER_PLAYBOOK, ids=[books[0].memory_id])

    async def approve() -> None:
        [skill] = await skills(storage)
        await change(storage, skill, approval=Approval.APPROVED)

    def meanwhile(doing, answer):
        def script(request):
            asyncio.run_coroutine_threadsafe(doing(), loop).result(10)
            return as_json(answer)

        return script

    server.answer_with(meanwhile(forget, SKILL))
    made = await generate(storage, one)
    assert (made.created, await skills(storage), await clusters_of(storage)) == (0, [], [])
    assert "1 wait for the next run" in made.message
    await teach(storage, REFUND, "thank the customer")
    server.answer_with([as_json(SKILL)])
    assert (await generate(storage, one)).created == 1
    await teach(storage, REFUND, "close the case")
    server.answer_with(meanwhile(approve, SKILL | {"instructions": "# New"}))
    assert (await generate(storage, one, rerun=True)).updated == 1
    approved, waiting = await skills(storage)
    assert (approved.content, approved.approval) == (SKILL["instructions"], Approval.APPROVED)
    assert (waiting.content, facts(waiting).replaces) == ("# New", approved.memory_id)


async def test_a_lost_lease_writes_nothing(storage, clock, ids):
    """The transaction checks it."""
    await teach(storage, REFUND, *ACTS)
    one = generator(storage, clock, ids)
    async with lease(storage) as held:
        pass
    with pytest.raises(Conflict):
        await one.run(ORG, NAME, VERSION, requested=True, lease=held)
    assert await skills(storage) == []


async def test_other_names_versions_states_and_organisations_stay_out(storage, clock, ids):
    """Only current playbooks of that name, version and organisation are clustered."""
    await teach(storage, REFUND, ACTS[0], ACTS[1])
    await teach(storage, REFUND, ACTS[2], name="other")
    await teach(storage, REFUND, ACTS[2], agent_version="agent-v1")
    await teach(storage, REFUND, ACTS[2], status=Status.PENDING)
    await teach(storage, REFUND, ACTS[2], status=Status.ARCHIVED)
    await teach(storage, REFUND, *ACTS, tenant=OTHER_ORG)
    one = generator(storage, clock, ids)
    assert (await generate(storage, one)).created == 0
    assert (await generate(storage, one, tenant=OTHER_ORG)).created == 1
    assert await skills(storage) == []
    [theirs] = await skills(storage, tenant=OTHER_ORG)
    assert facts(theirs).version == "1.0.0"


async def test_a_skill_of_many_playbooks_leaves_the_loop_to_others(storage, clock, ids):
    """What it rests on is read, written up and looked at once more a little at a time, or beside the loop."""
    await teach(storage, REFUND, *(f"look up order {number} first" for number in range(2_000)))
    made_by = generator(storage, clock, ids)
    with loop_work() as work:
        made = await generate(storage, made_by)
    assert (made.created, made.playbook_count) == (1, 2_000)
    assert work.longest < MOST_CALLS


async def test_many_playbooks_with_examples_are_embedded_some_at_a_time(storage, clock, ids):
    """Their vectors are of what is left without the examples, and made anew for each run."""
    counts: list[int] = []

    class Counting(WordEmbedder):
        async def embed(self, texts, *, background=False):
            counts.append(len(texts))
            return await super().embed(texts, background=background)

    contents = (f"always name what it costs in all (for example {number} euros)" for number in range(1_100))
    await teach(storage, REFUND, *contents)
    await generate(storage, generator(storage, clock, ids, embedder=Counting()))
    assert counts[:2] == [1_000, 100]
