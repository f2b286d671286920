"""The program answers at once: what is heavy loads only for the command that needs it."""

import subprocess
import sys

import pytest

HEAVY = ("fastapi", "httpx", "litellm", "numpy", "onnxruntime", "sqlalchemy", "uvicorn", "yaml")


@pytest.mark.parametrize("arguments", [["--help"], ["publish", "--help"], ["demo", "--help"], ["nonsense"]])
def test_help_loads_nothing_heavy(arguments: list[str]) -> None:
    """Neither the server's parts nor the HTTP stack are needed to show help."""
    code = f"import sys; from sagacity.cli.main import run; run({arguments!r}); print([m for m in {HEAVY!r} if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"
