"""Servers in self-host mode over one bucket of S3, each with a disk of its own."""

import re
import time
from pathlib import Path

import httpx
import pytest
from cryptography.fernet import Fernet

from support.program import sagacity
from support.s3_server import ACCESS_KEY, BUCKET, SECRET_KEY, running_s3
from support.server import ServerProcess, running_server

SEEN_SECONDS = 60.0


def status(server: ServerProcess, token: str) -> int:
    return httpx.get(
        f"{server.url}/api/whoami", headers={"Authorization": f"Bearer {token}"}, timeout=60
    ).status_code


@pytest.mark.full
def test_servers_share_tokens_and_outlive_an_outage(tmp_path: Path) -> None:
    """A revocation by the program reaches both; a server that starts without S3 lets nobody in until it is back."""
    with running_s3() as s3:
        env = {
            "SELF_HOST": "true",
            "CONFIG_S3_PATH": f"s3://{BUCKET}/servers",
            "CONFIG_S3_REGION": "us-east-1",
            "CONFIG_S3_ACCESS_KEY": ACCESS_KEY,
            "CONFIG_S3_SECRET_KEY": SECRET_KEY,
            "CONFIG_S3_ENDPOINT": s3.endpoint,
            "CONFIG_S3_ENCRYPTION_KEY": Fernet.generate_key().decode(),
        }

        def token(*arguments: str) -> str:
            ran = sagacity("--json", "token", *arguments, home=tmp_path / "c", env=env)
            assert ran.code == 0, ran.err
            return ran.out

        made = [token("create"), token("create", "--name", "second")]
        first, second = (re.search(r'"token": ?"([^"]+)"', one)[1] for one in made)
        with running_server(tmp_path / "a", env) as one, running_server(tmp_path / "b", env) as other:
            assert [status(server, secret) for server in (one, other) for secret in (first, second)] == [
                200
            ] * 4
            token("revoke", re.search(r'"token_id": ?"([^"]+)"', made[1])[1])
            deadline = time.monotonic() + SEEN_SECONDS
            while {status(one, second), status(other, second)} != {401}:
                assert time.monotonic() < deadline
            s3.kill()
            with running_server(tmp_path / "d", env) as late:
                assert [status(late, secret) for secret in (first, second)] == [503, 503]
                assert httpx.get(f"{late.url}/api/whoami", timeout=60).status_code == 503
                s3.start()
                while status(late, first) != 200:
                    assert time.monotonic() < deadline + SEEN_SECONDS
                assert status(late, second) == 401
