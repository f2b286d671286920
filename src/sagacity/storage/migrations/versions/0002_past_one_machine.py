"""What several processes on PostgreSQL, and a separate vector store, need."""

import sqlalchemy as sa
from alembic import op

from sagacity.storage.row_security import Rule, protect, protect_common

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

VIEWS = {
    "due_users": "SELECT users.org_id, users.user_id, users.due_at FROM users WHERE users.due_at IS NOT NULL",
    "waiting_tenants": (
        "SELECT search_documents.org_id, count(*) AS document_count FROM search_documents "
        "WHERE search_documents.vector IS NULL AND search_documents.embed_attempts < 5 "
        "GROUP BY search_documents.org_id"
    ),
    "uncopied_tenants": (
        "SELECT DISTINCT search_scopes.org_id FROM search_scopes "
        "WHERE search_scopes.copied_revision < search_scopes.revision"
    ),
    "known_tokens": (
        "SELECT api_tokens.token_id, api_tokens.org_id, api_tokens.name, api_tokens.prefix, api_tokens.token_hash, "
        "api_tokens.created_at, api_tokens.revoked_at, organisations.status AS org_status "
        "FROM api_tokens JOIN organisations ON organisations.org_id = api_tokens.org_id"
    ),
    "known_organisations": "SELECT organisations.org_id FROM organisations",
    "supported_schemas": "SELECT '0001' AS oldest",
}
RULES = {
    "organisations": Rule.TENANT,
    "api_tokens": Rule.CLOSED,
    "tenant_configs": Rule.CLOSED,
    "leases": Rule.CLOSED,
    "operations": Rule.CLOSED,
    "users": Rule.OWN,
    "sessions": Rule.OWN,
    "requests": Rule.OWN,
    "interactions": Rule.OWN,
    "memories": Rule.OWN,
    "changes": Rule.OWN,
    "entities": Rule.OWN,
    "relationships": Rule.OWN,
    "cursors": Rule.OWN,
    "dead_letters": Rule.OWN,
    "evaluations": Rule.OWN,
    "usage_events": Rule.OWN,
    "search_scopes": Rule.OWN,
    "search_documents": Rule.SCOPE,
    "search_terms": Rule.SCOPE,
    "memory_requests": Rule.MEMORY,
    "entity_mentions": Rule.MEMORY,
}
WRITTEN_FIRST = (
    *("users", "leases", "sessions", "requests", "interactions", "memories", "memory_requests"),
    *("search_scopes", "search_documents", "search_terms"),
)
"""In the order in which transactions of the former release come to them, so that none waits for us while we wait for
it; the rest follow in each."""
JSON = {
    "requests": {"metadata": "{}"},
    "interactions": {"tools_used": "[]", "citations": "[]"},
    "memories": {
        "blocking_issue": None,
        "attributes": "{}",
        "keywords": "[]",
        "source_request_ids": "[]",
        "source_interaction_ids": "[]",
        "provenance": "{}",
        "metadata": "{}",
    },
    "changes": {"before": None, "after": None},
    "entities": {"aliases": "[]"},
    "usage_events": {"metadata": "{}"},
    "operations": {"parameters": "{}", "errors": "[]"},
}
PARTIAL = {
    "ix_users_due_at": ("users", ["due_at"], "due_at IS NOT NULL"),
    "ix_memories_slot": ("memories", ["org_id", "kind", "user_id", "slot"], "slot <> ''"),
    "ix_search_documents_unembedded": ("search_documents", ["org_id", "document_id"], "vector IS NULL"),
}


def upgrade() -> None:
    """Add columns with defaults, which the former release goes on writing without."""
    on_postgresql = op.get_context().dialect.name == "postgresql"
    if on_postgresql:
        op.execute(f"LOCK TABLE {', '.join(WRITTEN_FIRST)} IN ACCESS EXCLUSIVE MODE")
    op.add_column("search_terms", sa.Column("org_id", sa.Text(), server_default="", nullable=False))
    op.add_column(
        "search_scopes", sa.Column("copied_revision", sa.BigInteger(), server_default="0", nullable=False)
    )
    op.create_index("ix_search_scopes_org_user", "search_scopes", ["org_id", "user_id"])
    is_due = sa.text("due_at IS NOT NULL")
    op.create_index(
        "ix_users_org_due_at", "users", ["org_id", "due_at"], sqlite_where=is_due, postgresql_where=is_due
    )
    if on_postgresql:
        _types()
        _terms_of_the_former_release()
        _row_level_security()
    for name, definition in VIEWS.items():
        options = " WITH (security_barrier)" if on_postgresql else ""
        op.execute(f"CREATE VIEW {name}{options} AS {definition}")


def _types() -> None:
    op.execute("CREATE EXTENSION IF NOT EXISTS vector")
    for name, (table, names, condition) in PARTIAL.items():
        op.drop_index(name, table)
        if name == "ix_search_documents_unembedded":  # no vector is kept: all are made anew
            op.execute("ALTER TABLE search_documents ALTER COLUMN vector TYPE halfvec USING NULL")
        op.create_index(name, table, names, postgresql_where=sa.text(condition))
    for table, defaults in JSON.items():
        for column, default in defaults.items():
            op.execute(f'ALTER TABLE {table} ALTER COLUMN "{column}" DROP DEFAULT')
            op.execute(f'ALTER TABLE {table} ALTER COLUMN "{column}" TYPE jsonb USING "{column}"::jsonb')
            if default:
                op.execute(f"ALTER TABLE {table} ALTER COLUMN \"{column}\" SET DEFAULT '{default}'")


def _terms_of_the_former_release() -> None:
    """Name the organisation of every term: of those that are there, and of those that are yet written without."""
    op.execute(
        "UPDATE search_terms SET org_id = s.org_id FROM search_scopes s WHERE s.scope_id = search_terms.scope_id"
    )
    op.execute(
        "CREATE FUNCTION search_terms_org() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$ BEGIN "
        "SELECT s.org_id INTO NEW.org_id FROM search_scopes s WHERE s.scope_id = NEW.scope_id; "
        "RETURN NEW; END $$"
    )
    op.execute(
        "CREATE TRIGGER search_terms_org BEFORE INSERT ON search_terms FOR EACH ROW "
        "WHEN (NEW.org_id = '') EXECUTE FUNCTION search_terms_org()"
    )


def _row_level_security() -> None:
    for table, rule in RULES.items():
        for statement in protect(table, rule):
            op.execute(statement)
    for statement in protect_common("search_index"):
        op.execute(statement)
