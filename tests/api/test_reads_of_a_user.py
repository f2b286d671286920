"""No call on behalf of one user reads what an organisation has: each finds that user's rows, on both databases."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from sagacity.domain.change import Candidate
from sagacity.domain.graph import RelationshipMention
from sagacity.domain.memory import MemoryKind
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from support.api import client_of, running, settings_in
from support.local_servers import PostgresServer
from support.parts import new_memory, said, unit_rows
from support.plans import AUTO_EXPLAIN, READS

pytestmark = pytest.mark.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)
ORG = Tenant(org_id=LOCAL_ORG)
USERS, EACH = 120, 25
USER = "user-60"
MOST = 20 * EACH
"""A reading may go through each of a user's rows some times over, and not through an organisation's."""
KINDS = (MemoryKind.PROFILE, MemoryKind.SEMANTIC, MemoryKind.EPISODIC, MemoryKind.USER_PLAYBOOK)
TIMES = {"start_time": "2020-01-01T00:00:00Z", "end_time": "2090-01-01T00:00:00Z"}
FILTERS = [
    TIMES,
    {"event_start_time": "2020-01-01T00:00:00Z", "event_end_time": "2090-01-01T00:00:00Z"},
    {"tags": ["tea"]},
    {"metadata": {"priority": {"gte": 2}}},
    {"as_of": "2026-05-02T00:00:00Z"},
]
EVERY_KIND = ["profile", "semantic", "episodic", "user_playbook", "agent_playbook", "skill", "interaction"]
ALL_WAYS = {"strategies": ["vector", "keyword", "graph", "profile", "recent"], "kinds": EVERY_KIND}
ASKED = {"query": "does Mia still like green tea", "user_id": USER}
CALLS: list[tuple[str, str, dict]] = [
    ("POST", "search", ASKED),
    *(("POST", "search", ASKED | ALL_WAYS | {"neighbours": 2} | more) for more in ({}, *FILTERS)),
    *(("POST", "search", ASKED | {"search_mode": mode}) for mode in ("vector", "fts", "hybrid")),
    ("POST", "search", ASKED | {"agent_version": "v1", "playbook_name": "rules"}),
    *(
        ("POST", "context", ASKED | more)
        for more in ({}, {"session_id": f"of {USER}"}, {"kinds": EVERY_KIND}, TIMES)
    ),
    *(
        ("POST", f"search_{what}", {"user_id": USER} | question | more)
        for what in ("interactions", "profiles", "user_playbooks")
        for question in ({}, {"query": "green tea"})
        for more in ({}, *FILTERS)
    ),
    ("POST", "search_interactions", ASKED | {"most_recent_k": 5, "neighbours": 1}),
    ("POST", "search_interactions", ASKED | {"request_id": f"{USER}-1"}),
    ("POST", "search_profiles", ASKED | {"status_filter": [None, "pending", "archived"]}),
    ("POST", "search_profiles", ASKED | {"generated_from_request_id": f"{USER}-1", "source": "chat"}),
    ("POST", "search_profiles", {"user_ids": [USER, "user-3"], "query": "tea"}),
    *(("POST", "get_interactions", {"user_id": USER} | more) for more in ({}, TIMES)),
    *(
        ("POST", "get_requests", {"user_id": USER} | more)
        for more in ({}, TIMES, {"session_id": f"of {USER}"})
    ),
    *(
        ("POST", "get_profiles", {"user_id": USER} | more)
        for more in ({}, TIMES, {"status_filter": ["pending"]})
    ),
    *(("POST", "get_user_playbooks", {"user_id": USER} | more) for more in ({}, {"playbook_name": "x"})),
    ("POST", "get_user_playbooks", {"user_id": USER, **TIMES}),
    ("POST", "get_user_playbooks", {"user_id": USER, "query": "green tea"}),
    *(
        ("GET", "get_all_profiles", {"user_id": USER} | more)
        for more in ({}, TIMES, {"query": "tea"}, {"source": "chat"}, {"profile_id": f"{USER}-0"})
    ),
    ("GET", "entities", {"user_id": USER}),
    ("GET", "entities", {"user_id": USER, "query": "mia", "entity_type": "person"}),
    ("GET", "entities/{entity}", {"user_id": USER}),
    ("GET", "entities/{entity}/graph", {"user_id": USER, "depth": "3"}),
    ("GET", "relationships", {"user_id": USER}),
    ("GET", "relationships/{relationship}", {"user_id": USER}),
    ("GET", "dead_letters", {"user_id": USER}),
    ("GET", "memories/{memory}/history", {}),
    ("GET", "receipts/{user}-1", {}),
]


@pytest.fixture
async def app(tmp_path: Path, database_url: str, postgres: PostgresServer) -> AsyncIterator[FastAPI]:
    """The application over an organisation of many users, which it sweeps once, before they come."""
    if database_url.startswith("postgresql"):
        for told in AUTO_EXPLAIN:
            postgres.execute(f"ALTER DATABASE {_name(database_url)} SET {told}")
    async with running(settings_in(tmp_path, database_url=database_url, sweep_seconds=3600)) as app:
        await app.state.runtime.accounts.stop()  # it looks now and then for e-mails, whoever's they are
        await crowd(app)
        if database_url.startswith("postgresql"):
            postgres.execute("ANALYZE", database=_name(database_url))
        await quiet(app)
        yield app


async def quiet(app: FastAPI) -> None:
    """Wait for what goes on in the background: on a busy machine the sweep may find the crowd, and read for all."""
    storage = app.state.runtime.storage
    async with asyncio.timeout(300):
        while True:
            with READS[storage.kind](storage) as reads:
                await asyncio.sleep(1)
            if not reads.statements:
                return


def _name(database_url: str) -> str:
    return database_url.rpartition("/")[2]


async def crowd(app: FastAPI) -> None:
    """Give each of many users turns, memories of each kind with vectors, and a graph."""
    storage = app.state.runtime.storage
    vectors = unit_rows(EACH, app.state.runtime.embedder.dimension)
    for number in range(USERS):
        user = f"user-{number}"
        texts = [f"Mia likes green tea number {place}" for place in range(EACH)]
        said_by = [
            said(text, request_id=f"{user}-{place}", user_id=user, session_id=f"of {user}")
            for place, text in enumerate(texts)
        ]
        await asyncio.gather(*(storage.append(ORG, one) for one in said_by))
        new = [
            new_memory(
                text, uid=f"{user}-{place}", user_id=user, kind=KINDS[place % len(KINDS)], keywords=("tea",)
            )
            for place, text in enumerate(texts)
        ]
        async with storage.begin(ORG) as tx:
            kept = await tx.memories.add(
                new, vectors={one.uid: vector for one, vector in zip(new, vectors, strict=True)}
            )
            for memory in kept[:3]:
                tie = RelationshipMention(source="Mia", target=f"tea {memory.uid}", relationship_type="likes")
                told = Candidate(kind=memory.kind, content="c", evidence=(1,), relationships=(tie,))
                await tx.graph.add(memory, told)


@pytest.mark.one_database
async def test_no_call_reads_an_organisation(app: FastAPI) -> None:
    """Each statement of each call is answered from the user's own rows, or by their numbers."""
    storage = app.state.runtime.storage
    async with client_of(app) as api:
        places = await numbers_of(api)
        found: list[str] = []
        for method, path, given in CALLS:
            how = {"params": given} if method == "GET" else {"json": given}
            with READS[storage.kind](storage) as reads:
                reply = await api.request(method, f"/api/{path.format(**places)}", **how)
            assert reply.status_code == 200, (path, reply.text)
            assert "failed" not in (reply.json().get("msg") or "")
            assert reads.statements
            found += [f"{path} {given}: {wrong}" for wrong in reads.too_many(MOST)]
    assert not found, "\n".join(found)


async def numbers_of(api: httpx.AsyncClient) -> dict[str, object]:
    """What stands for names in the paths of calls."""
    entities = (await api.get("/api/entities", params={"user_id": USER})).json()["entities"]
    ties = (await api.get("/api/relationships", params={"user_id": USER})).json()["relationships"]
    return {
        "user": USER,
        "memory": f"{USER}-0",
        "entity": entities[0]["entity_id"],
        "relationship": ties[0]["relationship_id"],
    }
