"""The versions of an organisation's configuration: list, compare, restore, and reseal with another key."""

from collections.abc import Callable, Sequence

from sagacity.config.base import ConfigStore
from sagacity.config.differences import differences
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.base import Value
from sagacity.domain.config_history import ConfigVersion, FieldChange
from sagacity.domain.errors import ConfigError, Forbidden
from sagacity.domain.principal import Permission, Principal
from sagacity.domain.tenant import Tenant


async def list_versions(
    configs: ConfigStore, principal: Principal, *, before: int | None = None, limit: int
) -> list[ConfigVersion]:
    """
    Return the organisation's versions without their content, newest first; *before*: only smaller numbers.

    Raises:
        Forbidden: the caller is no administrator, or acts for one user.
    """
    return await configs.versions(_tenant(principal), before=before, limit=limit)


async def read_version(
    configs: ConfigStore, principal: Principal, number: int
) -> tuple[ConfigVersion, TenantConfig]:
    """
    Return one version.

    Raises:
        NotFound: there is no version of this number.
        Forbidden: the caller is no administrator, or acts for one user.
    """
    return await configs.version(_tenant(principal), number)


async def compare_versions(
    configs: ConfigStore, principal: Principal, old: int, new: int | None
) -> tuple[FieldChange, ...]:
    """
    Return the differences of two versions, with secrets masked; without *new*, from *old* to the current one.

    Raises:
        NotFound: one of them does not exist.
        Forbidden: the caller is no administrator, or acts for one user.
    """
    tenant = _tenant(principal)
    _, before = await configs.version(tenant, old)
    if new is None:
        return differences(before, await configs.get(tenant, fresh=True))
    _, after = await configs.version(tenant, new)
    return differences(before, after)


async def roll_back(configs: ConfigStore, principal: Principal, number: int) -> int:
    """
    Make an old version, with its secrets, the current configuration; returns the number of the new version.

    Raises:
        NotFound: there is no version of this number.
        Forbidden: the caller is no administrator, or acts for one user.
    """
    tenant = _tenant(principal)
    _, config = await configs.version(tenant, number)
    return await configs.set(tenant, config, by=principal.audited_as)


class Rotated(Value):
    """The result of rotating the key."""

    wrapped: int
    """Organisations whose data key is now wrapped with the new key."""
    kept: int
    """Organisations without secrets, or whose data key was wrapped with it already."""
    apps: int = 0
    """Accounts whose authenticator secret is now encrypted with the new key."""
    failed: tuple[str, ...] = ()
    """Those whose key cannot be decrypted, each with the reason."""


async def rotate_key(
    configs: ConfigStore,
    tenants: Sequence[Tenant],
    *,
    by: str,
    on_progress: Callable[[int], None] | None = None,
) -> Rotated:
    """
    Wrap the data keys of *tenants* with the first key, one after another.

    An interrupted run keeps what it did, and the next run does the rest.
    """
    wrapped, failed = 0, list[str]()
    for number, tenant in enumerate(tenants):
        if on_progress is not None:
            on_progress(number)
        try:
            wrapped += await configs.wrap_again(tenant, by=by)
        except ConfigError as error:
            failed.append(f"{tenant.org_id}: {error}")
    return Rotated(wrapped=wrapped, kept=len(tenants) - wrapped - len(failed), failed=tuple(failed))


def _tenant(principal: Principal) -> Tenant:
    principal.require(Permission.ADMIN)
    if principal.user_id is not None:
        raise Forbidden("the configuration is for the whole organisation, but this caller acts for one user")
    return principal.tenant
