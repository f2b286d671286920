"""
What the first release sends to its database, word for word: it knows nothing of later schemas.

    with session(url) as first:
        populate(first, "org-a", ["anna"], turns=100)
    with writing(url, {"org-a": ["anna"]}) as writer:      # goes on in a thread of its own until the block ends
        ...
    writer.said, writer.errors, writer.longest_seconds
"""

import itertools
import re
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

import psycopg

NOW = 1_767_225_600_000_000
_ORGANISATION = (
    "INSERT INTO organisations (org_id, name, status, created_at) VALUES (:org, :org, 'active', :now) "
    "ON CONFLICT DO NOTHING"
)
_USER = (
    "INSERT INTO users (org_id, user_id, last_seq, due_at, created_at, updated_at) "
    "VALUES (:org, :user, 1, :now, :now, :now) ON CONFLICT (org_id, user_id) DO UPDATE SET "
    "last_seq = (users.last_seq + excluded.last_seq), due_at = excluded.due_at, updated_at = excluded.updated_at "
    "RETURNING last_seq"
)
_SESSION = (
    "INSERT INTO sessions (org_id, session_id, user_id, title, summary, message_count, created_at, updated_at) "
    "VALUES (:org, 's', :user, '', '', 1, :now, :now) ON CONFLICT (org_id, session_id, user_id) DO UPDATE SET "
    "message_count = (sessions.message_count + excluded.message_count), updated_at = excluded.updated_at"
)
_REQUEST = (
    "INSERT INTO requests (org_id, request_id, user_id, session_id, source, agent_version, skip_aggregation, "
    "force_extraction, metadata, first_seq, last_seq, digest, created_at) "
    "VALUES (:org, :request, :user, 's', '', '', false, false, '{}', :seq, :seq, 'digest', :now)"
)
_INTERACTION = (
    "INSERT INTO interactions (org_id, user_id, seq, request_id, session_id, role, content, shadow_content, "
    "expert_content, user_action, user_action_description, image_url, image_base64, tools_used, citations, created_at) "
    "VALUES (:org, :user, :seq, :request, 's', 'user', :text, '', '', 'none', '', '', '', '[]', '[]', :now) "
    "RETURNING interaction_id"
)
_MEMORY = (
    "INSERT INTO memories (org_id, uid, kind, user_id, agent_version, name, source, slot, content, attributes, keywords, "
    "source_request_ids, source_interaction_ids, provenance, status, approval, confidence, access_count, created_at, "
    "updated_at, metadata) VALUES (:org, :uid, 'profile', :user, '', '', '', '', :text, '{}', '[]', '[]', '[]', '{}', "
    "'current', 'pending', 1.0, 0, :now, :now, '{}') RETURNING memory_id"
)
_SCOPE = (
    "INSERT INTO search_scopes (org_id, user_id, kind, document_count, term_count, revision) "
    "VALUES (:org, :user, :kind, 1, :count, 1) ON CONFLICT (org_id, kind, user_id) DO UPDATE SET "
    "document_count = (search_scopes.document_count + excluded.document_count), "
    "term_count = (search_scopes.term_count + excluded.term_count), revision = (search_scopes.revision + 1) "
    "RETURNING scope_id, revision"
)
_DOCUMENT = (
    "INSERT INTO search_documents (org_id, scope_id, kind, owner_id, status, approval, agent_version, name, source, "
    "request_id, changed_at, expires_at, text, term_count, revision, vector, embed_attempts, embed_error) "
    "VALUES (:org, :scope, :kind, :owner, 'current', 'pending', '', '', '', :request, :now, NULL, :text, :count, "
    ":revision, NULL, 0, '') RETURNING document_id"
)
_TERM = (
    "INSERT INTO search_terms (scope_id, term, document_id, frequency) VALUES (:scope, :term, :document, 1)"
)
_RETRIED = ("40001", "40P01", "55P03")


class Session(Protocol):
    """One connection of the first release."""

    def run(self, statement: str, values: Mapping[str, Any]) -> tuple[Any, ...] | None: ...

    def begin(self) -> None: ...

    def end(self, *, commits: bool) -> None: ...

    def close(self) -> None: ...


class _OnSQLite:
    def __init__(self, path: str) -> None:
        self._connection = sqlite3.connect(path, timeout=15, isolation_level=None, check_same_thread=False)
        for pragma in ("journal_mode = WAL", "synchronous = NORMAL", "foreign_keys = ON"):
            self._connection.execute(f"PRAGMA {pragma}")

    def run(self, statement: str, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
        return self._connection.execute(statement, dict(values)).fetchone()

    def begin(self) -> None:
        self._connection.execute("BEGIN IMMEDIATE")

    def end(self, *, commits: bool) -> None:
        self._connection.execute("COMMIT" if commits else "ROLLBACK")

    def close(self) -> None:
        self._connection.close()


class _OnPostgres:
    def __init__(self, url: str) -> None:
        self._connection = psycopg.connect(url)

    def run(self, statement: str, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
        cursor = self._connection.execute(re.sub(r":(\w+)", r"%(\1)s", statement).encode(), values)
        return cursor.fetchone() if cursor.description else None

    def begin(self) -> None:
        """The first statement does."""

    def end(self, *, commits: bool) -> None:
        if commits:
            self._connection.commit()
        else:
            self._connection.rollback()

    def close(self) -> None:
        self._connection.close()


@contextmanager
def session(url: str) -> Iterator[Session]:
    """Connect as the first release would; on PostgreSQL as the owner."""
    opened = _OnSQLite(url.removeprefix("sqlite:///")) if url.startswith("sqlite") else _OnPostgres(url)
    try:
        yield opened
    finally:
        opened.close()


@contextmanager
def _transaction(first: Session) -> Iterator[None]:
    first.begin()
    commits = False
    try:
        yield
        commits = True
    finally:
        first.end(commits=commits)


def publish(first: Session, org: str, user: str, request: str, text: str) -> int:
    """Append one request with one turn; returns its number in the user's log."""
    values = {"org": org, "user": user, "request": request, "text": text, "now": NOW}
    with _transaction(first):
        found = first.run(_USER, values)
        assert found is not None
        values["seq"] = found[0]
        first.run(_SESSION, values)
        first.run(_REQUEST, values)
        owner = first.run(_INTERACTION, values)
        assert owner is not None
        _index(first, values | {"kind": "interaction", "owner": owner[0]})
    return int(found[0])


def remember(first: Session, org: str, user: str, uid: str, text: str) -> None:
    """Store one memory."""
    values = {"org": org, "user": user, "uid": uid, "text": text, "now": NOW, "request": None}
    with _transaction(first):
        owner = first.run(_MEMORY, values)
        assert owner is not None
        _index(first, values | {"kind": "profile", "owner": owner[0]})


def _index(first: Session, values: dict[str, Any]) -> None:
    terms = values["text"].split()
    scope = first.run(_SCOPE, values | {"count": len(terms)})
    assert scope is not None
    places = values | {"count": len(terms), "scope": scope[0], "revision": scope[1]}
    document = first.run(_DOCUMENT, places)
    assert document is not None
    for term in sorted(terms):
        first.run(_TERM, {"scope": scope[0], "document": document[0], "term": term})


def populate(first: Session, org: str, users: Sequence[str], *, turns: int) -> list["Said"]:
    """Give an organisation *turns* turns of each user, and a memory for every tenth."""
    with _transaction(first):
        first.run(_ORGANISATION, {"org": org, "now": NOW})
    said = []
    for number, user in itertools.product(range(turns), users):
        text = f"tea {org.replace('-', '')}{user}x{number}"
        request = f"{user} {number}"
        said.append(Said(org, user, publish(first, org, user, request, text), text))
        if number % 10 == 0:
            remember(first, org, user, request, text)
    return said


@dataclass(frozen=True)
class Said:
    """One turn that is stored."""

    org: str
    user: str
    seq: int
    text: str


@dataclass
class Writer:
    """What the thread did so far."""

    said: list[Said] = field(default_factory=list)
    errors: list[Exception] = field(default_factory=list)
    """Of tries that were made again."""
    longest_seconds: float = 0.0
    failure: Exception | None = None
    """What no retry mends."""


def is_retried(error: Exception) -> bool:
    """Whether the first release would send the transaction again."""
    if isinstance(error, sqlite3.OperationalError):
        return error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
    return isinstance(error, psycopg.Error) and error.sqlstate in _RETRIED


@contextmanager
def writing(url: str, users: Mapping[str, Sequence[str]]) -> Iterator[Writer]:
    """Append to the logs of *users* of each organisation, one transaction after the other, during the block."""
    writer, ends = Writer(), threading.Event()
    turns = itertools.cycle([(org, user) for org, names in users.items() for user in names])

    def append(first: Session, number: int, org: str, user: str) -> None:
        text = f"tea {org.replace('-', '')}{user}y{number}"
        started = time.monotonic()
        while True:
            try:
                seq = publish(first, org, user, f"while {number}", text)
            except (sqlite3.Error, psycopg.Error) as error:
                if not is_retried(error):
                    raise
                writer.errors.append(error)
            else:
                break
        writer.longest_seconds = max(writer.longest_seconds, time.monotonic() - started)
        writer.said.append(Said(org, user, seq, text))

    def work() -> None:
        try:
            with session(url) as first:
                for number, (org, user) in enumerate(turns):
                    append(first, number, org, user)
                    if ends.wait(0.002):
                        return
        except Exception as error:  # noqa: BLE001  the test looks at it
            writer.failure = error

    thread = threading.Thread(target=work, name="first release")
    thread.start()
    try:
        yield writer
    finally:
        ends.set()
        thread.join(60)
        assert not thread.is_alive()
