"""The first schema."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from sagacity.storage.postgres.row_security import RULES, protect, protect_common

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")
JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
_PAIRED = ("memory_id", "other_id")
VIEWS = {
    "due_users": "SELECT users.org_id, users.user_id, users.due_at FROM users WHERE users.due_at IS NOT NULL",
    "waiting_tenants": (
        "SELECT search_documents.org_id, count(*) AS document_count FROM search_documents "
        "WHERE search_documents.vector IS NULL AND search_documents.embed_attempts < 5 "
        "GROUP BY search_documents.org_id"
    ),
    "lagging_cursors": (
        "SELECT count(*) AS cursor_count FROM users "
        "JOIN cursors ON cursors.org_id = users.org_id AND cursors.user_id = users.user_id "
        "WHERE users.due_at IS NOT NULL AND cursors.version = 'current' AND cursors.seq < users.last_seq"
    ),
    "parked_windows": (
        "SELECT count(*) AS letter_count FROM dead_letters WHERE dead_letters.status = 'parked'"
    ),
    "uncopied_tenants": (
        "SELECT DISTINCT search_scopes.org_id FROM search_scopes "
        "WHERE search_scopes.copied_revision < search_scopes.revision"
    ),
    "known_tokens": (
        "SELECT api_tokens.token_id, api_tokens.org_id, api_tokens.name, api_tokens.prefix, api_tokens.token_hash, "
        "api_tokens.scopes, api_tokens.user_id, api_tokens.created_at, api_tokens.created_by, api_tokens.expires_at, "
        "api_tokens.last_used_at, api_tokens.rotated_at, api_tokens.previous_hash, api_tokens.previous_until, "
        "api_tokens.revoked_at, organisations.status AS org_status "
        "FROM api_tokens JOIN organisations ON organisations.org_id = api_tokens.org_id"
    ),
    "known_organisations": "SELECT organisations.org_id FROM organisations",
    "memberships": (
        "SELECT members.user_id, members.org_id, members.role, members.created_at, organisations.name, "
        "organisations.status AS org_status "
        "FROM members JOIN organisations ON organisations.org_id = members.org_id"
    ),
    "open_invitations": (
        "SELECT invitations.org_id, invitations.invitation_id, invitations.email, invitations.created_by, "
        "invitations.code_hash, invitations.expires_at, invitations.due_at, organisations.status AS org_status "
        "FROM invitations JOIN organisations ON organisations.org_id = invitations.org_id"
    ),
    "supported_schemas": "SELECT '0001' AS oldest",
}


class _HalfVector(sa.types.UserDefinedType[bytes]):
    def get_col_spec(self, **_options: object) -> str:
        return "halfvec"


def upgrade() -> None:
    """Create every table, index and view, and on PostgreSQL the policies of its rows."""
    on_postgresql = op.get_context().dialect.name == "postgresql"
    if on_postgresql:
        op.execute("CREATE EXTENSION IF NOT EXISTS vector")
    _organisations()
    _accounts()
    _members()
    _sessions()
    _log()
    _memories()
    _quarantines()
    _changes()
    _reviews()
    _entities()
    _relationships()
    _learners()
    _measures()
    _operations()
    _erasures()
    _imports()
    _model_calls()
    _analytics()
    _search()
    if on_postgresql:
        made_here = set(sa.inspect(op.get_bind()).get_table_names())
        for table, rule in RULES.items():
            for statement in protect(table, rule) if table in made_here else ():  # others: by what makes them
                op.execute(statement)
        for statement in protect_common("search_index"):
            op.execute(statement)
    else:
        for event in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER audit_log_no_{event.lower()} BEFORE {event} ON audit_log "
                "BEGIN SELECT RAISE(ABORT, 'rows of audit_log are never changed'); END"
            )
    for name, definition in VIEWS.items():
        options = " WITH (security_barrier)" if on_postgresql else ""
        op.execute(f"CREATE VIEW {name}{options} AS {definition}")


def _organisations() -> None:
    op.create_table(
        "organisations",
        _key("org_id"),
        _text("name"),
        _text("status", "active"),
        _flag("has_quarantines"),
        _flag("has_quotas"),
        _at("created_at"),
        sa.PrimaryKeyConstraint("org_id", name=op.f("pk_organisations")),
    )
    op.create_table(
        "quotas",
        _key("org_id"),
        _key("name"),
        sa.Column("most", sa.BigInteger(), nullable=False),
        _long("used"),
        _count("day"),
        _at("counted_at"),
        _of_organisation("quotas"),
        sa.PrimaryKeyConstraint("org_id", "name", name=op.f("pk_quotas")),
    )
    op.create_table(
        "api_tokens",
        _key("token_id"),
        _key("org_id"),
        *_texts("name", "prefix"),
        _key("token_hash"),
        _json("scopes", "[]"),
        sa.Column("user_id", sa.Text()),
        _at("created_at"),
        _text("created_by"),
        _maybe_at("expires_at"),
        _maybe_at("last_used_at"),
        _maybe_at("rotated_at"),
        sa.Column("previous_hash", sa.Text()),
        _maybe_at("previous_until"),
        _maybe_at("revoked_at"),
        _of_organisation("api_tokens"),
        sa.PrimaryKeyConstraint("token_id", name=op.f("pk_api_tokens")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_api_tokens_token_hash")),
        sa.UniqueConstraint("previous_hash", name=op.f("uq_api_tokens_previous_hash")),
    )
    op.create_table(
        "audit_log",
        _key("org_id"),
        sa.Column("seq", sa.BigInteger(), autoincrement=False, nullable=False),
        _at("at"),
        _key("actor"),
        _key("action"),
        _text("target"),
        _json("details", "{}"),
        _key("hash"),
        _of_organisation("audit_log"),
        sa.PrimaryKeyConstraint("org_id", "seq", name=op.f("pk_audit_log")),
    )
    op.create_table(
        "tenant_configs",
        _key("org_id"),
        _key("config"),
        _text("data_key"),
        _count("version", 1),
        _at("updated_at"),
        _of_organisation("tenant_configs"),
        sa.PrimaryKeyConstraint("org_id", name=op.f("pk_tenant_configs")),
    )
    op.create_table(
        "config_versions",
        _key("org_id"),
        sa.Column("version", sa.BigInteger(), autoincrement=False, nullable=False),
        _key("config"),
        _key("author"),
        _json("fields", "[]"),
        _at("created_at"),
        _of_organisation("config_versions"),
        sa.PrimaryKeyConstraint("org_id", "version", name=op.f("pk_config_versions")),
    )
    op.create_table(
        "site_variables",
        _key("org_id"),
        _key("name"),
        _key("value"),
        _count("version", 1),
        _key("author"),
        _at("updated_at"),
        _of_organisation("site_variables"),
        sa.PrimaryKeyConstraint("org_id", "name", name=op.f("pk_site_variables")),
    )
    op.create_table(
        "users",
        _key("org_id"),
        _key("user_id"),
        _long("last_seq"),
        _maybe_at("due_at"),
        _flag("is_erasing"),
        _at("created_at"),
        _at("updated_at"),
        _of_organisation("users"),
        sa.PrimaryKeyConstraint("org_id", "user_id", name=op.f("pk_users")),
    )
    _partial("ix_users_due_at", "users", ["due_at"], "due_at IS NOT NULL")
    _partial("ix_users_org_due_at", "users", ["org_id", "due_at"], "due_at IS NOT NULL")
    op.create_table(
        "user_settings",
        _key("org_id"),
        _key("user_id"),
        _key("settings_id"),
        *_texts("display_name", "bio", "timezone", "language"),
        _json("preferences", "{}"),
        _json("memory", "{}"),
        _at("created_at"),
        _at("updated_at"),
        _of_organisation("user_settings"),
        sa.PrimaryKeyConstraint("org_id", "user_id", name=op.f("pk_user_settings")),
    )


def _accounts() -> None:
    op.create_table(
        "accounts",
        _key("org_id"),
        _key("user_id"),
        _key("email"),
        _text("full_name"),
        _json("metadata", "{}"),
        _key("password_hash"),
        _maybe_at("verified_at"),
        _text("chosen_org"),
        sa.Column("issuer", sa.Text()),
        sa.Column("subject", sa.Text()),
        _at("created_at"),
        _at("updated_at"),
        _of_organisation("accounts"),
        sa.PrimaryKeyConstraint("org_id", "user_id", name=op.f("pk_accounts")),
        sa.UniqueConstraint("org_id", "email", name=op.f("uq_accounts_org_id_email")),
        sa.UniqueConstraint("org_id", "issuer", "subject", name=op.f("uq_accounts_org_id_issuer_subject")),
    )
    op.create_table(
        "account_sessions",
        _key("org_id"),
        _key("session_id"),
        _key("user_id"),
        _key("refresh_hash"),
        _text("acts_in"),
        _at("created_at"),
        _at("expires_at"),
        _maybe_at("ended_at"),
        _of_organisation("account_sessions"),
        _goes_with("account_sessions", ["org_id", "user_id"], "accounts"),
        sa.PrimaryKeyConstraint("org_id", "session_id", name=op.f("pk_account_sessions")),
    )
    op.create_index("ix_account_sessions_user", "account_sessions", ["org_id", "user_id"])
    op.create_index("ix_account_sessions_expiry", "account_sessions", ["org_id", "expires_at"])
    op.create_table(
        "account_mails",
        _key("org_id"),
        _key("user_id"),
        _key("purpose"),
        _maybe_at("due_at"),
        _count("attempts"),
        sa.Column("code_hash", sa.Text()),
        _maybe_at("expires_at"),
        _at("created_at"),
        _of_organisation("account_mails"),
        _goes_with("account_mails", ["org_id", "user_id"], "accounts"),
        sa.PrimaryKeyConstraint("org_id", "user_id", "purpose", name=op.f("pk_account_mails")),
    )
    _partial("ix_account_mails_due", "account_mails", ["org_id", "due_at"], "due_at IS NOT NULL")
    _partial("ix_account_mails_code", "account_mails", ["org_id", "code_hash"], "code_hash IS NOT NULL")
    op.create_table(
        "account_totp",
        _key("org_id"),
        _key("user_id"),
        _key("sealed"),
        _maybe_at("confirmed_at"),
        _count("last_step"),
        _json("recovery_hashes", "[]"),
        _at("created_at"),
        _of_organisation("account_totp"),
        _goes_with("account_totp", ["org_id", "user_id"], "accounts"),
        sa.PrimaryKeyConstraint("org_id", "user_id", name=op.f("pk_account_totp")),
    )
    op.create_table(
        "access_attempts",
        _key("org_id"),
        _key("subject"),
        _count("attempt_count"),
        _maybe_at("blocked_until"),
        _at("updated_at"),
        _of_organisation("access_attempts"),
        sa.PrimaryKeyConstraint("org_id", "subject", name=op.f("pk_access_attempts")),
    )
    op.create_index("ix_access_attempts_updated", "access_attempts", ["org_id", "updated_at"])


def _members() -> None:
    op.create_table(
        "members",
        _key("org_id"),
        _key("user_id"),
        _key("role"),
        _at("created_at"),
        _text("created_by"),
        _of_organisation("members"),
        sa.PrimaryKeyConstraint("org_id", "user_id", name=op.f("pk_members")),
    )
    op.create_index("ix_members_user", "members", ["user_id"])
    op.create_table(
        "invitations",
        _key("org_id"),
        _key("invitation_id"),
        _key("email"),
        _key("role"),
        _at("created_at"),
        _text("created_by"),
        _at("expires_at"),
        _maybe_at("due_at"),
        _count("attempts"),
        sa.Column("code_hash", sa.Text()),
        _of_organisation("invitations"),
        sa.PrimaryKeyConstraint("org_id", "invitation_id", name=op.f("pk_invitations")),
        sa.UniqueConstraint("code_hash", name=op.f("uq_invitations_code_hash")),
        sa.UniqueConstraint("org_id", "email", name=op.f("uq_invitations_org_id_email")),
    )
    _partial("ix_invitations_due", "invitations", ["due_at"], "due_at IS NOT NULL")


def _sessions() -> None:
    op.create_table(
        "sessions",
        _key("org_id"),
        _key("session_id"),
        _key("user_id"),
        *_texts("title", "summary"),
        _flag("is_conversation"),
        _flag("is_archived"),
        _count("message_count"),
        _count("token_count"),
        *map(_count, ("summarized_seq", "summarized_count", "summarized_tokens")),
        sa.Column("episode_id", NUMBER),
        _json("metadata", "{}"),
        _at("created_at"),
        _at("updated_at"),
        _maybe_at("last_message_at"),
        _maybe_at("evaluate_after"),
        _count("evaluation_attempts"),
        _of_organisation("sessions"),
        sa.PrimaryKeyConstraint("org_id", "session_id", "user_id", name=op.f("pk_sessions")),
    )
    _partial("ix_sessions_waiting", "sessions", ["org_id", "user_id"], "evaluate_after IS NOT NULL")
    by_age = ["org_id", "user_id", "updated_at", "session_id"]
    _partial("ix_sessions_conversations", "sessions", by_age, "is_conversation")


def _log() -> None:
    op.create_table(
        "requests",
        _key("org_id"),
        _key("request_id"),
        _key("user_id"),
        sa.Column("session_id", sa.Text()),
        *_texts("source", "agent_version"),
        _flag("skip_aggregation"),
        _flag("force_extraction"),
        _flag("evaluation_only"),
        _flag("is_held"),
        _json("metadata", "{}"),
        sa.Column("facts", JSON),
        sa.Column("first_seq", sa.BigInteger(), nullable=False),
        sa.Column("last_seq", sa.BigInteger(), nullable=False),
        _key("digest"),
        _at("created_at"),
        _of_organisation("requests"),
        sa.PrimaryKeyConstraint("org_id", "request_id", name=op.f("pk_requests")),
    )
    op.create_index("ix_requests_org_created", "requests", ["org_id", "created_at"])
    op.create_index("ix_requests_org_session", "requests", ["org_id", "session_id"])
    op.create_index("ix_requests_org_user_created", "requests", ["org_id", "user_id", "created_at"])
    op.create_table(
        "interactions",
        _number("interaction_id"),
        _key("org_id"),
        _key("user_id"),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        _key("request_id"),
        sa.Column("session_id", sa.Text()),
        *_texts("role", "content", "shadow_content", "expert_content"),
        _text("user_action", "none"),
        *_texts("user_action_description", "image_url", "image_base64"),
        _json("tools_used", "[]"),
        _json("citations", "[]"),
        _at("created_at"),
        _maybe_at("happened_at"),
        sa.Column("origin", sa.Text()),
        _flag("is_held"),
        _of_organisation("interactions"),
        _goes_with("interactions", ["org_id", "request_id"], "requests"),
        sa.PrimaryKeyConstraint("interaction_id", name=op.f("pk_interactions")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_interactions_org_created", "interactions", ["org_id", "created_at"])
    op.create_index("ix_interactions_org_request", "interactions", ["org_id", "request_id"])
    op.create_index("ux_interactions_log", "interactions", ["org_id", "user_id", "seq"], unique=True)
    _exchanges()


def _exchanges() -> None:
    op.create_table(
        "exchanges",
        _key("org_id"),
        _key("exchange_id"),
        _key("user_id"),
        _key("session_id"),
        sa.Column("request_id", sa.Text()),
        _key("answer_id"),
        _key("status"),
        _flag("stop_requested"),
        _flag("is_replaced"),
        _flag("include_memory"),
        *_texts("request_type", "answer", "model", "error_kind", "error", "memory_note"),
        _json("memories", "[]"),
        _json("citations", "[]"),
        _json("timings", "{}"),
        *map(_count, ("question_tokens", "answer_tokens", "prompt_tokens", "completion_tokens")),
        sa.Column("question_turn", NUMBER),
        sa.Column("answer_turn", NUMBER),
        _text("owner"),
        _at("held_until"),
        _maybe_at("read_at"),
        _at("created_at"),
        _at("updated_at"),
        _of_organisation("exchanges"),
        _goes_with("exchanges", ["org_id", "session_id", "user_id"], "sessions"),
        _goes_with("exchanges", ["org_id", "request_id"], "requests"),
        sa.PrimaryKeyConstraint("org_id", "exchange_id", name=op.f("pk_exchanges")),
    )
    op.create_index("ix_exchanges_request", "exchanges", ["org_id", "request_id"])
    op.create_index("ix_exchanges_session", "exchanges", ["org_id", "session_id", "user_id", "created_at"])


def _memories() -> None:
    op.create_table(
        "memories",
        _number("memory_id"),
        _key("org_id"),
        _key("uid"),
        _key("kind"),
        sa.Column("user_id", sa.Text()),
        *_texts("agent_version", "name", "source", "slot", "content"),
        sa.Column("trigger", sa.Text()),
        sa.Column("pitfall", sa.Text()),
        sa.Column("rationale", sa.Text()),
        sa.Column("blocking_issue", JSON),
        _json("attributes", "{}"),
        _json("keywords", "[]"),
        _json("source_request_ids", "[]"),
        _json("source_interaction_ids", "[]"),
        _json("provenance", "{}"),
        _key("status"),
        _key("approval"),
        _flag("is_held"),
        sa.Column("confidence", sa.Float(), server_default="1", nullable=False),
        _count("token_count"),
        _count("access_count"),
        _maybe_at("last_accessed_at"),
        _at("created_at"),
        _at("updated_at"),
        _maybe_at("archived_at"),
        _text("archived_by"),
        _maybe_at("valid_from"),
        _maybe_at("valid_to"),
        _maybe_at("expires_at"),
        sa.Column("superseded_by", NUMBER),
        sa.Column("replaced_state", JSON),
        _json("metadata", "{}"),
        _of_organisation("memories"),
        sa.PrimaryKeyConstraint("memory_id", name=op.f("pk_memories")),
        sqlite_autoincrement=True,
    )
    _partial("ix_memories_org_expires", "memories", ["org_id", "expires_at"], "expires_at IS NOT NULL")
    _partial("ix_memories_replaced_state", "memories", ["org_id"], "replaced_state IS NOT NULL")
    op.create_index("ix_memories_org_kind_updated", "memories", ["org_id", "kind", "updated_at"])
    _partial(
        "ix_memories_org_kind_status",
        "memories",
        ["org_id", "kind", "status", "updated_at"],
        "status <> 'current'",
    )
    op.create_index(
        "ix_memories_org_user_created", "memories", ["org_id", "user_id", "created_at", "memory_id"]
    )
    op.create_index("ix_memories_org_created", "memories", ["org_id", "created_at"])
    op.create_index(
        "ix_memories_org_kind_user",
        "memories",
        ["org_id", "kind", "user_id", "status", "updated_at"],
        postgresql_include=["expires_at", "valid_to"],
    )
    _partial("ix_memories_slot", "memories", ["org_id", "kind", "user_id", "slot"], "slot <> ''")
    op.create_index("ux_memories_uid", "memories", ["org_id", "uid"], unique=True)
    op.create_table(
        "memory_requests",
        _key("org_id"),
        _key("request_id"),
        sa.Column("memory_id", NUMBER, nullable=False),
        _of_organisation("memory_requests"),
        _goes_with("memory_requests", ["memory_id"], "memories"),
        sa.PrimaryKeyConstraint("org_id", "request_id", "memory_id", name=op.f("pk_memory_requests")),
    )
    op.create_index("ix_memory_requests_memory_id", "memory_requests", ["memory_id"])


def _changes() -> None:
    op.create_table(
        "changes",
        _number("change_id"),
        _key("org_id"),
        _key("run_id"),
        _key("kind"),
        sa.Column("user_id", sa.Text()),
        sa.Column("request_id", sa.Text()),
        sa.Column("memory_id", NUMBER, nullable=False),
        _key("action"),
        *_texts("actor", "reason"),
        sa.Column("before", JSON),
        sa.Column("after", JSON),
        _at("created_at"),
        _of_organisation("changes"),
        _goes_with("changes", ["memory_id"], "memories"),
        sa.PrimaryKeyConstraint("change_id", name=op.f("pk_changes")),
    )
    op.create_index("ix_changes_memory_id", "changes", ["memory_id"])
    op.create_index("ix_changes_org_kind_run", "changes", ["org_id", "kind", "run_id"])


def _reviews() -> None:
    op.create_table(
        "duplicate_pairs",
        _key("org_id"),
        sa.Column("memory_id", NUMBER, nullable=False),
        sa.Column("other_id", NUMBER, nullable=False),
        sa.Column("similarity", sa.Float(), nullable=False),
        _at("found_at"),
        _of_organisation("duplicate_pairs"),
        *(_goes_with("duplicate_pairs", [name], "memories", keys=["memory_id"]) for name in _PAIRED),
        sa.PrimaryKeyConstraint("org_id", *_PAIRED, name=op.f("pk_duplicate_pairs")),
    )
    for name in _PAIRED:
        op.create_index(f"ix_duplicate_pairs_{name}", "duplicate_pairs", [name])
    op.create_table(
        "review_actions",
        _number("action_id"),
        _key("org_id"),
        sa.Column("user_id", sa.Text()),
        _key("kind"),
        sa.Column("memory_id", NUMBER, nullable=False),
        _key("step"),
        sa.Column("other_id", NUMBER),
        *_texts("actor", "reason"),
        _key("run_id"),
        _at("created_at"),
        *map(_maybe_at, ("kept_until", "undone_at")),
        _text("undone_by"),
        _of_organisation("review_actions"),
        _goes_with("review_actions", ["memory_id"], "memories"),
        sa.PrimaryKeyConstraint("action_id", name=op.f("pk_review_actions")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_review_actions_memory_id", "review_actions", ["memory_id"])
    op.create_index("ix_review_actions_org_user", "review_actions", ["org_id", "user_id", "action_id"])


def _entities() -> None:
    op.create_table(
        "entities",
        _number("entity_id"),
        _key("org_id"),
        _key("user_id"),
        _text("name"),
        _key("normalized_name"),
        _json("aliases", "[]"),
        *_texts("entity_type", "description"),
        _json("attributes", "{}"),
        _count("mention_count"),
        _maybe_at("last_mentioned_at"),
        _flag("is_kept"),
        _at("created_at"),
        _at("updated_at"),
        _of_organisation("entities"),
        sa.PrimaryKeyConstraint("entity_id", name=op.f("pk_entities")),
    )
    op.create_index("ux_entities_name", "entities", ["org_id", "user_id", "normalized_name"], unique=True)
    op.create_table(
        "entity_names",
        _key("org_id"),
        _key("user_id"),
        _key("normalized_name"),
        sa.Column("entity_id", NUMBER, nullable=False),
        sa.Column("memory_id", NUMBER),
        _of_organisation("entity_names"),
        _goes_with("entity_names", ["entity_id"], "entities"),
        sa.PrimaryKeyConstraint("org_id", "user_id", "normalized_name", name=op.f("pk_entity_names")),
    )
    op.create_index("ix_entity_names_entity_id", "entity_names", ["entity_id"])
    op.create_table(
        "entity_mentions",
        _key("org_id"),
        sa.Column("entity_id", NUMBER, nullable=False),
        sa.Column("memory_id", NUMBER, nullable=False),
        _text("description"),
        _of_organisation("entity_mentions"),
        _goes_with("entity_mentions", ["entity_id"], "entities"),
        _goes_with("entity_mentions", ["memory_id"], "memories"),
        sa.PrimaryKeyConstraint("org_id", "entity_id", "memory_id", name=op.f("pk_entity_mentions")),
    )
    op.create_index("ix_entity_mentions_entity_id", "entity_mentions", ["entity_id", "memory_id"])
    op.create_index("ix_entity_mentions_memory_id", "entity_mentions", ["memory_id"])


def _relationships() -> None:
    op.create_table(
        "relationships",
        _number("relationship_id"),
        _key("org_id"),
        _key("user_id"),
        sa.Column("source_id", NUMBER, nullable=False),
        sa.Column("target_id", NUMBER, nullable=False),
        _text("relationship_type"),
        sa.Column("confidence", sa.Float(), server_default="1", nullable=False),
        _text("description"),
        _flag("is_bidirectional"),
        _flag("is_kept"),
        _at("created_at"),
        _at("updated_at"),
        _of_organisation("relationships"),
        _goes_with("relationships", ["source_id"], "entities", keys=["entity_id"]),
        _goes_with("relationships", ["target_id"], "entities", keys=["entity_id"]),
        sa.PrimaryKeyConstraint("relationship_id", name=op.f("pk_relationships")),
    )
    op.create_index("ix_relationships_org_user", "relationships", ["org_id", "user_id"])
    op.create_index(
        "ix_relationships_source_id", "relationships", ["source_id", "confidence", "relationship_id"]
    )
    op.create_index(
        "ix_relationships_target_id", "relationships", ["target_id", "confidence", "relationship_id"]
    )
    op.create_index(
        "ux_relationships",
        "relationships",
        ["org_id", "source_id", "relationship_type", "target_id"],
        unique=True,
    )
    op.create_table(
        "relationship_mentions",
        _key("org_id"),
        sa.Column("relationship_id", NUMBER, nullable=False),
        sa.Column("memory_id", NUMBER, nullable=False),
        _text("description"),
        _of_organisation("relationship_mentions"),
        _goes_with("relationship_mentions", ["relationship_id"], "relationships"),
        _goes_with("relationship_mentions", ["memory_id"], "memories"),
        sa.PrimaryKeyConstraint(
            "org_id", "relationship_id", "memory_id", name=op.f("pk_relationship_mentions")
        ),
    )
    op.create_index("ix_relationship_mentions_memory_id", "relationship_mentions", ["memory_id"])
    op.create_index("ix_relationship_mentions_relationship_id", "relationship_mentions", ["relationship_id"])


def _learners() -> None:
    op.create_table(
        "cursors",
        _key("org_id"),
        _key("user_id"),
        _key("kind"),
        _key("extractor_name"),
        _key("version"),
        _long("seq"),
        sa.Column("outcome", sa.Text()),
        _count("attempts"),
        _text("error"),
        _maybe_at("next_try_at"),
        _at("updated_at"),
        _of_organisation("cursors"),
        sa.PrimaryKeyConstraint(
            "org_id", "user_id", "kind", "extractor_name", "version", name=op.f("pk_cursors")
        ),
    )
    op.create_table(
        "leases",
        _key("org_id"),
        _key("task"),
        _key("user_id"),
        _key("owner"),
        sa.Column("fencing", sa.BigInteger(), nullable=False),
        _at("expires_at"),
        _of_organisation("leases"),
        sa.PrimaryKeyConstraint("org_id", "task", "user_id", name=op.f("pk_leases")),
    )
    op.create_table(
        "dead_letters",
        _number("dead_letter_id"),
        _key("org_id"),
        _key("learner"),
        _key("user_id"),
        sa.Column("first_seq", sa.BigInteger(), nullable=False),
        sa.Column("last_seq", sa.BigInteger(), nullable=False),
        _count("attempts"),
        *_texts("error_kind", "error"),
        _key("status"),
        _at("created_at"),
        _at("updated_at"),
        _of_organisation("dead_letters"),
        sa.PrimaryKeyConstraint("dead_letter_id", name=op.f("pk_dead_letters")),
        sqlite_autoincrement=True,
    )
    _partial("ix_dead_letters_parked", "dead_letters", ["org_id"], "status = 'parked'")
    op.create_index("ix_dead_letters_org_user", "dead_letters", ["org_id", "user_id", "status"])


def _measures() -> None:
    tokens = ("prompt_tokens", "completion_tokens", "billing_input_tokens")
    measured = (*tokens, "platform_llm", "platform_storage", "duration_ms")
    op.create_table(
        "evaluations",
        _number("result_id"),
        _key("org_id"),
        *_texts("agent_version", "source"),
        _key("session_id"),
        sa.Column("user_id", sa.Text()),
        sa.Column("is_success", sa.Boolean(), nullable=False),
        sa.Column("failure_type", sa.Text()),
        sa.Column("failure_reason", sa.Text()),
        sa.Column("evaluation_name", sa.Text()),
        sa.Column("regular_vs_shadow", sa.Text()),
        sa.Column("is_shadow_first", sa.Boolean()),
        sa.Column("is_shadow_success", sa.Boolean()),
        _text("comparison_reason"),
        _count("number_of_correction_per_session"),
        sa.Column("user_turns_to_resolution", sa.Integer()),
        _flag("is_escalated"),
        _at("created_at"),
        _of_organisation("evaluations"),
        sa.PrimaryKeyConstraint("result_id", name=op.f("pk_evaluations")),
    )
    op.create_index("ix_evaluations_org_created", "evaluations", ["org_id", "created_at"])
    op.create_index("ix_evaluations_org_session", "evaluations", ["org_id", "session_id"])
    op.create_table(
        "usage_events",
        _number("event_id"),
        _key("org_id"),
        _key("uid"),
        *_texts("user_id", "request_id", "session_id"),
        sa.Column("pipeline", sa.Text()),
        sa.Column("entity_type", sa.Text()),
        sa.Column("entity_id", sa.Text()),
        _key("event_name"),
        _key("event_category"),
        _text("caller_type"),
        _count("count_value", 1),
        *(sa.Column(name, sa.Integer()) for name in measured),
        sa.Column("error_kind", sa.Text()),
        sa.Column("holdout_share", sa.Float()),
        _json("metadata", "{}"),
        _at("created_at"),
        _of_organisation("usage_events"),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_usage_events")),
    )
    op.create_index("ux_usage_events_uid", "usage_events", ["org_id", "uid"], unique=True)
    op.create_index("ix_usage_events_org_created", "usage_events", ["org_id", "created_at", "event_id"])
    op.create_index("ix_usage_events_user", "usage_events", ["org_id", "user_id"])
    entity = ["org_id", "entity_type", "entity_id", "created_at"]
    _partial("ix_usage_events_entity", "usage_events", entity, "entity_id IS NOT NULL")
    _partial("ix_usage_events_holdout", "usage_events", entity[:2], "holdout_share IS NOT NULL")


def _operations() -> None:
    op.create_table(
        "operations",
        _key("org_id"),
        _key("operation_id"),
        _key("name"),
        _key("status"),
        _json("parameters", "{}"),
        _count("total_count"),
        _flag("cancel_requested"),
        _text("error"),
        _json("result", "{}"),
        _at("created_at"),
        _maybe_at("finished_at"),
        _of_organisation("operations"),
        sa.PrimaryKeyConstraint("org_id", "operation_id", name=op.f("pk_operations")),
    )
    op.create_index("ix_operations_org_created", "operations", ["org_id", "created_at"])
    _partial(
        "ux_operations_running",
        "operations",
        ["org_id", "name"],
        "status = 'in_progress' AND name <> 'user_erasure'",
        unique=True,
    )
    op.create_table(
        "operation_items",
        _key("org_id"),
        _key("operation_id"),
        _key("user_id"),
        _key("status"),
        _count("attempts"),
        _maybe_at("next_try_at"),
        _text("error"),
        _count("turn_count"),
        _count("generated_count"),
        _count("step_count"),
        _count("step_total"),
        _at("updated_at"),
        _of_organisation("operation_items"),
        _goes_with("operation_items", ["org_id", "operation_id"], "operations"),
        sa.PrimaryKeyConstraint("org_id", "operation_id", "user_id", name=op.f("pk_operation_items")),
    )
    op.create_index(
        "ix_operation_items_turn",
        "operation_items",
        ["org_id", "operation_id", "status", "next_try_at", "updated_at"],
    )
    op.create_index("ix_operation_items_user", "operation_items", ["org_id", "user_id", "status"])


def _quarantines() -> None:
    op.create_table(
        "quarantines",
        *map(_key, ("org_id", "quarantine_id", "target", "value")),
        *_texts("reason", "actor"),
        _count("request_count"),
        _count("memory_count"),
        _at("created_at"),
        _maybe_at("released_at"),
        *_texts("released_by", "release_reason"),
        _of_organisation("quarantines"),
        sa.PrimaryKeyConstraint("org_id", "quarantine_id", name=op.f("pk_quarantines")),
    )
    op.create_index("ix_quarantines_org_created", "quarantines", ["org_id", "created_at"])
    op.create_table(
        "held_memories",
        *map(_key, ("org_id", "quarantine_id")),
        sa.Column("memory_id", NUMBER, nullable=False),
        _of_organisation("held_memories"),
        _goes_with("held_memories", ["org_id", "quarantine_id"], "quarantines"),
        _goes_with("held_memories", ["memory_id"], "memories"),
        sa.PrimaryKeyConstraint("org_id", "quarantine_id", "memory_id", name=op.f("pk_held_memories")),
    )
    op.create_index("ix_held_memories_memory_id", "held_memories", ["memory_id"])


def _erasures() -> None:
    op.create_table(
        "erasures",
        *map(_key, ("org_id", "erasure_id", "user_hash", "key_id")),
        sa.Column("sealed", sa.Text()),
        _json("counts", "{}"),
        _json("withdrawn", "[]"),
        sa.Column("report", JSON),
        _at("created_at"),
        _maybe_at("gone_at"),
        _maybe_at("finished_at"),
        _of_organisation("erasures"),
        sa.PrimaryKeyConstraint("org_id", "erasure_id", name=op.f("pk_erasures")),
    )
    op.create_index("ix_erasures_org_created", "erasures", ["org_id", "created_at"])
    _partial("ux_erasures_running", "erasures", ["org_id", "user_hash"], "finished_at IS NULL", unique=True)


def _imports() -> None:
    op.create_table(
        "imports",
        _key("org_id"),
        _key("import_id"),
        _text("step"),
        _long("done_count"),
        _at("created_at"),
        _maybe_at("finished_at"),
        _of_organisation("imports"),
        sa.PrimaryKeyConstraint("org_id", "import_id", name=op.f("pk_imports")),
    )


def _model_calls() -> None:
    op.create_table(
        "model_calls",
        _number("call_id"),
        _key("org_id"),
        _key("learner"),
        *_texts("user_id", "model", "prompt"),
        _count("attempt", 1),
        _count("prompt_tokens"),
        _count("completion_tokens"),
        _count("cached_tokens"),
        sa.Column("cost_usd", sa.Float()),
        _count("duration_ms"),
        _key("outcome"),
        _at("created_at"),
        _of_organisation("model_calls"),
        sa.PrimaryKeyConstraint("call_id", name=op.f("pk_model_calls")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_model_calls_org_created", "model_calls", ["org_id", "created_at"])
    op.create_index("ix_model_calls_org_user_created", "model_calls", ["org_id", "user_id", "created_at"])
    op.create_table(
        "extractions",
        _number("extraction_id"),
        _key("org_id"),
        _key("learner"),
        _key("user_id"),
        _key("version"),
        sa.Column("run_id", sa.Text()),
        sa.Column("first_seq", sa.BigInteger(), nullable=False),
        sa.Column("last_seq", sa.BigInteger(), nullable=False),
        *_texts("prompt", "model"),
        *(_count(name) for name in ("proposed", "kept", "merged", "dropped")),
        _json("reasons", "{}"),
        _at("created_at"),
        _of_organisation("extractions"),
        sa.PrimaryKeyConstraint("extraction_id", name=op.f("pk_extractions")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_extractions_org_created", "extractions", ["org_id", "created_at"])
    op.create_index("ix_extractions_org_user_last", "extractions", ["org_id", "user_id", "last_seq"])
    op.create_index("ix_extractions_org_run", "extractions", ["org_id", "run_id"])
    op.create_table(
        "playbook_clusters",
        _key("org_id"),
        _key("cluster_id"),
        _key("learner"),
        *_texts("name", "agent_version", "fingerprint"),
        _json("member_ids", "[]"),
        sa.Column("memory_id", NUMBER),
        _at("created_at"),
        _at("updated_at"),
        _of_organisation("playbook_clusters"),
        _goes_with("playbook_clusters", ["memory_id"], "memories", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("org_id", "cluster_id", name=op.f("pk_playbook_clusters")),
    )
    op.create_index("ix_playbook_clusters_memory_id", "playbook_clusters", ["memory_id"])
    op.create_index("ix_playbook_clusters_name", "playbook_clusters", ["org_id", "learner", "name"])
    op.create_table(
        "distillations",
        _key("org_id"),
        _key("learner"),
        _key("name"),
        _key("agent_version"),
        _long("last_read"),
        _count("attempts"),
        _text("error"),
        _maybe_at("cooldown_from"),
        _of_organisation("distillations"),
        sa.PrimaryKeyConstraint("org_id", "learner", "name", "agent_version", name=op.f("pk_distillations")),
    )


def _analytics() -> None:
    measured = ("ttfb_ms", "retrieval_ms", "ranking_ms", "context_building_ms", "llm_ms")
    counted = ("vector_results", "keyword_results", "graph_results", "raw_results", "duplicates")
    op.create_table(
        "request_analytics",
        _key("org_id"),
        _key("id"),
        _text("user_id"),
        *map(_key, ("request_id", "request_type")),
        *(sa.Column(name, sa.Text()) for name in ("conversation_id", "message_id")),
        _key("status"),
        *(sa.Column(name, sa.Text()) for name in ("error_message", "error_type")),
        sa.Column("total_time_ms", sa.Float(), nullable=False),
        *(sa.Column(name, sa.Float()) for name in measured),
        *map(_count, counted),
        sa.Column("combined_score", sa.Float()),
        *(sa.Column(name, sa.Integer()) for name in ("context_tokens", "is_truncated")),
        sa.Column("intent", sa.Text()),
        *(
            _json(name, "{}")
            for name in ("step_timings", "retrieval_metrics", "context_metrics", "query_analysis")
        ),
        _at("created_at"),
        _of_organisation("request_analytics"),
        sa.PrimaryKeyConstraint("org_id", "id", name=op.f("pk_request_analytics")),
    )
    by_age = ["created_at", "id"]
    op.create_index("ix_request_analytics_created", "request_analytics", ["org_id", *by_age])
    op.create_index("ix_request_analytics_user_created", "request_analytics", ["org_id", "user_id", *by_age])
    types = ("chat_stream", "chat_complete", "memory_search", "context_build")
    ends = ("successful", "partial", "error")
    op.create_table(
        "analytics_daily",
        _key("org_id"),
        _key("user_id"),
        sa.Column("day", sa.Integer(), nullable=False),
        *(_count(f"{name}_requests") for name in ("total", *types, *ends)),
        *(
            _json(name, "{}")
            for name in ("latency_stats", "retrieval_stats", "context_stats", "intent_distribution")
        ),
        _at("created_at"),
        _at("updated_at"),
        _of_organisation("analytics_daily"),
        sa.PrimaryKeyConstraint("org_id", "user_id", "day", name=op.f("pk_analytics_daily")),
    )
    op.create_index("ix_analytics_daily_day", "analytics_daily", ["org_id", "day"])


def _search() -> None:
    op.create_table(
        "search_index",
        sa.Column("index_id", sa.Integer(), nullable=False),
        _key("embedder"),
        sa.Column("dimension", sa.Integer(), nullable=False),
        _key("analyzer"),
        _at("created_at"),
        sa.PrimaryKeyConstraint("index_id", name=op.f("pk_search_index")),
    )
    op.create_table(
        "search_scopes",
        _number("scope_id"),
        _key("org_id"),
        _key("user_id"),
        _key("kind"),
        _long("document_count"),
        _long("term_count"),
        _long("revision"),
        _long("removed_revision"),
        _long("copied_revision"),
        _long("compared_revision"),
        _of_organisation("search_scopes"),
        sa.PrimaryKeyConstraint("scope_id", name=op.f("pk_search_scopes")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_search_scopes_org_user", "search_scopes", ["org_id", "user_id"])
    op.create_index("ux_search_scopes", "search_scopes", ["org_id", "kind", "user_id"], unique=True)
    op.create_table(
        "search_documents",
        _number("document_id"),
        _key("org_id"),
        sa.Column("scope_id", NUMBER, nullable=False),
        _key("kind"),
        sa.Column("owner_id", NUMBER, nullable=False),
        _key("status"),
        _key("approval"),
        _key("visibility"),
        _flag("is_held"),
        *_texts("agent_version", "name", "source"),
        sa.Column("request_id", sa.Text()),
        _at("changed_at"),
        _maybe_at("expires_at"),
        _maybe_at("created_at"),
        _maybe_at("event_at"),
        _maybe_at("archived_at"),
        sa.Column("first_person", sa.Float()),
        sa.Column("asks", sa.Boolean()),
        sa.Column("caution", sa.Text()),
        sa.Column("facts", JSON),
        _text("text"),
        _count("term_count"),
        sa.Column("terms", sa.LargeBinary(), nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("vector", sa.LargeBinary().with_variant(_HalfVector(), "postgresql")),
        _count("embed_attempts"),
        _text("embed_error"),
        _of_organisation("search_documents"),
        _goes_with("search_documents", ["scope_id"], "search_scopes"),
        sa.PrimaryKeyConstraint("document_id", name=op.f("pk_search_documents")),
        sqlite_autoincrement=True,
    )
    _partial(
        "ix_search_documents_cautions", "search_documents", ["org_id", "scope_id"], "caution IS NOT NULL"
    )
    op.create_index("ix_search_documents_scope", "search_documents", ["scope_id", "revision"])
    _partial(
        "ix_search_documents_unembedded", "search_documents", ["org_id", "document_id"], "vector IS NULL"
    )
    _partial(
        "ix_search_documents_withheld",
        "search_documents",
        ["org_id", "kind", "visibility"],
        "visibility <> 'served'",
    )
    op.create_index(
        "ux_search_documents_owner", "search_documents", ["org_id", "kind", "owner_id"], unique=True
    )


def _key(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False)


def _text(name: str, start: str = "") -> sa.Column[str]:
    return sa.Column(name, sa.Text(), server_default=start, nullable=False)


def _texts(*names: str) -> list[sa.Column[str]]:
    return [_text(name) for name in names]


def _count(name: str, start: int = 0) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), server_default=str(start), nullable=False)


def _long(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), server_default="0", nullable=False)


def _number(name: str) -> sa.Column[int]:
    return sa.Column(name, NUMBER, autoincrement=True, nullable=False)


def _flag(name: str) -> sa.Column[bool]:
    return sa.Column(name, sa.Boolean(), server_default=sa.false(), nullable=False)


def _at(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=False)


def _maybe_at(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger())


def _json(name: str, empty: str) -> sa.Column[object]:
    return sa.Column(name, JSON, server_default=sa.text(f"'{empty}'"), nullable=False)


def _of_organisation(table: str) -> sa.ForeignKeyConstraint:
    return _goes_with(table, ["org_id"], "organisations")


def _goes_with(
    table: str,
    columns: list[str],
    target: str,
    *,
    keys: list[str] | None = None,
    ondelete: str = "CASCADE",
) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{'_'.join(columns)}_{target}")
    return sa.ForeignKeyConstraint(
        columns, [f"{target}.{key}" for key in keys or columns], name=name, ondelete=ondelete
    )


def _partial(name: str, table: str, columns: list[str], where: str, *, unique: bool = False) -> None:
    condition = sa.text(where)
    op.create_index(name, table, columns, unique=unique, sqlite_where=condition, postgresql_where=condition)
