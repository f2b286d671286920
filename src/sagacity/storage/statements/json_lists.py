"""Numbers in a JSON list as rows of a subquery, in each database's dialect."""

from typing import Any, Self

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.sql.operators import OperatorType


class _Listed(FunctionElement[bool]):
    """The condition of `is_listed`; compiled below for each database."""

    type = sa.Boolean()
    name = "listed"
    inherit_cache = True

    def self_group(self, against: OperatorType | None = None) -> Self:
        """Stay a bare condition: an index could not be used for a comparison with true."""
        return self


@compiles(_Listed)
def _by_json_each(element: _Listed, compiler: SQLCompiler, **options: Any) -> str:
    column, listed = (compiler.process(one, **options) for one in element.clauses)
    return f"({column} IN (SELECT value FROM json_each({listed})))"


@compiles(_Listed, "postgresql")
def _by_elements(element: _Listed, compiler: SQLCompiler, **options: Any) -> str:
    column, listed = (compiler.process(one, **options) for one in element.clauses)
    numbers = f"SELECT CAST(one AS bigint) FROM jsonb_array_elements_text({listed}) AS one"
    return f"({column} IN ({numbers}))"


def is_listed(column: sa.ColumnElement[int], listed: sa.ColumnElement[Any]) -> sa.ColumnElement[bool]:
    """Return the condition that *column* is one of the numbers of a JSON list in another column."""
    return _Listed(column, listed)
