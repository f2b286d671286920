"""What is generated is up to date: the SDK, its blocking form, and the page of the command line."""

import subprocess
import sys
from pathlib import Path

import pytest
from typer.main import get_command

from sagacity.cli.main import app

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("script", ["sdk", "unasync", "cli_reference"])
def test_generated_files_are_up_to_date(script: str) -> None:
    """`--check` finds nothing to do."""
    run = subprocess.run(
        [sys.executable, ROOT / "scripts" / script, "--check"], check=False, capture_output=True, text=True
    )
    assert (run.returncode, run.stdout) == (0, "")


def leaves(command, name: str):
    children = getattr(command, "commands", {})
    for part, child in children.items():
        if not child.hidden:
            yield from leaves(child, f"{name} {part}")
    if not children:
        yield name, command


@pytest.mark.parametrize(("name", "command"), list(leaves(get_command(app), "sagacity")))
def test_command_is_documented_with_an_example(name: str, command) -> None:
    """Every command stands in the reference, and its help shows how it is called."""
    page = (ROOT / "docs" / "reference" / "cli.md").read_text()
    assert f"## `{name}`\n" in page
    assert "Example: " in command.help
    assert f"{name}" in command.help
    assert all(option.help for option in command.params if option.name != "help")
