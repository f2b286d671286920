"""Logs tell what happened and never what was said."""

import json
import subprocess
import sys

import pytest

PROGRAM = """
import logging, sys, structlog
from sagacity.observability.logging import configure_logging
configure_logging(sys.argv[1], sys.argv[2])
log = structlog.get_logger("ours")

def learn(prompt):
    raise ValueError("no answer")

log.debug("ours.quiet")
log.info("ours.told", count=3)
logging.getLogger("httpx").info("GET https://example.org?key=k")
logging.getLogger("elsewhere").warning("theirs %s", "too")
try:
    learn("the user's secret")
except ValueError:
    log.exception("ours.failed")
"""


def logged(level: str, form: str) -> list[str]:
    command = [sys.executable, "-c", PROGRAM, level, form]
    environment = {"PYTHONPATH": ":".join(sys.path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == ""
    return done.stderr.splitlines()


def test_json_is_one_object_a_line() -> None:
    """Our logs and those of libraries alike, with level and time."""
    entries = [json.loads(line) for line in logged("info", "json")]
    assert [(entry["event"], entry["level"]) for entry in entries] == [
        ("ours.told", "info"),
        ("theirs too", "warning"),
        ("ours.failed", "error"),
    ]
    assert all(entry["timestamp"].endswith("Z") for entry in entries)
    assert (entries[0]["count"], "no answer" in entries[2]["exception"]) == (3, True)


@pytest.mark.parametrize("form", ["json", "text", "auto"])
def test_traceback_shows_no_variables(form: str) -> None:
    """What a user said is in the variables of the code that failed, and stays there."""
    text = "\n".join(logged("debug", form))
    assert "ours.failed" in text
    assert "the user's secret" not in text.replace('learn("the user\'s secret")', "")
    assert "prompt =" not in text


def test_level_leaves_out_what_is_below() -> None:
    """At `error` only the failure is told."""
    assert [json.loads(line)["event"] for line in logged("error", "json")] == ["ours.failed"]
