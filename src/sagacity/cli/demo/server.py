"""The demo's own server: a child process on a free port, with its own home and no model key."""

import selectors
import subprocess
import sys
from pathlib import Path
from typing import Self

from pydantic import ConfigDict

from sagacity.domain.base import Value
from sagacity.domain.errors import ConfigError

START_SECONDS, STOP_SECONDS = 60.0, 15.0
LOG_CHARACTERS = 500


class _Address(Value):
    model_config = ConfigDict(extra="ignore")

    url: str


class _Ready(Value):
    model_config = ConfigDict(extra="ignore")

    data: _Address


class OwnServer:
    """
    A server over *home*, for the length of a `with` block.

    The environment of this process is not passed on, so that neither its settings nor its model keys matter.
    """

    def __init__(self, home: Path) -> None:
        self._log_path = home / "server.log"
        with self._log_path.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "sagacity", "--json", "serve", "--port", "0"],
                env={"SAGACITY_HOME": str(home), "OMP_NUM_THREADS": "1"},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def url(self) -> str:
        """
        Wait until it listens, and return its URL.

        Raises:
            ConfigError: it did not start; the message contains the end of its log.
        """
        line = self._first_line()
        if not line:
            said = self._log_path.read_text(errors="replace")[-LOG_CHARACTERS:]
            raise ConfigError(f"the demo's server did not start: {said}")
        return _Ready.model_validate_json(line).data.url

    def _first_line(self) -> bytes:
        """Return the first line that it writes; empty if it ends or stays silent for too long."""
        if self._process.stdout is None:
            return b""
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            return self._process.stdout.readline() if selector.select(START_SECONDS) else b""
