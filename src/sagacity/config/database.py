"""Where tenants' configurations are kept: with their data."""

import json
from typing import cast

from sagacity.config.tenant_config import TenantConfig, dump_with_secrets, load_config
from sagacity.domain.audit import SYSTEM, AuditAction, NewAuditEntry
from sagacity.domain.ids import ORGANISATION
from sagacity.domain.tenant import Tenant
from sagacity.storage.transaction import Storage


class DatabaseConfigs:
    """Configurations in the database: every process sees a change at its next read."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    async def get(self, tenant: Tenant, *, fresh: bool = False) -> TenantConfig:
        """
        Return the tenant's configuration; the defaults if none was ever set.

        Raises:
            ConfigError: what is stored does not parse. It is never silently reset.
        """
        async with self._storage.read(tenant) as snapshot:
            stored = await snapshot.organisation.config()
        return TenantConfig() if stored is None else load_config(stored[0])

    async def set(self, tenant: Tenant, config: TenantConfig, *, by: str = SYSTEM) -> None:
        """
        Replace the tenant's configuration; what is due of the tenant itself by the new one is looked at.

        The audit log says that *by* changed which of its fields, and never their values: they may be secrets.
        """
        new = dump_with_secrets(config)
        async with self._storage.begin(tenant) as transaction:
            await transaction.audit.lock()
            old = await transaction.organisation.config()
            await transaction.organisation.set_config(new)
            await transaction.cursors.ensure_due(ORGANISATION)
            if changed := _changed(dump_with_secrets(TenantConfig()) if old is None else old[0], new):
                await transaction.audit.add(
                    NewAuditEntry(action=AuditAction.CONFIG_CHANGED, actor=by, details={"fields": changed})
                )


def _changed(old: str, new: str) -> tuple[str, ...]:
    """Return the names of the fields in which two stored configurations differ."""
    try:
        was: object = json.loads(old)
    except ValueError:  # somebody wrote it by hand
        was = {}
    before = cast("dict[str, object]", was) if isinstance(was, dict) else {}
    after: dict[str, object] = json.loads(new)
    names = sorted(TenantConfig.model_fields)
    return tuple(name for name in names if before.get(name) != after.get(name))
