# Generated from the API's description by scripts/sdk; change it there.
"""API tokens: given, replaced and taken back."""

from collections.abc import Sequence

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.wire import checked, segment
from sagacity.client.words.api_token import TokenScopeWord
from sagacity.schemas.tokens import CreateTokenBody, NewTokenReply, RotateTokenBody, TokenReply, TokensPage


async def get_tokens(
    connection: AsyncConnection, *, after: str | None = None, limit: int = 100
) -> TokensPage:
    """
    Return the organisation's API tokens, oldest first, without their secrets.

    Revoked and expired ones are included. The time of last use is accurate to about a minute.

    Args:
        connection: to the server.
        after: `next` of the previous page.
        limit: the largest number of results to return.
    """
    params = {"after": after, "limit": limit}
    return await connection.get("/api/tokens", TokensPage, params=params)


async def create_token(
    connection: AsyncConnection,
    scopes: Sequence[TokenScopeWord],
    *,
    name: str | None = None,
    user_id: str | None = None,
    expires_in_seconds: int | None = None,
) -> NewTokenReply:
    """
    Create an API token. Its secret is in the reply, and is not shown again.

    A token for one user reaches that user's data and nothing else, as if the user had signed in.

    Args:
        connection: to the server.
        scopes: what it allows: `read`, `publish`, `manage`, `admin`; each includes those before it.
        name: a name to recognise it by.
        user_id: the one user for whom it acts, with `read` or `publish`. Default: for all users.
        expires_in_seconds: how long it is valid. Default: until it is revoked.
    """
    body = checked(
        CreateTokenBody,
        {"scopes": scopes, "name": name, "user_id": user_id, "expires_in_seconds": expires_in_seconds},
    )
    return await connection.send("POST", "/api/tokens", NewTokenReply, body=body)


async def revoke_token(connection: AsyncConnection, token_id: str) -> TokenReply:
    """
    Revoke an API token. Every process refuses it from its next call on; in self-host mode, within two seconds.

    It stays in the list. Revoking the last one with the scope `admin` gets 409.

    Args:
        connection: to the server.
        token_id: the token, as `GET /api/tokens` lists it.
    """
    return await connection.send("DELETE", f"/api/tokens/{segment(token_id)}", TokenReply, repeatable=True)


async def rotate_token(
    connection: AsyncConnection, token_id: str, *, grace_seconds: int | None = None
) -> NewTokenReply:
    """
    Give an API token a new secret, which is in the reply and is not shown again.

    The previous secret works for `grace_seconds` longer, so that clients can change over. Any older one stops at
    once. A revoked or expired token gets 409.

    Args:
        connection: to the server.
        token_id: the token, as `GET /api/tokens` lists it.
        grace_seconds: how long the previous secret works too; 0 to end it at once; by default 86400.
    """
    body = checked(RotateTokenBody, {"grace_seconds": grace_seconds})
    return await connection.send("POST", f"/api/tokens/{segment(token_id)}/rotate", NewTokenReply, body=body)
