"""How PostgreSQL finds rows with plans that are kept: by what is asked for, and never by reading all of a user's."""

import re
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from sagacity.domain.memory import MemoryKind
from sagacity.storage.search.bm25 import _best
from sagacity.storage.transaction import Storage
from support.databases import POSTGRESQL
from support.local_servers import PostgresServer
from support.parts import ANNA, ORG, new_memory

pytestmark = pytest.mark.own_database

WORDS = [f"{first}{second}" for first in "bcdfghjklm" for second in ("ar", "el", "im", "on", "ust")]
KINDS = tuple(sorted(map(str, (MemoryKind.PROFILE, MemoryKind.USER_PLAYBOOK))))


def generic(statement: sa.Select[Any]) -> str:
    """What asks for the plan that a statement gets whatever its values are."""
    text = str(statement.compile(dialect=postgresql.psycopg.dialect()))
    names = list(dict.fromkeys(re.findall(r"%\((\w+)\)s", text)))
    return "EXPLAIN (GENERIC_PLAN) " + re.sub(
        r"%\((\w+)\)s", lambda found: f"${names.index(found[1]) + 1}", text
    )


@POSTGRESQL
@pytest.mark.parametrize("of_user", [True, False], ids=["of a user", "of all"])
@pytest.mark.parametrize("analyzed", [True, False], ids=["with statistics", "without"])
async def test_postings_are_looked_up_by_their_words(
    postgres: PostgresServer, database_url: str, storage: Storage, *, of_user: bool, analyzed: bool
) -> None:
    """Also where one user has all there is: each reading of postings goes by scope and word."""
    async with storage.begin(ORG) as tx:
        texts = [" ".join(WORDS[n % 50 :: 7] + WORDS[n % 13 :: 11]) for n in range(400)]
        await tx.memories.add([new_memory(text, user_id=ANNA) for text in texts])
    if analyzed:
        postgres.execute("ANALYZE", database=database_url.rpartition("/")[2])
    async with storage.backend.read(ORG.org_id, user_id=ANNA) as connection:
        asked = generic(_best(KINDS, ("statuses",), of_user=of_user))
        plan = [row[0].strip() for row in await connection.exec_driver_sql(asked)]
    reads = [place for place, step in enumerate(plan) if re.search(r"Scan .*search_terms", step)]
    conditions = [next((step for step in plan[place:] if "Index Cond:" in step), "") for place in reads]
    assert len(reads) >= 3
    assert [step for step in conditions if "(term = " not in step] == []


@POSTGRESQL
async def test_questions_of_a_user_start_no_parallel_workers(storage: Storage) -> None:
    """Strategies run side by side already; other reads keep what the server is set to."""
    asked = "SELECT current_setting('max_parallel_workers_per_gather') = '0'"
    for keeps_plans in (True, False):
        async with storage.backend.read(ORG.org_id, keeps_plans=keeps_plans) as connection:
            found = (await connection.exec_driver_sql(asked)).scalar_one()
        assert found is keeps_plans
