"""What a file of exported data contains of each table. `tests/policy` asks for every table."""

from collections.abc import Mapping
from enum import Enum
from functools import cache
from typing import Final

import sqlalchemy as sa

from sagacity.storage.erasure.places import is_linked, is_of_user
from sagacity.storage.schema.tables import interactions, memories, metadata


class Carried(Enum):
    """What becomes of a table's rows."""

    USER = "rows are a user's: they are in a file of the user, and of the organisation"
    ORGANISATION = "rows are the organisation's: they are only in a file of the organisation"
    MADE_AGAIN = "rows are made again by the import"
    SECRET = "rows hold secrets, or how people sign in: they are in no file"  # noqa: S105  no secret
    LOCAL = "rows say what goes on in this installation: they are in no file"


CARRIED: Final[Mapping[str, Carried]] = {
    "users": Carried.USER,
    "user_settings": Carried.USER,
    "sessions": Carried.USER,
    "requests": Carried.USER,
    "interactions": Carried.USER,
    "exchanges": Carried.USER,
    "memories": Carried.USER,
    "memory_requests": Carried.USER,
    "changes": Carried.USER,
    "duplicate_pairs": Carried.USER,
    "review_actions": Carried.USER,
    "entities": Carried.USER,
    "entity_names": Carried.USER,
    "entity_mentions": Carried.USER,
    "relationships": Carried.USER,
    "relationship_mentions": Carried.USER,
    "cursors": Carried.USER,
    "dead_letters": Carried.USER,
    "evaluations": Carried.USER,
    "usage_events": Carried.USER,
    "extractions": Carried.USER,
    "request_analytics": Carried.USER,
    "analytics_daily": Carried.USER,
    "playbook_clusters": Carried.ORGANISATION,
    "distillations": Carried.ORGANISATION,
    "model_calls": Carried.ORGANISATION,
    "organisations": Carried.MADE_AGAIN,
    "search_index": Carried.MADE_AGAIN,
    "search_scopes": Carried.MADE_AGAIN,
    "search_documents": Carried.MADE_AGAIN,
    "api_tokens": Carried.SECRET,
    "tenant_configs": Carried.SECRET,
    "config_versions": Carried.SECRET,
    "accounts": Carried.SECRET,
    "account_sessions": Carried.SECRET,
    "account_mails": Carried.SECRET,
    "account_totp": Carried.SECRET,
    "access_attempts": Carried.SECRET,
    "members": Carried.SECRET,
    "invitations": Carried.SECRET,
    "site_variables": Carried.LOCAL,
    "quotas": Carried.LOCAL,
    "audit_log": Carried.LOCAL,
    "leases": Carried.LOCAL,
    "operations": Carried.LOCAL,
    "operation_items": Carried.LOCAL,
    "erasures": Carried.LOCAL,
    "imports": Carried.LOCAL,
    "quarantines": Carried.LOCAL,
    "held_memories": Carried.LOCAL,
}
"""Every table."""

_HELD = frozenset({"is_held"})
_LEFT_OUT = {
    "users": frozenset({"due_at", "is_erasing"}),
    **dict.fromkeys(("requests", "interactions"), _HELD),
    "memories": _HELD | {"replaced_state"},
}
"""Columns about the state of this installation, by table. Rows that quarantines hold are in no file."""
VECTORED: Final = (memories, interactions)
"""Tables whose rows have a vector, which a file carries with them."""


def tables_of(*, whole: bool) -> list[sa.Table]:
    """Return the tables in a file of a user or, with *whole*, of an organisation; parents before children."""
    wanted = {Carried.USER, Carried.ORGANISATION} if whole else {Carried.USER}
    return [table for table in metadata.sorted_tables if CARRIED[table.name] in wanted]


@cache
def columns_of(table: sa.Table) -> tuple[sa.Column[object], ...]:
    """Return the columns that a file has: all except the organisation, which an import sets."""
    left_out = _LEFT_OUT.get(table.name, frozenset()) | {"org_id"}
    return tuple(column for column in table.columns if column.name not in left_out)


def number_of(table: sa.Table) -> sa.Column[int] | None:
    """Return the column that numbers the rows of all organisations, if one does."""
    (first, *more) = table.primary_key.columns
    return first if not more and isinstance(first.type, sa.Integer) else None


def belongs_to(table: sa.Table, org_id: str, user_id: str | None) -> sa.ColumnElement[bool]:
    """Return the condition that a row belongs in a file of the user or, with None, of the organisation."""
    if user_id is None:
        mine = table.c.org_id == org_id
        return sa.and_(mine, table.c.user_id != "") if table.name == "users" else mine
    theirs = sa.select(memories.c.memory_id).where(is_of_user(memories, org_id, user_id))
    if "user_id" not in table.c:
        of_memory = sa.and_(table.c.org_id == org_id, table.c.memory_id.in_(theirs))
        return sa.and_(of_memory, table.c.other_id.in_(theirs)) if "other_id" in table.c else of_memory
    mine = is_of_user(table, org_id, user_id)
    if any(one.column.table is memories for one in table.foreign_keys):
        mine = sa.and_(mine, table.c.memory_id.in_(theirs))
    linked = is_linked(table, org_id, user_id)
    return mine if linked is None else sa.or_(mine, linked)
