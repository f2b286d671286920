"""Read an issuer's public keys over HTTP."""

import asyncio
from collections.abc import Mapping
from typing import Any

import httpx
from pydantic import TypeAdapter

from sagacity.auth.end_users import FetchKeys

SECONDS = 5.0
MOST_BYTES = 1_000_000
_KEY_SET = TypeAdapter(dict[str, Any])


def fetch_from(url: str, *, seconds: float = SECONDS) -> FetchKeys:
    """
    Return a function that reads the JSON Web Key Set at *url*; it raises OSError or ValueError on failure.

    Args:
        url: of the key set.
        seconds: how long the whole read may take.
    """

    async def fetch() -> Mapping[str, Any]:
        try:
            async with asyncio.timeout(seconds):
                return _KEY_SET.validate_json(await _content(url, seconds))
        except httpx.HTTPError as error:
            raise OSError(f"the key set cannot be read: {type(error).__name__}") from error

    return fetch


async def _content(url: str, seconds: float) -> bytes:
    """
    Return the content at *url*.

    Raises:
        ValueError: it is larger than `MOST_BYTES`; no more of it was read.
        httpx.HTTPError: it cannot be read.
    """
    content = bytearray()
    async with (
        httpx.AsyncClient(timeout=seconds, follow_redirects=False) as client,
        client.stream("GET", url, headers={"Accept": "application/json"}) as reply,
    ):
        reply.raise_for_status()
        async for piece in reply.aiter_bytes():
            content += piece
            if len(content) > MOST_BYTES:
                raise ValueError("the key set is too large")
    return bytes(content)
