"""Promises about judging and keeping: verdicts on the right answer, once; images; and what is cleaned up."""

import re
from datetime import timedelta

import httpx
import pytest
import sqlalchemy as sa
from fastapi import FastAPI

from sagacity.domain.ids import ORGANISATION, InteractionId
from sagacity.providers.litellm_seam import load_litellm
from sagacity.storage.schema.tables import interactions, memories, requests, search_documents
from support.api import add_profile, client_of, profiles_of, publish, running, settings_in
from support.databases import SQLITE
from support.evaluating import LOST, SOLVED, judging
from support.parts import ANNA
from support.pictures import DATA_URL, PNG, encoded, images_in, text_of
from support.promises import HERE, RERUN, ask, choose, log_of, receipt, teach
from support.scripted_llm import Answer, ChatRequest, as_json, extracted, scripted_llm, status
from support.waiting import until

EVALUATOR = {"evaluation_name": "solved", "success_definition_prompt": "The question is answered."}


async def talk(api: httpx.AsyncClient, session: str, *said: str, shadow: str = "") -> None:
    """One publish of a session: the user, the agent, the user …; each answer with its shadow, if one is given."""
    turns = [
        {"role": "Agent", "content": one, "shadow_content": shadow} if n % 2 else {"content": one}
        for n, one in enumerate(said)
    ]
    await ask(api, "publish_interaction", user_id="anna", session_id=session, interaction_data_list=turns)


async def verdicts(api: httpx.AsyncClient) -> list[dict]:
    found = await ask(api, "get_agent_success_evaluation_results")
    return found["agent_success_evaluation_results"]


async def rows(app: FastAPI, table: sa.Table) -> int:
    """How many rows of a table the organisation has."""
    async with app.state.runtime.storage.backend.read(HERE.org_id) as connection:
        statement = sa.select(sa.func.count()).select_from(table).where(table.c.org_id == HERE.org_id)
        return (await connection.execute(statement)).scalar_one()


async def clean_up(app: FastAPI) -> None:
    """Let the organisation's own work be looked at now instead of in an hour, and wait until it was."""
    storage = app.state.runtime.storage
    async with storage.begin(HERE) as transaction:
        await transaction.cursors.ensure_due(ORGANISATION)

    async def done() -> bool:
        async with storage.read(HERE) as snapshot:
            due_at = (await snapshot.cursors.log_head(ORGANISATION)).due_at
        return due_at is None or due_at > app.state.runtime.clock.now() + timedelta(seconds=30)

    await until(done)


@SQLITE
async def test_12_success_is_said_of_the_answer_that_the_user_saw(tmp_path, database_url):
    """Whichever transcript a judge is shown first: a wrong answer with a right shadow is no success, and vice versa."""
    right, wrong = "It is Canberra.", "It is Sydney."
    settings = settings_in(tmp_path, database_url=database_url, evaluation_delay_seconds=0)
    load_litellm()  # takes seconds, which are no part of the wait below
    with scripted_llm() as model:
        judge, nothing = judging("Canberra"), as_json({"profiles": [], "playbooks": []})
        model.answer_with(lambda asked: judge(asked) if "transcript_a" in asked.prompt else nothing)
        async with running(settings) as app, client_of(app) as api:
            await choose(api, model, agent_success_configs=[EVALUATOR])
            for n in range(4):
                await talk(api, f"right-{n}", "What is the capital of Australia?", right, shadow=wrong)
                await talk(api, f"wrong-{n}", "What is the capital of Australia?", wrong, shadow=right)

            async def judged() -> bool:
                return len(await verdicts(api)) == 8

            await until(judged)
            for verdict in await verdicts(api):
                is_right = verdict["session_id"].startswith("right")
                better = "regular_is_better" if is_right else "shadow_is_better"
                assert (verdict["is_success"], verdict["regular_vs_shadow"]) == (is_right, better)
        first = {
            request.prompt.index(right) < request.prompt.index(wrong)
            for request in model.requests
            if right in request.prompt and wrong in request.prompt
        }
        assert first == {True, False}


async def test_18_a_restart_loses_no_evaluation_and_new_turns_are_judged_anew(tmp_path, database_url):
    """One server takes the turns, two later ones judge them once; when the session goes on, its verdict is replaced."""
    settings = settings_in(tmp_path, database_url=database_url, evaluation_delay_seconds=600)
    async with running(settings) as app, client_of(app) as api:
        await choose(api, agent_success_configs=[EVALUATOR])
        await talk(api, "s1", *SOLVED)
        assert await verdicts(api) == []
    settings = settings.model_copy(update={"evaluation_delay_seconds": 0})
    async with running(settings) as one, running(settings), client_of(one) as api:

        async def outcomes() -> list[bool]:
            return [verdict["is_success"] for verdict in await verdicts(api)]

        async with one.state.runtime.storage.begin(HERE) as transaction:
            await transaction.cursors.ensure_due(ANNA)

        async def solved() -> bool:
            return await outcomes() == [True]

        await until(solved)
        await talk(api, "s1", *LOST)

        async def lost() -> bool:
            return await outcomes() == [False]

        await until(lost)


async def test_20_the_oldest_learned_turns_go_and_nothing_that_is_unread(tmp_path, database_url):
    """Beyond the limit, turns go with their requests and their index; what a learner still has to read stays."""
    settings = settings_in(
        tmp_path,
        database_url=database_url,
        retention_rows={"interactions": 4},
        retain_evidence=False,
        quiet_seconds=0.2,
    )
    async with running(settings) as app, client_of(app) as api:
        await publish(api, "I live in Lyon.", "Good morning.")
        for n in range(5):
            request_id = await publish(api, f"I like cheese number {n}.", "My locker is green.")

        async def learned() -> bool:
            return (await receipt(api, request_id))["state"] == "learned"

        await until(learned)
        patient = settings.model_copy(update={"quiet_seconds": 600})
    async with running(patient) as app, client_of(app) as api:
        unread = [f"Ben's turn {n}" for n in range(3)]
        await publish(api, *unread, user_id="ben")
        await clean_up(app)
        kept = [turn["content"] for turn in await log_of(api)]
        assert kept == ["My locker is green."]
        assert [turn["content"] for turn in await log_of(api, "ben")] == unread[::-1]
        assert (await rows(app, interactions), await rows(app, requests)) == (4, 2)
        await publish(api, *unread, user_id="cleo")
        await clean_up(app)
        assert await log_of(api) == []
        assert await rows(app, interactions) == 6  # more than the limit, as nobody has read them
        found = await ask(api, "search_interactions", user_id="anna", query="locker green")
        assert found["interactions"] == []
        assert "Lyon" in str(await profiles_of(api))  # what was learned of it stays


@pytest.mark.parametrize("days", [0, 30, None])
async def test_20_expired_memories_are_purged_after_their_time_of_grace(tmp_path, database_url, days):
    """What expired goes from the table and from the index once the grace is over, if there is one; the rest stays."""
    settings = settings_in(tmp_path, database_url=database_url, expired_days=days)
    async with running(settings) as app, client_of(app) as api:
        yesterday = int(app.state.runtime.clock.now().timestamp()) - 86_400
        await add_profile(api, "Is on holiday.", profile_id="p1", expiration_timestamp=yesterday)
        await add_profile(api, "Plays the cello.", profile_id="p2")
        await clean_up(app)
        left = 1 if days == 0 else 2
        assert (await rows(app, memories), await rows(app, search_documents)) == (left, left)
        assert [one["profile_id"] for one in await profiles_of(api)] == ["p2"]


@SQLITE
async def test_17_an_image_that_was_sent_inline_is_stored(api, app):
    """Its bytes are with the turn, whole, for whoever reads the log; listings do not repeat them."""
    image = "aGVsbG8=" * 1_000
    turn = {"content": "What is this?", "image_encoding": image}
    await ask(api, "publish_interaction", user_id="anna", interaction_data_list=[turn])
    [listed] = await log_of(api)
    assert "image_encoding" not in listed
    async with app.state.runtime.storage.read(HERE) as snapshot:
        number = InteractionId(listed["interaction_id"])
        assert await snapshot.interactions.image(number, longest=len(image)) == image


def taught(request: ChatRequest) -> Answer:
    """What a model says that takes every new turn for a statement about tea."""
    last = int(re.findall(r"\[#(\d+) user ", text_of(request))[-1])
    return extracted(request, profiles=[{"content": "User drinks tea from a blue cup.", "evidence": [last]}])


@SQLITE
async def test_17_the_last_image_of_what_is_new_reaches_the_model(api):
    """The extraction's call holds it, as one part beside the text, and a call without one is plain text."""
    older, newest = encoded(PNG + b"older"), encoded(PNG)
    pictures = [
        {"content": "My cat.", "image_encoding": older},
        {"content": "My cup.", "interacted_image_url": f"data:image/jpeg;base64,{newest}"},
        {"role": "Agent", "content": "A blue one."},
    ]
    published = {"user_id": "anna", "force_extraction": True}
    with scripted_llm() as model:
        model.answer_with(taught)
        await choose(api, model)
        await ask(api, "publish_interaction" + RERUN, interaction_data_list=pictures, **published)
        assert [images_in(request) for request in model.requests] == [[DATA_URL]]
        for request in model.requests:
            assert "[#1 image] not shown here\n" in text_of(request)
            assert "[#2 image] beside this text" in text_of(request)
            assert older not in str(request.body)
        assert [one["content"] for one in await profiles_of(api)] == ["User drinks tea from a blue cup."]
        address = {"content": "And this?", "interacted_image_url": "https://example.org/a.png"}
        await ask(api, "publish_interaction" + RERUN, interaction_data_list=[address], **published)
        assert images_in(model.requests[1]) == ["https://example.org/a.png"]
        before = len(model.requests)
        await teach(api, "I moved to Lyon.")
        plain = model.requests[before:]
        assert {type(one["content"]) for request in plain for one in request.messages} == {str}
        assert plain


@SQLITE
@pytest.mark.parametrize("refusal", [400, 500])
async def test_17_a_model_that_takes_no_image_learns_from_the_text(api, refusal):
    """It is asked again without, whatever it says of the image; the ledger has both requests as what they were."""
    with scripted_llm() as model:
        model.answer_with(lambda request: status(refusal) if images_in(request) else taught(request))
        await choose(api, model)
        turn = {"content": "My blue cup.", "image_encoding": encoded(PNG)}
        body = {"user_id": "anna", "force_extraction": True, "interaction_data_list": [turn]}
        reply = await ask(api, "publish_interaction" + RERUN, **body)
        assert (reply["profiles_added"], reply.get("warnings", [])) == (1, [])
        learned = await receipt(api, reply["request_id"])
        calls = (await api.get("/api/model_calls")).json()["model_calls"]
    assert {one["outcome"] for one in learned["learners"]} == {"learned", "nothing"}
    outcomes = [one["outcome"] for one in calls if one["learner"] == "extraction"]
    assert outcomes[0] == "ok"
    assert set(outcomes[1:]) == {"ProviderRefused" if refusal == 400 else "ProviderError"}
    assert "base64" not in str((calls, learned, reply))


@SQLITE
async def test_17_an_image_that_can_not_be_shown_is_left_out(api):
    """What is no image that models read goes to none; its turn teaches all the same, and says that it is not shown."""
    with scripted_llm() as model:
        model.answer_with(taught)
        await choose(api, model)
        turn = {"content": "My blue cup.", "image_encoding": encoded(b"MZ, a program")}
        body = {"user_id": "anna", "force_extraction": True, "interaction_data_list": [turn]}
        assert (await ask(api, "publish_interaction" + RERUN, **body))["profiles_added"] == 1
        assert [images_in(request) for request in model.requests] == [[]]
        assert all("[#1 image] not shown here" in text_of(request) for request in model.requests)
