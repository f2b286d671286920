"""`sagacity account` with an authenticator app, against a real server that is killed in between."""

import time
from pathlib import Path
from typing import Any

import pyotp

from support.accounts import EMAIL, PASSWORD
from support.program import sagacity
from support.server import running_server

SETTINGS = {
    "SAGACITY_SIGN_UP": "open",
    "SAGACITY_VERIFY_EMAIL": "false",
    "SAGACITY_PASSWORD_MEMORY_KIB": "64",
    "SAGACITY_PASSWORD_PASSES": "1",
}
STEP = 30


def next_code(codes: pyotp.TOTP) -> str:
    """The code of the next step, which is right already; of this step one was used."""
    return codes.at(int(time.time()) + STEP)


def apps_in_doctor(home: Path) -> dict[str, Any]:
    """What `sagacity doctor` says of the secrets of authenticator apps."""
    checks = sagacity("doctor", "--json", home=home, url="http://127.0.0.1:1").data["checks"]
    [found] = [one for one in checks if one["name"] == "authenticator apps"]
    return found


def test_the_second_step_in_a_terminal(tmp_path: Path) -> None:
    """Set up, asked for, good once although the server was killed, and taken away by the operator."""

    def account(url: str, *arguments: str, token: str = "", stdin: str = "") -> tuple[int, str]:
        ran = sagacity(
            "account",
            *arguments,
            home=tmp_path,
            env={"SAGACITY_URL": url, "SAGACITY_API_KEY": token},
            stdin=stdin,
        )
        return ran.code, ran.out + ran.err

    login = ("login", EMAIL, "--password", PASSWORD, "--field", "access_token")
    with running_server(tmp_path, SETTINGS) as server:
        assert account(server.url, "register", EMAIL, "--password", PASSWORD)[0] == 0
        token = account(server.url, *login)[1].strip()
        code, secret = account(
            server.url, "totp-begin", "--password", PASSWORD, "--field", "secret", token=token
        )
        assert code == 0, secret
        codes = pyotp.TOTP(secret.strip())
        code, said = account(server.url, "totp-confirm", codes.now(), token=token)
        assert code == 0, said
        recovery = said.split()
        assert len(recovery) == 10
        assert "yes" in account(server.url, "totp", token=token)[1]
        used = next_code(codes)
        code, said = account(server.url, *login, "--code", used)
        assert code == 0, said
        server.kill()
    assert apps_in_doctor(tmp_path)["ok"]
    key = (tmp_path / "config.key").rename(tmp_path / "lost.key")
    missing = apps_in_doctor(tmp_path)
    assert not missing["ok"]
    assert "config.key" in missing["found"]
    key.rename(tmp_path / "config.key")
    with running_server(tmp_path, SETTINGS) as server:
        code, said = account(server.url, *login, "--code", used)
        assert code == 2, said
        assert "wrong, or was used" in said
        code, said = account(server.url, *login, stdin=f"{recovery[0]}\n")
        assert code == 0, said
        assert sagacity("members", "forget-app", EMAIL, "--yes", home=tmp_path, env=SETTINGS).code == 0
        assert account(server.url, *login)[0] == 0
