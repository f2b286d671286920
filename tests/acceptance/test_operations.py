"""Running it: start and stop, tokens, the doctor, a new index, and what outlives a kill."""

import json
import os
import signal
import socket
from pathlib import Path

import httpx
import pytest

from support.collector import collector
from support.local_servers import free_port
from support.program import QUIET, Ran, sagacity
from support.server import running_server


def test_tokens_close_the_server(tmp_path: Path) -> None:
    """Once there is a token every call needs one: none or a wrong one ends with 3, a revoked one too."""
    home = tmp_path / "home"
    made = sagacity("token", "create", "--name", "laptop", "--json", home=home).data
    assert made["token"].startswith("sgc_")
    with running_server(home, QUIET) as server:
        for key in ({}, {"SAGACITY_API_KEY": "sgc_wrong"}):
            ran = sagacity("profiles", "list", "--json", home=home, url=server.url, env=key)
            assert (ran.code, ran.error["type"]) == (3, "Unauthorized")
        call = ("profiles", "list", "--api-key", made["token"], "--json")
        assert sagacity(*call, home=home, url=server.url).data == []
        (listed,) = sagacity("token", "list", "--json", home=home).data
        assert (listed["name"], listed["token_id"]) == ("laptop", made["token_id"])
        assert made["token"] not in json.dumps(listed)
        assert sagacity("token", "revoke", made["token_id"], home=home).out == "revoked\n"
        assert sagacity(*call, home=home, url=server.url).code == 3
    assert sagacity("token", "revoke", "unknown", "--json", home=home).error["type"] == "NotFound"


def test_secrets_are_replaced_and_the_log_is_checked(tmp_path: Path) -> None:
    """On the database while a server runs; an export proves itself, and one that was altered does not."""
    home, file = tmp_path / "home", tmp_path / "audit.jsonl"
    first = sagacity("token", "create", "--json", home=home).data
    refused = sagacity("token", "create", "--user", "ana", "--scope", "admin", "--json", home=home)
    assert (refused.code, refused.error["type"]) == (2, "InvalidInput")
    for wrong in (("--expires", "3x"), ("--expires", "99999999d"), ("--scope", "god"), ("--name", "a\nb")):
        assert sagacity("token", "create", *wrong, home=home).code == 2
    with running_server(home, QUIET) as server:
        again = sagacity("token", "rotate", first["token_id"], "--grace", "0", "--json", home=home).data

        def asked(*call: str, key: str = again["token"]) -> Ran:
            return sagacity(*call, "--api-key", key, "--json", home=home, url=server.url)

        assert asked("audit", "list", key=first["token"]).code == 3
        assert [one["action"] for one in asked("audit", "list").data] == ["token.rotated", "token.created"]
        assert [one["seq"] for one in asked("audit", "list", "--action", "token.created").data] == [1]
        assert asked("audit", "list", "--action", "none").code == 2
        assert asked("audit", "export", "--output", str(file)).data["rows"] == 2
        assert asked("audit", "export", "--output", str(tmp_path / "no" / "x")).code == 2
        assert asked("audit", "export", "--output", str(tmp_path)).code == 2
        assert asked("audit", "export", "--output", "/dev/null").data["rows"] == 2
        assert [one.name for one in tmp_path.iterdir() if one.suffix] == ["audit.jsonl"]
        head = asked("audit", "verify").data["head"]
        assert asked("audit", "verify", "--known", head).code == 0
        assert asked("audit", "verify", "--known", "0" * 64).code == 1
    checked = sagacity("audit", "verify", str(file), "--json", home=home)
    assert (checked.code, checked.data["head"], checked.data["rows"]) == (0, head, 2)
    file.write_text(file.read_text().replace("operator", "local", 1))
    checked = sagacity("audit", "verify", str(file), "--json", home=home)
    assert (checked.code, json.loads(checked.out)["data"]["broken"]["seq"]) == (1, 1)
    file.write_text("[1]\n")
    assert sagacity("audit", "verify", str(file), home=home).code == 2


def test_token_of_another_organisation_sees_its_own_data(tmp_path: Path) -> None:
    """`--org` makes an organisation; two never see each other's data."""
    tokens = [
        sagacity("token", "create", "--org", org, "--json", home=tmp_path).data["token"]
        for org in ("one", "two")
    ]
    with running_server(tmp_path, QUIET) as server:
        for key, content in zip(tokens, ("Of one.", "Of two."), strict=True):
            call = ("profiles", "add", "-u", "ana", "--content", content, "--api-key", key)
            assert sagacity(*call, home=tmp_path, url=server.url).code == 0
        seen = [
            sagacity(
                "profiles", "list", "-u", "ana", "--api-key", key, "--json", home=tmp_path, url=server.url
            ).data
            for key in tokens
        ]
    assert [[profile["content"] for profile in profiles] for profiles in seen] == [["Of one."], ["Of two."]]


def test_open_door_is_refused(tmp_path: Path) -> None:
    """A server that others can reach does not start before there is a token."""
    ran = sagacity("serve", "--host", "0.0.0.0", "--port", "0", home=tmp_path)
    assert ran.code == 1
    assert "sagacity token create" in ran.err
    assert "Traceback" not in ran.err


def test_wrong_setting_stops_the_start(tmp_path: Path) -> None:
    """The message names the variable; no traceback."""
    ran = sagacity("serve", "--json", home=tmp_path, env={"SAGACITY_PORT": "no"})
    assert (ran.code, ran.error["type"]) == (1, "ConfigError")
    assert "SAGACITY_PORT" in ran.error["message"]


def test_failure_in_start_up_is_one_error(tmp_path: Path) -> None:
    """What stops the start inside the server comes out as an error too, not as a traceback."""
    ran = sagacity("serve", "--port", "0", "--json", home=tmp_path, env={"SAGACITY_EMBEDDER": "nonsense"})
    assert (ran.code, ran.error["type"]) == (1, "ConfigError")
    assert "nonsense" in ran.error["message"]
    assert "Traceback" not in ran.err


def test_port_in_use_is_said(tmp_path: Path) -> None:
    """A port that another program has ends the start with an error that names it."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        ran = sagacity("serve", "--port", port, home=tmp_path)
    assert ran.code == 1
    assert port in ran.err


def test_server_at_another_address_says_how_commands_find_it(tmp_path: Path) -> None:
    """They look at 127.0.0.1:8081 unless they are told otherwise."""
    with running_server(tmp_path, QUIET) as server:
        assert f"\nCommands find it by SAGACITY_URL={server.url}\n" in server.logs


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_server_ends_gracefully(tmp_path: Path, number: signal.Signals) -> None:
    """Told to stop, it finishes and ends as a success."""
    with running_server(tmp_path, QUIET) as server:
        assert httpx.get(f"{server.url}/health/ready").json()["status"] == "ready"
        os.kill(server.process.pid, number)
        assert server.process.wait(30) == 0
        assert "Traceback" not in server.logs


def test_what_was_published_outlives_a_kill(tmp_path: Path) -> None:
    """A publish that was answered is there after SIGKILL, and is learned from by the next server."""
    with running_server(tmp_path, QUIET, fresh=True) as server:
        said = (
            "publish",
            "-u",
            "ana",
            "--user-message",
            "I live in Oslo.",
            "--agent-response",
            "Noted.",
            "--json",
        )
        published = sagacity(*said, "--force-extraction", home=tmp_path, url=server.url)
        server.kill()
    assert published.code == 0, published.err
    with running_server(tmp_path, QUIET) as server:
        request_id = published.data["request_id"]
        learned = sagacity("receipt", request_id, "--wait", "--json", home=tmp_path, url=server.url).data
    assert any("Oslo" in memory["content"] for memory in learned["memories"])


def test_doctor_says_what_to_do(tmp_path: Path) -> None:
    """All well is 0; without a server it is 1, and names the command that helps."""
    with running_server(tmp_path / "served", QUIET) as server:
        well = sagacity("doctor", "--json", home=tmp_path, url=server.url)
    assert well.code == 0
    assert {check["name"]: check["ok"] for check in well.data["checks"]} == dict.fromkeys(
        ("settings", "home", "database", "configurations", "disk", "embedder", "model keys", "server"), True
    )
    assert not (tmp_path / "sagacity.db").exists()
    ill = sagacity("doctor", home=tmp_path, url="http://127.0.0.1:1")
    assert ill.code == 1
    assert "sagacity serve" in ill.out
    wrong = sagacity("doctor", "--json", home=tmp_path, env={"SAGACITY_PORT": "no"})
    assert wrong.code == 1
    assert "SAGACITY_PORT" in wrong.data["checks"][0]["found"]


def test_doctor_looks_for_the_server_where_the_settings_put_it(tmp_path: Path) -> None:
    """Another server, at the usual port, says nothing of these settings."""
    port = str(free_port())
    env = {"SAGACITY_HOST": "0.0.0.0", "SAGACITY_PORT": port, "SAGACITY_URL": ""}
    assert f"http://127.0.0.1:{port}" in _checks(tmp_path, **env)["server"]["found"]


def test_doctor_asks_every_server_that_is_named(tmp_path: Path) -> None:
    """What answers is well; what does not is named with the setting to correct, and without its password."""
    with collector() as received:
        found = _checks(tmp_path, SAGACITY_TRACES_URL=received.url, SAGACITY_TRACES_HEADERS="key=very-secret")
        assert found["traces"]["ok"]
        assert [one["key"] for one in received.headers] == ["very-secret"]
    dead = "127.0.0.1:1"
    found = _checks(
        tmp_path,
        SAGACITY_TRACES_URL=f"http://{dead}",
        SAGACITY_REDIS_URL=f"redis://:very-secret@{dead}/0",
        SAGACITY_MAIL_URL=f"smtp://me:very-secret@{dead}",
        SAGACITY_MAIL_FROM="memory@example.com",
    )
    for name in ("traces", "redis", "mail"):
        assert not found[name]["ok"]
        assert f"SAGACITY_{name.upper()}_URL" in found[name]["advice"]
    assert "very-secret" not in str(found)


def test_doctor_says_what_is_wrong_with_the_document_of_tokens(tmp_path: Path) -> None:
    """By the words of whoever reads it, as at the start of a server."""
    env = {"SELF_HOST": "true", "SAGACITY_CONFIG_FOLDER": str(tmp_path / "place")}
    assert sagacity("token", "create", home=tmp_path, env=env).code == 0
    (tmp_path / "place" / "auth" / "organizations.json").write_text("{")
    found = _checks(tmp_path, **env)["database"]
    assert not found["ok"]
    assert "organizations.json is broken" in found["found"]


def _checks(home: Path, **env: str) -> dict[str, dict]:
    ran = sagacity("doctor", "--json", home=home, url="http://127.0.0.1:1", env=env)
    return {check["name"]: check for check in ran.data["checks"]}


def test_doctor_never_shows_a_key(tmp_path: Path) -> None:
    """Providers are named, their keys are not."""
    ran = sagacity(
        "doctor", home=tmp_path, url="http://127.0.0.1:1", env={"OPENAI_API_KEY": "sk-very-secret"}
    )
    assert "openai" in ran.out.lower()
    assert "very-secret" not in ran.out + ran.err


def test_reindex_makes_the_index_anew(tmp_path: Path) -> None:
    """Afterwards everything is found as before."""
    search = ("search", "where does she live?", "-u", "ana", "--json")
    with running_server(tmp_path, QUIET) as server:
        said = ("--user-message", "I live in Oslo.", "--agent-response", "Noted.")
        sagacity("publish", "-u", "ana", *said, "--force-extraction", "--wait", home=tmp_path, url=server.url)
        before = sagacity(*search, home=tmp_path, url=server.url).data["profiles"]
    ran = sagacity("reindex", "--json", home=tmp_path)
    assert ran.code == 0, ran.err
    assert ran.data["steps"] >= 3
    assert "reindexing: " in ran.err
    with running_server(tmp_path, QUIET) as server:
        after = sagacity(*search, home=tmp_path, url=server.url).data["profiles"]
    assert [profile["content"] for profile in after] == [profile["content"] for profile in before]
    assert before


def test_deleting_all_empties_a_noun(tmp_path: Path) -> None:
    """With --yes it goes ahead, and says how many there were."""
    with running_server(tmp_path, QUIET) as server:
        for content in ("One.", "Two."):
            sagacity("profiles", "add", "-u", "ana", "--content", content, home=tmp_path, url=server.url)
        ran = sagacity("profiles", "delete-all", "--yes", home=tmp_path, url=server.url)
        left = sagacity("profiles", "list", "--json", home=tmp_path, url=server.url).data
    assert (ran.code, ran.out, left) == (0, "2 deleted\n", [])
