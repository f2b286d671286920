"""Killed at any moment, nothing that was acknowledged is lost, and nothing is learned twice."""

import json
import random
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import httpx

from sagacity.domain.clock import SystemClock
from sagacity.domain.ids import TimeOrderedIds, UserId
from sagacity.domain.memory import MemoryKind
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from sagacity.storage.open import open_storage
from support.server import start_server

KILLS, SEED = 20, 20
WAIT_SECONDS = 60.0
USERS = 3
TENANT = Tenant(org_id=LOCAL_ORG)
SETTINGS = {
    "SAGACITY_QUIET_SECONDS": "3600",
    "SAGACITY_SWEEP_SECONDS": "0.2",
    "SAGACITY_LEASE_SECONDS": "0.3",
    "SAGACITY_RETRY_BASE_SECONDS": "0.1",
    "SAGACITY_RATE_LIMITS": "false",
}
SCENARIOS = Path(__file__).parents[2] / "examples" / "data" / "scenarios" / "contradictions.json"


def script() -> list[dict]:
    """Conversations of a few users whose facts change on the way, a turn pair a request."""
    scenarios = json.loads(SCENARIOS.read_text())["scenarios"]
    requests = []
    for number in range(USERS):
        scenario = scenarios[number % len(scenarios)]
        turns = [turn for name in ("batch_1", "batch_2") for turn in scenario[name]]
        turns += [
            {"role": role, "content": text}
            for town in ("Boston", "Austin, Texas", "Lisbon", "Oslo", "Quito", "Turin")
            for role, text in (
                ("User", f"I live in {town} now and I'm allergic to walnuts."),
                ("Assistant", "Noted. Run npm install to set it up."),
                ("User", "I just said we use pnpm, not npm."),
                ("Assistant", "Understood, pnpm it is."),
            )
        ]
        requests += [
            {
                "request_id": f"u{number}-{start}",
                "user_id": f"user-{number}",
                "interactions": turns[start : start + 2],
                "force_extraction": start + 2 >= len(turns),
            }
            for start in range(0, len(turns), 2)
        ]
    return requests


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


def is_learned(url: str, requests: list[dict]) -> bool:
    """Whether the last request of every user is learned."""
    last = {one["user_id"]: one["request_id"] for one in requests}
    receipts = [
        httpx.get(f"{url}/api/receipts/{request_id}", timeout=30).json() for request_id in last.values()
    ]
    return all(receipt["state"] == "learned" for receipt in receipts)


async def state_of(home: Path) -> tuple[list, set, list]:
    """The log, what was learned of it, and what was given up."""
    storage = await open_storage(
        f"sqlite:///{home / 'sagacity.db'}", clock=SystemClock(), ids=TimeOrderedIds()
    )
    log, memories = [], set()
    async with storage.read(TENANT) as snapshot:
        for number in range(USERS):
            user = UserId(f"user-{number}")
            turns = await snapshot.interactions.log(user, after_seq=0, limit=10_000)
            assert [turn.seq for turn in turns] == list(range(1, len(turns) + 1))
            log += [(user, turn.request_id, turn.role, turn.content) for turn in turns]
            for kind in MemoryKind:
                rows = await snapshot.memories.list_newest(kind, user_id=user, limit=10_000)
                memories |= {(user, m.kind, m.content, m.status, m.attributes.slot) for m in rows}
                assert len({(m.content, m.trigger) for m in rows if m.status == "current"}) == len(
                    [m for m in rows if m.status == "current"]
                )
        letters = await snapshot.dead_letters.list_newest()
    await storage.close()
    return log, memories, letters


async def test_twenty_kills_lose_and_repeat_nothing(tmp_path: Path) -> None:
    """After 20 kills every request is there exactly once, and what was learned is what an undisturbed run learns."""
    requests = script()
    calm = run(tmp_path / "calm", requests, kills=0, seed=SEED)
    stormy = run(tmp_path / "stormy", requests, kills=KILLS, seed=SEED)
    assert sorted(calm) == sorted(stormy) == sorted(one["request_id"] for one in requests)
    calm_log, calm_memories, _ = await state_of(tmp_path / "calm")
    log, memories, letters = await state_of(tmp_path / "stormy")
    expected = [
        (one["user_id"], one["request_id"], turn["role"], turn["content"])
        for one in requests
        for turn in one["interactions"]
    ]
    assert sorted(log) == sorted(calm_log) == sorted(expected)
    assert letters == []
    assert {memory[3] for memory in calm_memories} == {"current", "archived"}
    assert memories == calm_memories
