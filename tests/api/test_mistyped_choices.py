"""A mistyped field never widens what a call changes, starts or deletes."""

import pytest

CASES = [
    ("POST", "upgrade_all_profiles", {"userid": "x"}, "did you mean user_id?"),
    ("POST", "downgrade_all_profiles", {"user": "x"}, "did you mean user_id?"),
    ("POST", "upgrade_all_user_playbooks", {"agentversion": "v2"}, "did you mean agent_version?"),
    ("POST", "downgrade_all_user_playbooks", {"names": "x"}, "not known"),
    ("POST", "rerun_profile_generation", {"only": "x"}, "not known"),
    ("POST", "manual_playbook_generation", {"user-id": "x"}, "did you mean user_id?"),
    ("POST", "run_playbook_aggregation", {"version": "v1"}, "not known"),
    ("POST", "cancel_operation", {"serivce_name": "x"}, "did you mean service_name?"),
    ("DELETE", "delete_profile", {"user_id": "x", "id": "1"}, "not known"),
]


@pytest.mark.parametrize(("method", "route", "body", "says"), CASES, ids=[case[1] for case in CASES])
async def test_a_field_that_is_not_known_is_refused_by_name(api, method, route, body, says):
    reply = await api.request(method, f"/api/{route}", json=body)
    assert reply.status_code == 422, reply.text
    assert says in reply.json()["message"], reply.text


async def test_a_hostile_name_is_not_repeated(api):
    reply = await api.post("/api/upgrade_all_profiles", json={"\x1b[31mred" + "x" * 100: 1})
    assert reply.status_code == 422
    assert "\x1b" not in reply.text
    assert "xxx" not in reply.text


@pytest.mark.parametrize(
    ("method", "path", "body", "field"),
    [
        ("PATCH", "/api/profile/memory-settings?user_id=ana", {"retention_days": True}, "retention_days"),
        ("POST", "/api/set_config", {"batch_interval": True}, "batch_interval"),
        ("POST", "/api/set_config", {"window_size": True}, "window_size"),
        ("POST", "/api/search", {"query": "tea", "top_k": True}, "top_k"),
        ("POST", "/api/search_interactions", {"query": "tea", "top_k": False}, "top_k"),
    ],
)
async def test_a_truth_value_is_no_number(api, method: str, path: str, body: dict, field: str) -> None:
    """Nobody who writes `true` means one."""
    reply = await api.request(method, path, json=body)
    assert reply.status_code == 422, reply.text
    assert field in reply.text
    assert "must be a" in reply.text
