"""Where a tenant's configuration may be kept."""

from typing import Protocol

from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.audit import SYSTEM
from sagacity.domain.tenant import Tenant


class ConfigStore(Protocol):
    """Keeps each tenant's configuration."""

    async def get(self, tenant: Tenant, *, fresh: bool = False) -> TenantConfig:
        """
        Return the tenant's configuration; the defaults if none was ever set.

        Args:
            tenant: whose.
            fresh: as it is stored now, whereas otherwise it may be a few seconds old.

        Raises:
            ConfigError: what is stored does not parse. It is never silently reset.
        """
        ...

    async def set(self, tenant: Tenant, config: TenantConfig, *, by: str = SYSTEM) -> None:
        """Replace the tenant's configuration; the audit log says that *by* changed which of its fields."""
        ...
