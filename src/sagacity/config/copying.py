"""Copy configurations with all their versions from one place to another."""

from typing import Protocol

from sagacity.domain.base import Value
from sagacity.domain.config_history import ConfigVersion
from sagacity.domain.errors import Conflict
from sagacity.domain.tenant import Tenant


class KeptVersion(Value):
    """One stored version: its description, and its text with sealed secrets."""

    known: ConfigVersion
    config: str


class KeptConfig(Value):
    """The stored configuration of one organisation, with all versions."""

    data_key: str
    """The wrapped data key that seals secrets; empty while there are none."""
    versions: tuple[KeptVersion, ...]
    """Oldest first; the last one is current."""


class KeepsConfigs(Protocol):
    """A place that configurations can be copied from and to."""

    async def kept(self, tenant: Tenant) -> KeptConfig | None:
        """
        Return an organisation's configuration with all versions; None if none was ever set.

        Raises:
            ConfigError: what is stored does not parse.
            StorageUnavailable: the place cannot be reached.
        """
        ...

    async def keep(self, tenant: Tenant, kept: KeptConfig, *, by: str) -> None:
        """
        Store what another place had, if nothing is here yet; continues an interrupted copy.

        Raises:
            Conflict: something else is here.
            StorageUnavailable: the place cannot be reached.
        """
        ...


def is_taken(tenant: Tenant) -> Conflict:
    """Return the error for a place that has another configuration of the organisation already."""
    return Conflict(
        f"the place to copy to has another configuration of {tenant.org_id!r} already: nothing was overwritten"
    )
