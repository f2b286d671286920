"""The program answers at once: what is heavy loads only for the command that needs it."""

import subprocess
import sys

import pytest

HEAVY = ("fastapi", "httpx", "litellm", "numpy", "onnxruntime", "sqlalchemy", "uvicorn", "yaml")


@pytest.mark.parametrize(
    "arguments", [["--version"], ["--help"], ["publish", "--help"], ["demo", "--help"], ["nonsense"]]
)
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    """Neither the server's parts nor the HTTP stack are needed to show help."""
    code = f"import sys; from sagacity.cli.main import run; run({arguments!r}); print([m for m in {HEAVY!r} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"


def loaded_by(code: str) -> set[str]:
    """The program's own modules that are there after *code*."""
    code += "; import sys; print(*[m for m in sys.modules if m.startswith('sagacity.')])"
    return set(subprocess.check_output([sys.executable, "-c", code], text=True).split("\n")[-2].split())


def test_a_command_loads_no_other() -> None:
    """What one command needs does not slow another down."""
    loaded = loaded_by("from sagacity.cli.main import run; run(['--json', 'receipt', '--help'])")
    assert "sagacity.cli.receipts" in loaded
    assert not {"sagacity.cli.profiles", "sagacity.cli.search"} & loaded
    assert "sagacity.cli.receipts" not in loaded_by("from sagacity.cli.main import run; run(['--version'])")


def test_the_client_loads_what_its_calls_need_when_they_are_made() -> None:
    """Hundreds of schemas take seconds to build; a program uses few."""
    assert not {one for one in loaded_by("import sagacity.client") if one.startswith("sagacity.schemas")}
    used = loaded_by("import sagacity.client; sagacity.client.Sagacity.get_profiles")
    assert "sagacity.schemas.profiles" in used
    assert "sagacity.schemas.chat" not in used


@pytest.mark.parametrize(
    ("call", "needed", "others"),
    [
        ("list_memories", "chat_memories", {"schemas.chat", "domain.query"}),
        ("get_profiles", "profiles", {"domain.query"}),
        ("list_conversations", "chat", {"schemas.chat_memories", "domain.query"}),
    ],
)
def test_a_list_loads_only_what_it_speaks_of(call: str, needed: str, others: set[str]) -> None:
    """The words of one call do not bring in what the words of all others are about."""
    loaded = loaded_by(f"import sagacity.client; sagacity.client.Sagacity.{call}")
    assert f"sagacity.schemas.{needed}" in loaded
    everywhere = {"domain.analytics_reports", "domain.audit", "domain.ledger", "domain.review_queue"}
    assert not {f"sagacity.{one}" for one in others | everywhere} & loaded
