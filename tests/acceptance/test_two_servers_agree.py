"""Two servers over one database, and nothing else in common: what changes at one holds at the other."""

from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from support.program import sagacity
from support.server import running_server

SETTINGS = {
    "SAGACITY_SIGN_UP": "open",
    "SAGACITY_VERIFY_EMAIL": "false",
    "SAGACITY_PASSWORD_MEMORY_KIB": "64",
    "SAGACITY_PASSWORD_PASSES": "1",
    "SAGACITY_RATE_LIMITS": "false",
}
POLLS = 5_000
"""Calls within which a change is seen, of which each takes a millisecond or more."""
PERSON = {"email": "ana@example.com", "password": "Two-Lions-4"}


def polls_until(seen: Callable[[], bool]) -> int:
    """How many calls it took to see something."""
    for polls in range(1, POLLS):
        if seen():
            return polls
    raise AssertionError(f"not seen within {POLLS} calls")


@pytest.mark.full
def test_what_changes_at_one_server_holds_at_the_other(tmp_path: Path) -> None:
    """A role and a token from the next call on; a configuration and a site variable after two seconds."""
    with running_server(tmp_path, SETTINGS) as first, running_server(tmp_path, SETTINGS) as second:
        secret = sagacity("token", "create", "--scope", "admin", home=tmp_path).out.splitlines()[0]
        with (
            httpx.Client(base_url=f"{first.url}/api", headers=bearing(secret), timeout=60) as one,
            httpx.Client(base_url=f"{second.url}/api", headers=bearing(secret), timeout=60) as other,
        ):
            new = one.post("/tokens", json={"name": "x", "scopes": ["read"]}).json()
            its = bearing(new["secret"])
            assert other.get("/whoami", headers=its).status_code == 200
            assert one.delete(f"/tokens/{new['token']['token_id']}").is_success
            assert other.get("/whoami", headers=its).status_code == 401

            person = one.post("/auth/signup", json=PERSON).json()["user_id"]
            signed_in = bearing(one.post("/auth/login", json=PERSON).json()["access_token"])
            assert other.get("/get_config", headers=signed_in).status_code == 403
            assert one.patch(f"/members/{person}", json={"role": "admin"}).is_success
            assert other.get("/get_config", headers=signed_in).status_code == 200
            assert one.patch(f"/members/{person}", json={"role": "viewer"}).is_success
            assert other.get("/get_config", headers=signed_in).status_code == 403

            assert other.get("/get_config").json()["batch_size"] != 77  # read once, and kept
            assert one.post("/set_config", json={"batch_size": 77, "batch_interval": 7}).is_success
            assert polls_until(lambda: other.get("/get_config").json()["batch_size"] == 77)

            def variable() -> object:
                values = other.get("/site").json()["variables"]
                return next(value["value"] for value in values if value["name"] == "model.chat")

            before = variable()
            assert one.put("/site/model.chat", json={"value": "openai/another"}).is_success
            assert polls_until(lambda: variable() == "openai/another" != before)


def bearing(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}
