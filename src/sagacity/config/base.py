"""Where a tenant's configuration may be kept."""

from typing import Protocol

from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.tenant import Tenant


class ConfigStore(Protocol):
    """Keeps each tenant's configuration."""

    async def get(self, tenant: Tenant) -> TenantConfig:
        """
        Return the tenant's configuration; the defaults if none was ever set.

        Raises:
            ConfigError: what is stored does not parse. It is never silently reset.
        """
        ...

    async def set(self, tenant: Tenant, config: TenantConfig) -> None:
        """Replace the tenant's configuration."""
        ...
