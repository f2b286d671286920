"""Site variables, for operators of the installation."""

from datetime import datetime

from pydantic import JsonValue

from sagacity.config.site import VARIABLES, Site
from sagacity.domain.base import Value
from sagacity.domain.principal import Principal
from sagacity.domain.site import StoredVariable


class SiteVariable(Value):
    """A site variable, whether it was set or not."""

    name: str
    value: JsonValue
    """The value in force."""
    default: JsonValue
    """The value while it is not set."""
    meaning: str
    version: int = 0
    """0 while it is not set."""
    author: str | None = None
    updated_at: datetime | None = None


async def list_site(site: Site, principal: Principal) -> list[SiteVariable]:
    """
    Return every variable, by name.

    Raises:
        Forbidden: the caller does not run the installation.
    """
    principal.require_operator()
    stored = {one.name: one for one in await site.list_set()}
    return [_shown(name, stored.get(name)) for name in VARIABLES]


async def set_site(site: Site, principal: Principal, name: str, value: JsonValue) -> SiteVariable:
    """
    Set a variable.

    Raises:
        Forbidden: the caller does not run the installation.
        InvalidInput: there is no such variable, or the value is of the wrong type.
    """
    principal.require_operator()
    return _shown(name, await site.set(name, value, by=principal.audited_as))


async def unset_site(site: Site, principal: Principal, name: str) -> None:
    """
    Reset a variable to its default.

    Raises:
        Forbidden: the caller does not run the installation.
        InvalidInput: there is no such variable.
        NotFound: it is not set.
    """
    principal.require_operator()
    await site.unset(name, by=principal.audited_as)


def _shown(name: str, stored: StoredVariable | None) -> SiteVariable:
    known = VARIABLES[name]
    if stored is None:
        return SiteVariable(name=name, value=known.default, default=known.default, meaning=known.meaning)
    return SiteVariable(**stored.model_dump(), default=known.default, meaning=known.meaning)
