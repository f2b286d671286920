"""Triggers with which SQLite refuses to change append-only rows."""

from collections.abc import Mapping
from typing import Final

import sqlalchemy as sa
from sqlalchemy import event

from sagacity.storage.schema.tables import APPEND_ONLY, metadata

GUARDS: Final[Mapping[str, str]] = {
    f"{table.name}_no_{change.lower()}": (
        f"CREATE TRIGGER {table.name}_no_{change.lower()} BEFORE {change} ON {table.name} "
        f"BEGIN SELECT RAISE(ABORT, 'rows of {table.name} are never changed'); END"
    )
    for table in APPEND_ONLY
    for change in ("UPDATE", "DELETE")
}
"""The text of each trigger as a database stores it, by name. Our databases have no other triggers."""

for _text in GUARDS.values():
    event.listen(metadata, "after_create", sa.DDL(_text).execute_if(dialect="sqlite"))
