"""Entities by any of their names, ties that rest on many memories, and what people edit of both."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from sagacity.storage.row_security import Rule, protect

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")
JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
WRITTEN = ("memories", "entities", "entity_mentions", "relationships")
"""In the order in which transactions of the former release come to them."""
TIE = ("org_id", "source_id", "relationship_type", "target_id")
SAME = " AND ".join(f"one.{name} = relationships.{name}" for name in TIE)
FIRST = (
    f"SELECT min(relationship_id) AS first_id, {', '.join(TIE)} FROM relationships GROUP BY {', '.join(TIE)}"
)


def upgrade() -> None:
    """
    Add columns with defaults, and two tables that the former release does not know.

    It goes on: a tie that it adds names its one memory in `relationships`, and a second memory that says the same is
    not noted while it runs.
    """
    on_postgresql = op.get_context().dialect.name == "postgresql"
    if on_postgresql:
        op.execute(f"LOCK TABLE {', '.join(WRITTEN)} IN ACCESS EXCLUSIVE MODE")
    _entities()
    _relationships()
    if on_postgresql:
        for statement in (
            *protect("entity_names", Rule.OWN),
            *protect("relationship_mentions", Rule.MEMORY),
        ):
            op.execute(statement)


def _entities() -> None:
    op.add_column("entities", sa.Column("description", sa.Text(), server_default="", nullable=False))
    op.add_column("entities", sa.Column("attributes", JSON, server_default=sa.text("'{}'"), nullable=False))
    op.add_column("entities", sa.Column("last_mentioned_at", sa.BigInteger()))
    op.add_column("entities", sa.Column("is_kept", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.execute(
        "UPDATE entities SET last_mentioned_at = updated_at, "
        "entity_type = CASE entity_type WHEN 'place' THEN 'location' ELSE entity_type END"
    )
    op.create_table(
        "entity_names",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("user_id", sa.Text(), nullable=False),
        sa.Column("normalized_name", sa.Text(), nullable=False),
        sa.Column("entity_id", NUMBER, nullable=False),
        _goes_with("entity_names", "org_id", "organisations", "org_id"),
        _goes_with("entity_names", "entity_id", "entities", "entity_id"),
        sa.PrimaryKeyConstraint("org_id", "user_id", "normalized_name", name=op.f("pk_entity_names")),
    )
    op.create_index("ix_entity_names_entity_id", "entity_names", ["entity_id"])
    op.drop_index("ix_entity_mentions_entity_id", "entity_mentions")
    op.create_index("ix_entity_mentions_entity_id", "entity_mentions", ["entity_id", "memory_id"])
    op.execute(
        "INSERT INTO entity_names (org_id, user_id, normalized_name, entity_id) "
        "SELECT org_id, user_id, normalized_name, entity_id FROM entities"
    )


def _relationships() -> None:
    op.execute(
        "UPDATE relationships SET confidence = "
        f"(SELECT max(one.confidence) FROM relationships one WHERE {SAME}) "
        f"WHERE EXISTS (SELECT 1 FROM relationships one WHERE {SAME} AND one.confidence > relationships.confidence)"
    )
    for name in ("ux_relationships", "ix_relationships_source_id", "ix_relationships_target_id"):
        op.drop_index(name, "relationships")
    with op.batch_alter_table("relationships") as batch:
        batch.alter_column("memory_id", existing_type=NUMBER, nullable=True)
        batch.add_column(sa.Column("description", sa.Text(), server_default="", nullable=False))
        batch.add_column(
            sa.Column("is_bidirectional", sa.Boolean(), server_default=sa.false(), nullable=False)
        )
        batch.add_column(sa.Column("is_kept", sa.Boolean(), server_default=sa.false(), nullable=False))
        batch.add_column(sa.Column("updated_at", sa.BigInteger()))
    op.create_table(
        "relationship_mentions",
        sa.Column("org_id", sa.Text(), nullable=False),
        sa.Column("relationship_id", NUMBER, nullable=False),
        sa.Column("memory_id", NUMBER, nullable=False),
        _goes_with("relationship_mentions", "org_id", "organisations", "org_id"),
        _goes_with("relationship_mentions", "relationship_id", "relationships", "relationship_id"),
        _goes_with("relationship_mentions", "memory_id", "memories", "memory_id"),
        sa.PrimaryKeyConstraint(
            "org_id", "relationship_id", "memory_id", name=op.f("pk_relationship_mentions")
        ),
    )
    for column in ("relationship_id", "memory_id"):
        op.create_index(f"ix_relationship_mentions_{column}", "relationship_mentions", [column])
    # Not before the batch: SQLite makes the table anew in it, and what goes with the former one would go.
    op.execute(
        "INSERT INTO relationship_mentions (org_id, relationship_id, memory_id) "
        "SELECT relationships.org_id, one.first_id, relationships.memory_id FROM relationships "
        f"JOIN ({FIRST}) one ON {SAME}"
    )
    # Every tie of the first releases rests on a memory; NOT IN would compare each with each where there are many.
    op.execute(
        "DELETE FROM relationships WHERE NOT EXISTS (SELECT 1 FROM relationship_mentions one "
        "WHERE one.relationship_id = relationships.relationship_id)"
    )
    op.execute("UPDATE relationships SET memory_id = NULL, updated_at = created_at")
    op.create_index("ux_relationships", "relationships", list(TIE), unique=True)
    for end in ("source_id", "target_id"):
        op.create_index(f"ix_relationships_{end}", "relationships", [end, "confidence", "relationship_id"])
    op.create_index("ix_relationships_org_user", "relationships", ["org_id", "user_id"])


def _goes_with(table: str, column: str, target: str, key: str) -> sa.ForeignKeyConstraint:
    name = op.f(f"fk_{table}_{column}_{target}")
    return sa.ForeignKeyConstraint([column], [f"{target}.{key}"], name=name, ondelete="CASCADE")
