"""
How much a database read for each statement of a call.

    with READS[backend.name](storage) as reads:
        await call()
    reads.too_many(100)      # readings of more than 100 rows; on SQLite of all that an organisation has
"""

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

import sqlalchemy as sa

from sagacity.storage.statements.json_conditions import SQLITE_FUNCTION, holds
from sagacity.storage.transaction import Storage

AUTO_EXPLAIN = (
    "session_preload_libraries = 'auto_explain'",
    "auto_explain.log_min_duration = 0",
    "auto_explain.log_analyze = on",
    "auto_explain.log_timing = off",
    "auto_explain.log_format = 'json'",
    "auto_explain.log_level = 'notice'",
)
"""Settings for a PostgreSQL server before the program connects, so that it reports the plan of each statement."""
_OF_AN_ORGANISATION = {"org_id", "kind", "status", "approval", "created_at", "updated_at", "changed_at"}
_SMALL = {"organisations", "api_tokens", "site_variables", "quotas", "tenant_configs", "search_index"}


class Reads(Protocol):
    """The reads of statements while they are watched."""

    statements: list[str]

    def too_many(self, most: int) -> list[str]:
        """Return each read of a table that went through more than *most* rows."""
        ...


class PostgresReads:
    """Counts the rows that each scan of an executed plan went through."""

    def __init__(self) -> None:
        self.statements: list[str] = []
        self._plans: list[dict[str, Any]] = []

    def keep(self, diagnostic: Any) -> None:
        found = re.search(r"plan:\s*(\{.*)", diagnostic.message_primary or "", re.DOTALL)
        if found:
            told = json.loads(found[1])
            self.statements.append(told["Query Text"])
            self._plans.append(told["Plan"])

    def too_many(self, most: int) -> list[str]:
        return [
            f"{_rows_read(node):.0f} rows of {node['Relation Name']} by {node['Node Type']} "
            f"({node.get('Index Cond', 'no condition')}) for {statement[:3000]}"
            for statement, plan in zip(self.statements, self._plans, strict=True)
            for node in _nodes(plan)
            if "Relation Name" in node and _rows_read(node) > most
        ]


def _nodes(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for inner in plan.get("Plans", ()):
        yield from _nodes(inner)


def _rows_read(node: dict[str, Any]) -> float:
    removed = sum(node.get(f"Rows Removed by {why}", 0) for why in ("Filter", "Index Recheck"))
    return (node["Actual Rows"] + removed) * node["Actual Loops"]


@contextmanager
def _on_postgres(storage: Storage) -> Iterator[PostgresReads]:
    reads = PostgresReads()
    engine = storage.backend._engine.sync_engine

    heard: list[Any] = []

    def listen(connection: Any, *_: object) -> None:
        connection.driver_connection.add_notice_handler(reads.keep)
        heard.append(connection.driver_connection)

    def leave(connection: Any, *_: object) -> None:
        if connection.driver_connection in heard:  # it may be in use since before
            heard.remove(connection.driver_connection)
            connection.driver_connection.remove_notice_handler(reads.keep)

    sa.event.listen(engine, "checkout", listen)
    sa.event.listen(engine, "checkin", leave)
    try:
        yield reads
    finally:
        sa.event.remove(engine, "checkout", listen)
        sa.event.remove(engine, "checkin", leave)
        for connection in heard:
            connection.remove_notice_handler(reads.keep)


class SQLiteReads:
    """Asks for the plan of each statement that a reader was given."""

    def __init__(self, path: str) -> None:
        self.statements: list[str] = []
        self._asked: dict[str, Any] = {}
        self._path = path

    def keep(self, _connection: Any, _cursor: Any, statement: str, parameters: Any, *_: object) -> None:
        self.statements.append(statement)
        self._asked[statement] = parameters

    def too_many(self, most: int) -> list[str]:
        """Return reads that are not narrowed to a user or a number, whatever *most* is: SQLite does not count rows."""
        del most
        database = sqlite3.connect(self._path)
        database.create_function("ln", 1, abs, deterministic=True)
        database.create_function(SQLITE_FUNCTION, 2, holds, deterministic=True)
        tables = {row[0] for row in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        found = [
            f"{step} for {statement[:3000]}"
            for statement, parameters in self._asked.items()
            for *_, step in database.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
            if _goes_through_all(step, tables - _SMALL, statement)
        ]
        database.close()
        return found


def _goes_through_all(step: str, tables: set[str], statement: str) -> bool:
    way, _, rest = step.partition(" ")
    name = rest.split(" ")[0]
    aliased = re.search(rf"(\w+) AS {re.escape(name)}\b", statement)
    if way not in {"SCAN", "SEARCH"} or not {name, aliased[1] if aliased else name} & tables:
        return False
    columns = set(re.findall(r"(\w+)(?:=|[<>])", rest))
    return way == "SCAN" or columns <= _OF_AN_ORGANISATION


@contextmanager
def _on_sqlite(storage: Storage) -> Iterator[SQLiteReads]:
    reads = SQLiteReads(str(storage.backend.file))
    engines = (storage.backend._readers.sync_engine, storage.backend._visits.engine)
    for engine in engines:
        sa.event.listen(engine, "before_cursor_execute", reads.keep)
    try:
        yield reads
    finally:
        for engine in engines:
            sa.event.remove(engine, "before_cursor_execute", reads.keep)


READS: dict[str, Callable[[Storage], AbstractContextManager[Reads]]] = {
    "sqlite": _on_sqlite,
    "postgresql": _on_postgres,
}
