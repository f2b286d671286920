"""
The documents as programs: their fenced blocks, and a script that runs one document from top to bottom.

A block is run unless its fence says otherwise:

    ```sh                     run with bash in the document's folder, in the environment of the block before
    ```python                 run as a program of its own
    ```sh serve               starts the server; its NAME=value words are the server's environment
    ```sh no-run REASON       shown only; a test holds the list of these
"""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from sagacity.client import Sagacity
from support.forked import commands
from support.server import clean_environment, running_server

ROOT = Path(__file__).parents[2]
DEFAULT_URL = "http://127.0.0.1:8081"
"""Written in the documents, because `sagacity serve` listens there; the test's server is on a free port."""
RUN_SECONDS = 180
_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<info>[^\n`]*)\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Block:
    """One fenced block of a document."""

    document: str
    line: int
    language: str
    info: str
    """What stands behind the language."""
    text: str

    @property
    def place(self) -> str:
        """Where it is, for messages."""
        return f"{self.document}:{self.line}"

    @property
    def is_run(self) -> bool:
        """Whether it is part of the document's script."""
        return self.language in {"sh", "python"} and not self.info


def documents() -> list[str]:
    """Every document of the repository, by its path."""
    paths = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.md")]
    return sorted(str(path.relative_to(ROOT)) for path in paths)


def blocks(document: str) -> list[Block]:
    """The fenced blocks of *document*, in order."""
    text = (ROOT / document).read_text(encoding="utf-8")
    return [_block(document, text, found) for found in _FENCE.finditer(text)]


def _block(document: str, text: str, found: re.Match[str]) -> Block:
    language, _, info = found["info"].strip().partition(" ")
    return Block(document, text.count("\n", 0, found.start()) + 1, language, info.strip(), found["text"])


def server_environment(found: list[Block]) -> dict[str, str]:
    """The assignments before the command of the block that starts the document's server."""
    words = [word for block in found if block.info == "serve" for word in shlex.split(block.text)]
    return {name: value for name, equals, value in (word.partition("=") for word in words) if equals}


def script(found: list[Block]) -> str:
    """One bash script of all that is run; the last place that it prints on the side is where it failed."""
    return "\n".join(["set -euo pipefail", *(part for block in found for part in _steps(block))])


def _steps(block: Block) -> Iterator[str]:
    yield f"echo {shlex.quote(block.place)} >> .places"
    if block.language == "python":
        name = f"block_{block.line}.py"
        yield f"cat > {name} <<'END_OF_BLOCK'\n{block.text}END_OF_BLOCK\npython {name}"
    else:
        yield block.text


def run_document(document: str, folder: Path) -> str:
    """
    Run what a document shows, against a server of its own; returns what was printed.

    The README and the quickstart find an empty server, a how-to one that was used before.

    Raises:
        AssertionError: a command failed; the message names the block and holds the output.
    """
    found = blocks(document)
    home = folder / ".sagacity"
    (folder / "examples").symlink_to(ROOT / "examples")
    environment = server_environment(found)
    with running_server(home, environment) as server:
        if (
            document.startswith("docs/howto/") and "SAGACITY_SIGN_UP" not in environment
        ):  # there nobody has a token yet
            _use(server.url)
        runnable = [block for block in found if block.is_run]
        text = script(runnable).replace(DEFAULT_URL, server.url)
        ended = subprocess.run(
            ["bash", "-c", text],
            cwd=folder,
            env=user_environment(folder, {"SAGACITY_URL": server.url}),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=RUN_SECONDS,
            check=False,
        )
    places = (folder / ".places").read_text().split()
    told = f"{places[-1]} ended with {ended.returncode}:\n{ended.stdout[-3000:]}\n{ended.stderr[-3000:]}"
    assert ended.returncode == 0, told
    assert places == [block.place for block in runnable]
    return ended.stdout


def _use(url: str) -> None:
    """Leave the memories of the README on a server, and others, so that no id is the first."""
    with Sagacity(url) as client:
        for user, said in (
            ("ana", "I moved to Lyon and I am vegetarian."),
            ("ben", "From now on, please give distances in kilometres."),
        ):
            client.publish_interaction(
                user,
                [{"role": "User", "content": said}, {"role": "Assistant", "content": "Noted."}],
                force_extraction=True,
                wait_for_response=True,
            )
        client.add_agent_playbooks([{"content": "Greet by name.", "agent_version": "agent-v0"}])


def user_environment(folder: Path, more: Mapping[str, str]) -> dict[str, str]:
    """The environment of somebody who installed Sagacity and whose home is *folder*."""
    path = (str(commands()), str(Path(sys.executable).parent), os.environ["PATH"])
    own = {"HOME": str(folder), "PATH": os.pathsep.join(path)}
    return clean_environment(folder / ".sagacity", own | dict(more))
