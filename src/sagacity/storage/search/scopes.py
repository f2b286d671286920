"""The scopes that a search covers, with their statistics."""

from collections.abc import Callable
from functools import cache
from typing import Any

import sqlalchemy as sa

from sagacity.domain.ids import ORGANISATION
from sagacity.domain.kinds import TENANT_KINDS
from sagacity.domain.query import Filter
from sagacity.storage.base import Scope, SearchScope
from sagacity.storage.schema.tables import search_scopes
from sagacity.storage.search.filters import kinds_of, users_of
from sagacity.storage.statements.array_params import among
from sagacity.storage.statements.user_key import user_key, user_of


def grow_scope(insert: Callable[[sa.Table], Any]) -> Any:
    """Build the statement that adds documents to the counts of scopes, and creates missing scopes."""
    row, column = insert(search_scopes), search_scopes.c
    return row.on_conflict_do_update(
        index_elements=[column.org_id, column.kind, column.user_id],
        set_={
            "document_count": column.document_count + row.excluded.document_count,
            "term_count": column.term_count + row.excluded.term_count,
            "revision": column.revision + 1,
        },
    ).returning(column.scope_id, column.kind, column.user_id, column.revision)


async def scopes_of(scope: Scope, wanted: Filter) -> list[SearchScope]:
    """Return the scopes that *wanted* covers: those of some users and the tenant's own, or all of the tenant."""
    users = users_of(wanted)
    given: dict[str, Any] = {"org_id": scope.org_id, "kinds": kinds_of(wanted)}
    if users is not None:
        given["user_ids"] = [*users, user_key(ORGANISATION)]
    return [
        SearchScope(*found)
        for user_id, *found in await scope.all(_reached(of_users=users is not None), given)
        if users is None or (found[1] in TENANT_KINDS) == (user_of(user_id) is ORGANISATION)
    ]


@cache
def _reached(*, of_users: bool) -> sa.Select[*tuple[Any, ...]]:
    """Build the statement for non-empty scopes of given kinds: of some users and the tenant, or all."""
    column = search_scopes.c
    statement = sa.select(
        column.user_id, *(column[field] for field in SearchScope.__dataclass_fields__)
    ).where(column.org_id == sa.bindparam("org_id"), among(column.kind, "kinds"), column.document_count > 0)
    if of_users:
        statement = statement.where(among(column.user_id, "user_ids"))
    return statement.order_by(column.scope_id)
