"""Servers and workers as processes of their own: whatever is killed, what was acknowledged is learned, once."""

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from redis import Redis

from support.collector import Collector, collector
from support.databases import POSTGRESQL
from support.local_servers import ValkeyServer, running_valkey
from support.program import sagacity
from support.scripted_llm import Answer, ChatRequest, ScriptedLLM, extracted, scripted_llm
from support.server import ServerProcess, running_server
from support.workers import running_workers

LEASE_SECONDS = 3.0
WAIT_SECONDS = 120.0
DRAFT = {"slot": "", "time_to_live": "infinity"}


@dataclass
class Deployment:
    """One API server, its Valkey and its model; workers, whose spans are collected, come and go."""

    home: Path
    env: dict[str, str]
    valkey: ValkeyServer
    model: ScriptedLLM
    server: ServerProcess
    received: Collector
    published: dict[str, str] = field(default_factory=dict[str, str])
    """Request by user."""

    def call(self, method: str, path: str, body: Any = None) -> Any:
        reply = httpx.request(method, self.server.url + path, json=body, timeout=60)
        assert reply.is_success, reply.text
        return reply.json()

    def publish(self, user: str) -> None:
        """Publish one turn that has to be learned at once."""
        turn = {"content": f"I keep my bicycle in the shed of {user}, and I like it there."}
        body = {"user_id": user, "force_extraction": True, "interaction_data_list": [turn]}
        self.published[user] = self.call("POST", "/api/publish_interaction", body)["request_id"]

    def is_learned(self, user: str) -> bool:
        return self.receipt(user)["state"] == "learned"

    def receipt(self, user: str) -> Any:
        return self.call("GET", f"/api/receipts/{self.published[user]}")

    def until_learned(self, user: str) -> float:
        """Wait for it; returns how many seconds it took."""
        return until(lambda: self.is_learned(user), lambda: self.receipt(user))

    def profiles(self, user: str) -> list[str]:
        found = self.call("POST", "/api/get_profiles", {"user_id": user})["user_profiles"]
        return [profile["content"] for profile in found]

    def use_model(self, script: Callable[[ChatRequest], Answer]) -> None:
        """Let a model learn, by *script*."""
        self.model.answer_with(script)
        endpoint = {"model": "scripted", "api_key": "sk-secret", "api_base": self.model.base_url}
        config = self.call("GET", "/api/get_config")
        config["api_key_config"] = {"custom_endpoint": endpoint}
        assert self.call("POST", "/api/set_config", config)["success"]

    def assert_all_learned_once(self) -> None:
        """Wait until all is learned; then every user has its one memory."""
        for user in self.published:
            self.until_learned(user)
            assert self.profiles(user) == [f"Keeps a bicycle in the shed of {user}."]


def until(come: Callable[[], object], told: Callable[[], object] = lambda: "it did not come") -> float:
    """Wait for something, bounded; returns after how many seconds it came."""
    begun = time.monotonic()
    while not come():
        assert time.monotonic() - begun < WAIT_SECONDS, told()
        time.sleep(0.02)
    return time.monotonic() - begun


def answers(delay_seconds: float) -> Callable[[ChatRequest], Answer]:
    """What a good model says of such a turn, after a while."""

    def answer(request: ChatRequest) -> Answer:
        number, user = re.findall(r"#(\d+).*the shed of ([\w-]+),", request.prompt)[-1]
        draft = DRAFT | {"evidence": [int(number)], "content": f"Keeps a bicycle in the shed of {user}."}
        given = extracted(request, profiles=[draft])
        return Answer(text=given.text, delay_seconds=delay_seconds)

    return answer


@pytest.fixture
def deployment(tmp_path: Path, database_url: str) -> Iterator[Deployment]:
    """Everything but workers."""
    home = tmp_path / "home"
    with running_valkey(tmp_path) as valkey, scripted_llm() as model, collector() as received:
        env = {
            "SAGACITY_DATABASE_URL": database_url,
            "SAGACITY_REDIS_URL": valkey.url,
            "SAGACITY_LEASE_SECONDS": str(LEASE_SECONDS),
            "SAGACITY_SWEEP_SECONDS": "1",
            "SAGACITY_RATE_LIMITS": "false",
        }
        with running_server(home, env) as server:
            traced = {"SAGACITY_TRACES_URL": received.url, "SAGACITY_TRACES_SERVICE": "worker"}
            yield Deployment(home, env | traced, valkey, model, server, received)


@POSTGRESQL
def test_killed_worker_is_replaced_and_stopped_worker_ends_what_it_began(deployment: Deployment) -> None:
    """A worker killed in the middle of a model call is taken over; one that is told to stop ends what it began."""
    deployment.use_model(answers(2.0))
    deployment.publish("killed")
    with running_workers(deployment.home, deployment.env, count=1) as [first]:
        until(lambda: deployment.model.requests)
        first.kill()
    assert not deployment.is_learned("killed")  # nor does the server learn itself
    with running_workers(deployment.home, deployment.env, count=1) as [second]:
        deployment.until_learned("killed")
        before = len(deployment.model.requests)
        deployment.publish("drained")
        until(lambda: len(deployment.model.requests) > before)
        assert not deployment.is_learned("drained")
        assert sagacity("worker", "--check", home=deployment.home, env=deployment.env).code == 0
        assert second.stop() == 0
        assert deployment.is_learned("drained")
    deployment.assert_all_learned_once()
    # Its last spans were sent before it ended: the task down to the model, whose server was told of it.
    received = deployment.received
    asked = [one for one in received.spans if one.name == "chat openai/scripted"]
    ways = [received.path(one) for one in asked]
    assert any(way[0] == "task learn" and way[1].startswith("learn profile:") for way in ways)
    headers = [request.headers.get("traceparent", "") for request in deployment.model.requests]
    assert any(one.startswith(f"00-{asked[-1].trace_id}-{asked[-1].span_id}-") for one in headers)
    assert {one.service for one in received.spans} == {"worker"}
    assert b"bicycle" not in b"".join(received.raw)


@pytest.mark.full
@POSTGRESQL
def test_flush_and_outage_of_valkey_only_delay(deployment: Deployment) -> None:
    """Emptied, and away for some seconds in the middle: workers and server live on, and everything is learned once."""
    deployment.use_model(answers(0.2))
    with running_workers(deployment.home, deployment.env, count=2) as workers:
        for number in range(30):
            deployment.publish(f"user-{number}")
            if number == 10:
                with Redis.from_url(deployment.valkey.url) as redis:
                    redis.flushall()
            if number == 20:
                deployment.valkey.kill()
        time.sleep(3)
        deployment.valkey.start()
        deployment.assert_all_learned_once()
        assert [worker.stop() for worker in workers] == [0, 0]
        for logs in (*(worker.logs for worker in workers), deployment.server.logs):
            assert "Traceback" not in logs, logs


def test_worker_without_a_queue_says_what_is_missing(tmp_path: Path) -> None:
    """No Redis configured: one line that names the setting, and no worker of this machine is alive."""
    ran = sagacity("worker", home=tmp_path)
    assert (ran.code, "SAGACITY_REDIS_URL" in ran.err, "Traceback" in ran.err) == (1, True, False)
    assert sagacity("worker", "--check", home=tmp_path).code == 1
