"""The holdout over HTTP: what is left out and noted, and what the report and the review queue make of it."""

from itertools import count

import pytest
import sqlalchemy as sa
from fastapi import FastAPI
from httpx import AsyncClient

from sagacity.domain.evaluation import NewEvaluation
from sagacity.domain.holdout import Holdout
from sagacity.domain.ids import SessionId, UserId
from sagacity.domain.memory import MemoryKind
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from sagacity.domain.usage import UsageEvent, UsageEventName, uid_of
from sagacity.storage.schema.tables import usage_events
from support.api import add_profile, client_of, make_token, publish

LOCAL = Tenant(org_id=LOCAL_ORG)
ANNA = UserId("anna")
EFFECTS = "/api/v1/usage/effects"
CREDIT, RECEIPT, NUTS = (
    "Offer credit before a refund.",
    "Ask for the receipt of a refund.",
    "Is allergic to refunds.",
)
SHARE = 0.2
ASKED = {"query": "refund or credit", "user_id": ANNA, "threshold": 0, "top_k": 10}


async def ok(api: AsyncClient, path: str, body: dict, status: int = 200) -> dict:
    reply = await api.post(f"/api/{path}", json=body)
    assert reply.status_code == status, reply.text
    return reply.json()


async def teach(api: AsyncClient) -> None:
    """Two rules, a warning, and a holdout."""
    rules = [
        {"content": one, "trigger": "refund", "user_id": ANNA, "request_id": "r"} for one in (CREDIT, RECEIPT)
    ]
    await ok(api, "add_user_playbook", {"user_playbooks": rules})
    await add_profile(api, NUTS)
    await ok(api, "set_config", {"holdout_share": SHARE})


async def found(api: AsyncClient, **more) -> set[str]:
    page = await ok(api, "search", ASKED | more)
    return {one["content"] for one in (*page["user_playbooks"], *page["profiles"])}


async def lots(app: FastAPI) -> dict[tuple[str, str], str]:
    """What was drawn, by session and memory."""
    await app.state.runtime.usage.flush()
    column = usage_events.c
    statement = sa.select(column.session_id, column.entity_id, column.event_name).where(
        column.holdout_share == SHARE
    )
    async with app.state.runtime.storage.backend.read(LOCAL_ORG) as connection:
        rows = [tuple(row) for row in await connection.execute(statement)]
    assert len(rows) == len({row[:2] for row in rows})
    return {(session, name): event for session, name, event in rows}


@pytest.mark.both_databases
async def test_a_session_is_with_or_without_a_memory(app: FastAPI, api: AsyncClient) -> None:
    """In searches and contexts alike, as the hash says; never a warning, a list, a look back, or without a session."""
    await teach(api)
    async with app.state.runtime.storage.read(LOCAL) as snapshot:
        books = {
            one.content: one for one in await snapshot.memories.list_newest(MemoryKind.USER_PLAYBOOK, limit=9)
        }
    wanted = {frozenset(), frozenset({CREDIT}), frozenset({RECEIPT})}
    of_session = dict[str, frozenset[str]]()
    for number in count():
        session = f"s-{number}"
        lot = Holdout(share=SHARE, org_id=LOCAL_ORG, user_id=ANNA, session_id=SessionId(session))
        without = frozenset(content for content, book in books.items() if lot.leaves_out(book))
        if without in wanted:
            of_session[session] = without
            wanted -= {without}
        if not wanted:
            break
    for session, without in of_session.items():
        left = {CREDIT, RECEIPT, NUTS} - without
        assert await found(api, session_id=session) == left
        one = await ok(api, "search_user_playbooks", ASKED | {"session_id": session, "explain": True})
        assert {book["content"] for book in one["user_playbooks"]} == left - {NUTS}
        assert one["explanation"]["dropped"].get("held_out", 0) == len(without)
        context = await ok(
            api, "context", ASKED | {"session_id": session, "kinds": ["user_playbook", "profile"]}
        )
        assert {rule for rule in (CREDIT, RECEIPT, NUTS) if rule in context["context"]} == left
    drawn = await lots(app)
    assert len(drawn) == 6
    assert list(drawn.values()).count("learning_held_out") == 2
    for other in ({}, {"session_id": next(iter(of_session)), "as_of": "2099-01-01T00:00:00Z"}):
        assert await found(api, **other) == {CREDIT, RECEIPT, NUTS}
    listed = await ok(api, "search_user_playbooks", {"user_id": ANNA, "session_id": "s-new"})
    assert len(listed["user_playbooks"]) == 2
    assert await lots(app) == drawn
    await ok(api, "search", ASKED | {"session_id": "a\0b"}, 422)
    for share in (-0.1, 0.21, 1, "much", float("1e999")):
        reply = await api.post("/api/set_config", content=f'{{"holdout_share": {share!r}}}'.replace("'", '"'))
        assert reply.status_code == 422, reply.text


async def judge(app: FastAPI, name: str, content: str, wins: set[str], sessions: int) -> None:
    """Draw *sessions* sessions of a memory, a fifth without it, and let those that *wins* names be successes."""
    at, verdicts = app.state.runtime.clock.now(), list[NewEvaluation]()
    for number in range(sessions):
        session = SessionId(f"{content[:3]}-{number}")
        event = UsageEventName.SHOWN if number % 5 else UsageEventName.HELD_OUT
        app.state.runtime.usage.record(
            LOCAL,
            UsageEvent(
                uid=uid_of("lot", session),
                org_id=LOCAL_ORG,
                user_id=ANNA,
                session_id=session,
                entity_type=MemoryKind.USER_PLAYBOOK,
                entity_id=name,
                event_name=event,
                holdout_share=SHARE,
                metadata={"learner": content[:3]},
                created_at=at,
            ),
        )
        verdicts.append(
            NewEvaluation(
                agent_version="v",
                session_id=session,
                is_success=event in wins,
                number_of_correction_per_session=0 if event in wins else 9,
                created_at=at,
            )
        )
    async with app.state.runtime.storage.begin(LOCAL) as transaction:
        for verdict in verdicts:
            await transaction.evaluations.replace(ANNA, verdict)


@pytest.mark.both_databases
async def test_report_and_queue_say_what_helps_and_harms(app: FastAPI, api: AsyncClient) -> None:
    """With intervals and costs; of too few sessions how many are missing; and another organisation sees nothing."""
    assert (await api.get(EFFECTS)).json()["summary"] == [
        "Nothing is held out: set holdout_share in the configuration."
    ]
    await teach(api)
    third = {"content": "Say thanks.", "user_id": ANNA, "request_id": "r"}
    await ok(api, "add_user_playbook", {"user_playbooks": [third]})
    async with app.state.runtime.storage.read(LOCAL) as snapshot:
        books = await snapshot.memories.list_newest(MemoryKind.USER_PLAYBOOK, limit=9)
    number = {one.content: str(one.memory_id) for one in books}
    await judge(app, number[CREDIT], CREDIT, {UsageEventName.SHOWN}, 120)
    await judge(app, number[RECEIPT], RECEIPT, {UsageEventName.HELD_OUT}, 120)
    await judge(app, number[third["content"]], third["content"], {UsageEventName.SHOWN}, 30)
    await publish(api, "a", "b", "c", session_id="Off-0")
    await ok(api, "search", ASKED)
    report = (await api.get(EFFECTS)).json()
    assert (report["holdout_share"], report["compared"], report["total"]) == (SHARE, 2, 3)
    told = {one["content"]: one for one in report["memories"]}
    assert [told[one]["finding"] for one in (CREDIT, RECEIPT, third["content"])] == [
        "helps",
        "harms",
        "too_few",
    ]
    credit, few = told[CREDIT], told[third["content"]]
    assert (credit["judged_shown"], credit["judged_held_out"], credit["surfaced_count"]) == (96, 24, 1)
    assert credit["success"]["difference"] == 1
    assert 0.5 < credit["success"]["low"] < credit["success"]["high"] == 1
    assert credit["corrections"]["difference"] == -5
    assert credit["corrections"]["high"] < -2.5
    assert credit["turns"]["held_out"] > credit["turns"]["shown"] == 0
    assert (few["missing_shown"], few["missing_held_out"], few["success"], few["e_value"]) == (0, 14, None, 1)
    assert {(one["extractor"]["learner"], one["finding"]) for one in report["extractors"]} == {
        ("Off", "helps"),
        ("Ask", "harms"),
        ("Say", "too_few"),
    }
    assert report["summary"][0].startswith("1 of 2 compared memories help, and 1 harm;")
    second = (await api.get(EFFECTS, params={"offset": 2, "kind": "user_playbook"})).json()["memories"]
    assert [one["content"] for one in second] == [third["content"]]
    for none in ({"kind": "profile"}, {"evaluation_name": "another"}):
        assert (await api.get(EFFECTS, params=none)).json()["compared"] == 0
    for wrong in ({"limit": 0}, {"offset": -1}, {"kind": "rule"}, {"evaluation_name": "a\0"}):
        assert (await api.get(EFFECTS, params=wrong)).status_code == 422
    queue = await ok(api, "get_memory_review", {"user_id": ANNA, "signal_filter": ["helps", "harms"]})
    [harms, helps] = queue["candidates"]
    assert (harms["signals"], harms["score"], harms["effect"]) == (["harms"], 100, told[RECEIPT])
    assert (helps["signals"], helps["score"], helps["effect"]) == (["helps"], 50, credit)
    await ok(api, "review_memory", {"entity_id": harms["entity_id"], "action": "archive"})
    async with client_of(app, token=await make_token(app, "other")) as other:
        assert (await other.get(EFFECTS)).json()["total"] == 0
