"""Recorded calls: what answers, searches and contexts took and found; each caller reads what is theirs."""

import asyncio
import time
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from uuid import uuid4

import httpx
import jwt
import pytest
from fastapi import FastAPI

from sagacity.domain.analytics import RequestAnalytics
from sagacity.domain.ids import OrgId, RequestId
from sagacity.domain.memory import MemoryKind
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from sagacity.providers.litellm_seam import load_litellm
from support.api import client_of, make_token, running, settings_in
from support.chatting import sent
from support.exchanges import exchange
from support.measured import measured, random_calls
from support.parts import START, StoppedClock, new_memory, said
from support.promises import choose
from support.scripted_llm import Answer, never, scripted_llm, status
from support.waiting import until

pytestmark = pytest.mark.usefixtures("closed_clients")
PATH = "/api/v1/analytics"
SECRET = "a secret that has enough bytes for whatever a test does with it"
STRATEGIES = ("vector", "keyword", "graph", "profile", "recent")


async def flushed(api: httpx.AsyncClient) -> int:
    reply = await api.post(f"{PATH}/flush")
    assert reply.status_code == 200, reply.text
    return reply.json()["records_flushed"]


async def told(api: httpx.AsyncClient, path: str, **params) -> dict:
    await flushed(api)
    reply = await api.get(f"{PATH}/{path}", params=params)
    assert reply.status_code == 200, reply.text
    return reply.json()


async def publish(api: httpx.AsyncClient, *turns: dict, user: str = "local") -> None:
    body = {"user_id": user, "interaction_data_list": turns, "force_extraction": True}
    reply = await api.post("/api/publish_interaction", json=body, params={"wait_for_response": True})
    assert reply.status_code == 200, reply.text


async def calls(api: httpx.AsyncClient, **params) -> list[dict]:
    return (await told(api, "requests", **params))["analytics"]


@pytest.mark.both_databases
async def test_an_answer_fills_every_field(app: FastAPI, api: httpx.AsyncClient):
    """One turn of a chat with a model, over memories and a conversation: no field of the record is empty."""
    turns = [{"content": "My sister Maria lives in Lyon."}, {"content": "I am allergic to peanuts."}]
    await publish(api, *turns)
    rule = {"user_id": "local", "content": "Name the source of each fact."}
    reply = await api.post("/api/add_user_playbook", json={"user_playbooks": [rule]})
    assert reply.status_code == 200, reply.text
    known = [
        new_memory("Maria is a common name.", kind=MemoryKind.SEMANTIC, user_id="local"),
        new_memory("Talked about Maria and Lyon.", kind=MemoryKind.EPISODIC, user_id="local"),
    ]
    async with app.state.runtime.storage.begin(Tenant(org_id=LOCAL_ORG)) as transaction:
        await transaction.memories.add(known)
    with scripted_llm() as model:
        model.answer_with(["Hello.", "She lives in Lyon."])
        await choose(api, model)
        first = await sent(api, "Hello, it is Anna.")
        conversation_id = first[0].data["conversation_id"]
        question = "Where did my sister Maria live last week?"
        reply = await api.post(
            "/api/chat/send",
            json={"content": question, "conversation_id": conversation_id},
            headers={"X-Correlation-ID": "my-call"},
        )
        assert reply.status_code == 200, reply.text
    newest, _ = await calls(api, conversation_id=conversation_id)
    assert empty_fields(newest) == {"error_message", "error_type"}
    assert (newest["request_id"], newest["user_id"], newest["status"]) == ("my-call", "local", "success")
    assert newest["request_type"] == "chat_stream"
    talk = (await api.get(f"/api/chat/conversations/{conversation_id}")).json()
    assert newest["message_id"] == talk["messages"][-2]["id"]

    steps, total = newest["step_timings"], newest["total_time_ms"]
    assert all(0 < one <= total for one in steps.values())
    assert max(one for name, one in steps.items() if "_search_" in name) <= steps["total_retrieval_time"]
    assert steps["llm_ttfb"] <= newest["ttfb_ms"] <= total
    assert steps["llm_ttfb"] <= steps["llm_total_time"]
    assert steps["save_response_time"] + steps["enqueue_time"] < total
    # who is named is read beside the search, and counts as building the context
    assert steps["total_retrieval_time"] + steps["ranking_time"] < total

    found = newest["retrieval_metrics"]
    counts = {name: found[f"{name}_results_count"] for name in STRATEGIES}
    assert found["total_raw_results"] == sum(counts.values())
    assert found["deduplication_removed"] == found["total_raw_results"] - found["post_dedup_count"] > 0
    assert found["post_dedup_count"] == sum(found["memories_by_type"].values())
    assert set(found["score_distribution"]) == set(STRATEGIES)
    for spread in found["score_distribution"].values():
        assert spread["min"] <= spread["avg"] <= spread["max"]
    vector = found["score_distribution"]["vector"]
    assert vector["min"] < vector["avg"] < vector["max"]

    used = newest["context_metrics"]
    sections = sum(one for name, one in used.items() if name.endswith("_tokens_used"))
    assert 0 < sections <= used["total_context_tokens"] <= used["token_budget_max"] == 5_000
    assert newest["query_analysis"]["entities_count"] == 1
    assert newest["query_analysis"]["time_reference"] == "week"


NOT_OF_THIS_TURN = {"history_tokens_used", "memories_truncated", "truncation_occurred"}
"""A chat's history has a place of its own in the prompt, and all that was found fits."""


def empty_fields(record: dict, name: str = "") -> set[str]:
    """The fields at any depth that hold nothing."""
    empty = set()
    for field, value in record.items():
        if isinstance(value, dict) and value:
            empty |= empty_fields(value, field)
        elif not value and field not in NOT_OF_THIS_TURN:
            empty.add(field)
    return empty


async def test_an_answer_without_a_model_has_no_times_of_one(api: httpx.AsyncClient):
    """Asked for as a whole, by both routes; and a strategy that finds nothing has no scores."""
    body = {"content": "Hello.", "stream": False}
    assert (await api.post("/api/chat/send", json=body)).status_code == 200
    body = {"messages": [{"role": "user", "content": "Hello."}]}
    assert (await api.post("/api/chat/complete", json=body)).status_code == 200
    both = await calls(api)
    assert [one["request_type"] for one in both] == ["chat_complete"] * 2
    for one in both:
        assert (one["status"], one["step_timings"]["llm_ttfb"], one["step_timings"]["llm_total_time"]) == (
            "success",
            None,
            None,
        )
        assert "graph" not in one["retrieval_metrics"]["score_distribution"]


async def test_an_answer_without_memory_searched_nothing(api: httpx.AsyncClient):
    await sent(api, "Hello.", include_memory=False)
    [one] = await calls(api)
    assert one["step_timings"]["total_retrieval_time"] is None
    assert one["retrieval_metrics"]["total_raw_results"] == 0
    assert one["context_metrics"]["token_budget_max"] == 0
    assert one["query_analysis"]["intent"] is None
    assert (await told(api, "retrieval"))["total_requests"] == 0
    assert (await told(api, "summary"))["total_requests"] == 1


@pytest.mark.parametrize(
    ("fault", "given", "status", "kind"),
    [
        (status(400), {}, "error", "ProviderRefused"),
        (never(), {"model_first_piece_seconds": 1}, "timeout", "ProviderTimeout"),
    ],
)
async def test_a_failed_answer_is_no_success(
    tmp_path: Path, fault: Answer, given: dict[str, float], status: str, kind: str
):
    """With what may be said of it, and none of the provider's own words."""
    load_litellm()  # which takes its time, and would be taken for the model's
    settings = settings_in(tmp_path, model_attempts=1, **given)
    async with running(settings) as app, client_of(app) as api:
        with scripted_llm() as model:
            model.answer_with([fault])
            await choose(api, model)
            await sent(api, "Hello.")
        [one] = await calls(api)
        assert (one["status"], one["error_type"]) == (status, kind)
        assert one["error_message"]
        summary = await told(api, "summary")
        assert (summary["total_requests"], summary["error_requests"], summary["error_rate"]) == (1, 1, 1.0)
        assert (summary["p50_latency_ms"], summary["successful_requests"]) == (0, 0)
        points = (await told(api, "timeseries", metric="errors", days=1))["data_points"]
        assert [point["value"] for point in points if point["value"]] == [1]


async def test_a_stopped_answer_is_partial(api: httpx.AsyncClient):
    with scripted_llm() as model:
        model.answer_with([Answer(text="A long answer that nobody waits for.", stall_after_pieces=1)])
        await choose(api, model)
        made = (await api.post("/api/chat/conversations", json={})).json()["id"]
        body = {"content": "Hello.", "conversation_id": made, "stream": False}
        asking = asyncio.create_task(api.post("/api/chat/send", json=body))

        async def is_stopped() -> bool:
            reply = await api.post("/api/chat/stop", json={"conversation_id": made})
            return reply.status_code == 200

        await until(is_stopped)
        await asking
    [one] = await calls(api)
    assert (one["status"], one["error_type"], one["conversation_id"]) == ("partial", None, made)


async def test_a_refused_message_is_an_error(api: httpx.AsyncClient):
    """An unknown conversation is no success, though there is no answer that could fail."""
    unknown = str(uuid4())
    for path in ("send", "retry"):
        body = {"content": "Hello.", "conversation_id": unknown}
        assert (await api.post(f"/api/chat/{path}", json=body)).status_code == 404
    both = await calls(api, conversation_id=unknown)
    assert [(one["status"], one["error_type"]) for one in both] == [("error", "NotFound")] * 2
    assert unknown in both[0]["error_message"]


async def test_searches_and_contexts_are_recorded(api: httpx.AsyncClient):
    """With what they found; a context with its budget, a search without one."""
    await publish(api, {"content": "I am allergic to peanuts."})
    body = {"user_id": "local", "query": "What am I allergic to?"}
    assert (await api.post("/api/search", json=body)).status_code == 200
    reply = await api.post("/api/context", json=body | {"budgets": {"total_tokens": 900}})
    assert reply.status_code == 200, reply.text
    asked = await api.post("/api/memories/search", json={"query": "peanuts"})
    assert asked.json()["total"] == 1
    found, context, search = await calls(api)
    kinds = [one["request_type"] for one in (found, context, search)]
    assert kinds == ["memory_search", "context_build", "memory_search"]
    for one in (found, context, search):
        assert (one["status"], one["user_id"]) == ("success", "local")
        assert one["retrieval_metrics"]["total_raw_results"] > 0
        assert one["step_timings"]["ranking_time"] > 0
    assert context["context_metrics"]["total_context_tokens"] == reply.json()["total_tokens"]
    assert context["step_timings"]["context_building_time"] > 0
    assert search["context_metrics"]["token_budget_max"] == 0
    assert search["step_timings"]["context_building_time"] is None


async def test_a_context_says_what_had_no_room(tmp_path: Path):
    """What was cut or left out is counted, and what the conversation so far took."""
    settings = settings_in(tmp_path, quiet_seconds=3_600)  # nothing is learned between the two
    async with running(settings) as app, client_of(app) as api:
        roads = ("old", "new", "long", "wide", "first", "last", "cold", "red")
        await publish(api, *({"content": f"I like the {one} road to Lyon."} for one in roads))
        body = {"user_id": "local", "query": "Which road to Lyon do I like?"}
        history = [{"role": "User", "content": "Let us talk about roads."}]
        assert (
            await api.post("/api/context", json=body | {"conversation_history": history})
        ).status_code == 200
        assert (
            await api.post("/api/context", json=body | {"budgets": {"total_tokens": 100}})
        ).status_code == 200
        narrow, whole = await calls(api)
        assert whole["context_metrics"]["history_tokens_used"] > 0
        assert not whole["context_metrics"]["truncation_occurred"]
        used = narrow["context_metrics"]
        assert used["truncation_occurred"]
        assert used["memories_truncated"] > 0
        assert used["total_context_tokens"] <= used["token_budget_max"] == 100
        assert (await told(api, "retrieval"))["truncation_rate"] == 0.5


async def test_a_search_without_a_strategy_is_partial(tmp_path: Path):
    """It was answered by the others, and the record names those that were late."""
    settings = settings_in(tmp_path, strategy_timeout_seconds=1e-9)
    async with running(settings) as app, client_of(app) as api:
        reply = await api.post("/api/search", json={"user_id": "ana", "query": "peanuts"})
        assert reply.status_code == 200, reply.text
        [one] = await calls(api)
    assert (one["status"], one["error_type"]) == ("partial", "StrategyFailed")
    told, late = one["error_message"].split(": ")
    assert told == "without an answer of"
    # On a busy machine the others may have answered before anybody looks at the clock.
    assert {"vector"} <= set(late.split(", ")) <= {"graph", "keyword", "vector"}
    assert one["step_timings"]["vector_search_time"] is None


async def test_an_answer_whose_process_died_is_partial(tmp_path: Path):
    """Whoever finds it records it, as long as it was written, and under its own id."""
    clock = StoppedClock()
    async with running(settings_in(tmp_path), clock) as app, client_of(app) as api:
        begun = exchange("dead", user_id="local")
        begun = begun.model_copy(update={"held_until": START + timedelta(seconds=17)})
        async with app.state.runtime.storage.begin(Tenant(org_id=LOCAL_ORG)) as transaction:
            request = said(
                "Hello.", request_id=begun.exchange_id, user_id="local", session_id=begun.session_id
            )
            await transaction.interactions.append([request])
            await transaction.exchanges.add(
                begun.model_copy(update={"request_id": RequestId(begun.exchange_id)})
            )
        clock.advance(60)
        reply = await api.get(f"/api/chat/exchanges/{begun.exchange_id}")
        assert reply.json()["status"] == "interrupted", reply.text
        [one] = await calls(api)
    assert (one["status"], one["error_type"], one["total_time_ms"]) == ("partial", "Interrupted", 2_000)
    assert (one["request_id"], one["message_id"]) == (begun.exchange_id, begun.exchange_id)


async def test_whatever_fails_in_recording_the_call_is_answered(app: FastAPI, api: httpx.AsyncClient):
    """A recorder that raises costs the record and nothing else."""

    class Broken:
        def record(self, tenant: Tenant, call: RequestAnalytics) -> None:
            raise RuntimeError(call.id)

    chat = app.state.runtime.chat
    chat.parts = replace(chat.parts, analytics=Broken())
    assert [one.name for one in await sent(api, "Hello.")][-1] == "done"
    for path in ("search", "context"):
        reply = await api.post(f"/api/{path}", json={"user_id": "local", "query": "Hello."})
        assert reply.status_code == 200, reply.text
    assert await calls(api) == []


async def test_nothing_is_recorded_where_the_settings_say_so(tmp_path: Path):
    async with running(settings_in(tmp_path, analytics_enabled=False)) as app, client_of(app) as api:
        await sent(api, "Hello.")
        assert await calls(api) == []


async def test_calls_are_written_when_the_server_stops(tmp_path: Path):
    """Those of answers that it cuts short, too."""
    with scripted_llm() as model:
        async with running(settings_in(tmp_path)) as app, client_of(app) as api:
            model.answer_with([Answer(text="Never said to its end.", stall_after_pieces=1)])
            await choose(api, model)
            body = {"content": "Hello.", "stream": False}
            asking = asyncio.create_task(api.post("/api/chat/send", json=body))

            async def is_asked() -> bool:
                return bool(model.requests)

            await until(is_asked)
        await asyncio.gather(asking, return_exceptions=True)
    async with running(settings_in(tmp_path)) as app, client_of(app) as api:
        [one] = await calls(api)
        assert (one["status"], one["error_type"]) == ("partial", "Interrupted")


@pytest.mark.both_databases
async def test_reports_agree_with_each_other(app: FastAPI, api: httpx.AsyncClient):
    """Over a week of calls: the sum of the steps is the total, and days without calls are there."""
    now = app.state.runtime.clock.now()
    start = now - timedelta(days=6)
    some = random_calls(100, start=start, days=2)
    some = [one.model_copy(update={"id": str(uuid4())}) for one in some]
    async with app.state.runtime.storage.begin(Tenant(org_id=LOCAL_ORG)) as transaction:
        await transaction.request_analytics.add(some)
    summary = await told(api, "summary", days=7)
    assert summary["total_requests"] == 100 == sum(summary["requests_by_type"].values())
    days = summary["requests_by_day"]
    assert len(days) == 8
    assert [one["date"] for one in days] == [
        (now - timedelta(days=7 - n)).date().isoformat() for n in range(8)
    ]
    assert (sum(one["count"] for one in days), days[-1]["count"]) == (100, 0)
    assert summary["error_rate"] == summary["error_requests"] / 100
    assert sum(summary["intent_distribution"].values()) == sum(
        one.query_analysis.intent is not None for one in some
    )
    latency = await told(api, "latency", days=7, granularity="week")
    assert summary["p95_latency_ms"] == latency["total_time"]["p95"]
    assert latency["total_time"]["sample_count"] == summary["successful_requests"]
    assert len(latency["timeseries"]) == 2
    assert sum(one["count"] for one in latency["timeseries"]) == summary["successful_requests"]
    only = await told(api, "latency", days=7, request_type="memory_search")
    assert only["request_type"] == "memory_search"
    assert only["total_time"]["sample_count"] < latency["total_time"]["sample_count"]
    hours = (await told(api, "timeseries", metric="requests"))["data_points"]
    assert len(hours) == 7 * 24 + 1
    assert sum(one["value"] for one in hours) == sum(one["count"] for one in hours) == 100
    moments = [datetime.fromisoformat(one["timestamp"]) for one in hours]
    assert {later - one for one, later in pairwise(moments)} == {timedelta(hours=1)}
    assert (await told(api, "retrieval", days=7))["score_distribution"]["vector"]["max"] <= 1
    assert (await told(api, "summary", days=1))["total_requests"] == 0


async def test_pages_join(app: FastAPI, api: httpx.AsyncClient):
    """By number and by cursor, newest first; one call by its id, and 404 for none."""
    now = app.state.runtime.clock.now()
    some = [measured(str(uuid4()), at=now - timedelta(minutes=n)) for n in range(5)]
    async with app.state.runtime.storage.begin(Tenant(org_id=LOCAL_ORG)) as transaction:
        await transaction.request_analytics.add(some)
    first = await told(api, "requests", page_size=2)
    assert (first["total"], first["page"], first["has_more"]) == (5, 1, True)
    by_number = [one["id"] for n in (1, 2, 3) for one in await calls(api, page_size=2, page=n)]
    second = await told(api, "requests", page_size=2, cursor=first["next_cursor"])
    third = await told(api, "requests", page_size=2, cursor=second["next_cursor"])
    assert third["next_cursor"] is None
    by_cursor = [one["id"] for part in (first, second, third) for one in part["analytics"]]
    assert by_number == by_cursor == [one.id for one in some]
    assert await told(api, f"requests/{some[0].id}") == first["analytics"][0]
    reply = await api.get(f"{PATH}/requests/{uuid4()}")
    assert (reply.status_code, reply.json()["error"]) == (404, "NotFound")


@pytest.mark.parametrize(
    "asked",
    [
        "requests?page=0",
        "requests?page_size=101",
        "requests?status=fine",
        "requests?request_type=chat",
        "requests?date_from=yesterday",
        "requests?date_from=2026-01-02&date_to=2026-01-01",
        "requests?min_latency_ms=5&max_latency_ms=4",
        "requests?min_latency_ms=inf",
        "requests?cursor=x",
        "requests?user_id=%00",
        "requests/seven",
        "summary?days=0",
        "summary?days=91",
        "latency?granularity=month",
        "retrieval?days=x",
        "timeseries",
        "timeseries?metric=tokens",
        "timeseries?metric=requests&granularity=week",
        "daily?date_from=2026-01-02&date_to=2026-01-01",
        "daily?date_to=0001-01-01",
    ],
)
async def test_wrong_parameters_are_refused(api: httpx.AsyncClient, asked: str):
    assert (await api.get(f"{PATH}/{asked}")).status_code == 422


@pytest.mark.both_databases
async def test_without_calls_the_whole_time_is_of_none(api: httpx.AsyncClient):
    """So that whoever reads its percentiles need not look first; a step that none took is null."""
    latency = await told(api, "latency")
    assert set(latency["total_time"].values()) == {0}
    assert latency["ttfb"] is latency["llm"] is None
    assert (await told(api, "summary"))["p95_latency_ms"] == 0


READS = ("requests", "summary", "latency", "retrieval", "timeseries?metric=requests", "daily")


async def test_each_route_wants_a_token(app: FastAPI, api: httpx.AsyncClient):
    """And an organisation's sees no other's."""
    await sent(api, "Hello.", user="ana")
    [mine] = await calls(api)
    other = {"Authorization": f"Bearer {await make_token(app, 'other')}"}
    for path in (*READS, f"requests/{mine['id']}"):
        assert (await api.get(f"{PATH}/{path}")).status_code == 401
    assert (await api.post(f"{PATH}/flush")).status_code == 401
    assert (await api.get(f"{PATH}/requests", headers=other)).json()["total"] == 0
    assert (await api.get(f"{PATH}/summary", headers=other)).json()["total_requests"] == 0
    assert (await api.get(f"{PATH}/requests/{mine['id']}", headers=other)).status_code == 404


@pytest.mark.both_databases
async def test_a_user_reads_the_own_calls_alone(tmp_path: Path, database_url: str):
    """The organisation reads all of them, or one user's; only it has what waits written."""
    settings = settings_in(tmp_path, database_url=database_url, jwt_secret=SECRET)
    async with running(settings) as app, client_of(app, token=await make_token(app, LOCAL_ORG)) as api:
        ana, ben = as_user("ana"), as_user("ben")
        for headers in (ana, ana, ben):
            body = {"content": "Hello.", "stream": False}
            reply = await api.post("/api/chat/send", json=body, headers=headers)
            assert reply.status_code == 200, reply.text
        assert (await api.post(f"{PATH}/flush", headers=ana)).status_code == 403
        assert await flushed(api) == 3
        for headers, count in ((ana, 2), (ben, 1)):
            assert (await api.get(f"{PATH}/requests", headers=headers)).json()["total"] == count
            summary = (await api.get(f"{PATH}/summary", headers=headers)).json()
            assert summary["total_requests"] == count == summary["requests_by_day"][-1]["count"]
            points = await api.get(f"{PATH}/timeseries", params={"metric": "requests"}, headers=headers)
            assert sum(one["value"] for one in points.json()["data_points"]) == count
            latency = (await api.get(f"{PATH}/latency", headers=headers)).json()
            assert latency["total_time"]["sample_count"] == count
            assert (await api.get(f"{PATH}/retrieval", headers=headers)).json()["total_requests"] == count
        assert (await told(api, "requests"))["total"] == 3
        [bens] = await calls(api, user_id="ben")
        assert bens["user_id"] == "ben"
        for path in READS:
            reply = await api.get(f"{PATH}/{path}", params={"user_id": "ben"}, headers=ana)
            if "?" not in path:
                assert reply.status_code == 403
        reply = await api.get(f"{PATH}/requests/{bens['id']}", headers=ana)
        assert reply.status_code == 404
        assert (await api.get(f"{PATH}/requests/{bens['id']}", headers=ben)).status_code == 200


def as_user(name: str) -> dict[str, str]:
    expiry = int(time.time()) + 3_600
    token = jwt.encode({"sub": name, "exp": expiry, "iat": expiry - 3_600}, SECRET, algorithm="HS256")
    return {"Authorization": f"Bearer {token}"}


async def test_a_flush_writes_what_the_organisation_has_and_no_more(app: FastAPI, api: httpx.AsyncClient):
    await sent(api, "Hello.")
    emitter = app.state.runtime.analytics
    other = Tenant(org_id=OrgId("other"))
    emitter.record(other, measured("theirs"))
    assert await flushed(api) == 1
    assert emitter.waiting == 1
    assert await flushed(api) == 0
