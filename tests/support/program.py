"""The program in a process of its own, and how it ended."""

import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.forked import start
from support.server import clean_environment

QUIET = {"SAGACITY_QUIET_SECONDS": "0", "SAGACITY_RATE_LIMITS": "false"}
"""Settings of a server that learns at once and never says that it is asked too often."""


RUN_SECONDS = 120


@dataclass(frozen=True)
class Ran:
    """How one run of the program ended."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """What the JSON envelope holds, which says the same as the exit code."""
        envelope = json.loads(self.out)
        assert envelope["ok"] is (self.code == 0)
        return envelope["data"]

    @property
    def ok(self) -> bool:
        """Whether the JSON envelope says that it went well."""
        return json.loads(self.out)["ok"]

    @property
    def meta(self) -> Any:
        return json.loads(self.out)["meta"]

    @property
    def error(self) -> dict[str, str]:
        """What the JSON envelope of a failure holds: the last line of stderr."""
        envelope = json.loads(self.err.splitlines()[-1])
        assert envelope["ok"] is False
        return envelope["error"]


def sagacity(
    *arguments: str,
    home: Path,
    url: str = "",
    stdin: str = "",
    env: dict[str, str] | None = None,
    fresh: bool = False,
) -> Ran:
    """Run one command; *fresh* is a new interpreter, not a fork of one that has imported everything."""
    environment = clean_environment(home, ({"SAGACITY_URL": url} if url else {}) | (env or {}))
    if not fresh:
        return _forked(arguments, environment, stdin)
    done = subprocess.run(
        [sys.executable, "-m", "sagacity", *arguments],
        env=environment,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=RUN_SECONDS,
    )
    return Ran(done.returncode, done.stdout, done.stderr)


def _forked(arguments: tuple[str, ...], environment: dict[str, str], stdin: str) -> Ran:
    with (
        tempfile.TemporaryFile() as given,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        given.write(stdin.encode())
        given.seek(0)
        process = start(arguments, env=environment, stdin=given, stdout=out, stderr=err)
        try:
            code = process.wait(RUN_SECONDS)
        finally:
            process.kill()
        out.seek(0)
        err.seek(0)
        return Ran(code, out.read().decode(), err.read().decode())
