"""`sagacity demo`, as the first thing that someone runs."""

import json
import subprocess
from pathlib import Path

import pytest

from support.documents import blocks
from support.forked import commands
from support.server import clean_environment


def demo(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [commands() / "sagacity", "demo", *arguments],
        env=clean_environment(home, {"TMPDIR": str(home)}),
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


@pytest.mark.full
def test_demo_shows_what_was_learned_from_which_words(tmp_path: Path) -> None:
    """Everything learned quotes a turn of its user, by rules alone; a change of mind shows; nothing is left over."""
    ran = demo(tmp_path, "--json")
    assert ran.returncode == 0, ran.stderr
    story = json.loads(ran.stdout)["data"]
    users = {user["user_id"]: user for user in story["users"]}
    learned = [one for user in story["users"] for one in user["learned"]]
    assert {"priya", "marcus", "elena", "raj", "jo"} <= users.keys()
    assert {one["method"] for one in learned} == {"rules"}
    assert all(one["quotes"] for one in learned)
    assert any("Harrods" in one["content"] for one in users["priya"]["learned"])
    jo = {
        one["content"]: one["superseded"]
        for one in users["jo"]["learned"]
        if one["content"].startswith("Lives in")
    }
    assert jo == {"Lives in Austin, Texas.": False, "Lives in San Francisco.": True}
    assert all(answer["hits"] for answer in story["answers"])
    assert sum(hit["is_evidence"] for answer in story["answers"] for hit in answer["hits"]) >= 2
    assert list(tmp_path.iterdir()) == []


def test_demo_is_readable_and_says_what_the_readme_shows(tmp_path: Path) -> None:
    """For people: quotes, scores, and three commands; progress goes to stderr."""
    ran = demo(tmp_path, "--all")
    assert ran.returncode == 0, ran.stderr
    assert "“My name is Priya Sharma and I'm based in London.”" in ran.stdout
    assert "no longer" in ran.stdout
    assert "← the evidence" in ran.stdout
    assert "sagacity serve" in ran.stdout
    assert "publishing: " in ran.stderr
    assert max(len(line) for line in ran.stdout.splitlines()) <= 120
    [shown] = [block.text for block in blocks("README.md") if block.info == "demo"]
    printed = [line.split() for line in ran.stdout.splitlines()]
    assert [line for line in shown.splitlines() if line.split() not in printed] == []


def test_demo_says_when_its_data_is_missing(tmp_path: Path) -> None:
    """A wrong folder is wrong input."""
    ran = demo(tmp_path, "--data", str(tmp_path))
    assert ran.returncode == 2
    assert "--data" in ran.stderr
