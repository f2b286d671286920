"""How far distillation got, for the next run."""

from collections.abc import Collection
from typing import Any

import sqlalchemy as sa

from sagacity.domain.distillation import Distillation
from sagacity.domain.ids import whole_key
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import distillations
from sagacity.storage.statements.array_params import one_of

_column = distillations.c


class DistillationRepository:
    """How far a tenant's user playbooks were distilled, by name and agent version."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def get(self, learner: str, name: str, agent_version: str) -> Distillation:
        """Return how far *learner* got with some playbooks: at the start if it never ran."""
        return (await self.of(learner, [(name, agent_version)]))[name, agent_version]

    async def of(
        self, learner: str, wanted: Collection[tuple[str, str]]
    ) -> dict[tuple[str, str], Distillation]:
        """Return how far *learner* got with each name and agent version: at the start with those it never read."""
        keys = {one: _key_of(*one) for one in wanted}
        rows = await self._scope.all(
            sa.select(distillations).where(
                _column.org_id == self._scope.org_id,
                _column.learner == learner,
                one_of(_column.name, {name for name, _ in keys.values()}),
            )
        )
        known = {(row.name, row.agent_version): row for row in rows}
        return {one: _read(known.get(key), learner, *one) for one, key in keys.items()}

    async def lock(self, learner: str, name: str, agent_version: str) -> Distillation:
        """Lock and return how far *learner* got; the row is created if it is missing."""
        key = self._key(learner, name, agent_version)
        insert = self._scope.insert(distillations).values(key)
        statement = insert.on_conflict_do_update(
            index_elements=[_column[field] for field in key], set_={"last_read": _column.last_read}
        )
        [row] = await self._scope.all(statement.returning(distillations))
        return _read(row, learner, name, agent_version)

    async def save(self, held: Distillation) -> None:
        """Store the changed result of `lock`, in the same transaction."""
        key = self._key(held.learner, held.name, held.agent_version)
        same = [_column[field] == value for field, value in key.items()]
        await self._scope.run(sa.update(distillations).where(*same).values(held.model_dump(exclude={*key})))

    def _key(self, learner: str, name: str, agent_version: str) -> dict[str, str]:
        """Return the values of the primary key by column."""
        name, agent_version = _key_of(name, agent_version)
        return {
            "org_id": self._scope.org_id,
            "learner": learner,
            "name": name,
            "agent_version": agent_version,
        }


def _key_of(name: str, agent_version: str) -> tuple[str, str]:
    """Return both shortened to what fits into a key; playbooks that callers add may have longer ones."""
    return whole_key(name), whole_key(agent_version)


def _read(row: Any, learner: str, name: str, agent_version: str) -> Distillation:
    """Turn a row, or None for the start, into the value, with the requested names."""
    asked = {"learner": learner, "name": name, "agent_version": agent_version}
    given = asked if row is None else {**row._mapping, **asked}
    return Distillation.model_validate(given, extra="ignore")
