"""Which organisations have answers in the making: asked every few seconds, for those that a killed process left."""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """
    Create the index and the view, where they are missing.

    For some days before release 0.1 the first migration created them, and there are databases of those days.
    """
    op.execute(
        "CREATE INDEX IF NOT EXISTS ix_exchanges_running ON exchanges (org_id) WHERE status = 'running'"
    )
    create = (
        "CREATE OR REPLACE VIEW answering_tenants WITH (security_barrier)"
        if op.get_context().dialect.name == "postgresql"
        else "CREATE VIEW IF NOT EXISTS answering_tenants"
    )
    op.execute(
        f"{create} AS SELECT DISTINCT exchanges.org_id FROM exchanges WHERE exchanges.status = 'running'"
    )
