"""A cache of configurations for a few seconds; a change is announced to all processes at once."""

import time
from collections import OrderedDict
from collections.abc import Callable
from functools import partial

from sagacity.config.base import ConfigStore, Edit
from sagacity.config.tenant_config import TenantConfig
from sagacity.coordination.base import Topic
from sagacity.domain.audit import SYSTEM
from sagacity.domain.config_history import ConfigVersion
from sagacity.domain.ids import OrgId
from sagacity.domain.tenant import Tenant
from sagacity.storage.shared_lookups import SharedLookups

_SUBJECT = "config "
TTL_SECONDS = 2.0
_TENANTS = 1_000


class CachedConfigs:
    """
    A cache in front of a store of configurations.

    A change by this process is seen by its next `get`. A change by another process is seen as soon as
    it is announced, or after *ttl_seconds* if the announcement is lost.
    """

    def __init__(
        self,
        inner: ConfigStore,
        topic: Topic,
        *,
        ttl_seconds: float = TTL_SECONDS,
        tenants: int = _TENANTS,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._inner = inner
        self._topic = topic
        self._ttl_seconds = ttl_seconds
        self._tenants = tenants
        self._monotonic = monotonic
        self._kept: OrderedDict[OrgId, tuple[TenantConfig, float]] = OrderedDict()
        self._generation = 0
        self._reads = SharedLookups()
        topic.subscribe(self._hear)

    async def get(self, tenant: Tenant, *, fresh: bool = False) -> TenantConfig:
        """
        Return the tenant's configuration; the defaults if none was ever set.

        Calls at the same time share one read of the store.

        Raises:
            ConfigError: what is stored does not parse. It is never silently reset.
        """
        if not fresh and (kept := self._current(tenant)) is not None:
            return kept
        return await self._reads.ask((tenant, fresh), partial(self._read, tenant, fresh=fresh))

    def _current(self, tenant: Tenant) -> TenantConfig | None:
        """Return what is kept, unless it is too old."""
        config, until = self._kept.get(tenant.org_id, (None, 0.0))
        return config if self._monotonic() < until else None

    async def _read(self, tenant: Tenant, *, fresh: bool) -> TenantConfig:
        if not fresh and (kept := self._current(tenant)) is not None:  # the read that this one waited for
            return kept
        generation, now = self._generation, self._monotonic()
        config = await self._inner.get(tenant)
        if generation == self._generation:  # else one was set meanwhile, and this may be the one before
            self._keep(tenant.org_id, config, now + self._ttl_seconds)
        return config

    async def set(self, tenant: Tenant, config: TenantConfig, *, by: str = SYSTEM) -> int:
        """Replace the tenant's configuration; the audit log records that *by* changed it, and which fields."""
        try:
            version = await self._inner.set(tenant, config, by=by)
        finally:  # also after a failure: it may be stored nevertheless
            self._drop(tenant.org_id)
        await self._topic.publish(_SUBJECT + tenant.org_id)
        return version

    async def change(self, tenant: Tenant, edit: Edit, *, by: str = SYSTEM) -> TenantConfig:
        """
        Apply *edit* to the tenant's configuration atomically.

        Raises:
            ConfigError: it does not parse, or its secrets cannot be decrypted. It stays unchanged.
        """
        try:
            config = await self._inner.change(tenant, edit, by=by)
        finally:  # as above
            self._drop(tenant.org_id)
        await self._topic.publish(_SUBJECT + tenant.org_id)
        return config

    async def wrap_again(self, tenant: Tenant, *, by: str) -> bool:
        """
        Wrap the tenant's data key with the operator's first key; False if it is already, or there is none.

        Raises:
            ConfigError: the data key cannot be decrypted.
        """
        return await self._inner.wrap_again(tenant, by=by)

    async def forget_secrets(self, tenant: Tenant, *, by: str) -> None:
        """
        Remove the tenant's API keys because their encryption key is lost. Former versions keep theirs.

        Raises:
            Conflict: they can be decrypted, or there are none.
            ConfigError: what is stored does not parse.
            StorageUnavailable: the key service does not answer, so it is unknown whether they can be decrypted.
        """
        try:
            await self._inner.forget_secrets(tenant, by=by)
        finally:  # as above
            self._drop(tenant.org_id)
        await self._topic.publish(_SUBJECT + tenant.org_id)

    async def versions(self, tenant: Tenant, *, before: int | None = None, limit: int) -> list[ConfigVersion]:
        """Return the tenant's versions without their content, newest first; *before*: only smaller numbers."""
        return await self._inner.versions(tenant, before=before, limit=limit)

    async def version(self, tenant: Tenant, number: int) -> tuple[ConfigVersion, TenantConfig]:
        """
        Return one version.

        Raises:
            NotFound: there is no version of this number.
            ConfigError: it does not parse, or its secrets cannot be decrypted.
        """
        return await self._inner.version(tenant, number)

    def _keep(self, org_id: OrgId, config: TenantConfig, until: float) -> None:
        self._kept[org_id] = (config, until)
        self._kept.move_to_end(org_id)
        if len(self._kept) > self._tenants:
            self._kept.popitem(last=False)

    def _hear(self, subject: str | None) -> None:
        if subject is None:
            self._generation += 1
            self._kept.clear()
        elif subject.startswith(_SUBJECT):
            self._drop(OrgId(subject.removeprefix(_SUBJECT)))

    def _drop(self, org_id: OrgId) -> None:
        self._generation += 1
        self._kept.pop(org_id, None)
