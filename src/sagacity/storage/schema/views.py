"""
Views for the few queries that run before a tenant is known, or that span all tenants.

With row-level security, a transaction without a tenant sees nothing else, so each view shows only what its query needs.
"""

from typing import Any

import sqlalchemy as sa
from sqlalchemy import event
from sqlalchemy.dialects import postgresql, sqlite

from sagacity.domain.chat import ExchangeStatus
from sagacity.domain.cursor import DeadLetterStatus
from sagacity.domain.memory import Status
from sagacity.storage.schema.columns import Moment
from sagacity.storage.schema.tables import (
    api_tokens,
    cursors,
    dead_letters,
    exchanges,
    invitations,
    members,
    metadata,
    organisations,
    search_documents,
    search_scopes,
    users,
)

MAX_EMBED_ATTEMPTS = 5
"""Attempts to embed a text; after the last one it is found only by its terms."""

views = sa.MetaData()


def _view(name: str, definition: sa.Select[*tuple[Any, ...]]) -> sa.Table:
    """Declare a view, whose definition migrations repeat as text; a barrier keeps conditions from hidden rows."""
    for dialect, options in ((sqlite.dialect(), ""), (postgresql.dialect(), " WITH (security_barrier)")):
        text = str(definition.compile(dialect=dialect, compile_kwargs={"literal_binds": True}))
        make = sa.DDL(f"CREATE VIEW {name}{options} AS {text}").execute_if(dialect=dialect.name)
        event.listen(metadata, "after_create", make)
    return sa.Table(name, views, *(sa.Column(one.key, one.type) for one in definition.selected_columns))


due_users = _view(
    "due_users", sa.select(users.c.org_id, users.c.user_id, users.c.due_at).where(users.c.due_at.is_not(None))
)
"""Users whose logs are due, and when: the workers' backlog."""

waiting_tenants = _view(
    "waiting_tenants",
    sa.select(search_documents.c.org_id, sa.func.count().label("document_count"))
    .where(search_documents.c.vector.is_(None), search_documents.c.embed_attempts < MAX_EMBED_ATTEMPTS)
    .group_by(search_documents.c.org_id),
)
"""Organisations that have documents without vectors, and how many."""

lagging_cursors = _view(
    "lagging_cursors",
    sa.select(sa.func.count().label("cursor_count"))
    .select_from(
        users.join(cursors, sa.and_(cursors.c.org_id == users.c.org_id, cursors.c.user_id == users.c.user_id))
    )
    .where(
        users.c.due_at.is_not(None),
        cursors.c.version == str(Status.CURRENT),
        cursors.c.seq < users.c.last_seq,
    ),
)
"""How many cursors of due users have turns to read."""

parked_windows = _view(
    "parked_windows",
    sa.select(sa.func.count().label("letter_count")).where(
        dead_letters.c.status == str(DeadLetterStatus.PARKED)
    ),
)
"""How many dead letters are parked."""

uncopied_tenants = _view(
    "uncopied_tenants",
    sa.select(search_scopes.c.org_id)
    .where(search_scopes.c.copied_revision < search_scopes.c.revision)
    .distinct(),
)
"""Organisations with documents that a separate vector store does not have yet."""

answering_tenants = _view(
    "answering_tenants",
    sa.select(exchanges.c.org_id).where(exchanges.c.status == str(ExchangeStatus.RUNNING)).distinct(),
)
"""Organisations with answers that are being written, or were left by a process that ended."""

known_tokens = _view(
    "known_tokens",
    sa.select(*api_tokens.c, organisations.c.status.label("org_status")).join_from(
        api_tokens, organisations, organisations.c.org_id == api_tokens.c.org_id
    ),
)
"""Tokens with the state of their organisation, to find one by its hash."""

known_organisations = _view("known_organisations", sa.select(organisations.c.org_id))
"""All organisations."""

memberships = _view(
    "memberships",
    sa.select(
        *(members.c.user_id, members.c.org_id, members.c.role, members.c.created_at),
        *(organisations.c.name, organisations.c.status.label("org_status")),
    ).join_from(members, organisations, organisations.c.org_id == members.c.org_id),
)
"""The organisations that each account belongs to."""

_invitation = invitations.c
open_invitations = _view(
    "open_invitations",
    sa.select(
        _invitation.org_id,
        _invitation.invitation_id,
        _invitation.email,
        _invitation.created_by,
        _invitation.code_hash,
        _invitation.expires_at,
        _invitation.due_at,
        organisations.c.status.label("org_status"),
    ).join_from(invitations, organisations, organisations.c.org_id == _invitation.org_id),
)
"""Open invitations: to find one by its code's hash, those whose e-mails are due, and those of an erased account."""

OLDEST_SCHEMA = "0001"
"""The oldest schema whose release may use this one. A migration that breaks older releases raises it."""
supported_schemas = _view("supported_schemas", sa.select(sa.literal(OLDEST_SCHEMA, sa.Text).label("oldest")))
"""Tells a release older than the schema whether it may start, while servers are replaced one by one."""

ANY_TOKEN = sa.select(known_tokens.c.token_id).limit(1)
_token = known_tokens.c
_now = sa.bindparam("now", type_=Moment)
LIVE_TOKEN = sa.select(known_tokens).where(
    sa.or_(
        _token.token_hash == sa.bindparam("token_hash"),
        sa.and_(_token.previous_hash == sa.bindparam("token_hash"), _token.previous_until > _now),
    ),
    _token.revoked_at.is_(None),
    sa.or_(_token.expires_at.is_(None), _token.expires_at > _now),
    sa.or_(_token.user_id.is_(None), _token.user_id != ""),
    _token.org_status == "active",
)
"""Prepared statements: every call runs one of them, and building it would take longer than running it."""
