"""Every command stands in the reference, with an example."""

from pathlib import Path

import pytest
from typer.main import get_command

from sagacity.cli.main import app

ROOT = Path(__file__).resolve().parents[2]


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
