"""Every table, index and constraint, for every backend."""

from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Dialect

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Moment(sa.types.TypeDecorator[datetime]):
    """A UTC datetime, kept as whole microseconds since 1970 so that it compares and indexes as a number."""

    impl = sa.BigInteger
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Turn a datetime into the number that is kept."""
        return None if value is None else (value - _EPOCH) // timedelta(microseconds=1)

    def process_result_value(self, value: Any | None, dialect: Dialect) -> datetime | None:
        """Turn the number that is kept into a datetime."""
        return None if value is None else _EPOCH + timedelta(microseconds=int(value))


Number = sa.BigInteger().with_variant(sa.Integer, "sqlite")
"""A row number; SQLite counts up by itself only for its own INTEGER."""


def _org(*, primary_key: bool = False) -> sa.Column[str]:
    return sa.Column(
        "org_id",
        sa.Text,
        sa.ForeignKey("organisations.org_id", ondelete="CASCADE"),
        primary_key=primary_key,
        nullable=False,
    )


def _text(name: str, *, primary_key: bool = False) -> sa.Column[str]:
    return sa.Column(name, sa.Text, primary_key=primary_key, nullable=False, default="", server_default="")


def _json(name: str, empty: str) -> sa.Column[Any]:
    return sa.Column(name, sa.JSON, nullable=False, server_default=sa.text(f"'{empty}'"))


def _count(name: str, start: int = 0) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, nullable=False, default=start, server_default=str(start))


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean(create_constraint=False), nullable=False, server_default=sa.false())


def _at(name: str) -> sa.Column[datetime]:
    return sa.Column(name, Moment, nullable=False)


def _maybe_at(name: str) -> sa.Column[datetime | None]:
    return sa.Column(name, Moment)


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, Number, primary_key=True, autoincrement=True)


# --- who -------------------------------------------------------------------------------------------------------------

organisations = sa.Table(
    "organisations",
    metadata,
    sa.Column("org_id", sa.Text, primary_key=True),
    _text("name"),
    sa.Column("status", sa.Text, nullable=False, server_default="active"),
    _at("created_at"),
)

api_tokens = sa.Table(
    "api_tokens",
    metadata,
    sa.Column("token_id", sa.Text, primary_key=True),
    _org(),
    _text("name"),
    _text("prefix"),
    sa.Column("token_hash", sa.Text, nullable=False, unique=True),
    _at("created_at"),
    _maybe_at("last_used_at"),
    _maybe_at("revoked_at"),
)

tenant_configs = sa.Table(
    "tenant_configs",
    metadata,
    _org(primary_key=True),
    sa.Column("config", sa.Text, nullable=False),
    _count("version", 1),
    _at("updated_at"),
)

users = sa.Table(
    "users",
    metadata,
    _org(primary_key=True),
    sa.Column("user_id", sa.Text, primary_key=True),
    sa.Column("last_seq", sa.BigInteger, nullable=False, server_default="0"),
    _maybe_at("due_at"),
    _at("created_at"),
    _at("updated_at"),
)
"""One row a user's log: its length, and when a worker has to look at it next (null: nothing to do)."""
sa.Index("ix_users_due_at", users.c.due_at, sqlite_where=users.c.due_at.is_not(None))

# --- evidence --------------------------------------------------------------------------------------------------------

sessions = sa.Table(
    "sessions",
    metadata,
    _org(primary_key=True),
    sa.Column("session_id", sa.Text, primary_key=True),
    sa.Column("user_id", sa.Text, primary_key=True),
    _text("title"),
    _text("summary"),
    _flag("is_archived"),
    _count("message_count"),
    _at("created_at"),
    _at("updated_at"),
    _maybe_at("evaluate_after"),
)

requests = sa.Table(
    "requests",
    metadata,
    _org(primary_key=True),
    sa.Column("request_id", sa.Text, primary_key=True),
    sa.Column("user_id", sa.Text, nullable=False),
    sa.Column("session_id", sa.Text),
    _text("source"),
    _text("agent_version"),
    _flag("skip_aggregation"),
    _flag("force_extraction"),
    _json("metadata", "{}"),
    sa.Column("first_seq", sa.BigInteger, nullable=False),
    sa.Column("last_seq", sa.BigInteger, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
    _at("created_at"),
    sa.Index("ix_requests_org_created", "org_id", "created_at"),
    sa.Index("ix_requests_org_user_created", "org_id", "user_id", "created_at"),
    sa.Index("ix_requests_org_session", "org_id", "session_id"),
)

interactions = sa.Table(
    "interactions",
    metadata,
    _number("interaction_id"),
    _org(),
    sa.Column("user_id", sa.Text, nullable=False),
    sa.Column("seq", sa.BigInteger, nullable=False),
    sa.Column("request_id", sa.Text, nullable=False),
    sa.Column("session_id", sa.Text),
    _text("role"),
    _text("content"),
    _text("shadow_content"),
    _text("expert_content"),
    sa.Column("user_action", sa.Text, nullable=False, server_default="none"),
    _text("user_action_description"),
    _text("image_url"),
    _text("image_base64"),
    _json("tools_used", "[]"),
    _json("citations", "[]"),
    _at("created_at"),
    sa.ForeignKeyConstraint(
        ["org_id", "request_id"], ["requests.org_id", "requests.request_id"], ondelete="CASCADE"
    ),
    sa.Index("ux_interactions_log", "org_id", "user_id", "seq", unique=True),
    sa.Index("ix_interactions_org_request", "org_id", "request_id"),
    sa.Index("ix_interactions_org_created", "org_id", "created_at"),
    sqlite_autoincrement=True,
)

# --- memories --------------------------------------------------------------------------------------------------------

memories = sa.Table(
    "memories",
    metadata,
    _number("memory_id"),
    _org(),
    sa.Column("uid", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("user_id", sa.Text),
    _text("agent_version"),
    _text("name"),
    _text("source"),
    _text("slot"),
    _text("content"),
    sa.Column("trigger", sa.Text),
    sa.Column("pitfall", sa.Text),
    sa.Column("rationale", sa.Text),
    sa.Column("blocking_issue", sa.JSON(none_as_null=True)),
    _json("attributes", "{}"),
    _json("keywords", "[]"),
    _json("source_request_ids", "[]"),
    _json("source_interaction_ids", "[]"),
    _json("provenance", "{}"),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("approval", sa.Text, nullable=False),
    sa.Column("confidence", sa.Float, nullable=False, server_default="1"),
    _count("access_count"),
    _maybe_at("last_accessed_at"),
    _at("created_at"),
    _at("updated_at"),
    _maybe_at("valid_from"),
    _maybe_at("valid_to"),
    _maybe_at("expires_at"),
    sa.Column("superseded_by", Number),
    _json("metadata", "{}"),
    sa.Index("ux_memories_uid", "org_id", "uid", unique=True),
    sa.Index("ix_memories_org_kind_user", "org_id", "kind", "user_id", "status", "updated_at"),
    sa.Index("ix_memories_org_kind_updated", "org_id", "kind", "updated_at"),
    sa.Index("ix_memories_slot", "org_id", "kind", "user_id", "slot", sqlite_where=sa.text("slot <> ''")),
    sqlite_autoincrement=True,
)

memory_requests = sa.Table(
    "memory_requests",
    metadata,
    _org(primary_key=True),
    sa.Column("request_id", sa.Text, primary_key=True),
    sa.Column("memory_id", Number, sa.ForeignKey("memories.memory_id", ondelete="CASCADE"), primary_key=True),
    sa.Index("ix_memory_requests_memory_id", "memory_id"),
)
"""Which memories a request taught: what a receipt shows."""

changes = sa.Table(
    "changes",
    metadata,
    _number("change_id"),
    _org(),
    sa.Column("run_id", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("user_id", sa.Text),
    sa.Column("request_id", sa.Text),
    sa.Column("memory_id", Number, sa.ForeignKey("memories.memory_id", ondelete="CASCADE"), nullable=False),
    sa.Column("action", sa.Text, nullable=False),
    sa.Column("before", sa.JSON(none_as_null=True)),
    sa.Column("after", sa.JSON(none_as_null=True)),
    _at("created_at"),
    sa.Index("ix_changes_org_kind_run", "org_id", "kind", "run_id"),
    sa.Index("ix_changes_memory_id", "memory_id"),
)
"""One row a memory that a run changed. Goes with its memory, so that erased content lives on nowhere."""

entities = sa.Table(
    "entities",
    metadata,
    _number("entity_id"),
    _org(),
    sa.Column("user_id", sa.Text, nullable=False),
    _text("name"),
    sa.Column("normalized_name", sa.Text, nullable=False),
    _json("aliases", "[]"),
    _text("entity_type"),
    _count("mention_count"),
    _at("created_at"),
    _at("updated_at"),
    sa.Index("ux_entities_name", "org_id", "user_id", "normalized_name", unique=True),
)

relationships = sa.Table(
    "relationships",
    metadata,
    _number("relationship_id"),
    _org(),
    sa.Column("user_id", sa.Text, nullable=False),
    sa.Column("source_id", Number, sa.ForeignKey("entities.entity_id", ondelete="CASCADE"), nullable=False),
    sa.Column("target_id", Number, sa.ForeignKey("entities.entity_id", ondelete="CASCADE"), nullable=False),
    _text("relationship_type"),
    sa.Column("confidence", sa.Float, nullable=False, server_default="1"),
    _json("provenance", "{}"),
    _at("created_at"),
    sa.Index("ux_relationships", "org_id", "source_id", "relationship_type", "target_id", unique=True),
    sa.Index("ix_relationships_source_id", "source_id"),
    sa.Index("ix_relationships_target_id", "target_id"),
)

# --- learners --------------------------------------------------------------------------------------------------------

cursors = sa.Table(
    "cursors",
    metadata,
    _org(primary_key=True),
    sa.Column("user_id", sa.Text, primary_key=True),
    sa.Column("learner", sa.Text, primary_key=True),
    sa.Column("seq", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("outcome", sa.Text),
    _count("attempts"),
    _text("error"),
    _maybe_at("next_try_at"),
    _at("updated_at"),
)

leases = sa.Table(
    "leases",
    metadata,
    _org(primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("owner", sa.Text, nullable=False),
    sa.Column("fencing", sa.BigInteger, nullable=False),
    _at("expires_at"),
)

dead_letters = sa.Table(
    "dead_letters",
    metadata,
    _number("dead_letter_id"),
    _org(),
    sa.Column("learner", sa.Text, nullable=False),
    sa.Column("user_id", sa.Text, nullable=False),
    sa.Column("first_seq", sa.BigInteger, nullable=False),
    sa.Column("last_seq", sa.BigInteger, nullable=False),
    _count("attempts"),
    _text("error_kind"),
    _text("error"),
    sa.Column("status", sa.Text, nullable=False),
    _at("created_at"),
    _at("updated_at"),
    sa.Index("ix_dead_letters_org_user", "org_id", "user_id", "status"),
    sqlite_autoincrement=True,
)

evaluations = sa.Table(
    "evaluations",
    metadata,
    _number("result_id"),
    _org(),
    _text("agent_version"),
    sa.Column("session_id", sa.Text, nullable=False),
    sa.Column("user_id", sa.Text),
    sa.Column("is_success", sa.Boolean(create_constraint=False), nullable=False),
    sa.Column("failure_type", sa.Text),
    sa.Column("failure_reason", sa.Text),
    sa.Column("evaluation_name", sa.Text),
    sa.Column("regular_vs_shadow", sa.Text),
    _count("number_of_correction_per_session"),
    sa.Column("user_turns_to_resolution", sa.Integer),
    _flag("is_escalated"),
    _at("created_at"),
    sa.Index("ix_evaluations_org_created", "org_id", "created_at"),
)

usage_events = sa.Table(
    "usage_events",
    metadata,
    _number("event_id"),
    _org(),
    _text("user_id"),
    _text("request_id"),
    _text("session_id"),
    sa.Column("pipeline", sa.Text),
    sa.Column("entity_type", sa.Text),
    sa.Column("entity_id", sa.Text),
    sa.Column("event_name", sa.Text, nullable=False),
    sa.Column("event_category", sa.Text, nullable=False),
    _text("caller_type"),
    _count("count_value", 1),
    sa.Column("prompt_tokens", sa.Integer),
    sa.Column("completion_tokens", sa.Integer),
    sa.Column("duration_ms", sa.Integer),
    sa.Column("error_kind", sa.Text),
    _json("metadata", "{}"),
    _at("created_at"),
    sa.Index("ix_usage_events_org_created", "org_id", "created_at"),
    sa.Index("ix_usage_events_entity", "org_id", "entity_type", "entity_id"),
)

operations = sa.Table(
    "operations",
    metadata,
    _org(primary_key=True),
    sa.Column("operation_id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    _count("total_count"),
    _count("processed_count"),
    _count("failed_count"),
    _json("parameters", "{}"),
    _json("errors", "[]"),
    _flag("cancel_requested"),
    _at("created_at"),
    _maybe_at("finished_at"),
)

# --- search: a copy that can be rebuilt ------------------------------------------------------------------------------

search_index = sa.Table(
    "search_index",
    metadata,
    sa.Column("index_id", sa.Integer, primary_key=True),
    sa.Column("embedder", sa.Text, nullable=False),
    sa.Column("dimension", sa.Integer, nullable=False),
    sa.Column("analyzer", sa.Text, nullable=False),
    _at("created_at"),
)
"""One row: what the vectors and terms below were made with."""

search_scopes = sa.Table(
    "search_scopes",
    metadata,
    _number("scope_id"),
    _org(),
    sa.Column("user_id", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("document_count", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("term_count", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("revision", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("removed_revision", sa.BigInteger, nullable=False, server_default="0"),
    sa.Index("ux_search_scopes", "org_id", "kind", "user_id", unique=True),
    sqlite_autoincrement=True,
)
"""One user's documents of one kind (`user_id` empty: the tenant's): the statistics that BM25 needs, and a revision
that every change moves, by which a cached copy of the vectors knows whether it is still good. Numbers of scopes and
documents are never given twice, so that what was kept or queued of a former one is never taken for another's."""

search_documents = sa.Table(
    "search_documents",
    metadata,
    _number("document_id"),
    _org(),
    sa.Column(
        "scope_id", Number, sa.ForeignKey("search_scopes.scope_id", ondelete="CASCADE"), nullable=False
    ),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("owner_id", Number, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("approval", sa.Text, nullable=False),
    _text("agent_version"),
    _text("name"),
    _text("source"),
    sa.Column("request_id", sa.Text),
    _at("changed_at"),
    _maybe_at("expires_at"),
    _text("text"),
    _count("term_count"),
    sa.Column("revision", sa.BigInteger, nullable=False),
    sa.Column("vector", sa.LargeBinary),
    _count("embed_attempts"),
    _text("embed_error"),
    sa.Index("ux_search_documents_owner", "org_id", "kind", "owner_id", unique=True),
    sa.Index("ix_search_documents_scope", "scope_id", "revision"),
    sqlite_autoincrement=True,
)
sa.Index(
    "ix_search_documents_unembedded",
    search_documents.c.org_id,
    search_documents.c.document_id,
    sqlite_where=search_documents.c.vector.is_(None),
)

search_terms = sa.Table(
    "search_terms",
    metadata,
    sa.Column("scope_id", Number, primary_key=True, autoincrement=False),
    sa.Column("term", sa.Text, primary_key=True),
    sa.Column("document_id", Number, primary_key=True, autoincrement=False),
    sa.Column("frequency", sa.Integer, nullable=False),
    sqlite_with_rowid=False,
)
"""The inverted index: a term's documents stand side by side within their scope."""
