"""
Compile each statement once for all databases of a kind that a process opens, instead of once for each.

Each engine has its own cache of compiled statements, and tests open some thousand engines. Compiling the same
statements again took an eighth of the processor time of API tests and tests of whole databases. A compiled statement
depends only on the statement and the kind of database, because all engines of one kind are configured alike.
"""

from typing import Any

from sqlalchemy import Engine
from sqlalchemy.util import LRUCache

CAPACITY = 5_000
"""Several times the number of statements, so that none is evicted."""

_Key = tuple[Any, ...]


class Compiled(LRUCache[_Key, Any]):
    """Compiled statements without the dialect in SQLAlchemy's keys, which belongs to a single engine."""

    def get(self, key: _Key, default: Any = None) -> Any:
        return super().get(key[1:], default)

    def __setitem__(self, key: _Key, value: Any) -> None:
        super().__setitem__(key[1:], value)


_by_kind: dict[type, Compiled] = {}


def _of(engine: Engine) -> Compiled:
    return _by_kind.setdefault(type(engine.dialect), Compiled(CAPACITY))


def share_statements() -> None:
    """Make all engines that this process creates from now on share their compiled statements."""
    Engine._compiled_cache = property(_of, lambda _engine, _own: None)  # pyright: ignore[reportAttributeAccessIssue]
