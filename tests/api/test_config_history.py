"""Former configurations over HTTP: listed, compared, brought back; no key in any reply, log or file."""

from pathlib import Path

import pytest

from sagacity.domain.tenant import LOCAL_ORG, Tenant
from support.api import client_of, running, settings_in

PLANTED = "sk-planted-7d1c"


async def test_configurations_are_versions_that_come_back(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    """With who set them; a rollback is a version more; the key stands nowhere in the clear, and is there again."""
    async with running(settings_in(tmp_path)) as app, client_of(app) as api:
        said = [
            await api.post(
                "/api/set_config",
                json={"api_key_config": {"anthropic": {"api_key": PLANTED}}, "batch_size": 7},
            ),
            await api.post("/api/set_config", json={"batch_size": 8}),
        ]
        said.append(page := await api.get("/api/config/versions", params={"limit": 1}))
        (newest,) = page.json()["versions"]
        assert (newest["version"], newest["author"], newest["fields"]) == (
            2,
            "local",
            ["api_key_config", "batch_size"],
        )
        said.append(rest := await api.get("/api/config/versions", params={"before": page.json()["next"]}))
        assert [one["version"] for one in rest.json()["versions"]] == [1]
        said.append(first := await api.get("/api/config/versions/1"))
        assert first.json()["config"]["api_key_config"]["anthropic"]["api_key"] == "********"
        said.append(diff := await api.get("/api/config/diff", params={"old": 1}))
        assert {one["field"] for one in diff.json()["changes"]} == {"api_key_config", "batch_size"}
        said.append(back := await api.post("/api/config/rollback", json={"version": 1}))
        assert back.json()["version"] == 3
        assert (await api.get("/api/config/diff", params={"old": 1, "new": 3})).json()["changes"] == []
        config = await app.state.runtime.configs.get(Tenant(org_id=LOCAL_ORG))
        assert config.api_key_config.anthropic.api_key.get_secret_value() == PLANTED
        for wrong, status in (
            ("/api/config/versions/99", 404),
            ("/api/config/versions/0", 422),
            ("/api/config/versions/x", 422),
            ("/api/config/versions/999999999999999999999999", 422),
            ("/api/config/diff?old=1&new=99", 404),
            ("/api/config/diff", 422),
        ):
            assert (await api.get(wrong)).status_code == status, wrong
        for body, status in (
            ({"version": 99}, 404),
            ({"version": "\x00"}, 422),
            ({}, 422),
            ({"version": 1, "x": 1}, 422),
        ):
            assert (await api.post("/api/config/rollback", json=body)).status_code == status, body
        assert not any(PLANTED in one.text for one in said)
    assert PLANTED not in caplog.text
    assert (tmp_path / "config.key").exists()
    assert not [
        one.name for one in tmp_path.rglob("*") if one.is_file() and PLANTED.encode() in one.read_bytes()
    ]
