"""Every table, index and constraint, for every backend."""

import sqlalchemy as sa

from sagacity.storage.schema import columns

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# --- who -------------------------------------------------------------------------------------------------------------

organisations = sa.Table(
    "organisations",
    metadata,
    sa.Column("org_id", sa.Text, primary_key=True),
    columns.text("name"),
    sa.Column("status", sa.Text, nullable=False, server_default="active"),
    columns.flag("has_quarantines"),
    columns.flag("has_quotas"),
    columns.at("created_at"),
)
"""
`has_quarantines` and `has_quotas` tell a write whether anything is held or limited, in a row that it locks anyway.
"""

quotas = sa.Table(
    "quotas",
    metadata,
    columns.org(primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("most", sa.BigInteger, nullable=False),
    sa.Column("used", sa.BigInteger, nullable=False, server_default="0"),
    columns.count("day"),
    columns.at("counted_at"),
)
"""
The most that an organisation may have. Additions increase `used`, but deletions do not decrease it; it was exact at
`counted_at`. For a daily limit, `day`, counted from 1970, is the day of `used`.
"""

api_tokens = sa.Table(
    "api_tokens",
    metadata,
    sa.Column("token_id", sa.Text, primary_key=True),
    columns.org(),
    columns.text("name"),
    columns.text("prefix"),
    sa.Column("token_hash", sa.Text, nullable=False, unique=True),
    columns.json("scopes", "[]"),
    sa.Column("user_id", sa.Text),
    columns.at("created_at"),
    columns.text("created_by"),
    columns.maybe_at("expires_at"),
    columns.maybe_at("last_used_at"),
    columns.maybe_at("rotated_at"),
    sa.Column("previous_hash", sa.Text, unique=True),
    columns.maybe_at("previous_until"),
    columns.maybe_at("revoked_at"),
)
"""`user_id` is null for a token that acts for all users, and empty once its user was erased; it is then useless."""

audit_log = sa.Table(
    "audit_log",
    metadata,
    columns.org(primary_key=True),
    sa.Column("seq", sa.BigInteger, primary_key=True, autoincrement=False),
    columns.at("at"),
    sa.Column("actor", sa.Text, nullable=False),
    sa.Column("action", sa.Text, nullable=False),
    columns.text("target"),
    columns.json("details", "{}"),
    sa.Column("hash", sa.Text, nullable=False),
)
"""Rows are only added: the program's role may not change or delete them, and on SQLite triggers refuse it."""
APPEND_ONLY = (audit_log,)
"""Tables whose rows are never changed or deleted."""

tenant_configs = sa.Table(
    "tenant_configs",
    metadata,
    columns.org(primary_key=True),
    sa.Column("config", sa.Text, nullable=False),
    columns.text("data_key"),
    columns.count("version", 1),
    columns.at("updated_at"),
)
"""`data_key` seals the secrets in `config` and its versions, and is itself wrapped by a key outside the database."""

config_versions = sa.Table(
    "config_versions",
    metadata,
    columns.org(primary_key=True),
    sa.Column("version", sa.BigInteger, primary_key=True, autoincrement=False),
    sa.Column("config", sa.Text, nullable=False),
    sa.Column("author", sa.Text, nullable=False),
    columns.json("fields", "[]"),
    columns.at("created_at"),
)
"""Each configuration of an organisation, including the current one; `fields` are those that it changed."""

site_variables = sa.Table(
    "site_variables",
    metadata,
    columns.org(primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
    columns.count("version", 1),
    sa.Column("author", sa.Text, nullable=False),
    columns.at("updated_at"),
)
"""Settings of the whole installation, as JSON; they belong to the organisation that runs it."""

users = sa.Table(
    "users",
    metadata,
    columns.org(primary_key=True),
    sa.Column("user_id", sa.Text, primary_key=True),
    sa.Column("last_seq", sa.BigInteger, nullable=False, server_default="0"),
    columns.maybe_at("due_at"),
    columns.flag("is_erasing"),
    columns.at("created_at"),
    columns.at("updated_at"),
)
"""
One row per user's log: its length, and when it is due (null: there is nothing to do). Nothing is appended while the
user is being erased.
"""
columns.partial("ix_users_due_at", users.c.due_at, where=users.c.due_at.is_not(None))
columns.partial("ix_users_org_due_at", users.c.org_id, users.c.due_at, where=users.c.due_at.is_not(None))

user_settings = sa.Table(
    "user_settings",
    metadata,
    columns.org(primary_key=True),
    sa.Column("user_id", sa.Text, primary_key=True),
    sa.Column("settings_id", sa.Text, nullable=False),
    *columns.texts("display_name", "bio", "timezone", "language"),
    columns.json("preferences", "{}"),
    columns.json("memory", "{}"),
    columns.at("created_at"),
    columns.at("updated_at"),
)
"""One row per user with a record of themselves or settings for their memory; the others have the defaults."""

accounts = sa.Table(
    "accounts",
    metadata,
    columns.org(primary_key=True),
    sa.Column("user_id", sa.Text, primary_key=True),
    sa.Column("email", sa.Text, nullable=False),
    columns.text("full_name"),
    columns.json("metadata", "{}"),
    sa.Column("password_hash", sa.Text, nullable=False),
    columns.maybe_at("verified_at"),
    columns.text("chosen_org"),
    sa.Column("issuer", sa.Text),
    sa.Column("subject", sa.Text),
    columns.at("created_at"),
    columns.at("updated_at"),
    sa.UniqueConstraint("org_id", "email"),
    sa.UniqueConstraint("org_id", "issuer", "subject"),
)
"""
People who sign in; each is a user of the organisation. `chosen_org`: the organisation in which the next session acts.
`issuer` and `subject`: the person's identity at an OpenID Connect provider.
"""


def _of_account() -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["org_id", "user_id"], ["accounts.org_id", "accounts.user_id"], ondelete="CASCADE"
    )


account_sessions = sa.Table(
    "account_sessions",
    metadata,
    columns.org(primary_key=True),
    sa.Column("session_id", sa.Text, primary_key=True),
    sa.Column("user_id", sa.Text, nullable=False),
    sa.Column("refresh_hash", sa.Text, nullable=False),
    columns.text("acts_in"),
    columns.at("created_at"),
    columns.at("expires_at"),
    columns.maybe_at("ended_at"),
    _of_account(),
)
"""Sessions that began with signing in: the organisation that each acts in, and the hash of its newest refresh token."""
sa.Index("ix_account_sessions_user", account_sessions.c.org_id, account_sessions.c.user_id)
sa.Index("ix_account_sessions_expiry", account_sessions.c.org_id, account_sessions.c.expires_at)

account_mails = sa.Table(
    "account_mails",
    metadata,
    columns.org(primary_key=True),
    sa.Column("user_id", sa.Text, primary_key=True),
    sa.Column("purpose", sa.Text, primary_key=True),
    columns.maybe_at("due_at"),
    columns.count("attempts"),
    sa.Column("code_hash", sa.Text),
    columns.maybe_at("expires_at"),
    columns.at("created_at"),
    _of_account(),
)
"""E-mails to accounts. While `due_at` is set, one waits to be sent; its code is made when it is sent."""
columns.partial(
    "ix_account_mails_due",
    account_mails.c.org_id,
    account_mails.c.due_at,
    where=account_mails.c.due_at.is_not(None),
)
columns.partial(
    "ix_account_mails_code",
    account_mails.c.org_id,
    account_mails.c.code_hash,
    where=account_mails.c.code_hash.is_not(None),
)

account_totp = sa.Table(
    "account_totp",
    metadata,
    columns.org(primary_key=True),
    sa.Column("user_id", sa.Text, primary_key=True),
    sa.Column("sealed", sa.Text, nullable=False),
    columns.maybe_at("confirmed_at"),
    columns.count("last_step"),
    columns.json("recovery_hashes", "[]"),
    columns.at("created_at"),
    _of_account(),
)
"""
Secrets of authenticator apps, encrypted. Once `confirmed_at` is set, signing in asks for a code. `last_step`: the time
step of the last accepted code. `recovery_hashes`: the hashes of the unused recovery codes.
"""

access_attempts = sa.Table(
    "access_attempts",
    metadata,
    columns.org(primary_key=True),
    sa.Column("subject", sa.Text, primary_key=True),
    columns.count("attempt_count"),
    columns.maybe_at("blocked_until"),
    columns.at("updated_at"),
)
"""Counts of attempts to sign in, by a hash of the account's address or of the network address."""
sa.Index("ix_access_attempts_updated", access_attempts.c.org_id, access_attempts.c.updated_at)

members = sa.Table(
    "members",
    metadata,
    columns.org(primary_key=True),
    sa.Column("user_id", sa.Text, primary_key=True),
    sa.Column("role", sa.Text, nullable=False),
    columns.at("created_at"),
    columns.text("created_by"),
)
"""Which accounts belong to an organisation. The accounts themselves belong to the one where people sign up."""
sa.Index("ix_members_user", members.c.user_id)

invitations = sa.Table(
    "invitations",
    metadata,
    columns.org(primary_key=True),
    sa.Column("invitation_id", sa.Text, primary_key=True),
    sa.Column("email", sa.Text, nullable=False),
    sa.Column("role", sa.Text, nullable=False),
    columns.at("created_at"),
    columns.text("created_by"),
    columns.at("expires_at"),
    columns.maybe_at("due_at"),
    columns.count("attempts"),
    sa.Column("code_hash", sa.Text, unique=True),
    sa.UniqueConstraint("org_id", "email"),
)
"""Open invitations. While `due_at` is set, an e-mail waits to be sent, as in `account_mails`."""
columns.partial("ix_invitations_due", invitations.c.due_at, where=invitations.c.due_at.is_not(None))

# --- evidence --------------------------------------------------------------------------------------------------------

sessions = sa.Table(
    "sessions",
    metadata,
    columns.org(primary_key=True),
    sa.Column("session_id", sa.Text, primary_key=True),
    sa.Column("user_id", sa.Text, primary_key=True),
    columns.text("title"),
    columns.text("summary"),
    columns.flag("is_conversation"),
    columns.flag("is_archived"),
    columns.count("message_count"),
    columns.count("token_count"),
    columns.count("summarized_seq"),
    columns.count("summarized_count"),
    columns.count("summarized_tokens"),
    sa.Column("episode_id", columns.Number),
    columns.json("metadata", "{}"),
    columns.at("created_at"),
    columns.at("updated_at"),
    columns.maybe_at("last_message_at"),
    columns.maybe_at("evaluate_after"),
    columns.count("evaluation_attempts"),
)
"""
One row per session. While `evaluate_after` is set, it waits to be judged. Sessions of the chat are its conversations:
`summary` covers their turns up to `summarized_seq`, and `episode_id` is the memory that holds it.
"""
columns.partial(
    "ix_sessions_conversations",
    *(sessions.c.org_id, sessions.c.user_id, sessions.c.updated_at, sessions.c.session_id),
    where=sessions.c.is_conversation,
)
columns.partial(
    "ix_sessions_waiting", sessions.c.org_id, sessions.c.user_id, where=sessions.c.evaluate_after.is_not(None)
)

requests = sa.Table(
    "requests",
    metadata,
    columns.org(primary_key=True),
    sa.Column("request_id", sa.Text, primary_key=True),
    sa.Column("user_id", sa.Text, nullable=False),
    sa.Column("session_id", sa.Text),
    columns.text("source"),
    columns.text("agent_version"),
    columns.flag("skip_aggregation"),
    columns.flag("force_extraction"),
    columns.flag("evaluation_only"),
    columns.flag("is_held"),
    columns.json("metadata", "{}"),
    sa.Column("facts", columns.Json),
    sa.Column("first_seq", sa.BigInteger, nullable=False),
    sa.Column("last_seq", sa.BigInteger, nullable=False),
    sa.Column("digest", sa.Text, nullable=False),
    columns.at("created_at"),
    sa.Index("ix_requests_org_created", "org_id", "created_at"),
    sa.Index("ix_requests_org_user_created", "org_id", "user_id", "created_at"),
    sa.Index("ix_requests_org_session", "org_id", "session_id"),
)

interactions = sa.Table(
    "interactions",
    metadata,
    columns.number("interaction_id"),
    columns.org(),
    sa.Column("user_id", sa.Text, nullable=False),
    sa.Column("seq", sa.BigInteger, nullable=False),
    sa.Column("request_id", sa.Text, nullable=False),
    sa.Column("session_id", sa.Text),
    *columns.texts("role", "content", "shadow_content", "expert_content"),
    sa.Column("user_action", sa.Text, nullable=False, server_default="none"),
    *columns.texts("user_action_description", "image_url", "image_base64"),
    columns.json("tools_used", "[]"),
    columns.json("citations", "[]"),
    columns.at("created_at"),
    columns.maybe_at("happened_at"),
    sa.Column("origin", sa.Text),
    columns.flag("is_held"),
    sa.ForeignKeyConstraint(
        ["org_id", "request_id"], ["requests.org_id", "requests.request_id"], ondelete="CASCADE"
    ),
    sa.Index("ux_interactions_log", "org_id", "user_id", "seq", unique=True),
    sa.Index("ix_interactions_org_request", "org_id", "request_id"),
    sa.Index("ix_interactions_org_created", "org_id", "created_at"),
    sqlite_autoincrement=True,
)

exchanges = sa.Table(
    "exchanges",
    metadata,
    columns.org(primary_key=True),
    sa.Column("exchange_id", sa.Text, primary_key=True),
    sa.Column("user_id", sa.Text, nullable=False),
    sa.Column("session_id", sa.Text, nullable=False),
    sa.Column("request_id", sa.Text),
    sa.Column("answer_id", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    columns.flag("stop_requested"),
    columns.flag("is_replaced"),
    columns.flag("include_memory"),
    columns.text("request_type"),
    columns.text("answer"),
    *columns.texts("model", "error_kind", "error", "memory_note"),
    columns.json("memories", "[]"),
    columns.json("citations", "[]"),
    columns.json("timings", "{}"),
    columns.count("question_tokens"),
    columns.count("answer_tokens"),
    columns.count("prompt_tokens"),
    columns.count("completion_tokens"),
    sa.Column("question_turn", columns.Number),
    sa.Column("answer_turn", columns.Number),
    columns.text("owner"),
    columns.at("held_until"),
    columns.maybe_at("read_at"),
    columns.at("created_at"),
    columns.at("updated_at"),
    sa.ForeignKeyConstraint(
        ["org_id", "session_id", "user_id"],
        ["sessions.org_id", "sessions.session_id", "sessions.user_id"],
        ondelete="CASCADE",
    ),
    sa.ForeignKeyConstraint(
        ["org_id", "request_id"], ["requests.org_id", "requests.request_id"], ondelete="CASCADE"
    ),
    sa.Index("ix_exchanges_session", "org_id", "session_id", "user_id", "created_at"),
    sa.Index("ix_exchanges_request", "org_id", "request_id"),
)
"""
One row per message of a user to the chat, with its answer. While the answer is written, `owner` may write it until
`held_until`, and `answer` is the text so far. The finished answer is in the log.
"""
columns.partial("ix_exchanges_running", exchanges.c.org_id, where=sa.text("status = 'running'"))

# --- memories --------------------------------------------------------------------------------------------------------

memories = sa.Table(
    "memories",
    metadata,
    columns.number("memory_id"),
    columns.org(),
    sa.Column("uid", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("user_id", sa.Text),
    *columns.texts("agent_version", "name", "source", "slot", "content"),
    sa.Column("trigger", sa.Text),
    sa.Column("pitfall", sa.Text),
    sa.Column("rationale", sa.Text),
    sa.Column("blocking_issue", columns.Json),
    columns.json("attributes", "{}"),
    columns.json("keywords", "[]"),
    columns.json("source_request_ids", "[]"),
    columns.json("source_interaction_ids", "[]"),
    columns.json("provenance", "{}"),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("approval", sa.Text, nullable=False),
    columns.flag("is_held"),
    sa.Column("confidence", sa.Float, nullable=False, server_default="1"),
    columns.count("token_count"),
    columns.count("access_count"),
    columns.maybe_at("last_accessed_at"),
    columns.at("created_at"),
    columns.at("updated_at"),
    columns.maybe_at("archived_at"),
    columns.text("archived_by"),
    columns.maybe_at("valid_from"),
    columns.maybe_at("valid_to"),
    columns.maybe_at("expires_at"),
    sa.Column("superseded_by", columns.Number),
    sa.Column("replaced_state", columns.Json),
    columns.json("metadata", "{}"),
    sa.Index("ux_memories_uid", "org_id", "uid", unique=True),
    sa.Index(  # with the columns that counts read, so that they read only the index
        "ix_memories_org_kind_user",
        *("org_id", "kind", "user_id", "status", "updated_at"),
        postgresql_include=["expires_at", "valid_to"],
    ),
    sa.Index("ix_memories_org_kind_updated", "org_id", "kind", "updated_at"),
    columns.partial(  # pending or archived memories of all users, last changed first
        "ix_memories_org_kind_status",
        *("org_id", "kind", "status", "updated_at"),
        where=sa.text("status <> 'current'"),
    ),
    sa.Index("ix_memories_org_created", "org_id", "created_at"),
    sa.Index("ix_memories_org_user_created", "org_id", "user_id", "created_at", "memory_id"),
    columns.partial("ix_memories_slot", "org_id", "kind", "user_id", "slot", where=sa.text("slot <> ''")),
    columns.partial(
        "ix_memories_org_expires", "org_id", "expires_at", where=sa.text("expires_at IS NOT NULL")
    ),
    columns.partial("ix_memories_replaced_state", "org_id", where=sa.text("replaced_state IS NOT NULL")),
    sqlite_autoincrement=True,
)

memory_requests = sa.Table(
    "memory_requests",
    metadata,
    columns.org(primary_key=True),
    sa.Column("request_id", sa.Text, primary_key=True),
    columns.part_of("memory_id", "memories.memory_id", primary_key=True),
    sa.Index("ix_memory_requests_memory_id", "memory_id"),
)
"""Which memories a request taught, for receipts."""

changes = sa.Table(
    "changes",
    metadata,
    columns.number("change_id"),
    columns.org(),
    sa.Column("run_id", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("user_id", sa.Text),
    sa.Column("request_id", sa.Text),
    columns.part_of("memory_id", "memories.memory_id"),
    sa.Column("action", sa.Text, nullable=False),
    columns.text("actor"),
    columns.text("reason"),
    sa.Column("before", columns.Json),
    sa.Column("after", columns.Json),
    columns.at("created_at"),
    sa.Index("ix_changes_org_kind_run", "org_id", "kind", "run_id"),
    sa.Index("ix_changes_memory_id", "memory_id"),
)
"""One row per memory that a run changed. It is deleted with its memory, so that erased content survives nowhere."""

quarantines = sa.Table(
    "quarantines",
    metadata,
    columns.org(primary_key=True),
    sa.Column("quarantine_id", sa.Text, primary_key=True),
    sa.Column("target", sa.Text, nullable=False),
    sa.Column("value", sa.Text, nullable=False),
    *columns.texts("reason", "actor"),
    columns.count("request_count"),
    columns.count("memory_count"),
    columns.at("created_at"),
    columns.maybe_at("released_at"),
    *columns.texts("released_by", "release_reason"),
    sa.Index("ix_quarantines_org_created", "org_id", "created_at"),
)
"""What was taken out of service, by whom and why; a quarantine is in force until `released_at`. The target says which
requests are held, and `held_memories` which memories. Held rows are marked with `is_held`."""

held_memories = sa.Table(
    "held_memories",
    metadata,
    columns.org(primary_key=True),
    sa.Column("quarantine_id", sa.Text, primary_key=True),
    columns.part_of("memory_id", "memories.memory_id", primary_key=True),
    sa.ForeignKeyConstraint(
        ["org_id", "quarantine_id"], ["quarantines.org_id", "quarantines.quarantine_id"], ondelete="CASCADE"
    ),
    sa.Index("ix_held_memories_memory_id", "memory_id"),
)
"""Which memories rest on the target of a quarantine; a memory is held as long as it has a row."""

duplicate_pairs = sa.Table(
    "duplicate_pairs",
    metadata,
    columns.org(primary_key=True),
    columns.part_of("memory_id", "memories.memory_id", primary_key=True),
    columns.part_of("other_id", "memories.memory_id", primary_key=True),
    sa.Column("similarity", sa.Float, nullable=False),
    columns.at("found_at"),
    sa.Index("ix_duplicate_pairs_memory_id", "memory_id"),
    sa.Index("ix_duplicate_pairs_other_id", "other_id"),
)
"""Memories of one owner and kind that say nearly the same, each pair in both directions. A pair is deleted when one of
its memories is deleted, archived or changed."""

review_actions = sa.Table(
    "review_actions",
    metadata,
    columns.number("action_id"),
    columns.org(),
    sa.Column("user_id", sa.Text),
    sa.Column("kind", sa.Text, nullable=False),
    columns.part_of("memory_id", "memories.memory_id"),
    sa.Column("step", sa.Text, nullable=False),
    sa.Column("other_id", columns.Number),
    *columns.texts("actor", "reason"),
    sa.Column("run_id", sa.Text, nullable=False),
    columns.at("created_at"),
    columns.maybe_at("kept_until"),
    columns.maybe_at("undone_at"),
    columns.text("undone_by"),
    sa.Index("ix_review_actions_memory_id", "memory_id"),
    sa.Index("ix_review_actions_org_user", "org_id", "user_id", "action_id"),
    sqlite_autoincrement=True,
)
"""One row per review action. What it changed is in `changes` under its `run_id`. It is deleted with its memory."""

entities = sa.Table(
    "entities",
    metadata,
    columns.number("entity_id"),
    columns.org(),
    sa.Column("user_id", sa.Text, nullable=False),
    columns.text("name"),
    sa.Column("normalized_name", sa.Text, nullable=False),
    columns.json("aliases", "[]"),
    columns.text("entity_type"),
    columns.text("description"),
    columns.json("attributes", "{}"),
    columns.count("mention_count"),
    columns.maybe_at("last_mentioned_at"),
    columns.flag("is_kept"),
    columns.at("created_at"),
    columns.at("updated_at"),
    sa.Index("ux_entities_name", "org_id", "user_id", "normalized_name", unique=True),
)
"""
Entities that users mention. Those that a person made or edited are kept even if no memory mentions them. The
description is one that a person wrote.
"""

entity_names = sa.Table(
    "entity_names",
    metadata,
    columns.org(primary_key=True),
    sa.Column("user_id", sa.Text, primary_key=True),
    sa.Column("normalized_name", sa.Text, primary_key=True),
    columns.part_of("entity_id", "entities.entity_id"),
    sa.Column("memory_id", columns.Number),
    sa.Index("ix_entity_names_entity_id", "entity_id"),
)
"""Every name and alias; each belongs to one entity of a user. One that a memory gave is deleted with that memory."""

entity_mentions = sa.Table(
    "entity_mentions",
    metadata,
    columns.org(primary_key=True),
    columns.part_of("entity_id", "entities.entity_id", primary_key=True),
    columns.part_of("memory_id", "memories.memory_id", primary_key=True),
    columns.text("description"),
    sa.Index("ix_entity_mentions_entity_id", "entity_id", "memory_id"),
    sa.Index("ix_entity_mentions_memory_id", "memory_id"),
)
"""Which memories mention an entity, and how each describes it."""

relationships = sa.Table(
    "relationships",
    metadata,
    columns.number("relationship_id"),
    columns.org(),
    sa.Column("user_id", sa.Text, nullable=False),
    columns.part_of("source_id", "entities.entity_id"),
    columns.part_of("target_id", "entities.entity_id"),
    columns.text("relationship_type"),
    sa.Column("confidence", sa.Float, nullable=False, server_default="1"),
    columns.text("description"),
    columns.flag("is_bidirectional"),
    columns.flag("is_kept"),
    columns.at("created_at"),
    columns.at("updated_at"),
    sa.Index("ux_relationships", "org_id", "source_id", "relationship_type", "target_id", unique=True),
    sa.Index("ix_relationships_source_id", "source_id", "confidence", "relationship_id"),
    sa.Index("ix_relationships_target_id", "target_id", "confidence", "relationship_id"),
    sa.Index("ix_relationships_org_user", "org_id", "user_id"),
)
"""Relationships between entities. The description is one that a person wrote."""

relationship_mentions = sa.Table(
    "relationship_mentions",
    metadata,
    columns.org(primary_key=True),
    columns.part_of("relationship_id", "relationships.relationship_id", primary_key=True),
    columns.part_of("memory_id", "memories.memory_id", primary_key=True),
    columns.text("description"),
    sa.Index("ix_relationship_mentions_relationship_id", "relationship_id"),
    sa.Index("ix_relationship_mentions_memory_id", "memory_id"),
)
"""Which memories state a relationship, and how each describes it."""

# --- learners --------------------------------------------------------------------------------------------------------

cursors = sa.Table(
    "cursors",
    metadata,
    columns.org(primary_key=True),
    sa.Column("user_id", sa.Text, primary_key=True),
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("extractor_name", sa.Text, primary_key=True),
    sa.Column("version", sa.Text, primary_key=True),
    sa.Column("seq", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("outcome", sa.Text),
    columns.count("attempts"),
    columns.text("error"),
    columns.maybe_at("next_try_at"),
    columns.at("updated_at"),
)

leases = sa.Table(
    "leases",
    metadata,
    columns.org(primary_key=True),
    sa.Column("task", sa.Text, primary_key=True),
    sa.Column("user_id", sa.Text, primary_key=True),
    sa.Column("owner", sa.Text, nullable=False),
    sa.Column("fencing", sa.BigInteger, nullable=False),
    columns.at("expires_at"),
)

dead_letters = sa.Table(
    "dead_letters",
    metadata,
    columns.number("dead_letter_id"),
    columns.org(),
    sa.Column("learner", sa.Text, nullable=False),
    sa.Column("user_id", sa.Text, nullable=False),
    sa.Column("first_seq", sa.BigInteger, nullable=False),
    sa.Column("last_seq", sa.BigInteger, nullable=False),
    columns.count("attempts"),
    columns.text("error_kind"),
    columns.text("error"),
    sa.Column("status", sa.Text, nullable=False),
    columns.at("created_at"),
    columns.at("updated_at"),
    sa.Index("ix_dead_letters_org_user", "org_id", "user_id", "status"),
    sqlite_autoincrement=True,
)
columns.partial("ix_dead_letters_parked", dead_letters.c.org_id, where=dead_letters.c.status == "parked")

evaluations = sa.Table(
    "evaluations",
    metadata,
    columns.number("result_id"),
    columns.org(),
    *columns.texts("agent_version", "source"),
    sa.Column("session_id", sa.Text, nullable=False),
    sa.Column("user_id", sa.Text),
    sa.Column("is_success", sa.Boolean(create_constraint=False), nullable=False),
    sa.Column("failure_type", sa.Text),
    sa.Column("failure_reason", sa.Text),
    sa.Column("evaluation_name", sa.Text),
    sa.Column("regular_vs_shadow", sa.Text),
    sa.Column("is_shadow_first", sa.Boolean(create_constraint=False)),
    sa.Column("is_shadow_success", sa.Boolean(create_constraint=False)),
    columns.text("comparison_reason"),
    columns.count("number_of_correction_per_session"),
    sa.Column("user_turns_to_resolution", sa.Integer),
    columns.flag("is_escalated"),
    columns.at("created_at"),
    sa.Index("ix_evaluations_org_created", "org_id", "created_at"),
    sa.Index("ix_evaluations_org_session", "org_id", "session_id"),
)

usage_events = sa.Table(
    "usage_events",
    metadata,
    columns.number("event_id"),
    columns.org(),
    sa.Column("uid", sa.Text, nullable=False),
    *columns.texts("user_id", "request_id", "session_id"),
    sa.Column("pipeline", sa.Text),
    sa.Column("entity_type", sa.Text),
    sa.Column("entity_id", sa.Text),
    sa.Column("event_name", sa.Text, nullable=False),
    sa.Column("event_category", sa.Text, nullable=False),
    columns.text("caller_type"),
    columns.count("count_value", 1),
    sa.Column("prompt_tokens", sa.Integer),
    sa.Column("completion_tokens", sa.Integer),
    sa.Column("billing_input_tokens", sa.Integer),
    sa.Column("platform_llm", sa.Integer),
    sa.Column("platform_storage", sa.Integer),
    sa.Column("duration_ms", sa.Integer),
    sa.Column("error_kind", sa.Text),
    sa.Column("holdout_share", sa.Float),
    columns.json("metadata", "{}"),
    columns.at("created_at"),
    sa.Index("ux_usage_events_uid", "org_id", "uid", unique=True),
    sa.Index("ix_usage_events_org_created", "org_id", "created_at", "event_id"),
    sa.Index("ix_usage_events_user", "org_id", "user_id"),
    columns.partial(
        "ix_usage_events_entity",
        "org_id",
        "entity_type",
        "entity_id",
        "created_at",
        where=sa.text("entity_id IS NOT NULL"),
    ),
    columns.partial(
        "ix_usage_events_holdout", "org_id", "entity_type", where=sa.text("holdout_share IS NOT NULL")
    ),
)
"""
One row per usage event: a search, a memory that it surfaced or held out, or a memory that an answer cites. It names its
memory by kind and API id, because the memory may be deleted; its own `uid` keeps it from being counted twice.
"""

operations = sa.Table(
    "operations",
    metadata,
    columns.org(primary_key=True),
    sa.Column("operation_id", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    columns.json("parameters", "{}"),
    columns.count("total_count"),
    columns.flag("cancel_requested"),
    columns.text("error"),
    columns.json("result", "{}"),
    columns.at("created_at"),
    columns.maybe_at("finished_at"),
    sa.Index("ix_operations_org_created", "org_id", "created_at"),
)
"""Runs that someone started; their items record the progress."""
_only_one = sa.text("status = 'in_progress' AND name <> 'user_erasure'")
sa.Index(
    "ux_operations_running",
    operations.c.org_id,
    operations.c.name,
    unique=True,
    sqlite_where=_only_one,
    postgresql_where=_only_one,
)

operation_items = sa.Table(
    "operation_items",
    metadata,
    columns.org(primary_key=True),
    sa.Column("operation_id", sa.Text, primary_key=True),
    sa.Column("user_id", sa.Text, primary_key=True),
    sa.Column("status", sa.Text, nullable=False),
    columns.count("attempts"),
    columns.maybe_at("next_try_at"),
    columns.text("error"),
    columns.count("turn_count"),
    columns.count("generated_count"),
    columns.count("step_count"),
    columns.count("step_total"),
    columns.at("updated_at"),
    sa.ForeignKeyConstraint(
        ["org_id", "operation_id"], ["operations.org_id", "operations.operation_id"], ondelete="CASCADE"
    ),
    sa.Index("ix_operation_items_user", "org_id", "user_id", "status"),
    sa.Index("ix_operation_items_turn", "org_id", "operation_id", "status", "next_try_at", "updated_at"),
)
"""One row per user whom an operation works on (`user_id` empty: the tenant itself). While `next_try_at` is empty, it
waits for its turn."""

erasures = sa.Table(
    "erasures",
    metadata,
    columns.org(primary_key=True),
    sa.Column("erasure_id", sa.Text, primary_key=True),
    sa.Column("user_hash", sa.Text, nullable=False),
    sa.Column("key_id", sa.Text, nullable=False),
    sa.Column("sealed", sa.Text),
    columns.json("counts", "{}"),
    columns.json("withdrawn", "[]"),
    sa.Column("report", columns.Json),
    columns.at("created_at"),
    columns.maybe_at("gone_at"),
    columns.maybe_at("finished_at"),
    sa.Index("ix_erasures_org_created", "org_id", "created_at"),
)
"""
One row per user who was or is being erased (`erasure_id`: the operation that does it), without the user's name:
`user_hash` is keyed, and what is needed of the user until the end is encrypted in `sealed`. The user's rows were
deleted at `gone_at`; `report` is signed.
"""
columns.partial(
    "ux_erasures_running",
    *(erasures.c.org_id, erasures.c.user_hash),
    where=erasures.c.finished_at.is_(None),
    unique=True,
)

imports = sa.Table(
    "imports",
    metadata,
    columns.org(primary_key=True),
    sa.Column("import_id", sa.Text, primary_key=True),
    columns.text("step"),
    sa.Column("done_count", sa.BigInteger, nullable=False, server_default="0"),
    columns.at("created_at"),
    columns.maybe_at("finished_at"),
)
"""
One row per imported file (`import_id`: the checksum of its content), with how far its import got: `done_count` rows of
`step`. It names no user.
"""

model_calls = sa.Table(
    "model_calls",
    metadata,
    columns.number("call_id"),
    columns.org(),
    sa.Column("learner", sa.Text, nullable=False),
    *columns.texts("user_id", "model", "prompt"),
    columns.count("attempt", 1),
    columns.count("prompt_tokens"),
    columns.count("completion_tokens"),
    columns.count("cached_tokens"),
    sa.Column("cost_usd", sa.Float),
    columns.count("duration_ms"),
    sa.Column("outcome", sa.Text, nullable=False),
    columns.at("created_at"),
    sa.Index("ix_model_calls_org_created", "org_id", "created_at"),
    sa.Index("ix_model_calls_org_user_created", "org_id", "user_id", "created_at"),
    sqlite_autoincrement=True,
)
"""The ledger: one row per request to a provider."""

extractions = sa.Table(
    "extractions",
    metadata,
    columns.number("extraction_id"),
    columns.org(),
    sa.Column("learner", sa.Text, nullable=False),
    sa.Column("user_id", sa.Text, nullable=False),
    sa.Column("version", sa.Text, nullable=False),
    sa.Column("run_id", sa.Text),
    sa.Column("first_seq", sa.BigInteger, nullable=False),
    sa.Column("last_seq", sa.BigInteger, nullable=False),
    *columns.texts("prompt", "model"),
    *(columns.count(name) for name in ("proposed", "kept", "merged", "dropped")),
    columns.json("reasons", "{}"),
    columns.at("created_at"),
    sa.Index("ix_extractions_org_created", "org_id", "created_at"),
    sa.Index("ix_extractions_org_user_last", "org_id", "user_id", "last_seq"),
    sa.Index("ix_extractions_org_run", "org_id", "run_id"),
    sqlite_autoincrement=True,
)
"""One row per window from which a learner proposed something, with counts of the outcomes."""

request_analytics = sa.Table(
    "request_analytics",
    metadata,
    columns.org(primary_key=True),
    sa.Column("id", sa.Text, primary_key=True),
    columns.text("user_id"),
    sa.Column("request_id", sa.Text, nullable=False),
    sa.Column("request_type", sa.Text, nullable=False),
    sa.Column("conversation_id", sa.Text),
    sa.Column("message_id", sa.Text),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("error_message", sa.Text),
    sa.Column("error_type", sa.Text),
    sa.Column("total_time_ms", sa.Float, nullable=False),
    sa.Column("ttfb_ms", sa.Float),
    sa.Column("retrieval_ms", sa.Float),
    sa.Column("ranking_ms", sa.Float),
    sa.Column("context_building_ms", sa.Float),
    sa.Column("llm_ms", sa.Float),
    columns.count("vector_results"),
    columns.count("keyword_results"),
    columns.count("graph_results"),
    columns.count("raw_results"),
    columns.count("duplicates"),
    sa.Column("combined_score", sa.Float),
    sa.Column("context_tokens", sa.Integer),
    sa.Column("is_truncated", sa.Integer),
    sa.Column("intent", sa.Text),
    columns.json("step_timings", "{}"),
    columns.json("retrieval_metrics", "{}"),
    columns.json("context_metrics", "{}"),
    columns.json("query_analysis", "{}"),
    columns.at("created_at"),
    sa.Index("ix_request_analytics_created", "org_id", "created_at", "id"),
    sa.Index("ix_request_analytics_user_created", "org_id", "user_id", "created_at", "id"),
)
"""
One row per call that searched memories or answered. Values that are summed up have their own columns besides the JSON,
which has all. A row names its conversation and message, which may be deleted.
"""

analytics_daily = sa.Table(
    "analytics_daily",
    metadata,
    columns.org(primary_key=True),
    sa.Column("user_id", sa.Text, primary_key=True),
    sa.Column("day", sa.Integer, primary_key=True, autoincrement=False),
    columns.count("total_requests"),
    columns.count("chat_stream_requests"),
    columns.count("chat_complete_requests"),
    columns.count("memory_search_requests"),
    columns.count("context_build_requests"),
    columns.count("successful_requests"),
    columns.count("partial_requests"),
    columns.count("error_requests"),
    columns.json("latency_stats", "{}"),
    columns.json("retrieval_stats", "{}"),
    columns.json("context_stats", "{}"),
    columns.json("intent_distribution", "{}"),
    columns.at("created_at"),
    columns.at("updated_at"),
    sa.Index("ix_analytics_daily_day", "org_id", "day"),
)
"""
One row per user and day (counted from 1970, in UTC): the sums of `request_analytics`, made before its rows are deleted.
"""

playbook_clusters = sa.Table(
    "playbook_clusters",
    metadata,
    columns.org(primary_key=True),
    sa.Column("cluster_id", sa.Text, primary_key=True),
    sa.Column("learner", sa.Text, nullable=False),
    *columns.texts("name", "agent_version", "fingerprint"),
    columns.json("member_ids", "[]"),
    sa.Column("memory_id", columns.Number, sa.ForeignKey("memories.memory_id", ondelete="SET NULL")),
    columns.at("created_at"),
    columns.at("updated_at"),
    sa.Index("ix_playbook_clusters_name", "org_id", "learner", "name"),
    sa.Index("ix_playbook_clusters_memory_id", "memory_id"),
)
"""Which user playbooks belong together for a `learner` (`aggregation` or `skills`), and what was made from them. A
cluster keeps its id while its members come and go."""

distillations = sa.Table(
    "distillations",
    metadata,
    columns.org(primary_key=True),
    sa.Column("learner", sa.Text, primary_key=True),
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("agent_version", sa.Text, primary_key=True),
    sa.Column("last_read", sa.BigInteger, nullable=False, server_default="0"),
    columns.count("attempts"),
    columns.text("error"),
    columns.maybe_at("cooldown_from"),
)
"""How far the user playbooks of a name and agent version were distilled into agent playbooks or skills."""

# --- search: a copy that can be rebuilt ------------------------------------------------------------------------------

search_index = sa.Table(
    "search_index",
    metadata,
    sa.Column("index_id", sa.Integer, primary_key=True),
    sa.Column("embedder", sa.Text, nullable=False),
    sa.Column("dimension", sa.Integer, nullable=False),
    sa.Column("analyzer", sa.Text, nullable=False),
    columns.at("created_at"),
)
"""A single row: the embedder and analyzer that made the vectors and terms below."""

search_scopes = sa.Table(
    "search_scopes",
    metadata,
    columns.number("scope_id"),
    columns.org(),
    sa.Column("user_id", sa.Text, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("document_count", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("term_count", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("revision", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("removed_revision", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("copied_revision", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("compared_revision", sa.BigInteger, nullable=False, server_default="0"),
    sa.Index("ux_search_scopes", "org_id", "kind", "user_id", unique=True),
    sa.Index("ix_search_scopes_org_user", "org_id", "user_id"),
    sqlite_autoincrement=True,
)
"""One user's documents of one kind (`user_id` empty: the tenant's): the statistics that BM25 needs, and a revision that
every change increases, which tells a cached copy whether it is valid. Up to `compared_revision`, its documents were
searched for duplicates. Numbers of scopes and documents are never reused, so that cached data is never taken for that
of another."""

search_documents = sa.Table(
    "search_documents",
    metadata,
    columns.number("document_id"),
    columns.org(),
    columns.part_of("scope_id", "search_scopes.scope_id"),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("owner_id", columns.Number, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("approval", sa.Text, nullable=False),
    sa.Column("visibility", sa.Text, nullable=False),
    columns.flag("is_held"),
    *columns.texts("agent_version", "name", "source"),
    sa.Column("request_id", sa.Text),
    columns.at("changed_at"),
    columns.maybe_at("expires_at"),
    columns.maybe_at("created_at"),
    columns.maybe_at("event_at"),
    columns.maybe_at("archived_at"),
    sa.Column("first_person", sa.Float),
    sa.Column("asks", sa.Boolean),
    sa.Column("caution", sa.Text),
    sa.Column("facts", columns.Json),
    columns.text("text"),
    columns.count("term_count"),
    sa.Column("terms", sa.LargeBinary, nullable=False),
    sa.Column("revision", sa.BigInteger, nullable=False),
    sa.Column("vector", columns.Halves),
    columns.count("embed_attempts"),
    columns.text("embed_error"),
    sa.Index("ux_search_documents_owner", "org_id", "kind", "owner_id", unique=True),
    sa.Index("ix_search_documents_scope", "scope_id", "revision"),
    sqlite_autoincrement=True,
)
_waiting = (search_documents.c.org_id, search_documents.c.document_id)
columns.partial("ix_search_documents_unembedded", *_waiting, where=search_documents.c.vector.is_(None))
_withheld = (search_documents.c.org_id, search_documents.c.kind, search_documents.c.visibility)
columns.partial("ix_search_documents_withheld", *_withheld, where=sa.text("visibility <> 'served'"))
_cautions = (search_documents.c.org_id, search_documents.c.scope_id)
columns.partial("ix_search_documents_cautions", *_cautions, where=search_documents.c.caution.is_not(None))
