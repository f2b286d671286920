"""The description of the API against a real server, by Schemathesis: it holds for every caller, and no secret leaks."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import httpx
import jwt
import pytest
from hypothesis import settings

from sagacity.domain.clock import SystemClock
from support import no_secrets
from support.accounts import Mailbox, mail_server
from support.planted import bytes_with
from support.program import sagacity
from support.scripted_llm import scripted_llm
from support.server import ServerProcess, running_server

JWT_SECRET, ACCOUNT_KEY = "planted-users-key-8d21f0c2b7a94e65", "planted-accounts-key-1f6c0b52d3e94a87"
ERASURE_KEY, SMTP_PASSWORD = "planted-erasure-key-77aa1c3b5d9f4e20", "planted-smtp-password-55e1"
PROVIDER_KEY, PASSWORD = "sk-planted-provider-key-90cc", "Planted-Password-42"
EMAIL, INVITED = "ana@example.com", "bo@example.com"
WAIT_SECONDS = 120.0
SETTINGS = {
    "SAGACITY_SIGN_UP": "open",
    "SAGACITY_MAIL_FROM": "sagacity@example.com",
    "SAGACITY_ACCOUNT_KEY": ACCOUNT_KEY,
    "SAGACITY_ERASURE_KEY": ERASURE_KEY,
    "SAGACITY_JWT_SECRET": JWT_SECRET,
    "SAGACITY_PASSWORD_MEMORY_KIB": "64",
    "SAGACITY_PASSWORD_PASSES": "1",
    "SAGACITY_RATE_LIMITS": "false",
    "SAGACITY_WAIT_TIMEOUT_SECONDS": "300",
    "SAGACITY_REQUEST_TIMEOUT_SECONDS": "600",  # a busy machine is no defect
    "SAGACITY_COOKIE_SESSIONS": "true",
    "SAGACITY_PUBLIC_URL": "http://127.0.0.1:8081",
}
UNSAID = "positive_data_acceptance,ensure_resource_availability"
"""
The checks that are left out: rules across fields, and what is stored, are not in the description; and who names a
second thing that is not there, such as one to merge into, gets 404 for that.
"""
GONE = r"^/api/tokens/\{token_id\}"
"""What could take the caller's own token; others call it."""


@dataclass(frozen=True)
class Served:
    """A server that was given secrets, and who may call it."""

    server: ServerProcess
    home: Path
    callers: dict[str, str]
    secrets: list[str]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    home = tmp_path_factory.mktemp("served")
    with mail_server(password=SMTP_PASSWORD) as (mail_url, mailbox), scripted_llm() as model:
        model.answer_with(lambda _request: "{}")
        settings = SETTINGS | {"SAGACITY_MAIL_URL": mail_url}
        with running_server(home, settings) as server:
            callers = {scope: _token(home, scope) for scope in ("admin", "read", "manage")}
            now = SystemClock().now()
            times = {"iat": now, "exp": now + timedelta(days=1)}
            callers |= {"user": jwt.encode({"sub": "mia", **times}, JWT_SECRET), "nobody": ""}
            secrets = [JWT_SECRET, ACCOUNT_KEY, ERASURE_KEY, SMTP_PASSWORD, PROVIDER_KEY, PASSWORD]
            secrets += _plant(server, mailbox, callers["admin"], model.base_url)
            document = httpx.get(f"{server.url}/openapi.json", timeout=WAIT_SECONDS)
            (home / "openapi.json").write_bytes(document.content)
            yield Served(server, home, callers, secrets)


@pytest.mark.full
@pytest.mark.longest
@pytest.mark.parametrize(
    ("caller", "phases", "flags"),
    [
        ("admin", "examples,coverage", ("--exclude-path-regex", GONE)),
        ("admin", "fuzzing,stateful", ("--exclude-path-regex", GONE)),
        ("manage", "coverage", ("--include-path-regex", GONE)),
        ("read", "examples,fuzzing", ()),
        ("user", "examples,fuzzing,stateful", ()),
        ("nobody", "examples,fuzzing", ()),
    ],
)
def test_what_the_description_says_holds_and_no_secret_leaks(
    served: Served, tmp_path: Path, caller: str, phases: str, flags: tuple[str, ...]
) -> None:
    """No 5xx, nothing that is not described, and no planted secret in any reply, the log or a backup."""
    if found := _violations(served, caller, tmp_path, "--phases", phases, *flags):
        pytest.fail(found, pytrace=False)
    backup = tmp_path / "backup.db"
    assert sagacity("backup", str(backup), home=served.home).code == 0
    secrets = [*served.secrets, *(token for token in served.callers.values() if token)]
    assert [one for one in secrets if one in served.server.logs] == []
    assert bytes_with(backup, *secrets) == []


def _token(home: Path, scope: str) -> str:
    return sagacity("token", "create", "--scope", scope, home=home).out.splitlines()[0]


def _plant(server: ServerProcess, mailbox: Mailbox, admin: str, model_url: str) -> list[str]:
    """Give the server a provider's key, an account, and an invitation; returns the codes that it sent."""
    with httpx.Client(base_url=f"{server.url}/api", headers=_headers(admin), timeout=60) as api:
        endpoint = {"model": "scripted", "api_key": PROVIDER_KEY, "api_base": model_url}
        assert api.post("/set_config", json={"api_key_config": {"custom_endpoint": endpoint}}).is_success
        assert api.post("/auth/signup", json={"email": EMAIL, "password": PASSWORD}).is_success
        assert api.post("/invitations", json={"email": INVITED, "role": "member"}).is_success
    deadline = time.monotonic() + WAIT_SECONDS
    while len(codes := mailbox.codes(EMAIL) + mailbox.codes(INVITED)) < 2:
        assert time.monotonic() < deadline, server.logs
        time.sleep(0.05)
    return codes


def _headers(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"} if token else {}


def _violations(served: Served, caller: str, folder: Path, *flags: str) -> str:
    """Let Schemathesis call as one of the callers; returns what it found, nothing if all is well."""
    secrets = folder / "secrets.json"
    others = [token for name, token in served.callers.items() if token and name != caller]
    secrets.write_text(json.dumps(served.secrets + others))
    examples = str(settings.default.max_examples // 5)  # each is a call, not a function
    command = [
        *(str(Path(sys.executable).with_name("schemathesis")), "run", str(served.home / "openapi.json")),
        *("--url", served.server.url),
        *(
            "--checks",
            "all",
            "--exclude-checks",
            UNSAID,
            "--max-response-time",
            "600",  # some calls wait for a model, and a busy machine is no defect
            "--seed",
            "1",
            "-n",
            examples,
            "--no-color",
            "--warnings",
            "off",
        ),
        *("--continue-on-failure", "--no-shrink", "--generation-database", "none"),
        *(
            part
            for name, value in _headers(served.callers[caller]).items()
            for part in ("-H", f"{name}: {value}")
        ),
        *flags,
    ]
    (folder / "schemathesis.toml").write_text("request-timeout = 600\n[auth]\nauto-signup = false\n")
    support = str(Path(no_secrets.__file__).parent)
    environment = os.environ | {
        "SCHEMATHESIS_HOOKS": "no_secrets",
        "PYTHONPATH": support,
        no_secrets.SECRETS: str(secrets),
    }
    ran = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return "" if ran.returncode == 0 else f"{ran.stdout[-20_000:]}{ran.stderr[-2_000:]}"
