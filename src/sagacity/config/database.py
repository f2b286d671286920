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
    """The store of configurations in the database: every process sees a change at its next read."""

    def __init__(self, storage: Storage, open_ring: OpenRing = no_keys) -> None:
        self._storage = storage
        self._open_ring = open_ring

    async def get(self, tenant: Tenant, *, fresh: bool = False) -> TenantConfig:
        """
        Return the tenant's configuration; the defaults if none was ever set.

        Raises:
            ConfigError: it does not parse, or its secrets cannot be decrypted. It is never silently reset.
        """
        stored = await self._storage.visit(tenant, lambda snapshot: snapshot.organisation.config())
        return TenantConfig() if stored is None else self._seal(tenant, stored).load(stored.config)

    async def set(self, tenant: Tenant, config: TenantConfig, *, by: str = SYSTEM) -> int:
        """
        Replace the tenant's configuration, and make the tenant due so that its tasks consider the new one.

        The audit log records that *by* changed it, and which fields, but not their values, which may be secrets.

        Raises:
            ConfigError: the key that seals secrets is missing.
        """
        version, _ = await self._write(tenant, lambda seal, stored: (_before(seal, stored), config), by=by)
        return version

    async def change(self, tenant: Tenant, edit: Edit, *, by: str = SYSTEM) -> TenantConfig:
        """
        Apply *edit* to the tenant's configuration atomically.

        Raises:
            ConfigError: it does not parse, or its secrets cannot be decrypted. It stays unchanged.
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
        Wrap the tenant's data key with the operator's first key; False if it is already, or there is none.

        Raises:
            ConfigError: the data key cannot be decrypted.
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
        Remove the tenant's API keys because their encryption key is lost. Former versions keep theirs.

        Raises:
            Conflict: they can be decrypted, or there are none.
            ConfigError: what is stored does not parse.
            StorageUnavailable: the key service does not answer, so it is unknown whether they can be decrypted.
        """

        def edited(seal: Seal, stored: StoredConfig | None) -> tuple[TenantConfig, TenantConfig]:
            return seal.forget("{}" if stored is None else stored.config)

        await self._write(tenant, edited, by=by)

    async def versions(self, tenant: Tenant, *, before: int | None = None, limit: int) -> list[ConfigVersion]:
        """Return the tenant's versions without their content, newest first; *before*: only smaller numbers."""
        async with self._storage.read(tenant) as snapshot:
            return await snapshot.organisation.config_versions(before=before, limit=limit)

    async def version(self, tenant: Tenant, number: int) -> tuple[ConfigVersion, TenantConfig]:
        """
        Return one version.

        Raises:
            NotFound: there is no version of this number.
            ConfigError: it does not parse, or its secrets cannot be decrypted.
        """
        async with self._storage.read(tenant) as snapshot:
            stored = await snapshot.organisation.config()
            found = await snapshot.organisation.config_version(number)
        if found is None:
            raise NotFound(f"the configuration has no version {number}")
        return found[0], self._seal(tenant, stored).load(found[1])

    async def kept(self, tenant: Tenant) -> KeptConfig | None:
        """Return an organisation's configuration with all versions; None if none was ever set."""
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
        Store what another place had, if nothing is here yet.

        Raises:
            Conflict: something else is here.
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
"""Returns the stored configuration and its replacement."""


def _before(seal: Seal, stored: StoredConfig | None) -> TenantConfig:
    """Return the configuration to replace; the defaults if someone edited it by hand into something unreadable."""
    if stored is None:
        return TenantConfig()
    seal.check()
    try:
        return seal.load(stored.config)
    except ConfigError:
        return TenantConfig()
