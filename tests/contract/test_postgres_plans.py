"""How PostgreSQL finds rows with plans that are kept: by what is asked for, and never by reading all of a user's."""

import re
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql

from sagacity.domain.ids import UserId
from sagacity.domain.memory import MemoryKind
from sagacity.storage.search.cautions import _cautions
from sagacity.storage.search.term_index import _written_after
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
async def test_terms_are_read_of_the_scopes_that_are_asked_for(
    postgres: PostgresServer, database_url: str, storage: Storage
) -> None:
    """What was written to them after a revision, and nothing of the organisation's other users."""
    texts = [" ".join(WORDS[n % 50 :: 7] + WORDS[n % 13 :: 11]) for n in range(50)]
    for number in range(20):
        await add(storage, texts, user_id=UserId(f"user-{number}"))
    postgres.execute("ANALYZE", database=database_url.rpartition("/")[2])
    async with storage.backend.read(ORG.org_id, keeps_plans=True) as connection:
        plan = [row[0].strip() for row in await connection.exec_driver_sql(generic(_written_after()))]
    [looked_for] = conditions(plan, "search_documents")
    assert "(scope_id = " in looked_for
    assert "(revision > " in looked_for
    assert any("ix_search_documents_scope" in step for step in plan)


@POSTGRESQL
@pytest.mark.parametrize("known", [None, 1, 400], ids=["no statistics", "old statistics", "statistics"])
async def test_what_must_not_be_missed_is_looked_up_by_its_index(
    postgres: PostgresServer, database_url: str, storage: Storage, *, known: int | None
) -> None:
    """Also where a user has hundreds of other facts."""
    texts = ["Is vegan.", *(f"Likes {WORDS[n % 50]} and {WORDS[n % 13]}." for n in range(399))]
    await add(storage, texts[:known])
    if known:
        postgres.execute("ANALYZE", database=database_url.rpartition("/")[2])
    await add(storage, texts[known:] if known else [])
    async with storage.backend.read(ORG.org_id, user_id=ANNA) as connection:
        asked = generic(_cautions(("statuses", "valid_at")))
        plan = [row[0].strip() for row in await connection.exec_driver_sql(asked)]
    [looked_for] = conditions(plan, "search_documents")
    assert "(scope_id = " in looked_for
    assert any("ix_search_documents_cautions" in step for step in plan)


async def add(storage: Storage, texts: list[str], user_id: UserId = ANNA) -> None:
    """Let a user have memories of these texts."""
    async with storage.begin(ORG) as tx:
        await tx.memories.add([new_memory(text, user_id=user_id) for text in texts])


def conditions(plan: list[str], table: str) -> list[str]:
    """What each reading of a table looks for; it stands right below it, whichever way it is read."""
    reads = [place for place, step in enumerate(plan) if re.search(rf"Scan .*on {table}\b", step)]
    return [
        next(step for step in plan[place:] if re.match("(Index|Recheck) Cond|Filter", step))
        for place in reads
    ]


@POSTGRESQL
async def test_questions_of_a_user_start_no_parallel_workers(storage: Storage) -> None:
    """Strategies run side by side already; other reads keep what the server is set to."""
    asked = "SELECT current_setting('max_parallel_workers_per_gather') = '0'"
    for keeps_plans in (True, False):
        async with storage.backend.read(ORG.org_id, keeps_plans=keeps_plans) as connection:
            found = (await connection.exec_driver_sql(asked)).scalar_one()
        assert found is keeps_plans
