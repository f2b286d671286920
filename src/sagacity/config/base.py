"""The interface of every store of tenants' configurations."""

from collections.abc import Callable
from typing import Protocol

from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.audit import SYSTEM
from sagacity.domain.config_history import ConfigVersion
from sagacity.domain.tenant import Tenant

Edit = Callable[[TenantConfig], TenantConfig]
"""Returns the new configuration for an old one. It is called again if another change came in between."""


class ConfigStore(Protocol):
    """Stores each tenant's configuration with its former versions."""

    async def get(self, tenant: Tenant, *, fresh: bool = False) -> TenantConfig:
        """
        Return the tenant's configuration; the defaults if none was ever set.

        Args:
            tenant: whose.
            fresh: read the store now; otherwise the configuration may be a few seconds old.

        Raises:
            ConfigError: it does not parse, or its secrets cannot be decrypted. It is never silently reset.
        """
        ...

    async def set(self, tenant: Tenant, config: TenantConfig, *, by: str = SYSTEM) -> int:
        """
        Replace the tenant's configuration; returns the number of the new version.

        The audit log records that *by* changed it, and which fields.
        """
        ...

    async def change(self, tenant: Tenant, edit: Edit, *, by: str = SYSTEM) -> TenantConfig:
        """
        Apply *edit* to the tenant's configuration atomically.

        The audit log records that *by* changed it, and which fields.

        Returns:
            The stored configuration.

        Raises:
            ConfigError: it does not parse, or its secrets cannot be decrypted. It stays unchanged.
        """
        ...

    async def wrap_again(self, tenant: Tenant, *, by: str) -> bool:
        """
        Wrap the tenant's data key with the operator's first key; False if it is already, or there is none.

        Raises:
            ConfigError: the data key cannot be decrypted.
        """
        ...

    async def forget_secrets(self, tenant: Tenant, *, by: str) -> None:
        """
        Remove the tenant's API keys because their encryption key is lost. Former versions keep theirs.

        Raises:
            Conflict: they can be decrypted, or there are none.
            ConfigError: what is stored does not parse.
            StorageUnavailable: the key service does not answer, so it is unknown whether they can be decrypted.
        """
        ...

    async def versions(self, tenant: Tenant, *, before: int | None = None, limit: int) -> list[ConfigVersion]:
        """Return the tenant's versions without their content, newest first; *before*: only smaller numbers."""
        ...

    async def version(self, tenant: Tenant, number: int) -> tuple[ConfigVersion, TenantConfig]:
        """
        Return one version.

        Raises:
            NotFound: there is no version of this number.
            ConfigError: it does not parse, or its secrets cannot be decrypted.
        """
        ...
