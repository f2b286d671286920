"""One table, error to status."""

import inspect
from typing import Literal

import pytest
from pydantic import TypeAdapter, ValidationError
from starlette.requests import Request
from structlog.testing import capture_logs

from sagacity.api.errors import (
    STATUS,
    error_response,
    faults_of,
    foreseen_response,
    problem_response,
    status_of,
)
from sagacity.domain import errors
from sagacity.domain.errors import (
    ConfigError,
    IndexMismatch,
    InvalidInput,
    MalformedOutput,
    NotFound,
    ProviderTimeout,
    SagacityError,
    StorageError,
    Unauthorized,
)
from sagacity.domain.memory import MemoryKind

SCOPE = {
    "type": "http",
    "scheme": "http",
    "method": "POST",
    "path": "/api/search",
    "query_string": b"",
    "headers": [],
    "server": ("127.0.0.1", 8000),
}


@pytest.mark.parametrize(
    ("kind", "status"),
    [
        (NotFound, 404),
        (InvalidInput, 422),
        (Unauthorized, 401),
        (ProviderTimeout, 504),
        (MalformedOutput, 502),
        (IndexMismatch, 503),
        (SagacityError, 500),
    ],
)
def test_the_nearest_class_of_the_table_counts(kind, status):
    """A class that is not in the table has the status of its parent."""
    assert status_of(kind("x")) == status


def test_every_error_of_ours_has_a_status():
    """No error on purpose is without an answer."""
    for kind in vars(errors).values():
        if inspect.isclass(kind) and issubclass(kind, SagacityError):
            assert 400 <= status_of(kind("x")) < 600
    assert STATUS[SagacityError] == 500


def test_a_problem_says_the_same_in_both_vocabularies():
    """Clients read `message`, `msg` or `detail`."""
    reply = problem_response(404, "NotFound", "no such thing")
    assert reply.status_code == 404
    assert b'"message":"no such thing","msg":"no such thing","detail":"no such thing"' in reply.body


def test_what_the_database_said_is_for_the_log():
    """Row 34: a reply names the kind of error, not its insides."""
    reply = error_response(StorageError("no such column: secret"))
    assert (reply.status_code, reply.headers["Retry-After"]) == (503, "1")
    assert b'"retry_after":1' in reply.body
    assert b"secret" not in reply.body
    assert b'"error":"StorageError"' in reply.body


def test_a_word_of_several_sets_is_one_fault_with_all_words():
    """Pydantic tells one for each set, in a place that no caller sent."""
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(dict[str, list[MemoryKind | Literal["interaction"]]]).validate_python(
            {"kinds": ["facts"]}
        )
    [fault] = faults_of(caught.value.errors())
    assert fault == {
        "type": "enum",
        "loc": ["kinds", 0],
        "msg": "must be 'profile', 'semantic', 'episodic', 'user_playbook', 'agent_playbook' or 'skill', or"
        " 'interaction'",
    }


def test_faults_leave_the_input_out():
    """What was sent may be a secret or unprintable; place, kind and text are enough."""
    given = [
        {"type": "t", "loc": ("body", 3, "x"), "msg": "m", "input": "secret", "ctx": {"error": ValueError()}}
    ]
    assert faults_of(given) == [{"type": "t", "loc": ["body", 3, "x"], "msg": "m"}]


@pytest.mark.parametrize(
    ("cause", "logged"),
    [
        (ConfigError("the key is not there"), "the key is not there"),
        (ValueError("near 'what Anna said'"), None),
        (None, None),
    ],
    ids=["ours", "a library's", "none"],
)
async def test_the_log_has_a_cause_in_our_words_only(cause: Exception | None, logged: str | None) -> None:
    """A library's message may quote what was stored."""
    error = StorageError("the database is away")
    error.__cause__ = cause
    with capture_logs() as logs:
        await foreseen_response(Request(SCOPE), error)
    [entry] = logs
    assert entry.get("cause") == logged
    assert "Anna" not in str(entry)
