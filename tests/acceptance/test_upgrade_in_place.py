"""A release installed over the one that runs: the server serves on, and says that it has to be restarted."""

import os
import shutil
from pathlib import Path

import httpx
import pytest

import sagacity as package
from support.program import QUIET, sagacity
from support.server import running_server

TOLD = "another release of Sagacity was installed below this process"


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A copy of the program in a folder of its own, as `pip install` makes one."""
    source = Path(package.__file__).parent
    copied = tmp_path / "installed" / source.name
    shutil.copytree(source, copied, ignore=shutil.ignore_patterns("__pycache__"))
    return copied


def test_a_server_below_which_another_release_was_installed_says_so(installed: Path, tmp_path: Path) -> None:
    """It stays ready; the readiness, the doctor and receipts tell what to do, and a restart is all it takes."""
    env = QUIET | {"PYTHONPATH": str(installed.parent)}
    home = tmp_path / "home"
    said = ("--user-message", "I am vegetarian.", "--agent-response", "Noted.", "--force-extraction")
    with running_server(home, env, fresh=True) as server:
        assert _program_check(server.url) is None
        os.utime(installed / "learning" / "compute.py", ns=(1, 1))
        told = _program_check(server.url)
        assert told is not None
        assert (told["ok"], told["required"]) == (False, False)
        assert TOLD in told["detail"]
        doctor = sagacity("doctor", home=home, url=server.url)
        assert (doctor.code, TOLD in doctor.out) == (1, True)
        waited = sagacity("publish", "-u", "ana", *said, "--wait", home=home, url=server.url)
        assert TOLD in waited.out + waited.err
    with running_server(home, env, fresh=True) as server:
        assert _program_check(server.url) is None


def _program_check(url: str) -> dict[str, object] | None:
    reply = httpx.get(f"{url}/health/ready", timeout=60)
    assert (reply.status_code, reply.json()["ready"]) == (200, True)
    return next((one for one in reply.json()["checks"] if one["name"] == "program"), None)
