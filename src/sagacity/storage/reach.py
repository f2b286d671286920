"""What a transaction may reach: one organisation, perhaps one user, and nothing that quarantines hold."""

from collections.abc import AsyncGenerator
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from dataclasses import replace

from sqlalchemy.ext.asyncio import AsyncConnection

from sagacity.domain.ids import UserId
from sagacity.domain.principal import Principal
from sagacity.domain.tenant import Tenant
from sagacity.storage.base import Backend, Scope
from sagacity.storage.quarantine.standing import holds_anything
from sagacity.storage.quarantine.unheld import unheld
from sagacity.storage.statements.user_rows import narrowed


def reached_by(whose: Tenant | Principal, user_id: UserId | None) -> tuple[Tenant, UserId | None]:
    """Return the tenant to open, and the one user to which it is restricted, if any."""
    if isinstance(whose, Tenant):
        return whose, user_id
    return whose.tenant, whose.acting_for(user_id)


def pinned(
    backend: Backend, connection: AsyncConnection, whose: Tenant | Principal
) -> AbstractContextManager[None]:
    """Restrict a principal's user to their own rows, also on a database that does not check rows itself."""
    user_id = None if isinstance(whose, Tenant) else whose.user_id
    return nullcontext() if user_id is None or backend.checks_rows else narrowed(connection, user_id)


@asynccontextmanager
async def shown(
    scope: Scope, whose: Tenant | Principal, *, with_held: bool | None = None
) -> AsyncGenerator[Scope]:
    """Hide what quarantines hold during the block; by default for principals, but not for tenants."""
    if with_held is None:
        with_held = isinstance(whose, Tenant)
    if with_held or not await holds_anything(scope):
        yield scope
        return
    with unheld(scope.connection, writes=scope.writes):
        yield replace(scope, hides_held=True)
