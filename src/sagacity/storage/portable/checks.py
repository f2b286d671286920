"""Check rows of a file beyond the types of their columns, so that every room can read them."""

from collections.abc import Callable, Mapping
from typing import Any

import sqlalchemy as sa
from pydantic import ValidationError
from sqlalchemy.ext.asyncio import AsyncConnection

from sagacity.domain.analytics import RequestAnalytics
from sagacity.domain.base import Value
from sagacity.domain.change import Change
from sagacity.domain.chat import Conversation, Exchange
from sagacity.domain.cluster import PlaybookCluster
from sagacity.domain.cursor import Cursor, DeadLetter
from sagacity.domain.distillation import Distillation
from sagacity.domain.errors import InvalidInput
from sagacity.domain.evaluation import Evaluation
from sagacity.domain.extraction import EntryCounts
from sagacity.domain.graph import EntityType
from sagacity.domain.interaction import Interaction, Request
from sagacity.domain.kinds import TENANT_KINDS
from sagacity.domain.ledger import LedgerEntry
from sagacity.domain.memory import Memory
from sagacity.domain.review_queue import ReviewAction
from sagacity.domain.user_settings import UserSettings
from sagacity.storage.portable.lines import Manifest, Row
from sagacity.storage.schema.tables import cursors, interactions, requests, users

_VALUES: Mapping[str, type[Value]] = {
    "user_settings": UserSettings,
    "sessions": Conversation,
    "requests": Request,
    "interactions": Interaction,
    "exchanges": Exchange,
    "memories": Memory,
    "changes": Change,
    "review_actions": ReviewAction,
    "cursors": Cursor,
    "dead_letters": DeadLetter,
    "evaluations": Evaluation,
    "extractions": EntryCounts,
    "request_analytics": RequestAnalytics,
    "playbook_clusters": PlaybookCluster,
    "distillations": Distillation,
    "model_calls": LedgerEntry,
}
"""The types that rows of some tables are read as; rows of other tables only need valid columns."""
_NOBODYS = (None, "")


def check_row(table: sa.Table, row: Row, manifest: Manifest) -> None:
    """
    Check that a row belongs to the file's user or organisation, and can be read.

    Raises:
        InvalidInput: it does not, or cannot.
    """
    if not manifest.whole and "user_id" in row and row["user_id"] != manifest.user_id:
        by_session = table.name in {"evaluations", "usage_events", "request_analytics"}
        if not (by_session and row["user_id"] in _NOBODYS):
            raise InvalidInput(f"{table.name} belongs to another user than the manifest names")
    _check_shapes(table, row)
    if (value := _VALUES.get(table.name)) is not None:
        try:
            value.model_validate(row, extra="ignore")
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            raise InvalidInput(f"{table.name}: {place:.100}: {first['msg']:.200}") from error
    if (more := _MORE.get(table.name)) is not None:
        more(row)


def _check_shapes(table: sa.Table, row: Row) -> None:
    """Check that columns which hold a list or an object do so."""
    for column in table.columns:
        default = column.server_default
        if not isinstance(column.type, sa.JSON) or not isinstance(default, sa.DefaultClause):
            continue
        shape = list if str(default.arg) == "'[]'" else dict
        if not isinstance(row[column.name], shape):
            raise InvalidInput(
                f"{table.name}.{column.name} must be {'a list' if shape is list else 'an object'}"
            )


def _check_memory(row: Row) -> None:
    if (row["kind"] in TENANT_KINDS) != (row["user_id"] is None):
        raise InvalidInput("memories: a memory of this kind belongs to a user if, and only if, it serves one")
    if not 0 <= row["confidence"] <= 1:
        raise InvalidInput("memories.confidence must be from 0 to 1")


def _check_entity(row: Row) -> None:
    if row["entity_type"] not in {"", *EntityType}:
        raise InvalidInput("entities.entity_type is not a known type")
    if not all(isinstance(alias, str) for alias in row["aliases"]):
        raise InvalidInput("entities.aliases must be texts")


_MORE: Mapping[str, Callable[[Row], None]] = {"memories": _check_memory, "entities": _check_entity}


async def check_whole(connection: AsyncConnection) -> None:
    """
    Check that the rows of a file are consistent, so that no server fails on them later.

    Raises:
        InvalidInput: they are not consistent.
    """
    log, turn = users.c, interactions.c
    same = sa.and_(log.org_id == turn.org_id, log.user_id == turn.user_id)
    for words, statement in (
        ("turns are of a user who is not in the file", _without(interactions, same)),
        (
            "a log is shorter than its last turn says",
            sa.select(turn.seq).join(users, same).where(sa.or_(turn.seq > log.last_seq, turn.seq < 1)),
        ),
        (
            "a cursor is beyond the end of its log",
            sa.select(cursors.c.seq)
            .join(users, sa.and_(log.org_id == cursors.c.org_id, log.user_id == cursors.c.user_id))
            .where(cursors.c.seq > log.last_seq),
        ),
        (
            "a turn is of another user than its request",
            sa.select(turn.seq)
            .join(
                requests, sa.and_(requests.c.org_id == turn.org_id, requests.c.request_id == turn.request_id)
            )
            .where(requests.c.user_id != turn.user_id),
        ),
    ):
        if (await connection.execute(statement.limit(1))).first() is not None:
            raise InvalidInput(f"the file contradicts itself: {words}")


def _without(table: sa.Table, same: sa.ColumnElement[bool]) -> sa.Select[Any]:
    return sa.select(sa.literal(1)).select_from(table).where(~sa.exists().where(same).correlate(table))
