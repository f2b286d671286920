"""What a process does once, it does before it is asked."""

import asyncio
from pathlib import Path

from support.api import client_of, running, settings_in
from support.databases import SQLITE
from support.loop_work import loop_work

MOST_CALLS = 50_000
"""Between two turns of the loop; to work out the routes of one file took 140,000."""


@SQLITE
async def test_the_first_call_of_a_route_finds_it_worked_out(tmp_path: Path, database_url: str) -> None:
    """Were routers included, FastAPI would do that within the call, on the event loop, for all routes of a file."""
    async with running(settings_in(tmp_path, database_url=database_url)) as app, client_of(app) as api:
        with loop_work() as work:
            reply = await api.post("/api/get_profiles", json={"user_id": "anna"})
    assert reply.status_code == 200, reply.text
    assert work.longest < MOST_CALLS


@SQLITE
async def test_the_description_is_written_beside_other_calls(tmp_path: Path, database_url: str) -> None:
    """Anybody may ask for it; written within the first call, it kept all others waiting for seconds."""
    async with running(settings_in(tmp_path, database_url=database_url)) as app, client_of(app) as api:
        with loop_work() as work:
            replies = await asyncio.gather(*(api.get("/openapi.json") for _ in range(3)))
    assert {reply.status_code for reply in replies} == {200}
    assert replies[0].json() == app.openapi()
    assert work.longest < MOST_CALLS
