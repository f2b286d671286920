"""A user's memories over HTTP."""

import httpx

PATH = "/api/memories"
EACH_TYPE = [
    {
        "memory_type": "profile",
        "content": "Prefers tea over coffee.",
        "category": "preferences",
        "attribute": "drink",
        "value": "tea",
    },
    {"memory_type": "semantic", "content": "Lyon lies on two rivers.", "topic": "geography"},
    {
        "memory_type": "episodic",
        "content": "Chose the blue bicycle on Friday.",
        "conversation_id": "c1",
        "event_type": "decision",
    },
    {
        "memory_type": "procedural",
        "content": "How to release the program.",
        "procedure_name": "release",
        "trigger": "when a version is ready",
        "steps": ["tag the commit", "push the image"],
    },
]
"""One memory of each type, with what only its type carries."""


async def added(api: httpx.AsyncClient, content: str = "Likes tea.", *, user: str = "ana", **fields) -> dict:
    """A memory that was stored for a user."""
    body = {"memory_type": "profile", "content": content} | fields
    reply = await api.post(PATH, params={"user_id": user}, json=body)
    assert reply.status_code == 201, reply.text
    return reply.json()


async def listed(api: httpx.AsyncClient, *, user: str = "ana", **params) -> dict:
    """A page of a user's memories."""
    reply = await api.get(PATH, params={"user_id": user} | params)
    assert reply.status_code == 200, reply.text
    return reply.json()


async def found(api: httpx.AsyncClient, query: str, *, user: str = "ana", **fields) -> dict:
    """What a search of a user's memories gives."""
    reply = await api.post(f"{PATH}/search", params={"user_id": user}, json={"query": query} | fields)
    assert reply.status_code == 200, reply.text
    return reply.json()


async def stats(api: httpx.AsyncClient, *, user: str = "ana") -> dict:
    """A user's memories in numbers."""
    reply = await api.get(f"{PATH}/stats", params={"user_id": user})
    assert reply.status_code == 200, reply.text
    return reply.json()
