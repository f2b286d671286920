"""Copy configurations with all their versions from one place to another."""

from typing import Protocol

from sagacity.domain.base import Value
from sagacity.domain.config_history import ConfigVersion
from sagacity.domain.errors import Conflict
from sagacity.domain.tenant import Tenant


class KeptVersion(Value):
    """One version as it is kept: what is known of it, and its text with its secrets sealed."""

    known: ConfigVersion
    config: str


class KeptConfig(Value):
    """All that is kept of one organisation's configuration."""

    data_key: str
    """What secrets are sealed by, wrapped; empty while there are none."""
    versions: tuple[KeptVersion, ...]
    """Oldest first; the last one is in force."""


class KeepsConfigs(Protocol):
    """A place that configurations can be copied from and to."""

    async def kept(self, tenant: Tenant) -> KeptConfig | None:
        """
        Return all that is kept of an organisation's configuration; None if none was ever set.

        Raises:
            ConfigError: what is stored does not parse.
            StorageUnavailable: the place cannot be reached.
        """
        ...

    async def keep(self, tenant: Tenant, kept: KeptConfig, *, by: str) -> None:
        """
        Keep what another place had, where nothing is; what an interrupted copy left is gone on with.

        Raises:
            Conflict: something else is there.
            StorageUnavailable: the place cannot be reached.
        """
        ...


def is_taken(tenant: Tenant) -> Conflict:
    """Return the error of a place that has another configuration of an organisation already."""
    return Conflict(
        f"the place to copy to has another configuration of {tenant.org_id!r} already: nothing of it was written over"
    )
