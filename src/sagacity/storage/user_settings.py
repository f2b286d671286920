"""Users' records: what they say of themselves, and their settings of what may be remembered."""

from collections.abc import Callable
from functools import cache
from typing import Any

import sqlalchemy as sa

from sagacity.domain.ids import UserId
from sagacity.domain.user_settings import UserSettings
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import user_settings


class UserSettingsRepository:
    """A tenant's user records. For a user without one, nothing is switched off."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def find(self, user_id: UserId) -> UserSettings | None:
        """Return a user's record, or None."""
        rows = await self._scope.all(_of_user(), {"org_id": self._scope.org_id, "user_id": user_id})
        return UserSettings.model_validate(rows[0]._mapping, extra="ignore") if rows else None

    async def ensure(self, user_id: UserId) -> UserSettings:
        """Lock and return a user's record, created if there was none."""
        now = self._scope.clock.now()
        new = UserSettings(settings_id=self._scope.ids.new(), user_id=user_id, created_at=now, updated_at=now)
        insert, column = self._scope.insert(user_settings), user_settings.c
        kept = insert.on_conflict_do_update(  # in one statement: others may delete it at any time
            index_elements=[column.org_id, column.user_id], set_={"user_id": insert.excluded.user_id}
        )
        [row] = await self._scope.all(kept.returning(user_settings), self._row(new))
        return UserSettings.model_validate(row._mapping, extra="ignore")

    async def change(
        self, user_id: UserId, change: Callable[[UserSettings], UserSettings]
    ) -> tuple[UserSettings, UserSettings]:
        """Apply *change* to a user's record, created if there was none, and return it before and after."""
        before = await self.ensure(user_id)
        after = change(before).model_copy(update={"updated_at": self._scope.clock.now()})
        row = self._row(after)
        values = {name: row[name] for name in row.keys() - {"org_id", "user_id", "settings_id"}}
        await self._scope.run(sa.update(user_settings).where(*self._one(user_id)).values(values))
        return before, after

    async def remove(self, user_id: UserId) -> bool:
        """Delete a user's record; returns whether there was one."""
        return bool(await self._scope.run(sa.delete(user_settings).where(*self._one(user_id))))

    def _row(self, settings: UserSettings) -> dict[str, Any]:
        return settings.model_dump() | {"org_id": self._scope.org_id}

    def _one(self, user_id: UserId) -> tuple[sa.ColumnElement[bool], ...]:
        column = user_settings.c
        return column.org_id == self._scope.org_id, column.user_id == user_id


@cache
def _of_user() -> sa.Select[*tuple[Any, ...]]:
    column = user_settings.c
    return sa.select(user_settings).where(
        column.org_id == sa.bindparam("org_id"), column.user_id == sa.bindparam("user_id")
    )
