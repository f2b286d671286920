"""What aggregation promises: all users count, nothing is lost, and a person's word stands."""

import asyncio
from collections.abc import Iterator

import pytest

from sagacity.domain.cluster import CLUSTER_ID, MEMBER_COUNT, REPLACES, USER_COUNT, AggregationMode
from sagacity.domain.cursor import LogHead
from sagacity.domain.errors import Conflict
from sagacity.domain.ids import ORGANISATION
from sagacity.domain.ledger import CallFilter
from sagacity.domain.memory import Approval, ArchivedBy, MemoryKind, Status
from sagacity.domain.version import VersionFilter
from sagacity.learning.distil.agent_playbooks.trigger import note_playbooks, note_swapped_playbooks
from sagacity.storage.transaction import Storage
from support.aggregation import (
    NAME,
    NOTHING,
    PNPM,
    UNITS,
    VERSION,
    Aggregating,
    in_force_in,
    in_own_words,
    playbook,
    rules_in,
)
from support.parts import ORG, new_memory
from support.scripted_llm import ScriptedLLM, garbage, scripted_llm, status

pytestmark = pytest.mark.either_database

MORNING = ("keep mornings without meetings", "keep mornings without any meetings")


@pytest.fixture
def model() -> Iterator[ScriptedLLM]:
    with scripted_llm() as running:
        running.answer_with(in_own_words)
        yield running


@pytest.fixture
def by_rules(storage: Storage, clock, ids) -> Aggregating:
    return Aggregating(storage, clock, ids)


@pytest.fixture
def by_model(storage: Storage, clock, ids, model: ScriptedLLM, closed_clients) -> Aggregating:
    return Aggregating(storage, clock, ids, model=model)


async def _teach_users(one: Aggregating, contents: tuple[str, ...], **fields) -> list:
    return [
        memory
        for number, content in enumerate(contents)
        for memory in await one.teach(
            content, user_id=f"user-{number}", source_request_ids=(f"r{number}",), **fields
        )
    ]


# --- one playbook out of many ----------------------------------------------------------------------------------------


async def test_rules_of_several_users_become_one_playbook_that_waits_for_approval(
    by_rules: Aggregating,
) -> None:
    """The most typical rule speaks for all; how many stand behind it is on record, and no user's name."""
    await _teach_users(by_rules, PNPM)
    await by_rules.teach("paint the fence green", user_id="loner")
    done = await by_rules.run()
    assert (done.processed, done.clusters, done.generated) == (4, 1, 1)
    [made] = await by_rules.shared()
    assert made.content in PNPM
    assert (made.approval, made.user_id, made.name, made.agent_version) == (
        Approval.PENDING,
        None,
        NAME,
        VERSION,
    )
    assert (made.metadata[MEMBER_COUNT], made.metadata[USER_COUNT]) == (3, 3)
    assert set(made.source_request_ids) == {"r0", "r1", "r2"}
    assert "user-" not in str(made.model_dump())
    [log] = await by_rules.logs()
    assert [one.memory_id for one in log.added] == [made.memory_id]


async def test_a_hundred_and_fifty_rules_all_count(by_rules: Aggregating) -> None:
    """There is no newest hundred: rules far back keep their cluster and their playbook."""
    await _teach_users(by_rules, UNITS)
    await by_rules.run()
    [units] = await by_rules.shared()
    await by_rules.teach_each([(f"use pnpm for packages number {n % 7}", f"user-{n}") for n in range(150)])
    done = await by_rules.run()
    assert (done.processed, done.clusters, done.archived) == (153, 2, 0)
    kept, pnpm = await by_rules.shared()
    assert kept == units
    assert (pnpm.metadata[MEMBER_COUNT], pnpm.metadata[USER_COUNT]) == (150, 150)


async def test_only_current_rules_of_the_name_and_version_count(by_rules: Aggregating) -> None:
    """What is pending, archived, of another name or for another version of the agent is left out."""
    await by_rules.teach(PNPM[0])
    for fields in (
        {"name": "other"},
        {"version": "v2"},
        {"status": Status.PENDING},
        {"status": Status.ARCHIVED},
    ):
        await by_rules.teach(PNPM[1], user_id="ben", **fields)
    done = await by_rules.run()
    assert (done.processed, done.clusters, await by_rules.shared()) == (1, 0, [])


async def test_a_model_sees_the_majority_and_its_words_are_stored(
    by_model: Aggregating, model: ScriptedLLM
) -> None:
    """Rules come grouped by what they ask for, with how many stand behind each, fenced as data."""
    await _teach_users(
        by_model, ("use pnpm for packages", "use pnpm for packages", "never use pnpm for packages")
    )
    model.answer_with(playbook("Install by pnpm.", "adding a package", pitfall="packages by npm"))
    done = await by_model.run()
    [request] = model.requests
    assert "GROUP 1: 2 rules of 2 users" in request.prompt
    assert "GROUP 2: 1 rule of 1 user\n[#3 " in request.prompt, "numbers run through"
    assert "user-0" not in request.prompt
    [made] = await by_model.shared()
    assert (made.content, made.trigger, made.pitfall) == (
        "Install by pnpm.",
        "adding a package",
        "packages by npm",
    )
    assert (made.provenance.method, made.provenance.prompt_version) == ("model", "playbook_aggregation/v1")
    assert done.generated == 1
    async with by_model.storage.read(ORG) as snapshot:
        [call] = await snapshot.model_calls.list_newest(CallFilter())
    assert (call.learner, call.prompt, call.outcome) == (
        f"aggregation:{NAME}",
        "playbook_aggregation/v1",
        "ok",
    )


async def test_a_model_sees_which_groups_share_a_user(by_model: Aggregating, model: ScriptedLLM) -> None:
    """Two groups of one user are no two users."""
    await _teach_users(by_model, ("use pnpm for packages", "use pnpm for packages"))
    await by_model.teach("never use pnpm for packages", user_id="user-1", source_request_ids=("r9",))
    model.answer_with(playbook("Install by pnpm.", "adding a package"))
    await by_model.run()
    [request] = model.requests
    assert "GROUP 1: 2 rules of 2 users\n" in request.prompt
    assert "GROUP 2: 1 rule of 1 user; shares users with GROUP 1\n" in request.prompt


# --- what a run may not do -------------------------------------------------------------------------------------------


async def test_a_second_full_run_erases_nothing_that_waits(by_model: Aggregating, model: ScriptedLLM) -> None:
    """What the run itself would replace is not shown as in force; and an answer of null takes nothing away."""
    await _teach_users(by_model, PNPM)
    await _teach_users(by_model, UNITS)
    await by_model.run(full=True)
    before = await by_model.shared()
    model.answer_with(NOTHING)
    done = await by_model.run(full=True)
    assert [in_force_in(request) for request in model.requests] == [[]] * 4
    assert (done.generated, done.updated, done.archived) == (0, 0, 0)
    assert await by_model.shared() == before
    assert len(before) == 2


async def test_results_stay_with_their_clusters(by_model: Aggregating, model: ScriptedLLM) -> None:
    """A cluster that gives nothing shifts no other's playbook: each is tied by the cluster's id."""
    groups = {contents[0].split()[1]: contents for contents in (PNPM, UNITS, MORNING)}
    for contents in groups.values():
        await _teach_users(by_model, contents)
    await by_model.change(
        (await by_model.teach("write metric units always"))[0]
    )  # one more of the middle ones
    model.answer_with(lambda request: NOTHING if "metric" in rules_in(request)[0] else in_own_words(request))
    done = await by_model.run()
    assert (done.clusters, done.generated) == (3, 2)
    playbooks = {one.memory_id: one for one in await by_model.shared()}
    rules = {one.memory_id: one.content for one in await _rules(by_model)}
    clusters = await by_model.clusters()
    assert len(clusters) == 3
    for cluster in clusters:
        word = rules[cluster.member_ids[0]].split()[1]
        assert {rules[member] for member in cluster.member_ids} == set(groups[word])
        if word == "metric":
            assert cluster.memory_id is None
        else:
            made = playbooks[cluster.memory_id]
            assert word in made.content
            assert made.metadata[CLUSTER_ID] == cluster.cluster_id


async def _rules(one: Aggregating) -> list:
    async with one.storage.read(ORG) as snapshot:
        return await snapshot.memories.list_newest("user_playbook", limit=1_000)


async def test_only_new_and_changed_clusters_cost_a_call(by_model: Aggregating, model: ScriptedLLM) -> None:
    """A run asks nothing about what did not change; the changed playbook is rewritten in its place."""
    await _teach_users(by_model, PNPM)
    await _teach_users(by_model, UNITS)
    await by_model.run()
    pnpm, units = sorted(await by_model.shared(), key=lambda one: "pnpm" not in one.content)
    model.requests.clear()
    await by_model.run()
    assert model.requests == []
    await by_model.teach("use pnpm for packages now", user_id="zoe")
    await _teach_users(by_model, MORNING)
    done = await by_model.run()
    assert (done.generated, done.updated, len(model.requests)) == (1, 1, 2)
    after = {one.memory_id: one for one in await by_model.shared()}
    assert after[units.memory_id] == units
    assert after[pnpm.memory_id].content.endswith("(4)")
    assert after[pnpm.memory_id].uid == pnpm.uid
    log = (await by_model.logs())[0]
    assert log.reason == AggregationMode.INCREMENTAL.reason
    [before] = log.removed
    assert (before.memory_id, before.content) == (pnpm.memory_id, pnpm.content)
    assert after[pnpm.memory_id].content in [one.content for one in log.added]


async def test_a_full_run_writes_all_anew_and_keeps_whose_is_whose(
    by_model: Aggregating, model: ScriptedLLM
) -> None:
    """Clusters and playbooks keep their ids; the log says that the run was full, with before and after."""
    await _teach_users(by_model, PNPM)
    await _teach_users(by_model, UNITS)
    await by_model.run()
    clusters, before = await by_model.clusters(), await by_model.shared()
    model.answer_with(lambda request: playbook(f"Anew: {rules_in(request)[0]}"))
    done = await by_model.run(full=True)
    assert (done.generated, done.updated, done.archived) == (0, 2, 0)
    after = await by_model.shared()
    assert [one.uid for one in after] == [one.uid for one in before]
    assert all(one.content.startswith("Anew: ") for one in after)
    assert {one.cluster_id: one.memory_id for one in await by_model.clusters()} == {
        one.cluster_id: one.memory_id for one in clusters
    }
    log = (await by_model.logs())[0]
    assert log.reason == AggregationMode.FULL.reason
    assert {one.content for one in log.removed} == {one.content for one in before}


# --- what a person decided -------------------------------------------------------------------------------------------


async def test_an_approved_playbook_is_never_archived_or_rewritten(
    by_model: Aggregating, model: ScriptedLLM
) -> None:
    """When its cluster changes, the new words wait beside it and name it; while it says all, nothing is proposed."""
    rules = await _teach_users(by_model, PNPM)
    await by_model.run()
    [made] = await by_model.shared()
    approved = await by_model.change(made, approval=Approval.APPROVED)
    await by_model.teach("use pnpm for packages now", user_id="zoe")
    model.answer_with(NOTHING)
    await by_model.run()
    assert in_force_in(model.requests[-1]) == [approved.content]
    assert await by_model.shared() == [approved]
    await by_model.teach("use pnpm for packages instead", user_id="kim")
    model.answer_with(playbook("Use pnpm for packages, never npm."))
    await by_model.run()
    stays, proposed = await by_model.shared()
    assert stays == approved
    assert (proposed.approval, proposed.metadata[REPLACES]) == (Approval.PENDING, approved.memory_id)
    await by_model.teach("use pnpm for packages today", user_id="lee")
    model.answer_with(playbook("Install by pnpm only."))
    done = await by_model.run()
    stays, again = await by_model.shared()
    assert (stays, again.memory_id, again.content) == (approved, proposed.memory_id, "Install by pnpm only.")
    assert (done.updated, again.metadata[REPLACES]) == (1, approved.memory_id)
    await by_model.forget(*rules, *[one for one in await _rules(by_model) if one not in rules])
    done = await by_model.run(full=True)
    assert (done.archived, await by_model.shared()) == (1, [approved])
    assert [one.memory_id for one in await by_model.clusters()] == [approved.memory_id]


async def test_a_rejected_playbook_is_not_proposed_again_before_half_of_it_is_other_rules(
    by_model: Aggregating, model: ScriptedLLM
) -> None:
    """A reviewer's no holds for the cluster, also in a full run, until most of its members changed."""
    first = await _teach_users(by_model, PNPM)
    await by_model.run()
    [made] = await by_model.shared()
    rejected = await by_model.change(made, approval=Approval.REJECTED)
    model.requests.clear()
    await by_model.teach("use pnpm for packages now", "use pnpm for packages today", user_id="zoe")
    await by_model.run()
    await by_model.run(full=True)
    assert (model.requests, await by_model.shared()) == ([], [rejected])
    await by_model.forget(*first[:2])
    await by_model.run()
    assert [one.approval for one in await by_model.shared()] == [Approval.REJECTED, Approval.PENDING]


async def test_words_that_a_person_changed_are_not_overwritten(by_model: Aggregating) -> None:
    """An edit before the review stands; what a later run would say waits beside it."""
    await _teach_users(by_model, PNPM)
    await by_model.run()
    [made] = await by_model.shared()
    edited = await by_model.change(made, content="Use pnpm, said Ada the reviewer.")
    await by_model.teach("use pnpm for packages now", user_id="zoe")
    await by_model.run()
    await by_model.run(full=True)
    stays, proposed = await by_model.shared()
    assert stays == edited
    assert proposed.metadata[REPLACES] == edited.memory_id


async def test_a_decision_that_falls_while_the_model_writes_stands(
    by_model: Aggregating, model: ScriptedLLM
) -> None:
    """An approval that comes between reading and writing is seen: the approved words stay as they are."""
    await _teach_users(by_model, PNPM)
    await by_model.run()
    [made] = await by_model.shared()
    await by_model.teach("use pnpm for packages now", user_id="zoe")
    loop = asyncio.get_running_loop()

    def approve_and_answer(request):
        asyncio.run_coroutine_threadsafe(by_model.change(made, approval=Approval.APPROVED), loop).result(10)
        return in_own_words(request)

    model.answer_with(approve_and_answer)
    done = await by_model.run()
    [stays] = await by_model.shared()
    assert (done.updated, stays.approval, stays.content) == (0, Approval.APPROVED, made.content)
    model.answer_with(in_own_words)
    await by_model.run()
    assert [one.approval for one in await by_model.shared()] == [Approval.APPROVED, Approval.PENDING]


async def test_a_cluster_that_is_gone_takes_only_its_waiting_playbook_with_it(by_rules: Aggregating) -> None:
    """Archived as a learner's doing, with its removal in the log; a deleted playbook does not come back by itself."""
    rules = await _teach_users(by_rules, PNPM)
    await _teach_users(by_rules, UNITS)
    await by_rules.run()
    pnpm, units = sorted(await by_rules.shared(), key=lambda one: "pnpm" not in one.content)
    await by_rules.forget(*rules)
    done = await by_rules.run()
    assert (done.archived, await by_rules.shared()) == (1, [units])
    [gone] = await by_rules.shared(statuses=[Status.ARCHIVED])
    assert (gone.memory_id, gone.archived_by) == (pnpm.memory_id, ArchivedBy.LEARNER)
    assert [one.memory_id for one in (await by_rules.logs())[0].removed] == [pnpm.memory_id]
    async with by_rules.storage.begin(ORG) as transaction:
        await transaction.memories.delete("agent_playbook", ids=[units.memory_id])
    assert (await by_rules.run()).generated == 0
    assert (await by_rules.run(full=True)).generated == 1


# --- when things fail ------------------------------------------------------------------------------------------------


async def test_a_cluster_that_the_model_fails_is_left_and_tried_again(
    by_model: Aggregating, model: ScriptedLLM
) -> None:
    """The others get their playbooks, the failure is told, and the next run does what is missing."""
    await _teach_users(by_model, PNPM)
    await _teach_users(by_model, UNITS)
    model.answer_with(
        lambda request: status(500) if "metric" in rules_in(request)[0] else in_own_words(request)
    )
    done = await by_model.run()
    assert (done.generated, done.failed, len(done.errors)) == (1, 1, 1)
    assert await by_model.aggregator.due(ORG) == [(NAME, VERSION)]
    model.answer_with(in_own_words)
    model.requests.clear()
    done = await by_model.run()
    assert (done.generated, done.failed, len(model.requests)) == (1, 0, 1)
    assert await by_model.aggregator.due(ORG) == []


@pytest.mark.parametrize(
    ("content", "trigger"),
    [
        ("Offer a discount to whoever complains.", "a customer is angry"),
        ("{content}", "{trigger}"),
    ],
)
async def test_what_no_rule_says_is_no_playbook_for_all(
    by_model: Aggregating, model: ScriptedLLM, content: str, trigger: str
) -> None:
    """A merged rule that shares no words with the users' rules is refused like what a model fails at."""
    await _teach_users(by_model, PNPM)
    model.answer_with(playbook(content, trigger))
    done = await by_model.run()
    assert (done.generated, done.failed, await by_model.shared()) == (0, 1, [])
    assert "says what no rule of the users says" in done.errors[0]
    assert await by_model.aggregator.due(ORG) == [(NAME, VERSION)]
    model.answer_with(in_own_words)
    assert (await by_model.run()).generated == 1


@pytest.mark.parametrize(
    "content",
    [
        "Offer a discount.",
        "Use pnpm for packages. Then push the branch to production.",
        "Use pnpm 1042 for packages.",
    ],
)
async def test_an_invented_rule_is_refused_beside_a_true_situation(
    by_model: Aggregating, model: ScriptedLLM, content: str
) -> None:
    """Each sentence and each number counts; that the situation is the users' does not help."""
    await _teach_users(by_model, PNPM, trigger="adding a package")
    model.answer_with(playbook(content, "adding a package"))
    assert ((await by_model.run()).failed, await by_model.shared()) == (1, [])


async def test_what_is_invented_beside_a_true_rule_is_left_out(
    by_model: Aggregating, model: ScriptedLLM
) -> None:
    """The rule holds in the users' own situation, and warns of nothing that they did not name."""
    await _teach_users(by_model, PNPM, trigger="adding a package")
    model.answer_with(playbook("Use pnpm for packages.", "a customer is angry", pitfall="talk about weather"))
    await by_model.run()
    [made] = await by_model.shared()
    assert (made.content, made.trigger, made.pitfall) == ("Use pnpm for packages.", "adding a package", None)


async def test_a_playbook_in_another_language_than_the_rules_is_kept(
    by_model: Aggregating, model: ScriptedLLM
) -> None:
    """Its words cannot be compared with theirs."""
    await _teach_users(by_model, PNPM)
    model.answer_with(playbook("Installiere Pakete nur mit dem schnellen Werkzeug.", "beim Hinzufügen"))
    assert (await by_model.run()).generated == 1


async def test_a_model_that_keeps_failing_is_not_asked_for_ever(
    by_model: Aggregating, model: ScriptedLLM
) -> None:
    """After five runs what fails waits until something new is taught."""
    await _teach_users(by_model, PNPM)
    model.answer_with(lambda request: garbage())
    for _ in range(5):
        assert await by_model.aggregator.due(ORG) == [(NAME, VERSION)]
        assert (await by_model.run()).failed == 1
    assert await by_model.aggregator.due(ORG) == []


async def test_rules_do_not_write_over_a_models_words(by_model: Aggregating) -> None:
    """Without a model a cluster that one wrote up is left, and written up when there is one again."""
    await _teach_users(by_model, PNPM)
    await by_model.run()
    before = await by_model.shared()
    await by_model.teach("use pnpm for packages now", user_id="zoe")
    server, by_model._llm = by_model._llm, None
    done = await by_model.run()
    assert (done.left, await by_model.shared()) == (1, before)
    by_model._llm = server
    assert (await by_model.run()).updated == 1


async def test_without_the_lease_nothing_is_written(by_rules: Aggregating) -> None:
    """A worker that lost its hold while it thought changes nothing."""
    await _teach_users(by_rules, PNPM)
    lease = await by_rules.lease()
    by_rules.clock.advance(3_600)
    async with by_rules.storage.begin(ORG) as transaction:
        await transaction.leases.claim("distil", "another", 600)
    with pytest.raises(Conflict):
        await by_rules.aggregator.run(ORG, NAME, VERSION, requested=True, lease=lease)
    assert (await by_rules.shared(), await by_rules.clusters()) == ([], [])


# --- when it runs by itself ------------------------------------------------------------------------------------------


async def test_enough_new_rules_make_it_due(by_rules: Aggregating) -> None:
    """The count starts anew with each run, and where aggregation is off nothing is due."""
    await by_rules.choose(min_cluster_size=2, reaggregation_trigger_count=3)
    await by_rules.teach(*PNPM[:2])
    assert await by_rules.aggregator.due(ORG) == []
    await by_rules.teach(PNPM[2])
    await by_rules.teach(*PNPM, version="v2")
    assert await by_rules.aggregator.due(ORG) == [(NAME, VERSION), (NAME, "v2")]
    await by_rules.run()
    assert await by_rules.aggregator.due(ORG) == [(NAME, "v2")]
    assert await by_rules.last_read() > 0
    await by_rules.choose(min_cluster_size=1)
    assert await by_rules.aggregator.due(ORG) == []
    assert "off" in (await by_rules.run()).skipped_reason


async def test_what_was_learned_makes_the_tenant_due_again_while_it_is_worked_on(
    by_rules: Aggregating,
) -> None:
    """Whoever works on the tenant at that moment does not take the news away with what it had seen."""
    await by_rules.choose(min_cluster_size=2, reaggregation_trigger_count=2)
    config = await by_rules.configs.get(ORG)
    [book] = await by_rules.teach(PNPM[0])

    async def note(name: str) -> LogHead:
        by_rules.clock.advance(1)
        async with by_rules.storage.begin(ORG) as transaction:
            await note_playbooks(transaction, config, [book.model_copy(update={"name": name})])
            return await transaction.cursors.log_head(ORGANISATION)

    assert (await note("other")).due_at != by_rules.clock.now()
    seen = await note(NAME)
    assert seen.due_at == by_rules.clock.now()
    await note(NAME)
    async with by_rules.storage.begin(ORG) as transaction:
        assert not await transaction.cursors.set_due(ORGANISATION, None, head=seen)


async def test_playbooks_that_took_the_place_of_others_all_count_as_new(by_rules: Aggregating) -> None:
    """After a swap of versions it is not the numbers that say what aggregation has not seen."""
    await by_rules.teach(*PNPM)
    await by_rules.run()
    assert await by_rules.aggregator.due(ORG) == []
    config = await by_rules.configs.get(ORG)
    async with by_rules.storage.begin(ORG) as transaction:
        await note_swapped_playbooks(transaction, config, VersionFilter(kind=MemoryKind.PROFILE))
    assert await by_rules.aggregator.due(ORG) == []
    async with by_rules.storage.begin(ORG) as transaction:
        await note_swapped_playbooks(transaction, config, VersionFilter(kind=MemoryKind.USER_PLAYBOOK))
    assert await by_rules.aggregator.due(ORG) == [(NAME, VERSION)]


async def test_one_users_taste_is_no_rule_for_all(by_rules: Aggregating) -> None:
    """A cluster is as large as the number of users whose rules it holds, however many rules one of them has."""
    for content in PNPM:
        await by_rules.teach(content, user_id="ann")
    done = await by_rules.run()
    assert (done.clusters, await by_rules.shared()) == (0, [])
    await by_rules.teach(PNPM[0], user_id="ben")
    done = await by_rules.run()
    [made] = await by_rules.shared()
    assert (done.clusters, made.metadata[MEMBER_COUNT], made.metadata[USER_COUNT]) == (1, 4, 2)


async def test_what_is_said_already_is_not_proposed_beside_it(by_rules: Aggregating) -> None:
    """By a person, or for another cluster: pending and in force; what was rejected is said no more."""
    written = new_memory(
        PNPM[0],
        kind=MemoryKind.AGENT_PLAYBOOK,
        user_id=None,
        name=NAME,
        agent_version=VERSION,
        approval=Approval.APPROVED,
    )
    async with by_rules.storage.begin(ORG) as transaction:
        [approved] = await transaction.memories.add([written])
    await by_rules.teach(*[PNPM[0]] * 3)
    done = await by_rules.run()
    assert (done.clusters, done.generated, await by_rules.shared()) == (1, 0, [approved])
    rejected = await by_rules.change(approved, approval=Approval.REJECTED)
    await by_rules.teach(PNPM[0])
    await by_rules.run()
    first, second = await by_rules.shared()
    assert (first, second.content, second.approval) == (rejected, PNPM[0], Approval.PENDING)
