"""The chat in the terminal: one message, a talk with its commands, and conversations as a noun."""

from collections.abc import Iterator
from pathlib import Path

import jwt
import pytest

from sagacity.client import Sagacity
from support.program import QUIET, Ran, sagacity
from support.server import ServerProcess, running_server


@pytest.fixture(scope="module")
def server(home: Path) -> Iterator[ServerProcess]:
    with running_server(home, QUIET) as process:
        with Sagacity(process.url) as client:
            client.add_user_profile([{"user_id": "ana", "content": "Is allergic to peanuts."}])
        yield process


def run(server: ServerProcess, home: Path, *arguments: str, stdin: str = "") -> Ran:
    return sagacity(*arguments, home=home, url=server.url, stdin=stdin)


def test_one_message_is_answered(server: ServerProcess, home: Path) -> None:
    """As text, or as an object with the sources."""
    ran = run(server, home, "chat", "What am I allergic to?", "--user-id", "ana")
    assert ran.code == 0, ran.err
    assert "Is allergic to peanuts." in ran.out
    whole = run(server, home, "--json", "chat", "What am I allergic to?", "--user-id", "ana").data
    assert whole["status"] == "done"
    assert [one["kind"] for one in whole["citations"]] == ["profile"]


def test_talk_shows_and_forgets_sources(server: ServerProcess, home: Path) -> None:
    """A talk is one conversation until /new; what is forgotten is found no more."""
    with Sagacity(server.url) as client:
        client.add_user_profile([{"user_id": "ben", "content": "Plays the cello."}])
    lines = [
        "What do I play?", "/why", "/memories", "/search cello", "/retry", "/new", "/forget 1", "/memories", "/help",
        "What do I play?", "/quit", "never said",
    ]  # fmt: skip
    ran = run(server, home, "chat", "--user-id", "ben", stdin="\n".join(lines))
    assert ran.code == 0, ran.err
    assert "Plays the cello." in ran.out
    assert "keyword" in ran.out
    assert "Forgotten: 1" in ran.out
    assert "nothing is known yet" in ran.out
    assert "/forget" in ran.out
    with Sagacity(server.url) as client:
        found = client.list_conversations(user_id="ben")
        assert [(one.title, one.message_count) for one in found.conversations] == [
            ("What do I play?", 2),
            ("What do I play?", 2),
        ]


def test_talk_shows_and_forgets_every_type(server: ServerProcess, home: Path) -> None:
    """Newest first, each by the name under which it can be forgotten."""
    with Sagacity(server.url) as client:
        for one in ("profile", "semantic", "episodic", "procedural"):
            client.add_memory(one, f"A {one} one.", user_id="dora")
    commands = ["/memories", "/forget 1", "/forget 2 3 4", "/memories", "quit", "never said"]
    ran = run(server, home, "chat", "--user-id", "dora", stdin="\n".join(commands))
    assert ran.code == 0, ran.err
    shown = [line.split() for line in ran.out.splitlines() if " one." in line]
    assert [(line[0], line[-1]) for line in shown] == [
        ("1", "procedural"),
        ("2", "episodic"),
        ("3", "semantic"),
        ("4", "profile"),
    ]
    assert "nothing is known yet" in ran.out
    assert (
        ran.out.count("What you said stays in the log") == 2
    )  # once for each /forget, however many it names
    with Sagacity(server.url) as client:
        assert client.get_interactions("dora").interactions == ()


def test_search_of_a_talk_finds_every_type(server: ServerProcess, home: Path) -> None:
    """Whatever /memories lists can be searched for."""
    with Sagacity(server.url) as client:
        for one in ("profile", "semantic", "episodic", "procedural"):
            client.add_memory(one, f"A puppy named Biscuit is {one}.", user_id="hana")
    ran = run(server, home, "chat", "--user-id", "hana", stdin="/search puppy Biscuit")
    assert ran.code == 0, ran.err
    for one in ("profile", "semantic", "episodic", "procedural"):
        assert f"A puppy named Biscuit is {one}." in ran.out


def test_search_of_a_talk_shows_what_was_said_and_not_what_was_quoted(
    server: ServerProcess, home: Path
) -> None:
    """An answer without a model says nothing that was not said before."""
    lines = ["My cello is from Cremona.", "Where is my cello from?", "/search cello"]
    ran = run(server, home, "chat", "--user-id", "gil", stdin="\n".join(lines))
    assert ran.code == 0, ran.err
    _, _, found = ran.out.rpartition("No language model is configured")
    assert "My cello is from Cremona." in found.split("\n", 2)[2]
    assert ran.out.count("No language model is configured") == 2


def test_sources_are_shown_in_a_line_each(server: ServerProcess, home: Path) -> None:
    """A turn may hold pages of code."""
    pages = "\n".join(f"cello.play({number})" for number in range(500))
    with Sagacity(server.url) as client:
        client.publish_interaction("gus", [{"content": f"This plays my cello:\n{pages}"}])
    ran = run(server, home, "--wide", "chat", "--user-id", "gus", stdin="How do I play my cello?\n/why\n")
    assert ran.code == 0, ran.err
    shown = ran.out[ran.out.index("source") :]
    assert "This plays my cello: cello.play(0)" in " ".join(shown.split())
    assert "cello.play(30)" not in shown


def test_talk_of_a_user_with_a_token_of_their_own(tmp_path: Path) -> None:
    """Nobody is named: the server knows whose it is, to search and to forget what was said."""
    secret = "a secret that has enough bytes for this test"
    token = jwt.encode({"sub": "fay", "exp": 4_000_000_000}, secret, algorithm="HS256")
    with running_server(tmp_path, {**QUIET, "SAGACITY_JWT_SECRET": secret}) as server:
        with Sagacity(server.url, token) as client:
            client.publish_interaction("fay", [{"content": "The cello lesson is on Friday."}])
            turn = client.get_interactions("fay").interactions[0].interaction_id
        lines = ["When is the cello lesson?", "/search cello", "/why", f"/forget i:{turn}", "/search Friday"]
        ran = sagacity(
            "chat", home=tmp_path, url=server.url, stdin="\n".join(lines), env={"SAGACITY_API_KEY": token}
        )
        assert ran.code == 0, ran.err
        assert f"Forgotten: i:{turn}" in ran.out
        with Sagacity(server.url, token) as client:
            left = {one.interaction_id for one in client.get_interactions("fay").interactions}
    assert left
    assert turn not in left


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["/why"], "there is no answer yet"),
        (["/retry"], "there is no message to answer yet"),
        (["/forget p:1"], "was not shown"),
        (["/forget"], "say what to forget: /forget NAME"),
        (["/search"], "say what to search for: /search TEXT"),
        (["/bogus"], "there is no /bogus; /help lists what there is"),
    ],
)
def test_commands_say_what_they_lack(server: ServerProcess, home: Path, lines: list[str], told: str) -> None:
    """And the program fails where nobody sits at the terminal."""
    ran = run(server, home, "chat", "--user-id", "eve", stdin="\n".join(lines))
    assert ran.code != 0
    assert told in ran.err


def test_conversations_are_a_noun(server: ServerProcess, home: Path) -> None:
    """Listed, shown, renamed, archived and deleted, by ids taken from the output."""
    whose = ("--user-id", "cleo")
    assert run(server, home, "chat", "Hello there.", *whose).code == 0
    listed = ("conversations", "list", *whose)
    conversation_id = run(server, home, "--field", "id", *listed).out.strip()
    shown = run(server, home, "conversations", "show", conversation_id, *whose)
    assert "Hello there." in shown.out
    renamed = run(server, home, "conversations", "rename", conversation_id, "Greetings", *whose)
    assert "Greetings" in renamed.out
    assert "archived" in run(server, home, "conversations", "archive", conversation_id, *whose).out
    assert "no conversations" in run(server, home, *listed).out
    assert conversation_id in run(server, home, "--field", "id", *listed, "--archived").out
    assert run(server, home, "conversations", "unarchive", conversation_id, *whose).code == 0
    assert run(server, home, "conversations", "delete", conversation_id, *whose).code != 0
    assert run(server, home, "conversations", "delete", conversation_id, "--yes", *whose).code == 0
    assert run(server, home, "conversations", "show", conversation_id, *whose).code != 0
    continued = run(server, home, "chat", "again", "--conversation-id", conversation_id, *whose)
    assert "no conversation" in continued.err
