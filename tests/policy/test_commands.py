"""Every command stands in the reference, with an example."""

from pathlib import Path

import pytest
from typer.main import get_command

from sagacity.cli.main import tree

ROOT = Path(__file__).resolve().parents[2]


def leaves(command, name: str):
    children = getattr(command, "commands", {})
    for part, child in children.items():
        if not child.hidden:
            yield from leaves(child, f"{name} {part}")
    if not children:
        yield name, command


@pytest.mark.parametrize(("name", "command"), list(leaves(get_command(tree()), "sagacity")))
def test_command_is_documented_with_an_example(name: str, command) -> None:
    """Every command stands in the reference, and its help shows how it is called."""
    page = (ROOT / "docs" / "reference" / "cli.md").read_text()
    assert f"## `{name}`\n" in page
    assert "Example: " in command.help
    assert f"{name}" in command.help
    assert all(option.help for option in command.params if option.name != "help")


@pytest.mark.parametrize(
    "words", [name.split() for name, _ in leaves(get_command(tree()), "sagacity")], ids=" ".join
)
def test_what_is_stored_is_changed_by_update(words: list[str]) -> None:
    """One verb in every noun."""
    assert words[-1] not in {"edit", "change", "modify", "patch"}


def groups(command, name: str):
    children = getattr(command, "commands", {})
    if children:
        yield pytest.param(children, id=name)
    for part, child in children.items():
        if not child.hidden:
            yield from groups(child, f"{name} {part}")


@pytest.mark.parametrize("children", list(groups(get_command(tree()), "sagacity")))
def test_list_of_commands_reads_whole_in_80_columns(children) -> None:
    """No first sentence is cut."""
    shown = {name: child for name, child in children.items() if not child.hidden}
    room = 80 - 6 - max(map(len, shown))
    assert [name for name, child in shown.items() if child.get_short_help_str(room).endswith("...")] == []
