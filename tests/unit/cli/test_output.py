"""What a terminal gets to see, and what the exit code says."""

import io
import json
import unicodedata

import pytest
import typer
from rich.console import Console

from sagacity.cli.main import hoisted
from sagacity.cli.output import describe, exit_code, facts, field_values, plain, report, table
from sagacity.client.errors import ServerError, Unreachable
from sagacity.domain.errors import (
    ConfigError,
    Conflict,
    Forbidden,
    InvalidInput,
    NotFound,
    RateLimited,
    SagacityError,
    SchemaMismatch,
    TooLarge,
    Unauthorized,
)
from sagacity.domain.views.base import ProvenanceView


def drawn(render) -> str:
    console = Console(file=io.StringIO(), width=100, highlight=False)
    render(console)
    return console.file.getvalue()


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (NotFound("x"), 1),
        (Conflict("x"), 1),
        (ConfigError("x"), 1),
        (ServerError("x"), 1),
        (InvalidInput("x"), 2),
        (TooLarge("x"), 2),
        (typer.BadParameter("x"), 2),
        (Unauthorized("x"), 3),
        (Forbidden("x"), 3),
        (Unreachable("x"), 4),
    ],
)
def test_exit_code_tells_what_sort_of_failure(error: Exception, code: int) -> None:
    """A script can tell wrong input, a wrong token and no network apart."""
    assert exit_code(error) == code


def test_hint_is_the_advice_of_the_docstring_and_the_note() -> None:
    """Every error says what to do about it, and where to look in the log."""
    error = Unauthorized("the API token is not known")
    error.add_note("correlation id: ab12")
    kind, message, hint = describe(error)
    assert (kind, message) == ("Unauthorized", "the API token is not known")
    assert hint == (
        "Pass a token with --api-key or in SAGACITY_API_KEY; `sagacity token create` makes one. "
        "(correlation id: ab12)"
    )


def test_an_error_may_bring_an_advice_of_its_own() -> None:
    """In place of that of its kind, which speaks of tokens where a password is wrong."""
    error = Unauthorized("the address or the password is wrong")
    error.advice = "Type it again."
    assert describe(error) == ("Unauthorized", "the address or the password is wrong", "Type it again.")


def test_what_is_wrong_with_an_option_is_said_in_plain_words() -> None:
    _, message, _ = describe(typer.BadParameter("Value error, 'x' is not one of 'a'", param_hint="'--from'"))
    assert message == "Invalid value for '--from': 'x' is not one of 'a'"


def test_hints_speak_of_the_program_and_not_of_http() -> None:
    """Who types commands sends no headers."""
    for kind in (Unauthorized, RateLimited):
        _, _, hint = describe(kind("x"))
        assert hint
        assert "Retry-After" not in hint
        assert "Bearer" not in hint


@pytest.mark.parametrize("kind", SagacityError.__subclasses__())
def test_every_error_gives_advice(kind: type[SagacityError]) -> None:
    """No error leaves the user alone: each docstring goes on after its first sentence."""
    if kind.__name__ not in {"ProviderError", "StorageError"}:
        assert describe(kind("x"))[2]


def test_error_envelope_is_json_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    """Programs read type, message and hint; stdout stays empty."""
    assert report(NotFound("no profile 'é'"), as_json=True) == 1
    captured = capsys.readouterr()
    body = json.loads(captured.err)
    assert captured.out == ""
    assert body["ok"] is False
    assert body["error"]["type"] == "NotFound"
    assert body["error"]["message"] == "no profile 'é'"


def test_stored_text_can_not_steer_the_terminal() -> None:
    """Escape sequences and markup of what was published are shown, not obeyed."""
    shown = drawn(table(("content",), [("[red]a[/red]\x1b[31mb\x07\u202e",)], empty="none"))
    assert "[red]a[/red]" in shown
    assert "\x1b" not in shown
    assert "\x07" not in shown
    assert "\u202e" not in shown


def test_hint_agrees_with_the_message(capsys: pytest.CaptureFixture[str]) -> None:
    """Whoever is told to migrate is not told to upgrade as well."""
    assert report(SchemaMismatch("the database has schema none. Run `sagacity migrate`."), as_json=True) == 1
    hint = json.loads(capsys.readouterr().err)["error"]["hint"]
    assert "pgrade" not in hint
    assert "message" in hint


def test_json_can_not_steer_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """Controls beyond ASCII and marks of direction are escaped; letters stay, and programs read the same text."""
    text = "naïve \x1b[31m \x7f \x80 \x9b31m \x9f\xa0日 \u061c \u200f \u202e \u2066 \u2069 \u2028"
    assert report(NotFound(text), as_json=True) == 1
    written = capsys.readouterr().err
    assert "naïve" in written
    assert "日" in written
    assert [one for one in written if unicodedata.category(one) in {"Cc", "Cf", "Zl", "Zp"}] == ["\n"]
    assert json.loads(written)["error"]["message"] == text


def test_table_says_when_it_is_empty() -> None:
    """No rows is said in words."""
    assert drawn(table(("content",), [], empty="no profiles")) == "no profiles\n"


def test_column_in_which_nothing_stands_is_left_out() -> None:
    """A score where nothing was searched for, an error where nothing failed."""
    rows = [(None, "a", ""), ("", "b", 0)]
    shown = drawn(table(("#score", "content", "#tries"), rows, empty="none"))
    assert next(line.split() for line in shown.splitlines() if line.split()) == ["content", "tries"]
    assert "score" not in shown


def test_facts_stand_one_a_line() -> None:
    """Names and values, nothing for None."""
    assert [line.split() for line in drawn(facts({"user": "ana", "error": None})).splitlines()] == [
        ["user", "ana"],
        ["error"],
    ]


def test_plain_text_keeps_lines_and_letters() -> None:
    """Only what steers is replaced."""
    assert plain("naïve\n日本\tx").plain == "naïve\n日本\tx"


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (["search", "x", "--json"], ["--json", "search", "x"]),
        (["whoami", "--server-url", "u", "--api-key=k"], ["--server-url", "u", "--api-key=k", "whoami"]),
        (["publish", "--", "--json"], ["publish", "--", "--json"]),
        (["search", "x", "--server-url"], ["--server-url"]),
        (["profiles", "list", "--field", "profile_id"], ["--field", "profile_id", "profiles", "list"]),
        ([], []),
    ],
)
def test_global_flags_may_stand_anywhere(given: list[str], wanted: list[str]) -> None:
    """They are moved to the front; what follows a bare `--` is text."""
    assert hoisted(given) == wanted


def test_field_is_printed_a_line_for_each_result() -> None:
    """Of a list, of what is nested, and of values that are no text; what is absent gives no line."""
    found = [
        {"id": 3, "content": "two\nlines", "by": [{"uid": "a"}, {"uid": "b"}]},
        {"id": 4, "content": "red\x1b[31m", "by": []},
        {"id": 5},
    ]
    assert field_values(found, "id") == ["3", "4", "5"]
    assert field_values(found, "content") == ["two lines", "red\ufffd[31m"]
    assert field_values(found, "by.uid") == ["a", "b"]
    assert field_values([], "id") == []
    assert field_values(ProvenanceView(learner="rules"), "learner") == ["rules"]
    assert field_values(ProvenanceView(learner="rules"), "run_id") == []


@pytest.mark.parametrize("path", ["idd", "id.more", "by.uidd", ""])
def test_field_that_is_not_there_is_told_with_the_nearest(path: str) -> None:
    """Nothing is printed in place of an id."""
    with pytest.raises(InvalidInput, match=r"^--field: .*not known"):
        field_values([{"id": 3, "by": [{"uid": "a"}]}], path)
