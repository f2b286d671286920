"""Delete requests without turns and sessions without requests, unless something was added meanwhile."""

import sqlalchemy as sa

from sagacity.storage.base import Scope
from sagacity.storage.schema.tables import interactions, requests, sessions

_HAS_TURNS = sa.exists().where(
    interactions.c.org_id == requests.c.org_id, interactions.c.request_id == requests.c.request_id
)
_HAS_REQUESTS = sa.exists().where(
    requests.c.org_id == sessions.c.org_id,
    requests.c.session_id == sessions.c.session_id,
    requests.c.user_id == sessions.c.user_id,
)


async def delete_empty_requests(scope: Scope, *conditions: sa.ColumnElement[bool]) -> int:
    """Delete those of the tenant's requests that have no turns; returns how many."""
    mine = (requests.c.org_id == scope.org_id, *conditions)
    return await scope.run(sa.delete(requests).where(*mine, ~_HAS_TURNS))


async def delete_empty_sessions(scope: Scope, *conditions: sa.ColumnElement[bool]) -> int:
    """Delete those of the tenant's sessions that have no requests; returns how many."""
    mine = (sessions.c.org_id == scope.org_id, *conditions)
    return await scope.run(sa.delete(sessions).where(*mine, ~_HAS_REQUESTS))
