"""Conversations of a few users whose facts change, and what a server has learned from them."""

import json
from pathlib import Path

import httpx

from sagacity.domain.clock import SystemClock
from sagacity.domain.ids import TimeOrderedIds, UserId
from sagacity.domain.memory import MemoryKind
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from sagacity.storage.open import open_storage

TENANT = Tenant(org_id=LOCAL_ORG)
SCENARIOS = Path(__file__).parents[2] / "examples" / "data" / "scenarios" / "contradictions.json"


def script(users: int) -> list[dict]:
    """Return conversations of a few users whose facts change, with a pair of turns in each request."""
    scenarios = json.loads(SCENARIOS.read_text())["scenarios"]
    requests = []
    for number in range(users):
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


def is_learned(url: str, requests: list[dict]) -> bool:
    """Whether the last request of every user has been learned from."""
    last = {one["user_id"]: one["request_id"] for one in requests}
    receipts = [
        httpx.get(f"{url}/api/receipts/{request_id}", timeout=30).json() for request_id in last.values()
    ]
    return all(receipt["state"] == "learned" for receipt in receipts)


async def state_of(url: str, users: int) -> tuple[list, set, list]:
    """Return the log, what was learned from it, and the dead letters."""
    storage = await open_storage(url, clock=SystemClock(), ids=TimeOrderedIds())
    log, memories = [], set()
    async with storage.read(TENANT) as snapshot:
        for number in range(users):
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


def turns_of(requests: list[dict]) -> list[tuple[str, str, str, str]]:
    """Return the turns that the log must have."""
    return [
        (one["user_id"], one["request_id"], turn["role"], turn["content"])
        for one in requests
        for turn in one["interactions"]
    ]
