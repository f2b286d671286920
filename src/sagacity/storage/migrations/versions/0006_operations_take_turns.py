"""Operations take turns: an index over whose turn it is, and how many steps of an item are done."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add counts that are zero: no row is written anew, and the former release goes on without them."""
    for name in ("step_count", "step_total"):
        op.add_column("operation_items", sa.Column(name, sa.Integer(), server_default="0", nullable=False))
    op.create_index(
        "ix_operation_items_turn",
        "operation_items",
        ["org_id", "operation_id", "status", "next_try_at", "updated_at"],
    )
    op.drop_index("ix_operation_items_status", "operation_items")
