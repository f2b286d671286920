"""Memories and settings of a user in the terminal."""

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from support.program import QUIET, Ran, sagacity
from support.server import ServerProcess, running_server


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[ServerProcess]:
    with running_server(home, QUIET) as process:
        yield process


@pytest.fixture
def run(server: ServerProcess, home: Path):
    """Run the program for Ana; what fails is the test's to see."""

    def program(*arguments: str, stdin: str = "") -> Ran:
        return sagacity(*arguments, home=home, url=server.url, stdin=stdin)

    return program


def test_memory_from_its_first_word_to_its_last(run) -> None:
    """Added, listed, found, shown, edited and deleted; each as text and as an object."""
    ana = ("--user-id", "ana")
    made = run(
        "--json", "memories", "add", "Prefers tea.", "--type", "profile", "--keyword", "drink", *ana
    ).data
    assert (made["memory_type"], made["keywords"], made["user_id"]) == ("profile", ["drink"], "ana")
    assert "Prefers tea." in run("memories", "list", *ana).out
    assert "nothing is remembered" in run("memories", "list", "--type", "semantic", *ana).out
    found = run("memories", "search", "what does she drink", *ana)
    assert "Prefers tea." in found.out
    assert "keyword" in found.out
    assert run("memories", "search", "drink", "--min-score", "1", *ana).out.strip() == "nothing was found"
    shown = run("memories", "show", made["id"], *ana)
    assert "drink" in shown.out
    changed = run("memories", "update", made["id"], "--content", "Prefers coffee.", *ana)
    assert changed.code == 0, changed.err
    by_former_name = run("memories", "edit", made["id"], "--reliability", "0", *ana)
    assert by_former_name.code == 0, by_former_name.err
    one = run("--json", "memories", "show", made["id"], *ana).data
    assert (one["content"], one["reliability"]) == ("Prefers coffee.", 0)
    assert run("--json", "memories", "stats", *ana).data["profile_memories"] == 1
    assert run("memories", "delete", made["id"], *ana).code == 0
    gone = run("memories", "show", made["id"], *ana)
    assert (gone.code, "no memory" in gone.err) == (1, True)


def test_review_queue_is_walked_through(run, server: ServerProcess) -> None:
    """Each candidate is shown, a decision is done, another undone; what was left is listed, and the log tells of it."""
    cleo = ("--user-id", "cleo")
    books = [
        {"user_id": "cleo", "content": content, "created_at": at}
        for content, at in (("Offer credit.", 1_600_000_000), ("Greet by name.", 1_700_000_000))
    ]
    made = httpx.post(f"{server.url}/api/add_user_playbook", json={"user_playbooks": books})
    assert made.status_code == 200, made.text
    walked = run("review", "--walk", *cleo, stdin="x\nm\na\nu\nu\nk\n")
    assert walked.code == 0, walked.err
    for text in (
        "1 of 2",
        "Offer credit.",
        "name the memory",
        "is archived",
        "no longer archived",
        "1 decision",
    ):
        assert text in walked.out, text
    assert "nothing to undo" in walked.out
    [left] = run("--json", "review", *cleo).data
    assert (left["content"], left["signals"], left["score"]) == ("Offer credit.", ["stale"], 99)
    assert "Offer credit." in run("review", *cleo).out
    done = run("review-memory", left["entity_id"], "archive", "--reason", "old")
    assert (done.code, "archived" in done.out) == (0, True)
    assert "nothing to review" in run("review", *cleo).out
    told = run("--json", "review-log", *cleo).data
    assert [(one["action"], one.get("undone_by")) for one in told] == [
        ("archive", ""), ("keep", ""), ("archive", "api"),
    ]  # fmt: skip
    assert "old" in run("review-log", *cleo).out
    assert run("review").code == 2


def test_all_are_deleted_of_one_type(run) -> None:
    ben = ("--user-id", "ben")
    run("memories", "add", "Lyon is old.", *ben)
    run("memories", "add", "Knows Lyon.", "--type", "episodic", *ben)
    assert run("memories", "delete", *ben).code == 2
    assert run("memories", "delete", "x", "--all", *ben).code == 2
    assert run("memories", "delete", "--all", "--type", "semantic", "--yes", *ben).code == 0
    assert [one["content"] for one in run("--json", "memories", "list", *ben).data] == ["Knows Lyon."]
    assert run("memories", "update", "x", *ben).code == 2


def test_record_and_settings(run) -> None:
    """Changed one by one, shown together, and brought back."""
    ana = ("--user-id", "ana")
    assert run("profile", "set", *ana).code == 2
    assert run("profile", "set", "--timezone", "Mars", *ana).code == 2
    assert run("profile", "set", "--name", "Ana", "--timezone", "Europe/Paris", *ana).code == 0
    run("profile", "settings", "--no-memory", "--keep-days", "90", *ana)
    record = run("--json", "profile", "show", *ana).data
    assert (record["display_name"], record["timezone"]) == ("Ana", "Europe/Paris")
    settings = record["memory_settings"]
    assert (settings["memory_enabled"], settings["auto_extract"], settings["retention_days"]) == (
        False,
        True,
        90,
    )
    text = run("profile", "show", *ana).out
    assert "off" in text
    assert "90 days without use" in text
    assert max(map(len, text.splitlines())) <= 80
    reset = run("--json", "profile", "settings", "--reset", "--most", "100", *ana).data
    assert (reset["memory_enabled"], reset["retention_days"], reset["max_memories_per_type"]) == (
        True,
        365,
        100,
    )
