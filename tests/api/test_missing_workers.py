"""Work that nobody does: where workers do it and none is running, whoever waits is told what to start."""

from pathlib import Path

from support.api import client_of, running, settings_in
from support.dispatchers import queue
from support.local_servers import running_valkey
from support.parts import StoppedClock


async def test_a_receipt_without_workers_says_what_to_start(tmp_path: Path, redis_url: str) -> None:
    """As long as something waits to be learned, the receipt warns; not while a worker is there."""
    async with running(settings_in(tmp_path, redis_url=redis_url)) as app, client_of(app) as api:
        turn = {"user_id": "ana", "interaction_data_list": [{"role": "User", "content": "I like tea."}]}
        number = (await api.post("/api/publish_interaction", json=turn)).json()["request_id"]

        async def warnings() -> list[str]:
            return (await api.get(f"/api/receipts/{number}")).json()["warnings"]

        assert await warnings() == ["no worker is running: start one with `sagacity worker`"]
        workers = queue(redis_url)
        await workers.note_worker()
        await workers.close()
        assert await warnings() == []


async def test_a_run_without_workers_says_what_to_start(tmp_path: Path) -> None:
    """After two seconds, while no worker is there or Redis is away; not while one is, nor after it has ended."""
    with running_valkey(tmp_path) as valkey:
        clock, workers = StoppedClock(), queue(valkey.url)
        settings = settings_in(tmp_path, redis_url=valkey.url)
        async with running(settings, clock) as app, client_of(app) as api:
            turn = {"user_id": "ana", "interaction_data_list": [{"role": "User", "content": "I like tea."}]}
            assert (await api.post("/api/publish_interaction", json=turn)).is_success
            started = await api.delete("/api/users/ana", params={"wait_for_response": False})
            number = started.json()["operation_id"]

            async def trouble() -> str:
                reply = await api.get("/api/get_operation_status", params={"operation_id": number})
                return reply.json()["operation_status"].get("error_message", "")

            assert not await trouble()
            clock.advance(2)
            assert await trouble() == "no worker is running: start one with `sagacity worker`"
            await workers.note_worker()
            assert not await trouble()
            valkey.kill()
            assert "Redis does not answer" in await trouble()
        await workers.close()
