"""
How much faster two workers learn than one, with a model that takes a fixed time for each answer.

    python benchmarks/workers.py [--quick]

A server stores turns of many users while no worker runs; then workers start, and the second half is measured. The model
is a local server that waits and answers, so the benchmark measures how workers share the waiting, which is most of the
time of learning with a model. Each round has a new database and a new Valkey.
"""

import time

import httpx
from harness import UNLIMITED, Budget, Effort, Report, Table, folder, median, number, run, server

from support.local_servers import running_valkey
from support.scripted_llm import Answer, ChatRequest, ScriptedLLM, extracted, scripted_llm
from support.workers import running_workers

DELAY_SECONDS = 0.2
CONCURRENCY = 1
CALLS_A_USER = 1
SPEED_UP = 1.8
WAIT_SECONDS = 300


def answer(request: ChatRequest) -> Answer:
    """Nothing worth remembering, after a while."""
    return Answer(text=extracted(request).text, delay_seconds=DELAY_SECONDS)


def fill(url: str, model: ScriptedLLM, users: int) -> None:
    """Let a model learn, and publish one turn of each user that has to be learned at once."""
    with httpx.Client(base_url=url, timeout=60) as http:
        config = http.get("/api/get_config").json()
        endpoint = {"model": "scripted", "api_key": "none", "api_base": model.base_url}
        config["api_key_config"] = {"custom_endpoint": endpoint}
        http.post("/api/set_config", json=config).raise_for_status()
        for user in range(users):
            turns = [{"content": f"I keep my bicycle in shed number {user}, and I like it there."}]
            body = {"user_id": f"user-{user}", "force_extraction": True, "interaction_data_list": turns}
            http.post("/api/publish_interaction", json=body).raise_for_status()


def learned_in(workers: int, users: int) -> float:
    """Users learned from per second, by so many workers, in the second half, when all is loaded."""
    with folder() as home, running_valkey(home) as valkey, scripted_llm() as model:
        model.answer_with(answer)
        env = UNLIMITED | {
            "SAGACITY_REDIS_URL": valkey.url,
            "SAGACITY_LEARN_CONCURRENCY": str(CONCURRENCY),
        }
        with server(home, env) as api:
            fill(api.url, model, users)
            with running_workers(home, env, count=workers):
                half = users // 2
                begun = when(model, CALLS_A_USER * half)
                ended = when(model, CALLS_A_USER * users)
        if len(model.requests) > CALLS_A_USER * users:
            raise SystemExit("some were learned twice")
        return (users - half) / (ended - begun)


def when(model: ScriptedLLM, calls: int) -> float:
    """Wait for so many calls of the model; returns the moment."""
    deadline = time.monotonic() + WAIT_SECONDS
    while len(model.requests) < calls:
        if time.monotonic() > deadline:
            raise SystemExit(f"{len(model.requests)} of {calls} calls after {WAIT_SECONDS} s")
        time.sleep(0.005)
    return time.monotonic()


def measure(effort: Effort) -> Report:
    """Rounds take turns, so that what else the machine does meets both alike."""
    users, rounds = effort.pick(60, 120, 240), effort.pick(1, 3)
    rates: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(rounds):
        for workers, found in rates.items():
            found.append(learned_in(workers, users))
    one, two = median(rates[1]), median(rates[2])
    return Report(
        subject="Workers",
        about=f"{users} users, one turn each; the model that learns from them answers after "
        f"{DELAY_SECONDS * 1000:.0f} ms; "
        f"{CONCURRENCY} user at a time in each worker; SQLite and Valkey; median of {rounds}.",
        budgets=[Budget("speed-up, two workers over one", two / one, SPEED_UP, "times", at_least=True)],
        tables=[
            Table(
                "Users learned from per second",
                ("workers", "users/s", "lowest", "highest"),
                [
                    (str(count), number(median(found)), number(min(found)), number(max(found)))
                    for count, found in rates.items()
                ],
            )
        ],
    )


if __name__ == "__main__":
    run(measure)
