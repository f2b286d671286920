"""An organisation itself: its row, its configuration."""

import sqlalchemy as sa

from sagacity.domain.errors import InvalidInput
from sagacity.domain.ids import MAX_ORG_BYTES, byte_count
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import organisations, tenant_configs


class OrganisationRepository:
    """The tenant's own rows."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def ensure(self, name: str = "") -> None:
        """
        Create the organisation unless it exists.

        Raises:
            InvalidInput: its id is too long.
        """
        if (size := byte_count(self._scope.org_id)) > MAX_ORG_BYTES:
            raise InvalidInput(
                f"an organisation's id may have at most {MAX_ORG_BYTES} bytes in UTF-8, and this one has {size}"
            )
        await self._scope.run(
            self._scope.insert(organisations).on_conflict_do_nothing(),
            {
                "org_id": self._scope.org_id,
                "name": name,
                "status": "active",
                "created_at": self._scope.clock.now(),
            },
        )

    async def config(self) -> tuple[str, int] | None:
        """Return the stored configuration as text with its version; None if none was ever set."""
        rows = await self._scope.all(
            sa.select(tenant_configs).where(tenant_configs.c.org_id == self._scope.org_id)
        )
        return (rows[0].config, rows[0].version) if rows else None

    async def set_config(self, config: str) -> int:
        """Store the configuration; returns its new version."""
        insert = self._scope.insert(tenant_configs)
        rows = await self._scope.all(
            insert.on_conflict_do_update(
                index_elements=[tenant_configs.c.org_id],
                set_={
                    "config": insert.excluded.config,
                    "version": tenant_configs.c.version + 1,
                    "updated_at": insert.excluded.updated_at,
                },
            ).returning(tenant_configs.c.version),
            {
                "org_id": self._scope.org_id,
                "config": config,
                "version": 1,
                "updated_at": self._scope.clock.now(),
            },
        )
        return rows[0].version
