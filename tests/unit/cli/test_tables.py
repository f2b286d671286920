"""Tables are read in a terminal of 80 columns: the content has the width, and details wait for more."""

import io
import os
import subprocess
import sys
from collections.abc import Sequence
from datetime import datetime, timedelta, timezone

import pytest
from rich.console import Console

from sagacity.cli import draw
from sagacity.cli.draw import moment
from sagacity.cli.output import Render, table
from sagacity.domain.memory import MemoryKind, Status
from sagacity.domain.views.agent_playbook import AgentPlaybookView
from sagacity.domain.views.interaction import InteractionView
from sagacity.domain.views.memory import MemoryView
from sagacity.domain.views.profile import ProfileView
from sagacity.domain.views.skill import SkillView
from sagacity.domain.views.user_playbook import UserPlaybookView

CONTENT = "Works as a fashion buyer at Harrods and flies to Milan every spring."
TIMES = {"created_at": 0, "updated_at": 0, "last_modified_timestamp": 1_790_000_000}
PROFILE = ProfileView.model_validate(
    {
        "profile_id": "01a20bf3-4df4-7464-a04b-5e4f135726d1",
        "user_id": "ana",
        "content": CONTENT,
        "generated_from_request_id": "r",
        **TIMES,
    }
)
PLAYBOOK = {"content": CONTENT, "trigger": "When a trip is planned", "agent_version": "v1", **TIMES}
TABLES: dict[str, Render] = {
    "profiles": draw.profiles([PROFILE.model_copy(update={"relevance": 0.61})]),
    "user playbooks": draw.user_playbooks(
        [
            UserPlaybookView.model_validate(
                {"user_playbook_id": 7, "user_id": "ana", "request_id": "r", **PLAYBOOK}
            )
        ]
    ),
    "agent playbooks": draw.agent_playbooks(
        [AgentPlaybookView.model_validate({"agent_playbook_id": 7, **PLAYBOOK})]
    ),
    "skills": draw.skills(
        [
            SkillView.model_validate(
                {"skill_id": 7, "skill_name": "pack-a-bag", "description": CONTENT, **TIMES}
            )
        ]
    ),
    "memories": draw.memories(
        [
            MemoryView.model_validate(
                {"memory_id": 7, "uid": "u", "kind": MemoryKind.EPISODIC, "content": CONTENT, **TIMES}
            )
        ]
    ),
    "turns": draw.interactions(
        [InteractionView(interaction_id=7, user_id="ana", request_id="r", created_at=0, content=CONTENT)]
    ),
}


def lines(render: Render, width: int = 80) -> list[str]:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    render(console)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


@pytest.mark.parametrize("render", TABLES.values(), ids=TABLES.keys())
def test_the_content_gets_the_width(render: Render) -> None:
    """No more than three lines for a sentence, none beyond the edge, and no word cut within."""
    drawn = lines(render)
    assert max(map(len, drawn)) <= 80
    assert len(drawn) <= 2 + 3
    words = set(" ".join(drawn).split())
    assert words >= set(CONTENT.split())


def test_details_wait_for_a_wide_terminal() -> None:
    """Ids of 36 characters, and what all rows have in common."""
    narrow, wide = (" ".join(lines(TABLES["profiles"], width)) for width in (80, 160))
    assert "0.61" in narrow
    assert PROFILE.profile_id not in narrow
    assert PROFILE.profile_id in wide
    assert "user" not in narrow
    assert "ana" in wide


def test_what_tells_rows_apart_is_shown() -> None:
    """Users where there are two, a status where one is not current."""
    other = PROFILE.model_copy(update={"user_id": "ben", "status": Status.ARCHIVED})
    shown = " ".join(lines(draw.profiles([PROFILE, other])))
    assert {"user", "ana", "ben", "status", "current", "archived"} <= set(shown.split())


@pytest.mark.parametrize(
    ("columns", "narrow"),
    [(("a", "+b"), ["a"]), (("a", "~b"), ["a", "b"]), (("~a", "b"), ["b"]), (("+#a", "#b"), ["b"])],
)
def test_marks_say_what_a_detail_is(columns: Sequence[str], narrow: list[str]) -> None:
    """A plus always, a tilde where all rows have the same."""
    render = table(columns, [("x", "y"), ("x", "z")], empty="none")
    assert next(line.split() for line in lines(render) if line) == narrow
    assert next(line.split() for line in lines(render, 120) if line) == ["a", "b"]


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("sagacity pro", {"profile", "profiles", "prompts"}), ("sagacity profiles re", {"regenerate"})],
)
def test_a_shell_completes_commands(typed: str, offered: set[str]) -> None:
    """As bash asks for it."""
    asked = {
        "_SAGACITY_COMPLETE": "complete_bash",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(typed.count(" ")),
    }
    program = [sys.executable, "-m", "sagacity"]
    said = subprocess.run(program, env=os.environ | asked, capture_output=True, text=True, check=False)
    assert set(said.stdout.split()) == offered


def test_what_waits_to_be_confirmed_is_not_shown_as_current() -> None:
    """It belongs to no version that is in use."""
    fact = PROFILE.model_copy(update={"unconfirmed": True})
    shown = lines(draw.profiles([PROFILE, fact, fact.model_copy(update={"status": "pending"})]), width=200)
    assert [
        next(word for word in ("current", "unconfirmed", "pending") if f" {word} " in line)
        for line in shown
        if CONTENT[:20] in line
    ] == ["current", "unconfirmed", "pending"]


@pytest.mark.parametrize(
    ("at", "seconds", "shown"),
    [
        (0, False, "1970-01-01 00:00Z"),
        (datetime(2026, 5, 1, 12, 30, 7, tzinfo=timezone(timedelta(hours=2))), True, "2026-05-01 10:30:07Z"),
        (None, False, ""),
    ],
)
def test_a_time_says_its_zone(at: datetime | int | None, seconds: object, shown: str) -> None:
    """People read it in all zones, and it is compared with logs."""
    assert moment(at, seconds=bool(seconds)) == shown
