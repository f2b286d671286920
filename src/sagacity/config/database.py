"""Where tenants' configurations are kept: with their data."""

from sagacity.config.tenant_config import TenantConfig, dump_with_secrets, load_config
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

    async def set(self, tenant: Tenant, config: TenantConfig) -> None:
        """Replace the tenant's configuration; what is due of the tenant itself by the new one is looked at."""
        async with self._storage.begin(tenant) as transaction:
            await transaction.organisation.set_config(dump_with_secrets(config))
            await transaction.cursors.ensure_due(ORGANISATION)
