"""The interface of every store of tenants' configurations."""

from collections.abc import Callable
from typing import Protocol

from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.audit import SYSTEM
from sagacity.domain.config_history import ConfigVersion
from sagacity.domain.tenant import Tenant

Edit = Callable[[TenantConfig], TenantConfig]
"""Returns what is to take a configuration's place. It may be called again, with another one that came in between."""


class ConfigStore(Protocol):
    """Keeps each tenant's configuration, and those it had."""

    async def get(self, tenant: Tenant, *, fresh: bool = False) -> TenantConfig:
        """
        Return the tenant's configuration; the defaults if none was ever set.

        Args:
            tenant: whose.
            fresh: as it is stored now, whereas otherwise it may be a few seconds old.

        Raises:
            ConfigError: what is stored does not parse, or its secrets do not open. It is never silently reset.
        """
        ...

    async def set(self, tenant: Tenant, config: TenantConfig, *, by: str = SYSTEM) -> int:
        """
        Replace the tenant's configuration; returns the number of the version that it is now.

        The audit log says that *by* changed which of its fields.
        """
        ...

    async def change(self, tenant: Tenant, edit: Edit, *, by: str = SYSTEM) -> TenantConfig:
        """
        Replace the tenant's configuration by what *edit* makes of it; no other change comes in between.

        The audit log says that *by* changed which of its fields.

        Returns:
            What is stored now.

        Raises:
            ConfigError: what is stored does not parse, or its secrets do not open. It stays as it is.
        """
        ...

    async def wrap_again(self, tenant: Tenant, *, by: str) -> bool:
        """
        Have the operator's first key wrap the tenant's data key; False if it does already, or there is none.

        Raises:
            ConfigError: the data key does not open.
        """
        ...

    async def forget_secrets(self, tenant: Tenant, *, by: str) -> None:
        """
        Remove the tenant's API keys, as the key that opens them is lost. Former versions keep theirs.

        Raises:
            Conflict: they open, or there are none.
            ConfigError: what is stored does not parse.
            StorageUnavailable: the key service does not answer: nobody knows whether they open.
        """
        ...

    async def versions(self, tenant: Tenant, *, before: int | None = None, limit: int) -> list[ConfigVersion]:
        """Return what is known of the tenant's versions, newest first; *before*: those with a smaller number."""
        ...

    async def version(self, tenant: Tenant, number: int) -> tuple[ConfigVersion, TenantConfig]:
        """
        Return one version.

        Raises:
            NotFound: there is no version of this number.
            ConfigError: it does not parse, or its secrets do not open.
        """
        ...
