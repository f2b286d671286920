"""
Each statement is compiled once for all databases of a kind that a process opens, not once for each.

An engine keeps what it compiled to itself, and tests open some thousand engines. To compile the same again was an
eighth of what API tests and tests of whole databases had a processor do. What is compiled depends on the statement and
on the kind of the database, and the engines of one kind are all made alike.
"""

from typing import Any

from sqlalchemy import Engine
from sqlalchemy.util import LRUCache

CAPACITY = 5_000
"""Several times the statements that there are, so that none is thrown away."""

_Key = tuple[Any, ...]


class Compiled(LRUCache[_Key, Any]):
    """What was compiled, by statement: the dialect that stands first in SQLAlchemy's keys is one engine's own."""

    def get(self, key: _Key, default: Any = None) -> Any:
        return super().get(key[1:], default)

    def __setitem__(self, key: _Key, value: Any) -> None:
        super().__setitem__(key[1:], value)


_by_kind: dict[type, Compiled] = {}


def _of(engine: Engine) -> Compiled:
    return _by_kind.setdefault(type(engine.dialect), Compiled(CAPACITY))


def share_statements() -> None:
    """Let all engines of this process that are made from now on share what they compile."""
    Engine._compiled_cache = property(_of, lambda _engine, _own: None)  # pyright: ignore[reportAttributeAccessIssue]
