"""Row-level security: a transaction sees the rows of one organisation and, if it names one, of one user."""

from enum import Enum

ORG, USER = "sagacity.org_id", "sagacity.user_id"
"""The settings by which a transaction names its organisation and user; without the first it sees no rows."""

# In a sub-select the setting is read once per statement instead of once per row. It is empty between transactions.
_ORG = f"(SELECT nullif(current_setting('{ORG}', true), ''))"
_USER = f"(SELECT coalesce(current_setting('{USER}', true), ''))"


class Rule(Enum):
    """How a table's rows belong to users, and so which of them one user's transaction may see."""

    TENANT = "true"
    """Rows are the organisation's, and every user may see them."""
    OWN = f"user_id IS NULL OR user_id IN ('', {_USER})"
    """Rows name their user; those without one are the organisation's."""
    SCOPE = (
        "scope_id = ANY (ARRAY(SELECT s.scope_id FROM search_scopes s "
        f"WHERE s.org_id = {_ORG} AND s.user_id IN ('', {_USER})))"
    )
    """Rows belong to a search scope, which belongs to a user."""
    MEMORY = "EXISTS (SELECT 1 FROM memories m WHERE m.memory_id = {table}.memory_id)"
    """Rows belong to a memory, and may be seen if the memory may be."""
    CLOSED = "false"
    """No user may see the rows: tokens, keys of models, the state of workers."""


RULES = {
    "organisations": Rule.TENANT,
    "distillations": Rule.TENANT,
    "quarantines": Rule.TENANT,
    "quotas": Rule.TENANT,
    "api_tokens": Rule.CLOSED,
    "audit_log": Rule.CLOSED,
    "tenant_configs": Rule.CLOSED,
    "config_versions": Rule.CLOSED,
    "site_variables": Rule.CLOSED,
    "accounts": Rule.CLOSED,
    "account_sessions": Rule.CLOSED,
    "account_mails": Rule.CLOSED,
    "account_totp": Rule.CLOSED,
    "access_attempts": Rule.CLOSED,
    "members": Rule.CLOSED,
    "invitations": Rule.CLOSED,
    "leases": Rule.CLOSED,
    "operations": Rule.CLOSED,
    "operation_items": Rule.CLOSED,
    "erasures": Rule.CLOSED,
    "imports": Rule.CLOSED,
    "users": Rule.OWN,
    "user_settings": Rule.OWN,
    "sessions": Rule.OWN,
    "requests": Rule.OWN,
    "interactions": Rule.OWN,
    "exchanges": Rule.OWN,
    "memories": Rule.OWN,
    "changes": Rule.OWN,
    "review_actions": Rule.OWN,
    "entities": Rule.OWN,
    "entity_names": Rule.OWN,
    "relationships": Rule.OWN,
    "cursors": Rule.OWN,
    "dead_letters": Rule.OWN,
    "evaluations": Rule.OWN,
    "usage_events": Rule.OWN,
    "model_calls": Rule.OWN,
    "extractions": Rule.OWN,
    "request_analytics": Rule.OWN,
    "analytics_daily": Rule.OWN,
    "search_scopes": Rule.OWN,
    "search_documents": Rule.SCOPE,
    "playbook_clusters": Rule.MEMORY,
    "memory_requests": Rule.MEMORY,
    "duplicate_pairs": Rule.MEMORY,
    "held_memories": Rule.MEMORY,
    "entity_mentions": Rule.MEMORY,
    "relationship_mentions": Rule.MEMORY,
}
"""The rule of each table that belongs to organisations."""

_OWN_SCOPE = "EXISTS (SELECT 1 FROM search_scopes s WHERE s.scope_id = {table}.scope_id)"
"""A row may only be written to a visible scope: otherwise a duplicate key would reveal words of another tenant."""


def protect(table: str, rule: Rule) -> list[str]:
    """
    Return the statements that enable row-level security on a table with a column `org_id`, also for its owner.

    The owner sees all rows, for migrations and for the views that answer before a tenant is known. Every other role
    sees and writes rows of the organisation that the transaction names. If the transaction names a user too, *rule*
    narrows this, so that rows of other users are neither seen nor written.
    """
    mine = f"org_id = {_ORG}"
    written = f"{mine} AND {_OWN_SCOPE.format(table=table)}" if rule is Rule.SCOPE else mine
    statements = [
        *_enable(table),
        f"CREATE POLICY tenant ON {table} USING ({mine}) WITH CHECK ({written})",
    ]
    if rule is not Rule.TENANT:
        seen = rule.value.format(table=table)
        reached = "ALL" if rule is Rule.OWN else "SELECT"
        statements.append(
            f"CREATE POLICY end_user ON {table} AS RESTRICTIVE FOR {reached} USING ({_USER} = '' OR {seen})"
        )
    return statements


def protect_common(table: str) -> list[str]:
    """Return the statements for a table that all tenants share: a transaction may use it if it names a tenant."""
    return [*_enable(table), f"CREATE POLICY tenant ON {table} USING ({_ORG} IS NOT NULL)"]


def _enable(table: str) -> list[str]:
    return [
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
        f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY",
        f"CREATE POLICY owner ON {table} TO CURRENT_USER USING (true) WITH CHECK (true)",
    ]
