"""Operations with their items, the ledger of model calls, clusters of playbooks, who changed what."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from sagacity.storage.row_security import Rule, protect

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")
JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
RULES = {
    "operations": Rule.CLOSED,
    "operation_items": Rule.CLOSED,
    "model_calls": Rule.OWN,
    "playbook_clusters": Rule.CLOSED,
}


def upgrade() -> None:
    """Add columns with defaults, and tables that the former release does not know; it never wrote `operations`."""
    for table, name in (("memories", "archived_by"), ("changes", "actor"), ("changes", "reason")):
        op.add_column(table, _text(name))
    # What was put away and not superseded, a person put away.
    op.execute(
        "UPDATE memories SET archived_by = CASE WHEN superseded_by IS NULL THEN 'person' ELSE 'learner' END "
        "WHERE status = 'archived'"
    )
    expires = sa.text("expires_at IS NOT NULL")
    op.create_index(
        "ix_memories_org_expires",
        "memories",
        ["org_id", "expires_at"],
        sqlite_where=expires,
        postgresql_where=expires,
    )
    op.drop_table("operations")
    _operations()
    _model_calls()
    _clusters()
    _waiting_sessions()
    if op.get_context().dialect.name == "postgresql":
        for table, rule in RULES.items():
            for statement in protect(table, rule):
                op.execute(statement)


def _operations() -> None:
    op.create_table(
        "operations",
        _org(),
        sa.Column("operation_id", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        _json("parameters", "{}"),
        _count("total_count"),
        sa.Column("cancel_requested", sa.Boolean(), server_default=sa.false(), nullable=False),
        _text("error"),
        _json("result", "{}"),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("finished_at", sa.BigInteger()),
        _goes_with("operations"),
        sa.PrimaryKeyConstraint("org_id", "operation_id", name=op.f("pk_operations")),
    )
    op.create_index("ix_operations_org_created", "operations", ["org_id", "created_at"])
    running = sa.text("status = 'in_progress'")
    op.create_index(
        "ux_operations_running",
        "operations",
        ["org_id", "name"],
        unique=True,
        sqlite_where=running,
        postgresql_where=running,
    )
    op.create_table(
        "operation_items",
        _org(),
        sa.Column("operation_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        _count("attempts"),
        sa.Column("next_try_at", sa.BigInteger()),
        _text("error"),
        _count("turn_count"),
        _count("generated_count"),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        _goes_with("operation_items"),
        sa.ForeignKeyConstraint(
            ["org_id", "operation_id"],
            ["operations.org_id", "operations.operation_id"],
            name=op.f("fk_operation_items_org_id_operation_id_operations"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("org_id", "operation_id", "user_id", name=op.f("pk_operation_items")),
    )
    op.create_index("ix_operation_items_user", "operation_items", ["org_id", "user_id", "status"])
    op.create_index("ix_operation_items_status", "operation_items", ["org_id", "operation_id", "status"])


def _model_calls() -> None:
    op.create_table(
        "model_calls",
        sa.Column("call_id", NUMBER, autoincrement=True, nullable=False),
        _org(),
        sa.Column("learner", sa.Text(), nullable=False),
        *(_text(name) for name in ("user_id", "model", "prompt")),
        _count("attempt", 1),
        _count("prompt_tokens"),
        _count("completion_tokens"),
        sa.Column("cost_usd", sa.Float()),
        _count("duration_ms"),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        _goes_with("model_calls"),
        sa.PrimaryKeyConstraint("call_id", name=op.f("pk_model_calls")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_model_calls_org_created", "model_calls", ["org_id", "created_at"])
    op.create_index("ix_model_calls_org_user_created", "model_calls", ["org_id", "user_id", "created_at"])


def _clusters() -> None:
    op.create_table(
        "playbook_clusters",
        _org(),
        sa.Column("cluster_id", sa.Text(), nullable=False),
        sa.Column("learner", sa.Text(), nullable=False),
        *(_text(name) for name in ("name", "agent_version", "fingerprint")),
        _json("member_ids", "[]"),
        sa.Column("memory_id", NUMBER),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        _goes_with("playbook_clusters"),
        sa.ForeignKeyConstraint(
            ["memory_id"],
            ["memories.memory_id"],
            name=op.f("fk_playbook_clusters_memory_id_memories"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("org_id", "cluster_id", name=op.f("pk_playbook_clusters")),
    )
    op.create_index("ix_playbook_clusters_name", "playbook_clusters", ["org_id", "learner", "name"])
    op.create_index("ix_playbook_clusters_memory_id", "playbook_clusters", ["memory_id"])


def _waiting_sessions() -> None:
    op.add_column("sessions", _count("evaluation_attempts"))
    waiting = sa.text("evaluate_after IS NOT NULL")
    op.create_index(
        "ix_sessions_waiting",
        "sessions",
        ["org_id", "user_id"],
        sqlite_where=waiting,
        postgresql_where=waiting,
    )
    op.create_index("ix_evaluations_org_session", "evaluations", ["org_id", "session_id"])


def _org() -> sa.Column[str]:
    return sa.Column("org_id", sa.Text(), nullable=False)


def _text(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), server_default="", nullable=False)


def _count(name: str, start: int = 0) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), server_default=str(start), nullable=False)


def _json(name: str, empty: str) -> sa.Column[object]:
    return sa.Column(name, JSON, server_default=sa.text(f"'{empty}'"), nullable=False)


def _goes_with(table: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_org_id_organisations")
    return sa.ForeignKeyConstraint(["org_id"], ["organisations.org_id"], name=name, ondelete="CASCADE")
