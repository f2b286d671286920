"""Site variables over HTTP: the operator's alone, checked, and at work."""

from pathlib import Path

from sagacity.domain.tenant import LOCAL_ORG
from support.api import client_of, make_token, running, settings_in


async def test_only_the_operator_reads_and_sets_site_variables(tmp_path: Path):
    """What is set shows its version and author, and switches what it names."""
    async with (
        running(settings_in(tmp_path)) as app,
        client_of(app, token=await make_token(app, LOCAL_ORG)) as api,
    ):
        async with client_of(app, token=await make_token(app, "other")) as other:
            for method, path in (("GET", ""), ("PUT", "/flag.holdout"), ("DELETE", "/flag.holdout")):
                body = {"value": {}} if method == "PUT" else None
                assert (await other.request(method, f"/api/site{path}", json=body)).status_code == 403

        value = {"enabled": False}
        reply = await api.put("/api/site/flag.query_rewriting", json={"value": value})
        assert reply.json()["variable"]["version"] == 1
        assert reply.json()["variable"]["author"].startswith("token:")
        assert reply.json()["variable"]["value"] == {"enabled": False, "organisations": [], "share": 1.0}
        listed = {one["name"]: one for one in (await api.get("/api/site")).json()["variables"]}
        assert listed["flag.query_rewriting"]["value"]["enabled"] is False
        assert (listed["flag.holdout"]["version"], listed["model.chat"]["value"]) == (0, None)
        asked = {"query": "and in winter?", "user_id": "ana", "enable_reformulation": True}
        found = await api.post("/api/search", json=asked)
        assert found.is_success
        assert "turned off" in found.text
        assert (await api.delete("/api/site/flag.query_rewriting")).is_success
        assert "turned off" not in (await api.post("/api/search", json=asked)).text

        assert (await api.delete("/api/site/flag.query_rewriting")).status_code == 404
        wrong = await api.put("/api/site/flag.holdot", json={"value": {}})
        assert (wrong.status_code, "flag.holdout" in wrong.text) == (422, True)
        for name, body in (
            ("flag.holdout", {}),
            ("flag.holdout", {"value": 1}),
            ("flag.holdout", {"value": {"share": -1}}),
            ("model.chat", {"value": "\x00"}),
            ("x" * 65, {"value": 1}),
        ):
            assert (await api.put(f"/api/site/{name}", json=body)).status_code == 422, (name, body)
