"""Killed at any moment, nothing that was acknowledged is lost, and nothing is learned twice."""

import random
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from sagacity.domain.kinds import TENANT_KINDS
from support.conversations import is_learned, script, state_of, turns_of
from support.server import start_server

SEED = 20
WAIT_SECONDS = 60.0
USERS = 3
SETTINGS = {
    "SAGACITY_QUIET_SECONDS": "3600",
    "SAGACITY_SWEEP_SECONDS": "0.2",
    "SAGACITY_LEASE_SECONDS": "2",
    "SAGACITY_RETRY_BASE_SECONDS": "0.1",
    "SAGACITY_RATE_LIMITS": "false",
}


class Client:
    """Publishes each user's requests in order, a thread a user, and sends again what it got no answer for."""

    def __init__(self, requests: list[dict]) -> None:
        self.acknowledged: list[str] = []
        self._left = {
            user: [one for one in requests if one["user_id"] == user]
            for user in {one["user_id"] for one in requests}
        }

    @property
    def is_done(self) -> bool:
        return not any(self._left.values())

    def publish(self, url: str) -> list[threading.Thread]:
        """Start publishing what is left; the threads end with the server."""
        threads = [threading.Thread(target=self._send, args=(url, left)) for left in self._left.values()]
        for thread in threads:
            thread.start()
        return threads

    def _send(self, url: str, left: list[dict]) -> None:
        with httpx.Client(base_url=url, timeout=30) as http, suppress(httpx.TransportError):
            while left:
                body = {name: value for name, value in left[0].items() if name != "interactions"}
                reply = http.post(
                    "/api/publish_interaction", json=body | {"interaction_data_list": left[0]["interactions"]}
                )
                assert reply.status_code == 200, reply.text
                self.acknowledged.append(left.pop(0)["request_id"])


def run(home: Path, requests: list[dict], *, kills: int, seed: int) -> list[str]:
    """Publish and learn everything, with so many kills on the way; returns what was acknowledged."""
    chance, client = random.Random(seed), Client(requests)
    for number in range(kills + 1):
        server = start_server(home, SETTINGS)
        try:
            threads = client.publish(server.url)
            if number == kills:
                until(lambda: client.is_done and is_learned(server.url, requests))  # noqa: B023  called here only
            else:
                # A few acknowledgements a life, so that there is always something to publish and to learn.
                wanted = len(client.acknowledged) + chance.randrange(0, 6)
                until(lambda: client.is_done or len(client.acknowledged) >= wanted)  # noqa: B023  likewise
                time.sleep(chance.random() * 0.1)
        finally:
            server.kill()
        for thread in threads:
            thread.join()
    return client.acknowledged


def until(come: Callable[[], bool]) -> None:
    """Wait for something, bounded."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not come():
        assert time.monotonic() < deadline
        time.sleep(0.002)


def database_in(home: Path) -> str:
    return f"sqlite:///{home / 'sagacity.db'}"


@pytest.mark.parametrize("kills", [3, pytest.param(20, marks=pytest.mark.full)])
async def test_kills_lose_and_repeat_nothing(tmp_path: Path, kills: int) -> None:
    """After each kill every request is there exactly once, and what was learned is what an undisturbed run learns."""
    requests = script(USERS)
    calm = run(tmp_path / "calm", requests, kills=0, seed=SEED)
    stormy = run(tmp_path / "stormy", requests, kills=kills, seed=SEED)
    assert sorted(calm) == sorted(stormy) == sorted(one["request_id"] for one in requests)
    calm_log, calm_memories, _ = await state_of(database_in(tmp_path / "calm"), USERS)
    log, memories, letters = await state_of(database_in(tmp_path / "stormy"), USERS)
    assert sorted(log) == sorted(calm_log) == sorted(turns_of(requests))
    assert letters == []
    assert {memory[3] for memory in calm_memories} == {"current", "archived"}
    # what is made for all users, later and by itself, one run may have come to and the other not
    of_users, calm_of_users = (
        {memory for memory in some if memory[1] not in TENANT_KINDS} for some in (memories, calm_memories)
    )
    assert of_users == calm_of_users
