"""Reading an issuer's public keys over HTTP."""

from collections.abc import Mapping
from typing import Any

import httpx
from pydantic import TypeAdapter

from sagacity.auth.end_users import FetchKeys

SECONDS = 5.0
MOST_BYTES = 1_000_000
_KEY_SET = TypeAdapter(dict[str, Any])


def fetch_from(url: str) -> FetchKeys:
    """Return what reads the JSON Web Key Set at *url*; raises OSError or ValueError if it cannot be had."""

    async def fetch() -> Mapping[str, Any]:
        try:
            async with httpx.AsyncClient(timeout=SECONDS, follow_redirects=False) as client:
                reply = await client.get(url, headers={"Accept": "application/json"})
                reply.raise_for_status()
        except httpx.HTTPError as error:
            raise OSError(f"the key set cannot be read: {type(error).__name__}") from error
        if len(reply.content) > MOST_BYTES:
            raise ValueError("the key set is too large")
        return _KEY_SET.validate_json(reply.content)

    return fetch
