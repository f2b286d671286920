"""Organisations: their rows and their configurations."""

from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa

from sagacity.domain.audit import SYSTEM
from sagacity.domain.config_history import ConfigVersion
from sagacity.domain.errors import InvalidInput
from sagacity.domain.ids import MAX_ORG_BYTES, byte_count
from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import config_versions, organisations, tenant_configs


class StoredConfig(NamedTuple):
    """A stored configuration."""

    config: str
    version: int
    data_key: str
    """The wrapped data key that seals the secrets; empty while there are none."""


class OrganisationRepository:
    """The tenant's own row, and its configuration."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    async def ensure(self, name: str = "") -> bool:
        """
        Create the organisation unless it exists; returns whether it was created.

        Raises:
            InvalidInput: the id is too long.
        """
        if (size := byte_count(self._scope.org_id)) > MAX_ORG_BYTES:
            raise InvalidInput(
                f"an organisation's id may have at most {MAX_ORG_BYTES} bytes in UTF-8, and this one has {size}"
            )
        made = await self._scope.run(
            self._scope.insert(organisations).on_conflict_do_nothing(),
            {
                "org_id": self._scope.org_id,
                "name": name,
                "status": "active",
                "created_at": self._scope.clock.now(),
            },
        )
        return made > 0

    async def config(self) -> StoredConfig | None:
        """Return the stored configuration; None if none was ever set."""
        rows = await self._scope.all(_config(), {"org_id": self._scope.org_id})
        return StoredConfig(rows[0].config, rows[0].version, rows[0].data_key) if rows else None

    async def set_config(
        self, config: str, *, data_key: str = "", author: str = SYSTEM, fields: Sequence[str] = ()
    ) -> int:
        """
        Store the configuration as a new version; returns its number.

        Args:
            config: the configuration as text.
            data_key: the wrapped data key that seals its secrets.
            author: who changed it.
            fields: the changed fields.
        """
        now = self._scope.clock.now()
        insert = self._scope.insert(tenant_configs)
        rows = await self._scope.all(
            insert.on_conflict_do_update(
                index_elements=[tenant_configs.c.org_id],
                set_={
                    "config": insert.excluded.config,
                    "data_key": insert.excluded.data_key,
                    "version": tenant_configs.c.version + 1,
                    "updated_at": insert.excluded.updated_at,
                },
            ).returning(tenant_configs.c.version),
            {
                "org_id": self._scope.org_id,
                "config": config,
                "data_key": data_key,
                "version": 1,
                "updated_at": now,
            },
        )
        version: int = rows[0].version
        await self._scope.run(
            config_versions.insert(),
            {
                "org_id": self._scope.org_id,
                "version": version,
                "config": config,
                "author": author,
                "fields": list(fields),
                "created_at": now,
            },
        )
        return version

    async def config_versions(self, *, before: int | None = None, limit: int) -> list[ConfigVersion]:
        """Return versions without their content, newest first; *before*: only smaller numbers."""
        older = () if before is None else (config_versions.c.version < before,)
        statement = sa.select(config_versions).where(config_versions.c.org_id == self._scope.org_id, *older)
        rows = await self._scope.all(statement.order_by(config_versions.c.version.desc()).limit(limit))
        return [_version(row) for row in rows]

    async def config_version(self, version: int) -> tuple[ConfigVersion, str] | None:
        """Return one version and its text; None if there is none with that number."""
        rows = await self._scope.all(
            sa.select(config_versions).where(
                config_versions.c.org_id == self._scope.org_id, config_versions.c.version == version
            )
        )
        return (_version(rows[0]), rows[0].config) if rows else None

    async def config_history(self) -> list[tuple[ConfigVersion, str]]:
        """Return all versions and their texts, oldest first."""
        statement = sa.select(config_versions).where(config_versions.c.org_id == self._scope.org_id)
        rows = await self._scope.all(statement.order_by(config_versions.c.version))
        return [(_version(row), row.config) for row in rows]

    async def put_config_history(
        self, versions: Sequence[tuple[ConfigVersion, str]], *, data_key: str
    ) -> None:
        """Store versions from another installation, oldest first, and make the last one current; existing ones stay."""
        last, config = versions[-1]
        present = {
            "org_id": self._scope.org_id,
            "config": config,
            "data_key": data_key,
            "version": last.version,
            "updated_at": last.at,
        }
        await self._scope.run(self._scope.insert(tenant_configs).on_conflict_do_nothing(), present)
        for known, text in versions:
            await self._scope.run(
                self._scope.insert(config_versions).on_conflict_do_nothing(),
                {
                    "org_id": self._scope.org_id,
                    "version": known.version,
                    "config": text,
                    "author": known.author,
                    "fields": list(known.fields),
                    "created_at": known.at,
                },
            )

    async def replace_data_key(self, old: str, new: str) -> bool:
        """Store the data key wrapped with another key; False if *old* is not the stored one."""
        is_it = sa.and_(tenant_configs.c.org_id == self._scope.org_id, tenant_configs.c.data_key == old)
        return await self._scope.run(sa.update(tenant_configs).where(is_it).values(data_key=new)) > 0


@cache
def _config() -> sa.Select[*tuple[Any, ...]]:
    return sa.select(tenant_configs).where(tenant_configs.c.org_id == sa.bindparam("org_id"))


def _version(row: Any) -> ConfigVersion:
    return ConfigVersion(version=row.version, at=row.created_at, author=row.author, fields=tuple(row.fields))
