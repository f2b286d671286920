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
    Return what is known of the organisation's versions, newest first; *before*: only those with a smaller number.

    Raises:
        Forbidden: the caller may not administer, or acts for one user.
    """
    return await configs.versions(_tenant(principal), before=before, limit=limit)


async def read_version(
    configs: ConfigStore, principal: Principal, number: int
) -> tuple[ConfigVersion, TenantConfig]:
    """
    Return one version.

    Raises:
        NotFound: there is none of this number.
        Forbidden: the caller may not administer, or acts for one user.
    """
    return await configs.version(_tenant(principal), number)


async def compare_versions(
    configs: ConfigStore, principal: Principal, old: int, new: int | None
) -> tuple[FieldChange, ...]:
    """
    Return in what two versions differ, with secrets masked; without *new*, the present configuration is compared.

    Raises:
        NotFound: one of them is not there.
        Forbidden: the caller may not administer, or acts for one user.
    """
    tenant = _tenant(principal)
    _, before = await configs.version(tenant, old)
    if new is None:
        return differences(before, await configs.get(tenant, fresh=True))
    _, after = await configs.version(tenant, new)
    return differences(before, after)


async def roll_back(configs: ConfigStore, principal: Principal, number: int) -> int:
    """
    Make a version, with its secrets, the present configuration again; returns the number under which it is kept now.

    Raises:
        NotFound: there is none of this number.
        Forbidden: the caller may not administer, or acts for one user.
    """
    tenant = _tenant(principal)
    _, config = await configs.version(tenant, number)
    return await configs.set(tenant, config, by=principal.audited_as)


class Rotated(Value):
    """What a rotation of the key did."""

    wrapped: int
    """Organisations whose data key is wrapped by the new key from now on."""
    kept: int
    """Those that have no secrets, or were wrapped by it before."""
    apps: int = 0
    """Accounts whose authenticator app's secret is encrypted by the new key from now on."""
    failed: tuple[str, ...] = ()
    """Those whose key does not open, each with why."""


async def rotate_key(
    configs: ConfigStore,
    tenants: Sequence[Tenant],
    *,
    by: str,
    on_progress: Callable[[int], None] | None = None,
) -> Rotated:
    """
    Have the first key wrap the data keys of *tenants*, one after another.

    What an interrupted run did stays done, and the next one goes on with the rest.
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
        raise Forbidden("the configuration is the whole organisation's, and this caller acts for one user")
    return principal.tenant
