"""Where a user's data is: what an erasure does with the rows of each table. `tests/policy` asks for every table."""

from enum import Enum

import sqlalchemy as sa

from sagacity.storage.schema import tables
from sagacity.storage.schema.tables import metadata


class Place(Enum):
    """What becomes of a table's rows when a user is erased."""

    DELETED = "rows name their user in `user_id`, and are deleted"
    WITH_DOCUMENTS = "likewise, with what represents them in the search index"
    WITH_OTHERS = "rows go with those that they belong to"
    UNNAMED = "rows stay, for sums or as others name them; they lose the user's name"
    DERIVED = "rows are the organisation's and may rest on the user; those that do are withdrawn"
    ADDRESSED = "rows name an address, or who wrote to it; those to or by the user's account are deleted"
    CLEANED = "rows are the organisation's and may name the user in a field; that is emptied"
    NOTHING = "rows say nothing of a user"


PLACES: dict[str, Place] = {
    # In the order of deletion: rows that are found by a request or a session are deleted before those.
    "leases": Place.DELETED,
    "dead_letters": Place.DELETED,
    "cursors": Place.DELETED,
    "review_actions": Place.DELETED,
    "interactions": Place.WITH_DOCUMENTS,
    "memories": Place.WITH_DOCUMENTS,
    "changes": Place.DELETED,
    "memory_requests": Place.WITH_OTHERS,
    "duplicate_pairs": Place.WITH_OTHERS,
    "held_memories": Place.WITH_OTHERS,
    "relationships": Place.DELETED,
    "relationship_mentions": Place.WITH_OTHERS,
    "entity_names": Place.DELETED,
    "entity_mentions": Place.WITH_OTHERS,
    "entities": Place.DELETED,
    "evaluations": Place.DELETED,
    "usage_events": Place.DELETED,
    "request_analytics": Place.DELETED,
    "analytics_daily": Place.DELETED,
    "extractions": Place.DELETED,
    "model_calls": Place.UNNAMED,
    "api_tokens": Place.UNNAMED,
    "operations": Place.CLEANED,
    "quarantines": Place.CLEANED,
    "operation_items": Place.DELETED,
    "exchanges": Place.DELETED,
    "requests": Place.DELETED,
    "sessions": Place.DELETED,
    "user_settings": Place.DELETED,
    "account_mails": Place.DELETED,
    "account_sessions": Place.DELETED,
    "account_totp": Place.DELETED,
    "accounts": Place.DELETED,
    "members": Place.DELETED,
    "search_documents": Place.WITH_OTHERS,
    "search_scopes": Place.DELETED,
    "users": Place.DELETED,
    "playbook_clusters": Place.DERIVED,
    "distillations": Place.NOTHING,
    "erasures": Place.NOTHING,
    "imports": Place.NOTHING,
    "organisations": Place.NOTHING,
    "audit_log": Place.NOTHING,
    "tenant_configs": Place.NOTHING,
    "config_versions": Place.NOTHING,
    "site_variables": Place.NOTHING,
    "quotas": Place.NOTHING,
    "access_attempts": Place.NOTHING,
    "invitations": Place.ADDRESSED,
    "search_index": Place.NOTHING,
}
"""Every table."""

LAST = ("search_scopes", "users", "operation_items")
"""Tables with deletions of their own: scopes go with their contents, the user's row goes last, and items go without
their operations."""

LINKS: dict[str, tuple[tuple[sa.Column[str], sa.Column[str]], ...]] = {
    "evaluations": ((tables.evaluations.c.session_id, tables.sessions.c.session_id),),
    "usage_events": (
        (tables.usage_events.c.session_id, tables.sessions.c.session_id),
        (tables.usage_events.c.request_id, tables.requests.c.request_id),
    ),
    "request_analytics": (
        (tables.request_analytics.c.conversation_id, tables.sessions.c.session_id),
        (tables.request_analytics.c.request_id, tables.requests.c.request_id),
    ),
}
"""The columns by which a row without a user still belongs to one: it names the user's request or session."""


def tables_of(place: Place) -> list[sa.Table]:
    """Return the tables of a place, in the order in which rows are deleted."""
    return [metadata.tables[name] for name, one in PLACES.items() if one is place]


def is_of_user(table: sa.Table, org_id: str, user_id: str) -> sa.ColumnElement[bool]:
    """Return the condition that a row is the user's."""
    column = table.c
    return sa.and_(column.org_id == org_id, column.user_id == user_id)


def is_linked(table: sa.Table, org_id: str, user_id: str) -> sa.ColumnElement[bool] | None:
    """Return the condition that a row without a user names the user's request or session; None if no row does."""
    if table.name not in LINKS:
        return None
    column = table.c
    nobody = sa.or_(column.user_id.is_(None), column.user_id == "")
    links = [
        sa.exists().where(is_of_user(theirs.table, org_id, user_id), theirs == mine).correlate(table)
        for mine, theirs in LINKS[table.name]
    ]
    return sa.and_(column.org_id == org_id, nobody, sa.or_(*links))
