"""What the next release may bring: a column in a table that is written to all the time, and a table."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change what others write to first, and make the new table last."""
    if op.get_context().dialect.name == "postgresql":
        op.execute("LOCK TABLE users, interactions IN ACCESS EXCLUSIVE MODE")
    op.add_column("interactions", sa.Column("mood", sa.Text(), server_default="", nullable=False))
    op.create_index("ix_interactions_mood", "interactions", ["org_id", "mood"])
    op.create_table("moods", sa.Column("mood", sa.Text(), primary_key=True))
