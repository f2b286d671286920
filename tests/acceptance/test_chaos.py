"""Servers, workers, Valkey and PostgreSQL killed at random: nothing acknowledged is lost or learned twice."""

import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import pytest
from redis import Redis

from conftest import REPORT
from support.conversations import is_learned, script, state_of, turns_of
from support.local_servers import PostgresServer, ValkeyServer, free_port, running_postgres, running_valkey
from support.program import sagacity
from support.server import ServerProcess, running_server, start_server
from support.workers import WorkerProcess, start_worker

SEED = 7
LOAD_SECONDS = 120.0
WAIT_SECONDS = 120.0
LEASE_SECONDS = 3.0
USERS = 8
PROGRAM = "sagacity_app"
SETTINGS = {
    "SAGACITY_QUIET_SECONDS": "3600",
    "SAGACITY_SWEEP_SECONDS": "1",
    "SAGACITY_LEASE_SECONDS": str(LEASE_SECONDS),
    "SAGACITY_RATE_LIMITS": "false",
    "SAGACITY_DATABASE_POOL_SIZE": "8",
}


@dataclass
class Cluster:
    """Two API servers and two workers over one PostgreSQL and one Valkey; any of them may be dead for a while."""

    home: Path
    env: dict[str, str]
    postgres: PostgresServer
    valkey: ValkeyServer
    ports: tuple[int, int]
    servers: list[ServerProcess] = field(default_factory=list[ServerProcess])
    workers: list[WorkerProcess] = field(default_factory=list[WorkerProcess])

    @property
    def urls(self) -> list[str]:
        return [f"http://127.0.0.1:{port}" for port in self.ports]

    def start(self) -> None:
        self.servers = [self._server(number) for number in range(2)]
        self.workers = [start_worker(self.home, self.env) for _ in range(2)]

    def _server(self, number: int) -> ServerProcess:
        return start_server(self.home, self.env, arguments=("--port", str(self.ports[number])))

    def stop(self) -> None:
        for one in (*self.servers, *self.workers):
            if one.process.poll() is None:
                one.kill()

    def faults(self, chance: random.Random) -> dict[str, Callable[[], None]]:
        """What can go wrong; each ends with everything running again."""

        def kill_server() -> None:
            number = chance.randrange(2)
            self.servers[number].kill()
            time.sleep(chance.random())
            self.servers[number] = self._server(number)

        def kill_worker() -> None:
            number = chance.randrange(2)
            self.workers[number].kill()
            time.sleep(chance.random())
            self.workers[number] = start_worker(self.home, self.env)

        def kill_valkey() -> None:
            self.valkey.kill()
            time.sleep(3 * chance.random())
            self.valkey.start()

        def flush_valkey() -> None:
            with Redis.from_url(self.valkey.url) as client:
                client.flushall()

        def kill_postgres() -> None:
            self.postgres.kill()
            time.sleep(2 * chance.random())
            self.postgres.start()

        return {
            "API server": kill_server,
            "worker": kill_worker,
            "Valkey": kill_valkey,
            "Valkey's keys": flush_valkey,
            "PostgreSQL": kill_postgres,
        }


class Load:
    """Publishes each user's requests in order over about two minutes, and again what it got no answer for."""

    def __init__(self, urls: list[str], requests: list[dict], seconds: float, seed: int) -> None:
        self.acknowledged: list[str] = []
        self.times: list[float] = []
        self.refused: list[tuple[int, str]] = []
        self._urls, self._seconds, self._seed = urls, seconds, seed
        self._left = {
            user: [one for one in requests if one["user_id"] == user]
            for user in sorted({one["user_id"] for one in requests})
        }

    def start(self) -> list[threading.Thread]:
        threads = [
            threading.Thread(target=self._send, args=(left, random.Random(f"{self._seed} {user}")))
            for user, left in self._left.items()
        ]
        for thread in threads:
            thread.start()
        return threads

    def _send(self, left: list[dict], chance: random.Random) -> None:
        pause = self._seconds / len(left)
        deadline = time.monotonic() + self._seconds + WAIT_SECONDS
        with httpx.Client(timeout=20) as http:
            while left and time.monotonic() < deadline:
                body = {name: value for name, value in left[0].items() if name != "interactions"}
                body["interaction_data_list"] = left[0]["interactions"]
                with suppress(httpx.TransportError):
                    reply = http.post(f"{chance.choice(self._urls)}/api/publish_interaction", json=body)
                    if reply.status_code == 200:
                        self.acknowledged.append(left.pop(0)["request_id"])
                        self.times.append(time.monotonic())
                        time.sleep(2 * pause * chance.random())
                        continue
                    self.refused.append((reply.status_code, reply.text))
                time.sleep(0.1)


@contextmanager
def cluster_in(folder: Path) -> Iterator[Cluster]:
    with ExitStack() as stack:
        # What is committed has to outlive a kill of the database.
        postgres = stack.enter_context(running_postgres(synchronous_commit="on", full_page_writes="on"))
        valkey = stack.enter_context(running_valkey(folder))
        database = postgres.new_database()
        env = SETTINGS | {
            "SAGACITY_DATABASE_URL": postgres.url_of(database, PROGRAM),
            "SAGACITY_REDIS_URL": valkey.url,
        }
        owner = {"SAGACITY_MIGRATION_URL": postgres.url_of(database)}
        assert sagacity("migrate", home=folder / "home", env=env | owner).code == 0
        cluster = Cluster(folder / "home", env, postgres, valkey, (free_port(), free_port()))
        stack.callback(cluster.stop)
        cluster.start()
        yield cluster


def until(come: Callable[[], bool], seconds: float = WAIT_SECONDS) -> float:
    """Wait for something, bounded; returns after how many seconds it came."""
    begun = time.monotonic()
    while not come():
        assert time.monotonic() - begun < seconds
        time.sleep(0.1)
    return time.monotonic() - begun


def answers(ask: Callable[[], bool]) -> bool:
    """What *ask* says, or no while nobody answers."""
    try:
        return ask()
    except (httpx.TransportError, KeyError):
        return False


def storm(cluster: Cluster, load: Load, chance: random.Random) -> list[tuple[str, float]]:
    """Let one thing after the other fail while the load lasts; returns what, and how soon a publish came through."""
    faults, seen = cluster.faults(chance), []
    ends = time.monotonic() + LOAD_SECONDS
    while time.monotonic() < ends:
        # Everything has its turn; then chance alone decides.
        untried = sorted(faults.keys() - {name for name, _ in seen})
        name = chance.choice(untried or sorted(faults))
        began = time.monotonic()
        faults[name]()
        until(lambda: bool(load.times) and load.times[-1] > began)  # noqa: B023  called here only
        seen.append((name, next(at for at in load.times if at > began) - began))
        time.sleep(3 * chance.random())
    return seen


def held_leases(cluster: Cluster) -> list[tuple[object, ...]]:
    """Leases of logs that somebody holds now."""
    database = cluster.env["SAGACITY_DATABASE_URL"].rpartition("/")[2]
    return cluster.postgres.execute(
        "select org_id, user_id, owner from leases "
        "where task = 'learn' and expires_at > extract(epoch from now()) * 1e6",
        database=database,
    )


async def calm(home: Path, requests: list[dict]) -> tuple[list, set, list]:
    """What one undisturbed server on SQLite makes of the same requests, one after the other."""
    with running_server(home, SETTINGS) as server, httpx.Client(base_url=server.url, timeout=30) as http:
        for one in requests:
            body = {name: value for name, value in one.items() if name != "interactions"}
            body["interaction_data_list"] = one["interactions"]
            assert http.post("/api/publish_interaction", json=body).status_code == 200
        until(lambda: is_learned(server.url, requests))
    return await state_of(f"sqlite:///{home / 'sagacity.db'}", USERS)


@pytest.mark.full
async def test_two_minutes_of_kills_lose_and_repeat_nothing(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """Every acknowledged turn is there once, the memories are those of an undisturbed run, and no lease stays held."""
    requests = script(USERS)
    with cluster_in(tmp_path) as cluster:
        load = Load(cluster.urls, requests, LOAD_SECONDS, SEED)
        threads = load.start()
        seen = storm(cluster, load, random.Random(SEED))
        for thread in threads:
            thread.join()
        recovered = until(lambda: answers(lambda: is_learned(cluster.urls[0], requests)))
        assert sorted(load.acknowledged) == sorted(one["request_id"] for one in requests)
        assert {status for status, _ in load.refused} <= {503}, load.refused[:3]
        log, memories, letters = await state_of(cluster.env["SAGACITY_DATABASE_URL"], USERS)
        until(lambda: not held_leases(cluster), 2 * LEASE_SECONDS)
    assert sorted(log) == sorted(turns_of(requests))
    assert letters == []
    _, expected, _ = await calm(tmp_path / "calm", requests)
    assert memories == expected
    assert {name for name, _ in seen} == {"API server", "worker", "Valkey", "Valkey's keys", "PostgreSQL"}
    record_property(REPORT, "\n".join(told(seen, turns=len(log), recovered=recovered)))


def told(seen: list[tuple[str, float]], *, turns: int, recovered: float) -> Iterator[str]:
    """Say how soon all went on."""
    yield f"{len(seen)} faults; {turns} turns; all learned {recovered:.1f} s after the last publish"
    for name in sorted({name for name, _ in seen}):
        times = [seconds for what, seconds in seen if what == name]
        yield f"  {name}: {len(times)} times, next publish after {max(times):.2f} s at the most"
