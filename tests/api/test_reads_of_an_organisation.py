"""Calls in an organisation of thousands of memories read along indexes what they show, and never whole tables."""

import asyncio
import time
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from fastapi import FastAPI

from sagacity.domain.clock import SystemClock
from sagacity.domain.tenant import LOCAL_ORG
from sagacity.storage.postgres.vectors import index_name
from support.api import client_of, running, settings_in
from support.databases import POSTGRESQL
from support.large_organisation import drop_pool, make_pool, plant
from support.local_servers import PostgresServer
from support.parts import unit_rows
from support.plans import AUTO_EXPLAIN, READS

pytestmark = [POSTGRESQL, pytest.mark.own_database, pytest.mark.full]
USERS, MEMORIES, TEXTS = 150, 30_000, 200
FILLER = ", as they said it is so" * 10
"""Words that are no terms: a row is as long as those of real memories."""
USER = "user-7"
OF_A_USER = 20 * MEMORIES // USERS
"""A reading may go through a user's rows some times over."""
SHOWN = 300
"""A reading for a page goes through so many rows at the most: what it shows, and what it leaves out on the way."""
SAYING_SO = MEMORIES // 30
"""A fiftieth says one of the words; each of some hundred scopes is looked at, and its terms are in memory."""
REQUESTS = MEMORIES // 5
"""Of which there are half as many as turns: they may be read whole to be joined, while they are so few."""
OF_TWO_MONTHS = MEMORIES // 5
HALF_A_YEAR_AGO = (SystemClock().now() - timedelta(days=182)).isoformat()
ALL_SEEN = "SELECT relallvisible = relpages FROM pg_class WHERE relname = 'memories'"
"""Whether every transaction sees all memories: else an index has to look at each of them, and is not chosen."""
WORDS = {"query": "marzipan rare11"}
Asked = tuple[str, str, dict[str, object]]
CALLS: list[tuple[Asked, int]] = [
    (("POST", "context", {"user_id": USER, **WORDS}), OF_A_USER),
    (("POST", "search", {"user_id": USER, **WORDS}), OF_A_USER),
    (("POST", "search_user_playbooks", WORDS | {"search_mode": "fts"}), SAYING_SO),
    (("GET", "get_all_profiles", WORDS | {"limit": 10}), SAYING_SO),
    (("GET", "get_all_profiles", {"limit": 10}), SHOWN),
    (("GET", "get_all_profiles", {"limit": 10, "status_filter": "pending"}), SHOWN),
    (("GET", "get_all_profiles", {"limit": 10, "end_time": HALF_A_YEAR_AGO}), SHOWN),
    (("POST", "get_user_playbooks", {"limit": 10}), SHOWN),
    (("GET", "users", {"limit": 10}), OF_A_USER),
    (("POST", "get_user_playbooks", {"limit": 10, "end_time": HALF_A_YEAR_AGO}), SHOWN),
    (("GET", "get_all_interactions", {"limit": 10}), REQUESTS),
    (("POST", "get_requests", {"top_k": 10}), SHOWN),
    (("POST", "get_requests", {"top_k": 10, "offset": 50}), SHOWN),
    (("GET", "get_profile_statistics", {}), SHOWN),
    (("POST", "get_dashboard_stats", {"days_back": 30}), OF_TWO_MONTHS),
    (("GET", "v1/dashboard/series", {"days": 30, "by": "agent_version"}), OF_TWO_MONTHS),
]
RARE: list[tuple[Asked, int]] = [
    (("GET", "get_all_profiles", {"limit": 10, "status_filter": status}), SHOWN)
    for status in ("pending", "archived")
]


@pytest.fixture
def plans() -> str:
    """How PostgreSQL makes plans of statements that come again."""
    return "auto"


@pytest.fixture
async def app(
    tmp_path: Path, database_url: str, postgres: PostgresServer, plans: str
) -> AsyncIterator[FastAPI]:
    """The application over an organisation whose rows are spread over a year."""
    name = database_url.rpartition("/")[2]
    for told in (*AUTO_EXPLAIN, f"plan_cache_mode = {plans}"):
        postgres.execute(f"ALTER DATABASE {name} SET {told}")
    async with running(settings_in(tmp_path, database_url=database_url, sweep_seconds=3600)) as app:
        await app.state.runtime.accounts.stop()  # it looks now and then for e-mails, whoever's they are
        dimension = app.state.runtime.embedder.dimension
        postgres.execute(f"DROP INDEX IF EXISTS {index_name(dimension)}", database=name)
        # In a thread, so that a transaction that the application has open ends.
        await asyncio.to_thread(_planted, postgres.url_of(name), dimension)
        yield app


def _planted(url: str, dimension: int) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        texts = [f"likes {'marzipan' if n % 50 == 0 else 'tea'} and rare{n}{FILLER}" for n in range(TEXTS)]
        make_pool(connection, texts, unit_rows(TEXTS, dimension))
        now = SystemClock().now()
        plant(connection, LOCAL_ORG, users=USERS, memories=MEMORIES, texts=TEXTS, now=now)
        drop_pool(connection)
        connection.execute("CHECKPOINT")  # VACUUM marks no page whose commit is not written yet
        deadline = time.monotonic() + 60
        while True:  # it passes over what a transaction that is open could still miss
            connection.execute("VACUUM ANALYZE")
            [(is_seen,)] = connection.execute(ALL_SEEN).fetchall()
            if is_seen:
                return
            assert time.monotonic() < deadline


async def test_pages_words_and_figures_are_read_along_indexes(app: FastAPI) -> None:
    """However few rows the planner expects by row-level security; what counts all of them reads an index only."""
    async with client_of(app) as api:
        await api.post("/api/search_user_playbooks", json=WORDS)
        await api.get("/api/get_all_profiles", params=WORDS)  # from now on all terms are in memory
    await assert_little_is_read(app, CALLS)


@pytest.mark.parametrize("plans", ["force_generic_plan"])
async def test_what_is_rare_is_read_along_its_index_with_any_plan(app: FastAPI) -> None:
    """
    A plan that is made for any values knows an index of some rows by what the statement says itself.

    PostgreSQL makes such plans for statements that come again, where they look cheap in other organisations: a list
    of what is pending then went through all memories, as nothing was.
    """
    await assert_little_is_read(app, RARE)


async def assert_little_is_read(app: FastAPI, calls: list[tuple[Asked, int]]) -> None:
    """Each call reads so many rows of a table at the most."""
    storage, found = app.state.runtime.storage, []
    async with client_of(app) as api:
        for (method, path, given), most in calls:
            with READS[storage.kind](storage) as reads:
                reply = await api.request(
                    method, f"/api/{path}", **{"params" if method == "GET" else "json": given}
                )
            assert reply.status_code == 200, (path, reply.text)
            assert reads.statements
            found += [
                f"{path} {given}: {wrong}"
                for wrong in reads.too_many(most)
                if "by Index Only Scan" not in wrong
            ]
    assert not found, "\n".join(found)
