"""What may be found, as conditions of a query."""

import sqlalchemy as sa

from sagacity.domain.memory import VERSIONED_KINDS
from sagacity.domain.query import Filter
from sagacity.storage.tables import search_documents


def admitted(wanted: Filter) -> list[sa.ColumnElement[bool]]:
    """Return the conditions of *wanted* on a document, other than whose it is and of which kind."""
    column = search_documents.c
    conditions: list[sa.ColumnElement[bool]] = []
    if wanted.statuses:
        conditions.append(column.status.in_([str(status) for status in wanted.statuses]))
    if wanted.approvals:
        conditions.append(column.approval.in_([str(approval) for approval in wanted.approvals]))
    unversioned = column.kind.not_in([str(kind) for kind in VERSIONED_KINDS])
    for field, value in ((column.agent_version, wanted.agent_version), (column.name, wanted.name)):
        if value is not None:
            conditions.append(sa.or_(unversioned, field == value))
    for field, value in ((column.source, wanted.source), (column.request_id, wanted.request_id)):
        if value is not None:
            conditions.append(field == value)
    if wanted.start is not None:
        conditions.append(column.changed_at >= wanted.start)
    if wanted.end is not None:
        conditions.append(column.changed_at <= wanted.end)
    if wanted.valid_at is not None:
        conditions.append(sa.or_(column.expires_at.is_(None), column.expires_at > wanted.valid_at))
    return conditions
