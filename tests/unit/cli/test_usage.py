"""What the program says when it is not told what to do."""

import json

import pytest
from typer.main import get_command

from sagacity.cli.main import run, tree


def test_the_program_alone_shows_its_help(capsys: pytest.CaptureFixture[str]) -> None:
    """Asked for nothing, it says what there is, and nothing went wrong."""
    assert run([]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("Usage: sagacity")
    assert said.err == ""


def test_a_group_alone_shows_its_help_without_calling_it_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    """A script still sees from the code that nothing was done."""
    assert run(["profiles"]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("Usage: sagacity profiles")
    assert "error:" not in said.err


def test_programs_get_an_envelope_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    """With --json everything is JSON."""
    assert run(["--json", "profiles"]) == 2
    assert json.loads(capsys.readouterr().err)["error"]["type"] == "UsageError"


def test_the_help_lists_commands_by_what_they_are_for(capsys: pytest.CaptureFixture[str]) -> None:
    """Forty and more in one list are not read; each is still there once."""
    assert run(["--help"]) == 0
    lines = capsys.readouterr().out.splitlines()
    sections = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert sections[1:3] == ["Start:", "Publish and ask:"]
    shown = [line.split()[0] for line in lines[lines.index("Start:") :] if line.startswith("  ")]
    commands = get_command(tree()).commands
    assert sorted(shown) == sorted(name for name, command in commands.items() if not command.hidden)
