"""Evaluation results and the dashboard."""

from datetime import UTC, datetime
from itertools import pairwise

import sqlalchemy as sa

from sagacity.domain.evaluation import NewEvaluation, RegularVsShadow
from sagacity.domain.ids import SessionId, UserId
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from sagacity.storage.schema.tables import evaluations
from support.api import add_profile, publish

DAY = 86_400


async def judge(app, *outcomes: tuple[bool, str], at: datetime) -> None:
    """Write results as an evaluator would."""
    async with app.state.runtime.storage.begin(Tenant(org_id=LOCAL_ORG)) as transaction:
        scope = transaction.evaluations._scope
        for number, (success, version) in enumerate(outcomes):
            values = {
                "org_id": LOCAL_ORG,
                "agent_version": version,
                "session_id": f"s{number}",
                "is_success": success,
                "created_at": at,
            }
            await scope.run(sa.insert(evaluations), values)


async def test_results_are_newest_first_and_filtered(api, app):
    """All fields of a result come back; null ones are left out."""
    now = datetime(2026, 5, 1, 10, tzinfo=UTC)
    await judge(app, (True, "v1"), (False, "v2"), at=now)
    page = (await api.post("/api/get_agent_success_evaluation_results", json={})).json()
    results = page["agent_success_evaluation_results"]
    assert [result["session_id"] for result in results] == ["s1", "s0"]
    assert results[0]["created_at"] == int(now.timestamp())
    assert "failure_type" not in results[0]
    only = await api.post("/api/get_agent_success_evaluation_results", json={"agent_version": "v1"})
    assert [result["is_success"] for result in only.json()["agent_success_evaluation_results"]] == [True]


async def test_dashboard_has_one_point_a_day(api, app):
    """Row 44: series are counted by day, empty days included, and the periods add up."""
    now = app.state.runtime.clock.now()
    yesterday = int(now.timestamp()) - DAY
    await publish(api, "one", "two", "three")
    await publish(api, "four", user_id="ben")
    for n in range(3):
        await add_profile(api, f"p{n}", last_modified_timestamp=yesterday)
    await add_profile(api, "before", last_modified_timestamp=yesterday - 7 * DAY)
    await judge(app, (True, "v1"), (True, "v1"), (False, "v1"), at=now)
    stats = (await api.post("/api/get_dashboard_stats", json={"days_back": 7})).json()["stats"]
    today = int(now.timestamp()) // DAY * DAY
    days = [today - DAY * back for back in range(6, -1, -1)]
    assert [point["timestamp"] for point in stats["interactions_time_series"]] == days
    assert [point["value"] for point in stats["interactions_time_series"]] == [0, 0, 0, 0, 0, 0, 4]
    assert [point["value"] for point in stats["profiles_time_series"]] == [0, 0, 0, 0, 0, 3, 0]
    assert stats["evaluations_time_series"] == [{"timestamp": today, "value": 67}]
    assert stats["current_period"] == {
        "total_profiles": 3,
        "total_interactions": 4,
        "total_playbooks": 0,
        "success_rate": 66.67,
    }
    assert stats["previous_period"]["total_profiles"] == 1


async def test_dashboard_refuses_impossible_spans(api):
    """A number of days that no calendar has is refused."""
    for days in (0, -1, 10**12, "month"):
        assert (await api.post("/api/get_dashboard_stats", json={"days_back": days})).status_code == 422


async def test_shadow_report_claims_nothing_of_few(api, app):
    """Without comparisons, and with some: what is said, and which wishes are refused."""
    path = "/api/v1/evaluations/shadow"
    report = (await api.get(path)).json()
    assert report["summary"] == ["No session was compared with a shadow."]
    assert (report["total"]["finding"], report["total"]["interval"]) == ("too_few", None)
    await compare(app, shadow_wins=19)
    report = (await api.get(path)).json()
    assert (report["total"]["shadow_win_rate"], report["total"]["finding"]) == (1.0, "too_few")
    assert report["position"]["finding"] == "too_few"
    await compare(app, shadow_wins=40)
    report = (await api.get(path, params={"limit": 2})).json()
    assert report["total"]["finding"] == report["groups"][0]["finding"] == "shadow_better"
    assert report["position"]["finding"] == "none_shown"
    assert len(report["sessions"]) == 2
    assert report["summary"][0].startswith("The shadow is better: it won 40 of 40")
    other = (await api.get(path, params={"agent_version": "v9"})).json()
    assert (other["total"]["sessions"], other["groups"]) == (0, [])
    for wrong in ({"days": 0}, {"limit": 101}, {"days": "x"}, {"agent_version": "a\0"}, {"versions": "v1"}):
        assert (await api.get(path, params=wrong)).status_code == 422


async def compare(app, *, shadow_wins: int) -> None:
    """Write comparisons that the shadow won, shown first in every second one."""
    async with app.state.runtime.storage.begin(Tenant(org_id=LOCAL_ORG)) as transaction:
        for number in range(shadow_wins):
            one = NewEvaluation(
                agent_version="v1",
                session_id=SessionId(f"c{number}"),
                is_success=True,
                evaluation_name="resolved",
                regular_vs_shadow=RegularVsShadow.SHADOW_IS_BETTER,
                is_shadow_first=number % 2 == 0,
                is_shadow_success=True,
                created_at=app.state.runtime.clock.now(),
            )
            await transaction.evaluations.replace(UserId("ana"), one)


async def test_dashboard_series_have_no_gaps(api, app):
    """One point a step from the first to now, zeros included; together they are what the dashboard's totals say."""
    path = "/api/v1/dashboard/series"
    await publish(api, "one", "two", source="web")
    await publish(api, "three", user_id="ben")
    await judge(app, (True, "v1"), (False, "v1"), at=app.state.runtime.clock.now())
    for granularity, least in (("hour", 24 * 3), ("day", 3), ("week", 1)):
        report = (await api.get(path, params={"days": 3, "granularity": granularity})).json()
        [one] = report["series"]
        times = [datetime.fromisoformat(point["timestamp"]) for point in one["points"]]
        assert len(times) >= least
        assert len({later - earlier for earlier, later in pairwise(times)}) <= 1
        assert [point["interactions"] for point in one["points"][-1:]] == [3]
        assert sum(point["evaluations"] for point in one["points"]) == 2
        assert (one["points"][-1]["success_rate"], one["points"][-1]["successes"]) == (50.0, 1)
    by_source = (await api.get(path, params={"days": 1, "by": "source"})).json()
    assert {one["group"]: one["points"][-1]["interactions"] for one in by_source["series"]} == {
        "": 1,
        "web": 2,
    }
    assert not by_source["has_more"]
    for number in range(11):
        await publish(api, "x", source=f"s{number}")
    many = (await api.get(path, params={"days": 1, "by": "source"})).json()
    assert (len(many["series"]), many["has_more"]) == (10, True)
    for wrong in (
        {"days": 32, "granularity": "hour"},
        {"granularity": "month"},
        {"by": "user_id"},
        {"source": "\0"},
    ):
        assert (await api.get(path, params=wrong)).status_code == 422, wrong
