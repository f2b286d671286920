"""What searches are filtered by: when things happened and were put away, their tags and metadata."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

WRITTEN_FIRST = ("requests", "interactions", "memories", "search_documents")
"""In the order in which transactions of the former release come to them."""


def upgrade() -> None:
    """Add columns that may be empty: no row is written anew, and the former release goes on without them."""
    if op.get_context().dialect.name == "postgresql":
        op.execute(f"LOCK TABLE {', '.join(WRITTEN_FIRST)} IN ACCESS EXCLUSIVE MODE")
    op.add_column("interactions", sa.Column("happened_at", sa.BigInteger()))
    op.add_column("memories", sa.Column("archived_at", sa.BigInteger()))
    for name in ("created_at", "event_at", "archived_at"):
        op.add_column("search_documents", sa.Column(name, sa.BigInteger()))
    op.add_column("search_documents", sa.Column("first_person", sa.Float()))
    facts = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
    for table in ("requests", "search_documents"):
        op.add_column(table, sa.Column("facts", facts))
