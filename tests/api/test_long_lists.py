"""Lists and comparisons of as much as a caller may ask for, beside which others are answered."""

from collections.abc import AsyncIterator
from functools import partial
from itertools import combinations
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from sagacity.domain.memory import MemoryKind, Status
from sagacity.domain.review_queue import DuplicatePair
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from sagacity.storage.memories.duplicate_pairs import ChangedMemories
from support.api import running, settings_in
from support.loop_work import loop_work
from support.parts import new_memory, said, unit_rows

MOST_CALLS = 36_000
"""Between two turns of the loop; two thousand rows at a time took 40,000 to 230,000."""
ROWS = 2_000
CALLS: list[tuple[str, str, dict[str, object]]] = [
    ("GET", "get_all_interactions", {"limit": ROWS}),
    ("GET", "get_all_profiles", {"limit": ROWS}),
    ("POST", "get_requests", {"top_k": 1_000}),
    ("POST", "get_user_playbooks", {"limit": ROWS}),
    ("POST", "get_profile_diff", {"limit": 1_000}),
    ("POST", "get_dashboard_stats", {"days_back": 3_650}),
    ("GET", "users/anna/export", {}),
]
TENANT = Tenant(org_id=LOCAL_ORG)
profile, playbook = (
    partial(new_memory, kind=kind) for kind in (MemoryKind.PROFILE, MemoryKind.USER_PLAYBOOK)
)


async def store(app: FastAPI, *memories) -> None:
    """Store memories with vectors, so that nobody makes any meanwhile."""
    vectors = unit_rows(len(memories), app.state.runtime.embedder.dimension)
    async with app.state.runtime.storage.begin(TENANT) as transaction:
        given = {one.uid: vector for one, vector in zip(memories, vectors, strict=True)}
        await transaction.memories.add(memories, vectors=given)


@pytest.fixture
async def app(tmp_path: Path, database_url: str) -> AsyncIterator[FastAPI]:
    """The application over an organisation of some thousands of turns and memories, which learns nothing meanwhile."""
    async with running(settings_in(tmp_path, database_url=database_url, sweep_seconds=3600)) as app:
        await store(
            app,
            *(profile(f"Likes tea {number}.") for number in range(ROWS)),
            *(profile(f"Likes cake {number}.", status=Status.PENDING) for number in range(ROWS)),
            *(playbook(f"Write {number} lines.", trigger="Asked for code") for number in range(ROWS)),
        )
        async with app.state.runtime.storage.begin(TENANT) as transaction:
            await transaction.interactions.append(
                [said(f"tea {number}", request_id=f"r{number}") for number in range(ROWS)]
            )
        yield app


async def test_a_long_list_leaves_the_loop_to_others(api: httpx.AsyncClient) -> None:
    """Rows are read, and shown, a few at a time."""
    longest: dict[str, int] = {}
    for method, path, given in CALLS:
        asked = {"params" if method == "GET" else "json": given}
        await api.request(method, f"/api/{path}", **asked)  # statements are built at the first call
        with loop_work() as work:
            reply = await api.request(method, f"/api/{path}", **asked)
        assert reply.status_code == 200, reply.text
        longest[f"{path} {given}"] = work.longest
    assert {call: calls for call, calls in longest.items() if calls >= MOST_CALLS} == {}


async def test_many_memories_are_stored_a_few_at_a_time(app: FastAPI) -> None:
    """As after a run over an organisation's playbooks."""
    memories = [profile(f"Likes pie {number}.") for number in range(ROWS)]
    await store(app, *(profile(f"Likes fish {number}.") for number in range(10)))
    with loop_work() as work:
        await store(app, *memories)
    assert work.longest < MOST_CALLS


async def test_many_duplicates_are_stored_a_few_at_a_time(app: FastAPI) -> None:
    """As when thousands of memories that resemble each other were written at once."""
    async with app.state.runtime.storage.begin(TENANT) as transaction:
        found = await transaction.memories.list_newest(MemoryKind.PROFILE, limit=ROWS)
        ids = [one.memory_id for one in found]
        pairs = [
            DuplicatePair(memory_id=first, other_id=second, similarity=1.0)
            for first, second in combinations(sorted(ids)[:100], 2)
        ]
        scope = (await transaction.duplicates.uncompared())[0]
        with loop_work() as work:
            written = await transaction.duplicates.replace(scope, ChangedMemories(ids, scope.revision), pairs)
    assert written == len(pairs) > ROWS
    assert work.longest < MOST_CALLS
