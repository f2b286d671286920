"""The figure by which workers are added, asked as the autoscaler asks it."""

from datetime import UTC, datetime, timedelta

import psycopg

from conftest import PROGRAM
from sagacity.domain.ids import UserId
from support.deployment import objects
from support.local_servers import PostgresServer
from support.parts import ANNA, BEN, ORG, OTHER_ORG, CountingIds, StoppedClock, opened, said

LATER = datetime.now(UTC) + timedelta(days=365)
"""The autoscaler asks by the server's clock, so that this one is the real one."""
CARL = UserId("carl")


async def test_the_backlog_is_every_organisations_users_due_by_now(
    postgres: PostgresServer, migrated_database: str, clock: StoppedClock, ids: CountingIds
):
    """Those whose time has come are counted, over all organisations; those who wait for theirs are not."""
    [trigger] = objects("ScaledObject")["sagacity-worker"]["spec"]["triggers"]
    database = postgres.new_database(template=migrated_database)
    url = postgres.url_of(database, PROGRAM)
    async with opened(url, clock, ids) as storage:
        for tenant, user in ((ORG, ANNA), (ORG, BEN), (ORG, CARL), (OTHER_ORG, ANNA)):
            await storage.append(tenant, said("hello", request_id=f"{tenant.org_id}-{user}", user_id=user))
        async with storage.begin(ORG) as transaction:
            await transaction.cursors.set_due(BEN, LATER)
            await transaction.cursors.set_due(CARL, None)
    with psycopg.connect(url) as session:
        assert session.execute(trigger["metadata"]["query"]).fetchall() == [(2,)]
    postgres.drop_database(database)
