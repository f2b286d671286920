"""The ledger over HTTP: entries page by page, sums, and how much of the cap is spent."""

from datetime import timedelta

import pytest

from sagacity.domain.ids import OrgId
from sagacity.domain.ledger import ModelCallRecord
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from support.api import client_of, make_token
from support.parts import START, StoppedClock

NOW = START


@pytest.fixture
def api_clock() -> StoppedClock:
    """At noon or at midnight, the day of the cap is one."""
    return StoppedClock()


async def spend(app, *calls: dict, org: str = LOCAL_ORG) -> None:
    """Write calls down as if they had been made, oldest first."""
    tenant = Tenant(org_id=OrgId(org))
    for call in calls:
        values = {"learner": "profile:x", "user_id": "anna", "model": "m", "created_at": NOW}
        async with app.state.runtime.storage.begin(tenant) as transaction:
            await transaction.organisation.ensure(org)
            await transaction.model_calls.add(ModelCallRecord.model_validate(values | call))


async def test_entries_come_newest_first_and_page_by_page(api, app):
    """`next` leads on until there is none; filters narrow."""
    await spend(app, *({"prompt": f"p/v{n}", "prompt_tokens": n} for n in range(1, 6)))
    first = (await api.get("/api/model_calls", params={"limit": 3})).json()
    assert [call["prompt"] for call in first["model_calls"]] == ["p/v5", "p/v4", "p/v3"]
    rest = (await api.get("/api/model_calls", params={"limit": 3, "before": first["next"]})).json()
    assert [call["prompt"] for call in rest["model_calls"]] == ["p/v2", "p/v1"]
    assert "next" not in rest
    assert first["model_calls"][0] == {
        "call_id": first["model_calls"][0]["call_id"],
        "learner": "profile:x",
        "user_id": "anna",
        "model": "m",
        "prompt": "p/v5",
        "attempt": 1,
        "prompt_tokens": 5,
        "cached_tokens": 0,
        "completion_tokens": 0,
        "duration_ms": 0,
        "outcome": "ok",
        "created_at": NOW.isoformat().replace("+00:00", "Z"),
    }


async def test_filters_narrow_entries_and_sums(api, app):
    """By learner, user, model, outcome and time; the empty user is the organisation itself."""
    yesterday = NOW - timedelta(days=1)
    await spend(
        app,
        {"learner": "old", "created_at": yesterday, "cost_usd": 0.5},
        {"learner": "shared", "user_id": "", "prompt_tokens": 3, "cost_usd": 0.25},
        {"learner": "broken", "outcome": "ProviderTimeout", "model": "m2"},
    )
    for wanted, learners in (
        ({"learner": "old"}, ["old"]),
        ({"user_id": ""}, ["shared"]),
        ({"model": "m2"}, ["broken"]),
        ({"outcome": "ProviderTimeout"}, ["broken"]),
        ({"start_time": NOW.isoformat()}, ["broken", "shared"]),
        ({"end_time": NOW.isoformat()}, ["old"]),
    ):
        page = (await api.get("/api/model_calls", params=wanted)).json()
        assert [call["learner"] for call in page["model_calls"]] == learners, wanted
        sums = (await api.get("/api/model_call_totals", params={"by": "learner", **wanted})).json()
        assert sorted(one["key"] for one in sums["totals"]) == sorted(learners), wanted
    sums = (await api.get("/api/model_call_totals", params={"by": "day"})).json()
    assert [
        (one["key"], one["call_count"], one["failed_count"], one["unpriced_count"], one["cost_usd"])
        for one in sums["totals"]
    ] == [
        (f"{NOW:%Y-%m-%d}", 2, 1, 1, 0.25),
        (f"{yesterday:%Y-%m-%d}", 1, 0, 0, 0.5),
    ]


async def test_cap_is_shown_with_what_is_spent_of_it(api, app):
    """Without one there is none; when it is reached, the reply says so in words."""
    assert "spending_cap" not in (await api.get("/api/model_calls")).json()
    await api.post("/api/set_config", json={"spending_cap": {"max_tokens": 100, "max_cost_usd": 1.5}})
    await spend(app, {"prompt_tokens": 90, "completion_tokens": 9, "cost_usd": 0.25})
    reply = (await api.get("/api/model_calls")).json()
    cap = reply["spending_cap"]
    assert (cap["spent_tokens"], cap["spent_cost_usd"], cap["is_reached"]) == (99, 0.25, False)
    assert cap["unpriced_count"] == 0
    assert (cap["period"], cap["since"], reply["warnings"]) == ("day", f"{NOW:%Y-%m-%d}T00:00:00Z", [])
    await spend(app, {"completion_tokens": 1})
    reply = (await api.get("/api/model_call_totals", params={"by": "user"})).json()
    assert reply["spending_cap"]["is_reached"] is True
    assert reply["spending_cap"]["unpriced_count"] == 1
    [warning] = reply["warnings"]
    until = reply["spending_cap"]["until"]
    assert warning == f"the spending cap of 100 tokens a day is reached: learned by rules until {until}"


async def test_nobody_sees_what_others_spend(api, app):
    """Another organisation's calls are in neither list nor sum; without a token there is nothing at all."""
    await spend(app, {"learner": "theirs"}, org="theirs")
    await spend(app, {"learner": "ours"})
    token = await make_token(app, "theirs")
    async with client_of(app, token=token) as theirs:
        page = (await theirs.get("/api/model_calls")).json()
        sums = (await theirs.get("/api/model_call_totals", params={"by": "model"})).json()
    assert [call["learner"] for call in page["model_calls"]] == ["theirs"]
    assert [(one["key"], one["call_count"]) for one in sums["totals"]] == [("m", 1)]
    assert (await api.get("/api/model_calls")).status_code == 401


async def test_wrong_filters_are_refused(api):
    for path, wanted in (
        ("model_calls", {"limit": 0}),
        ("model_calls", {"before": 0}),
        ("model_calls", {"learner": "a\x00"}),
        ("model_calls", {"user_id": "x" * 600}),
        ("model_calls", {"start_time": "soon"}),
        ("model_calls", {"start_time": NOW.isoformat(), "end_time": NOW.isoformat()}),
        ("model_calls", {"outcome": "nope"}),
        ("model_call_totals", {"by": "model", "outcome": "Ok"}),
        ("model_call_totals", {}),
        ("model_call_totals", {"by": "moon"}),
    ):
        reply = await api.get(f"/api/{path}", params=wanted)
        assert reply.status_code == 422, (path, wanted, reply.text)
