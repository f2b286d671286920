"""Site variables, stored as rows of the organisation that runs the installation."""

import json
from typing import Any

import sqlalchemy as sa
from pydantic import JsonValue

from sagacity.domain.site import StoredVariable
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import site_variables

_column = site_variables.c


class SiteRepository:
    """The site variables that were set."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def list_all(self) -> list[StoredVariable]:
        """Return the variables that were set, by name."""
        mine = sa.select(site_variables).where(_column.org_id == self._scope.org_id)
        return [_variable(row) for row in await self._scope.all(mine.order_by(_column.name))]

    async def put(self, name: str, value: JsonValue, *, author: str) -> StoredVariable:
        """Set a variable; returns it with its new version."""
        insert = self._scope.insert(site_variables)
        rows = await self._scope.all(
            insert.on_conflict_do_update(
                index_elements=[_column.org_id, _column.name],
                set_={
                    "value": insert.excluded.value,
                    "version": _column.version + 1,
                    "author": insert.excluded.author,
                    "updated_at": insert.excluded.updated_at,
                },
            ).returning(*_column),
            {
                "org_id": self._scope.org_id,
                "name": name,
                "value": json.dumps(value),
                "version": 1,
                "author": author,
                "updated_at": self._scope.clock.now(),
            },
        )
        return _variable(rows[0])

    async def remove(self, name: str) -> bool:
        """Reset a variable to its default; returns False if it was not set."""
        mine = sa.and_(_column.org_id == self._scope.org_id, _column.name == name)
        return await self._scope.run(sa.delete(site_variables).where(mine)) > 0


def _variable(row: Any) -> StoredVariable:
    return StoredVariable(
        name=row.name,
        value=json.loads(row.value),
        version=row.version,
        author=row.author,
        updated_at=row.updated_at,
    )
