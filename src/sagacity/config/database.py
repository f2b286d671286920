"""The store of configurations in the database."""

import json
from collections.abc import Callable

from sagacity.auth.key_ring import OpenRing, no_keys
from sagacity.config.base import Edit
from sagacity.config.copying import KeptConfig, KeptVersion, is_taken
from sagacity.config.differences import changed_fields
from sagacity.config.sealing import Seal
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.audit import SYSTEM, AuditAction, NewAuditEntry
from sagacity.domain.config_history import ConfigVersion
from sagacity.domain.errors import ConfigError, NotFound
from sagacity.domain.ids import ORGANISATION
from sagacity.domain.tenant import Tenant
from sagacity.storage.organisations import StoredConfig
from sagacity.storage.transaction import Storage


class DatabaseConfigs:
    """Configurations in the database: every process sees a change at its next read."""

    def __init__(self, storage: Storage, open_ring: OpenRing = no_keys) -> None:
        self._storage = storage
        self._open_ring = open_ring

    async def get(self, tenant: Tenant, *, fresh: bool = False) -> TenantConfig:
        """
        Return the tenant's configuration; the defaults if none was ever set.

        Raises:
            ConfigError: what is stored does not parse, or its secrets do not open. It is never silently reset.
        """
        stored = await self._storage.visit(tenant, lambda snapshot: snapshot.organisation.config())
        return TenantConfig() if stored is None else self._seal(tenant, stored).load(stored.config)

    async def set(self, tenant: Tenant, config: TenantConfig, *, by: str = SYSTEM) -> int:
        """
        Replace the tenant's configuration; what is due of the tenant itself by the new one is looked at.

        The audit log says that *by* changed which of its fields, and never their values: they may be secrets.

        Raises:
            ConfigError: the key by which secrets are sealed is not there.
        """
        version, _ = await self._write(tenant, lambda seal, stored: (_before(seal, stored), config), by=by)
        return version

    async def change(self, tenant: Tenant, edit: Edit, *, by: str = SYSTEM) -> TenantConfig:
        """
        Replace the tenant's configuration by what *edit* makes of it; no other change comes in between.

        Raises:
            ConfigError: what is stored does not parse, or its secrets do not open. It stays as it is.
        """

        def edited(seal: Seal, stored: StoredConfig | None) -> tuple[TenantConfig, TenantConfig]:
            old = TenantConfig() if stored is None else seal.load(stored.config)
            return old, edit(old)

        _, config = await self._write(tenant, edited, by=by)
        return config

    async def _write(self, tenant: Tenant, edited: "_Edited", *, by: str) -> tuple[int, TenantConfig]:
        async with self._storage.begin(tenant) as transaction:
            await transaction.audit.lock()
            stored = await transaction.organisation.config()
            seal = self._seal(tenant, stored)
            old, config = edited(seal, stored)
            changed = changed_fields(old, config)
            version = await transaction.organisation.set_config(
                seal.dump(config), data_key=seal.wrapped, author=by, fields=changed
            )
            await transaction.cursors.ensure_due(ORGANISATION)
            if changed:
                await transaction.audit.add(
                    NewAuditEntry(action=AuditAction.CONFIG_CHANGED, actor=by, details={"fields": changed})
                )
        return version, config

    async def wrap_again(self, tenant: Tenant, *, by: str) -> bool:
        """
        Have the operator's first key wrap the tenant's data key; False if it does already, or there is none.

        Raises:
            ConfigError: the data key does not open.
        """
        async with self._storage.begin(tenant) as transaction:
            await transaction.audit.lock()
            stored = await transaction.organisation.config()
            seal = self._seal(tenant, stored)
            if stored is None or not seal.wrap_again():
                return False
            await transaction.organisation.replace_data_key(stored.data_key, seal.wrapped)
            await transaction.audit.add(NewAuditEntry(action=AuditAction.CONFIG_KEY_ROTATED, actor=by))
        return True

    async def forget_secrets(self, tenant: Tenant, *, by: str) -> None:
        """
        Remove the tenant's API keys, as the key that opens them is lost. Former versions keep theirs.

        Raises:
            Conflict: they open, or there are none.
            ConfigError: what is stored does not parse.
            StorageUnavailable: the key service does not answer: nobody knows whether they open.
        """

        def edited(seal: Seal, stored: StoredConfig | None) -> tuple[TenantConfig, TenantConfig]:
            return seal.forget("{}" if stored is None else stored.config)

        await self._write(tenant, edited, by=by)

    async def versions(self, tenant: Tenant, *, before: int | None = None, limit: int) -> list[ConfigVersion]:
        """Return what is known of the tenant's versions, newest first; *before*: those with a smaller number."""
        async with self._storage.read(tenant) as snapshot:
            return await snapshot.organisation.config_versions(before=before, limit=limit)

    async def version(self, tenant: Tenant, number: int) -> tuple[ConfigVersion, TenantConfig]:
        """
        Return one version.

        Raises:
            NotFound: there is no version of this number.
            ConfigError: it does not parse, or its secrets do not open.
        """
        async with self._storage.read(tenant) as snapshot:
            stored = await snapshot.organisation.config()
            found = await snapshot.organisation.config_version(number)
        if found is None:
            raise NotFound(f"the configuration has no version {number}")
        return found[0], self._seal(tenant, stored).load(found[1])

    async def kept(self, tenant: Tenant) -> KeptConfig | None:
        """Return all that is kept of an organisation's configuration; None if none was ever set."""
        async with self._storage.read(tenant) as snapshot:
            stored = await snapshot.organisation.config()
            versions = await snapshot.organisation.config_history()
        if stored is None:
            return None
        return KeptConfig(
            data_key=stored.data_key,
            versions=tuple(KeptVersion(known=known, config=text) for known, text in versions),
        )

    async def keep(self, tenant: Tenant, kept: KeptConfig, *, by: str) -> None:
        """
        Keep what another place had, where nothing is.

        Raises:
            Conflict: something else is there.
        """
        async with self._storage.begin(tenant) as transaction:
            await transaction.organisation.ensure()
            await transaction.audit.lock()
            stored, last = await transaction.organisation.config(), kept.versions[-1]
            if stored is not None:
                if (stored.version, stored.data_key) == (last.known.version, kept.data_key) and json.loads(
                    stored.config
                ) == json.loads(last.config):
                    return
                raise is_taken(tenant)
            versions = [(one.known, one.config) for one in kept.versions]
            await transaction.organisation.put_config_history(versions, data_key=kept.data_key)
            await transaction.cursors.ensure_due(ORGANISATION)
            details = {"version": last.known.version}
            await transaction.audit.add(
                NewAuditEntry(action=AuditAction.CONFIG_COPIED, actor=by, details={**details})
            )

    def _seal(self, tenant: Tenant, stored: StoredConfig | None) -> Seal:
        return Seal(self._open_ring, tenant.org_id, "" if stored is None else stored.data_key)


_Edited = Callable[[Seal, StoredConfig | None], tuple[TenantConfig, TenantConfig]]
"""Returns what was stored, and what is to take its place."""


def _before(seal: Seal, stored: StoredConfig | None) -> TenantConfig:
    """Return what is to be replaced; the defaults if somebody wrote by hand what does not read."""
    if stored is None:
        return TenantConfig()
    seal.check()
    try:
        return seal.load(stored.config)
    except ConfigError:
        return TenantConfig()
