"""The first schema."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Create every table."""
    op.create_table(
        "organisations",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), server_default="", nullable=False),
        sa.Column("status", sa.Text(), server_default="active", nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("org_id", name=op.f("pk_organisations")),
    )
    op.create_table(
        "search_index",
        sa.Column("index_id", sa.Integer(), nullable=False),
        sa.Column("embedder", sa.Text(), nullable=False),
        sa.Column("dimension", sa.Integer(), nullable=False),
        sa.Column("analyzer", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("index_id", name=op.f("pk_search_index")),
    )
    op.create_table(
        "search_terms",
        sa.Column("scope_id", NUMBER, autoincrement=False, nullable=False),
        sa.Column("term", sa.Text(), nullable=False),
        sa.Column("document_id", NUMBER, autoincrement=False, nullable=False),
        sa.Column("frequency", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("scope_id", "term", "document_id", name=op.f("pk_search_terms")),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "api_tokens",
        sa.Column("token_id", sa.Text(), nullable=False),
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), server_default="", nullable=False),
        sa.Column("prefix", sa.Text(), server_default="", nullable=False),
        sa.Column("token_hash", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["org_id"],
            ["organisations.org_id"],
            name=op.f("fk_api_tokens_org_id_organisations"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("token_id", name=op.f("pk_api_tokens")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_api_tokens_token_hash")),
    )
    op.create_table(
        "cursors",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("learner", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("error", sa.Text(), server_default="", nullable=False),
        sa.Column("next_try_at", sa.BigInteger(), nullable=True),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id"],
            ["organisations.org_id"],
            name=op.f("fk_cursors_org_id_organisations"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "user_id", "learner", name=op.f("pk_cursors")),
    )
    op.create_table(
        "dead_letters",
        sa.Column("dead_letter_id", NUMBER, autoincrement=True, nullable=False),
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("learner", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("first_seq", sa.BigInteger(), nullable=False),
        sa.Column("last_seq", sa.BigInteger(), nullable=False),
        sa.Column("attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("error_kind", sa.Text(), server_default="", nullable=False),
        sa.Column("error", sa.Text(), server_default="", nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id"],
            ["organisations.org_id"],
            name=op.f("fk_dead_letters_org_id_organisations"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("dead_letter_id", name=op.f("pk_dead_letters")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_dead_letters_org_user", "dead_letters", ["org_id", "user_id", "status"], unique=False)
    op.create_table(
        "entities",
        sa.Column("entity_id", NUMBER, autoincrement=True, nullable=False),
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), server_default="", nullable=False),
        sa.Column("normalized_name", sa.Text(), nullable=False),
        sa.Column("aliases", sa.JSON(), server_default=sa.text("'[]'"), nullable=False),
        sa.Column("entity_type", sa.Text(), server_default="", nullable=False),
        sa.Column("mention_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id"],
            ["organisations.org_id"],
            name=op.f("fk_entities_org_id_organisations"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("entity_id", name=op.f("pk_entities")),
    )
    op.create_index("ux_entities_name", "entities", ["org_id", "user_id", "normalized_name"], unique=True)
    op.create_table(
        "evaluations",
        sa.Column("result_id", NUMBER, autoincrement=True, nullable=False),
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("agent_version", sa.Text(), server_default="", nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=True),
        sa.Column("is_success", sa.Boolean(), nullable=False),
        sa.Column("failure_type", sa.Text(), nullable=True),
        sa.Column("failure_reason", sa.Text(), nullable=True),
        sa.Column("evaluation_name", sa.Text(), nullable=True),
        sa.Column("regular_vs_shadow", sa.Text(), nullable=True),
        sa.Column("number_of_correction_per_session", sa.Integer(), server_default="0", nullable=False),
        sa.Column("user_turns_to_resolution", sa.Integer(), nullable=True),
        sa.Column("is_escalated", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id"],
            ["organisations.org_id"],
            name=op.f("fk_evaluations_org_id_organisations"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("result_id", name=op.f("pk_evaluations")),
    )
    op.create_index("ix_evaluations_org_created", "evaluations", ["org_id", "created_at"], unique=False)
    op.create_table(
        "leases",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("fencing", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id"],
            ["organisations.org_id"],
            name=op.f("fk_leases_org_id_organisations"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "name", name=op.f("pk_leases")),
    )
    op.create_table(
        "memories",
        sa.Column("memory_id", NUMBER, autoincrement=True, nullable=False),
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("uid", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=True),
        sa.Column("agent_version", sa.Text(), server_default="", nullable=False),
        sa.Column("name", sa.Text(), server_default="", nullable=False),
        sa.Column("source", sa.Text(), server_default="", nullable=False),
        sa.Column("slot", sa.Text(), server_default="", nullable=False),
        sa.Column("content", sa.Text(), server_default="", nullable=False),
        sa.Column("trigger", sa.Text(), nullable=True),
        sa.Column("pitfall", sa.Text(), nullable=True),
        sa.Column("rationale", sa.Text(), nullable=True),
        sa.Column("blocking_issue", sa.JSON(), nullable=True),
        sa.Column("attributes", sa.JSON(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("keywords", sa.JSON(), server_default=sa.text("'[]'"), nullable=False),
        sa.Column("source_request_ids", sa.JSON(), server_default=sa.text("'[]'"), nullable=False),
        sa.Column("source_interaction_ids", sa.JSON(), server_default=sa.text("'[]'"), nullable=False),
        sa.Column("provenance", sa.JSON(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("approval", sa.Text(), nullable=False),
        sa.Column("confidence", sa.Float(), server_default="1", nullable=False),
        sa.Column("access_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("last_accessed_at", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("valid_from", sa.BigInteger(), nullable=True),
        sa.Column("valid_to", sa.BigInteger(), nullable=True),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("superseded_by", NUMBER, nullable=True),
        sa.Column("metadata", sa.JSON(), server_default=sa.text("'{}'"), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id"],
            ["organisations.org_id"],
            name=op.f("fk_memories_org_id_organisations"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("memory_id", name=op.f("pk_memories")),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_memories_org_kind_updated", "memories", ["org_id", "kind", "updated_at"], unique=False
    )
    op.create_index(
        "ix_memories_org_kind_user",
        "memories",
        ["org_id", "kind", "user_id", "status", "updated_at"],
        unique=False,
    )
    op.create_index(
        "ix_memories_slot",
        "memories",
        ["org_id", "kind", "user_id", "slot"],
        unique=False,
        sqlite_where=sa.text("slot <> ''"),
    )
    op.create_index("ux_memories_uid", "memories", ["org_id", "uid"], unique=True)
    op.create_table(
        "operations",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("operation_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("total_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("processed_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("failed_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("parameters", sa.JSON(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("errors", sa.JSON(), server_default=sa.text("'[]'"), nullable=False),
        sa.Column("cancel_requested", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["org_id"],
            ["organisations.org_id"],
            name=op.f("fk_operations_org_id_organisations"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "operation_id", name=op.f("pk_operations")),
    )
    op.create_table(
        "requests",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("source", sa.Text(), server_default="", nullable=False),
        sa.Column("agent_version", sa.Text(), server_default="", nullable=False),
        sa.Column("skip_aggregation", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("force_extraction", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("metadata", sa.JSON(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("first_seq", sa.BigInteger(), nullable=False),
        sa.Column("last_seq", sa.BigInteger(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id"],
            ["organisations.org_id"],
            name=op.f("fk_requests_org_id_organisations"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "request_id", name=op.f("pk_requests")),
    )
    op.create_index("ix_requests_org_created", "requests", ["org_id", "created_at"], unique=False)
    op.create_index("ix_requests_org_session", "requests", ["org_id", "session_id"], unique=False)
    op.create_index(
        "ix_requests_org_user_created", "requests", ["org_id", "user_id", "created_at"], unique=False
    )
    op.create_table(
        "search_scopes",
        sa.Column("scope_id", NUMBER, autoincrement=True, nullable=False),
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("document_count", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("term_count", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("revision", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("removed_revision", sa.BigInteger(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id"],
            ["organisations.org_id"],
            name=op.f("fk_search_scopes_org_id_organisations"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("scope_id", name=op.f("pk_search_scopes")),
        sqlite_autoincrement=True,
    )
    op.create_index("ux_search_scopes", "search_scopes", ["org_id", "kind", "user_id"], unique=True)
    op.create_table(
        "sessions",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), server_default="", nullable=False),
        sa.Column("summary", sa.Text(), server_default="", nullable=False),
        sa.Column("is_archived", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("message_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("evaluate_after", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["org_id"],
            ["organisations.org_id"],
            name=op.f("fk_sessions_org_id_organisations"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "session_id", "user_id", name=op.f("pk_sessions")),
    )
    op.create_table(
        "tenant_configs",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("config", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), server_default="1", nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id"],
            ["organisations.org_id"],
            name=op.f("fk_tenant_configs_org_id_organisations"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", name=op.f("pk_tenant_configs")),
    )
    op.create_table(
        "usage_events",
        sa.Column("event_id", NUMBER, autoincrement=True, nullable=False),
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), server_default="", nullable=False),
        sa.Column("request_id", sa.Text(), server_default="", nullable=False),
        sa.Column("session_id", sa.Text(), server_default="", nullable=False),
        sa.Column("pipeline", sa.Text(), nullable=True),
        sa.Column("entity_type", sa.Text(), nullable=True),
        sa.Column("entity_id", sa.Text(), nullable=True),
        sa.Column("event_name", sa.Text(), nullable=False),
        sa.Column("event_category", sa.Text(), nullable=False),
        sa.Column("caller_type", sa.Text(), server_default="", nullable=False),
        sa.Column("count_value", sa.Integer(), server_default="1", nullable=False),
        sa.Column("prompt_tokens", sa.Integer(), nullable=True),
        sa.Column("completion_tokens", sa.Integer(), nullable=True),
        sa.Column("duration_ms", sa.Integer(), nullable=True),
        sa.Column("error_kind", sa.Text(), nullable=True),
        sa.Column("metadata", sa.JSON(), server_default=sa.text("'{}'"), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id"],
            ["organisations.org_id"],
            name=op.f("fk_usage_events_org_id_organisations"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("event_id", name=op.f("pk_usage_events")),
    )
    op.create_index(
        "ix_usage_events_entity", "usage_events", ["org_id", "entity_type", "entity_id"], unique=False
    )
    op.create_index("ix_usage_events_org_created", "usage_events", ["org_id", "created_at"], unique=False)
    op.create_table(
        "users",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("last_seq", sa.BigInteger(), server_default="0", nullable=False),
        sa.Column("due_at", sa.BigInteger(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id"],
            ["organisations.org_id"],
            name=op.f("fk_users_org_id_organisations"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "user_id", name=op.f("pk_users")),
    )
    op.create_index(
        "ix_users_due_at", "users", ["due_at"], unique=False, sqlite_where=sa.text("due_at IS NOT NULL")
    )
    op.create_table(
        "changes",
        sa.Column("change_id", NUMBER, autoincrement=True, nullable=False),
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=True),
        sa.Column("request_id", sa.Text(), nullable=True),
        sa.Column("memory_id", NUMBER, nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("before", sa.JSON(), nullable=True),
        sa.Column("after", sa.JSON(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["memory_id"],
            ["memories.memory_id"],
            name=op.f("fk_changes_memory_id_memories"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["org_id"],
            ["organisations.org_id"],
            name=op.f("fk_changes_org_id_organisations"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("change_id", name=op.f("pk_changes")),
    )
    op.create_index("ix_changes_memory_id", "changes", ["memory_id"], unique=False)
    op.create_index("ix_changes_org_kind_run", "changes", ["org_id", "kind", "run_id"], unique=False)
    op.create_table(
        "entity_mentions",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("entity_id", NUMBER, nullable=False),
        sa.Column("memory_id", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(
            ["entity_id"],
            ["entities.entity_id"],
            name=op.f("fk_entity_mentions_entity_id_entities"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["memory_id"],
            ["memories.memory_id"],
            name=op.f("fk_entity_mentions_memory_id_memories"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["org_id"],
            ["organisations.org_id"],
            name=op.f("fk_entity_mentions_org_id_organisations"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "entity_id", "memory_id", name=op.f("pk_entity_mentions")),
    )
    op.create_index("ix_entity_mentions_entity_id", "entity_mentions", ["entity_id"], unique=False)
    op.create_index("ix_entity_mentions_memory_id", "entity_mentions", ["memory_id"], unique=False)
    op.create_table(
        "interactions",
        sa.Column("interaction_id", NUMBER, autoincrement=True, nullable=False),
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("seq", sa.BigInteger(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("role", sa.Text(), server_default="", nullable=False),
        sa.Column("content", sa.Text(), server_default="", nullable=False),
        sa.Column("shadow_content", sa.Text(), server_default="", nullable=False),
        sa.Column("expert_content", sa.Text(), server_default="", nullable=False),
        sa.Column("user_action", sa.Text(), server_default="none", nullable=False),
        sa.Column("user_action_description", sa.Text(), server_default="", nullable=False),
        sa.Column("image_url", sa.Text(), server_default="", nullable=False),
        sa.Column("image_base64", sa.Text(), server_default="", nullable=False),
        sa.Column("tools_used", sa.JSON(), server_default=sa.text("'[]'"), nullable=False),
        sa.Column("citations", sa.JSON(), server_default=sa.text("'[]'"), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id", "request_id"],
            ["requests.org_id", "requests.request_id"],
            name=op.f("fk_interactions_org_id_request_id_requests"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["org_id"],
            ["organisations.org_id"],
            name=op.f("fk_interactions_org_id_organisations"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("interaction_id", name=op.f("pk_interactions")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_interactions_org_created", "interactions", ["org_id", "created_at"], unique=False)
    op.create_index("ix_interactions_org_request", "interactions", ["org_id", "request_id"], unique=False)
    op.create_index("ux_interactions_log", "interactions", ["org_id", "user_id", "seq"], unique=True)
    op.create_table(
        "memory_requests",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("request_id", sa.Text(), nullable=False),
        sa.Column("memory_id", NUMBER, nullable=False),
        sa.ForeignKeyConstraint(
            ["memory_id"],
            ["memories.memory_id"],
            name=op.f("fk_memory_requests_memory_id_memories"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["org_id"],
            ["organisations.org_id"],
            name=op.f("fk_memory_requests_org_id_organisations"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "request_id", "memory_id", name=op.f("pk_memory_requests")),
    )
    op.create_index("ix_memory_requests_memory_id", "memory_requests", ["memory_id"], unique=False)
    op.create_table(
        "relationships",
        sa.Column("relationship_id", NUMBER, autoincrement=True, nullable=False),
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("source_id", NUMBER, nullable=False),
        sa.Column("target_id", NUMBER, nullable=False),
        sa.Column("relationship_type", sa.Text(), server_default="", nullable=False),
        sa.Column("confidence", sa.Float(), server_default="1", nullable=False),
        sa.Column("memory_id", NUMBER, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["memory_id"],
            ["memories.memory_id"],
            name=op.f("fk_relationships_memory_id_memories"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["org_id"],
            ["organisations.org_id"],
            name=op.f("fk_relationships_org_id_organisations"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["source_id"],
            ["entities.entity_id"],
            name=op.f("fk_relationships_source_id_entities"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["target_id"],
            ["entities.entity_id"],
            name=op.f("fk_relationships_target_id_entities"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("relationship_id", name=op.f("pk_relationships")),
    )
    op.create_index("ix_relationships_memory_id", "relationships", ["memory_id"], unique=False)
    op.create_index("ix_relationships_source_id", "relationships", ["source_id"], unique=False)
    op.create_index("ix_relationships_target_id", "relationships", ["target_id"], unique=False)
    op.create_index(
        "ux_relationships",
        "relationships",
        ["org_id", "source_id", "relationship_type", "target_id", "memory_id"],
        unique=True,
    )
    op.create_table(
        "search_documents",
        sa.Column("document_id", NUMBER, autoincrement=True, nullable=False),
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("scope_id", NUMBER, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("owner_id", NUMBER, nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("approval", sa.Text(), nullable=False),
        sa.Column("agent_version", sa.Text(), server_default="", nullable=False),
        sa.Column("name", sa.Text(), server_default="", nullable=False),
        sa.Column("source", sa.Text(), server_default="", nullable=False),
        sa.Column("request_id", sa.Text(), nullable=True),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("text", sa.Text(), server_default="", nullable=False),
        sa.Column("term_count", sa.Integer(), server_default="0", nullable=False),
        sa.Column("revision", sa.BigInteger(), nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=True),
        sa.Column("embed_attempts", sa.Integer(), server_default="0", nullable=False),
        sa.Column("embed_error", sa.Text(), server_default="", nullable=False),
        sa.ForeignKeyConstraint(
            ["org_id"],
            ["organisations.org_id"],
            name=op.f("fk_search_documents_org_id_organisations"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["scope_id"],
            ["search_scopes.scope_id"],
            name=op.f("fk_search_documents_scope_id_search_scopes"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("document_id", name=op.f("pk_search_documents")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_search_documents_scope", "search_documents", ["scope_id", "revision"], unique=False)
    op.create_index(
        "ix_search_documents_unembedded",
        "search_documents",
        ["org_id", "document_id"],
        unique=False,
        sqlite_where=sa.text("vector IS NULL"),
    )
    op.create_index(
        "ux_search_documents_owner", "search_documents", ["org_id", "kind", "owner_id"], unique=True
    )
