"""Hold back, inspect and await operations."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
from fastapi import FastAPI

from sagacity.domain.tenant import LOCAL_ORG, Tenant
from support.api import profiles_of
from support.waiting import until

LOCAL_TENANT = Tenant(org_id=LOCAL_ORG)


@asynccontextmanager
async def held_back(app: FastAPI, *user_ids: str) -> AsyncIterator[None]:
    """During the block, nobody works on operations for these users, because another owner holds the lease."""
    async with app.state.runtime.storage.begin(LOCAL_TENANT) as transaction:
        leases = [
            await transaction.leases.claim("regenerate", "a test", 600, user_id=user_id)
            for user_id in user_ids
        ]
        assert all(leases)
    yield
    async with app.state.runtime.storage.begin(LOCAL_TENANT) as transaction:
        for lease in leases:
            await transaction.leases.finish(lease)


async def standing(api: httpx.AsyncClient, operation_id: str) -> dict:
    """Return the state of an operation."""
    reply = await api.get("/api/get_operation_status", params={"operation_id": operation_id})
    assert reply.status_code == 200, reply.text
    return reply.json()["operation_status"]


async def ended(api: httpx.AsyncClient, operation_id: str) -> dict:
    """Wait for the end of an operation, and return its state."""
    found: dict = {}

    async def has_ended() -> bool:
        found.update(await standing(api, operation_id))
        return found["status"] != "in_progress"

    await until(has_ended)
    return found


async def statements(api: httpx.AsyncClient, user_id: str, status: str | None = None) -> list[str]:
    """Return the contents of the profiles with one status, in alphabetical order."""
    found = await profiles_of(api, user_id, status_filter=[status], top_k=100)
    return sorted(one["content"] for one in found)
