"""Calls that end too early leave whole requests behind, or none."""

import asyncio

from support.api import client_of, publish, turns

TURNS = 20


async def test_a_caller_that_hangs_up_leaves_no_half_request(app):
    """Row 41: a cancelled call leaves its request whole or absent, and what follows is served."""
    async with client_of(app) as api:
        for n in range(20):
            body = turns(*["x"] * TURNS, request_id=f"r{n}")
            call = asyncio.create_task(api.post("/api/publish_interaction", json=body))
            await asyncio.sleep(0.001 * n)
            call.cancel()
            await asyncio.gather(call, return_exceptions=True)
        await publish(api, "goes on", request_id="last")
        page = (await api.post("/api/get_requests", json={"top_k": 100})).json()
        kept = {
            item["request"]["request_id"]: len(item["interactions"])
            for item in page["sessions"][0]["requests"]
        }
        assert kept.pop("last") == 1
        assert set(kept.values()) <= {TURNS}
