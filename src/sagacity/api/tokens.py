"""API tokens, with which other programs call the server."""

from datetime import timedelta
from typing import Annotated

from fastapi import Path, Query

from sagacity.access.tokens import create_token, list_tokens, revoke_token, rotate_token
from sagacity.api.dependencies import Administers
from sagacity.api.parameters import MaxRows
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.domain.amounts import counted
from sagacity.schemas.base import ExactId, Id
from sagacity.schemas.tokens import (
    CreateTokenBody,
    NewTokenReply,
    RotateTokenBody,
    TokenReply,
    TokensPage,
    new_token_reply,
    token_view,
)

router = resource("tokens")
TokenId = Annotated[ExactId, Path(description="The token, as `GET /api/tokens` lists it.")]


@router.get("/tokens", response_model_exclude_none=True, openapi_extra=sdk())
async def get_tokens(
    caller: Administers,
    after: Annotated[Id | None, Query(description="`next` of the previous page.")] = None,
    limit: MaxRows = 100,
) -> TokensPage:
    """
    Return the organisation's API tokens, oldest first, without their secrets.

    Revoked and expired ones are included. The time of last use is accurate to about a minute.
    """
    found = await list_tokens(caller.runtime.token_store, caller.principal, after=after, limit=limit + 1)
    page, now = found[:limit], caller.runtime.clock.now()
    return TokensPage(
        tokens=tuple(token_view(one, now) for one in page),
        next=page[-1].token_id if len(found) > limit else None,
        msg=counted(len(page), "token"),
    )


@router.post("/tokens", response_model_exclude_none=True, openapi_extra=sdk(), operation_id="create_token")
@limited(Rate.RUN)
async def make_token(body: CreateTokenBody, caller: Administers) -> NewTokenReply:
    """
    Create an API token. Its secret is in the reply, and is not shown again.

    A token for one user reaches that user's data and nothing else, as if the user had signed in.
    """
    made = await create_token(caller.runtime.token_store, caller.principal, body.to_domain())
    return new_token_reply(made, caller.runtime.clock.now(), "the secret is shown this once")


@router.delete(
    "/tokens/{token_id}",
    response_model_exclude_none=True,
    openapi_extra=sdk(repeatable=True),
    operation_id="revoke_token",
)
@limited(Rate.WRITE)
async def end_token(token_id: TokenId, caller: Administers) -> TokenReply:
    """
    Revoke an API token. Every process refuses it from its next call on; in self-host mode, within two seconds.

    It stays in the list. Revoking the last one with the scope `admin` gets 409.
    """
    token = await revoke_token(caller.runtime.token_store, caller.principal, token_id)
    return TokenReply(token=token_view(token, caller.runtime.clock.now()), msg="the token is revoked")


@router.post(
    "/tokens/{token_id}/rotate",
    response_model_exclude_none=True,
    openapi_extra=sdk(),
    operation_id="rotate_token",
)
@limited(Rate.RUN)
async def replace_secret(token_id: TokenId, body: RotateTokenBody, caller: Administers) -> NewTokenReply:
    """
    Give an API token a new secret, which is in the reply and is not shown again.

    The previous secret works for `grace_seconds` longer, so that clients can change over. Any older one stops
    at once. A revoked or expired token gets 409.
    """
    made = await rotate_token(
        caller.runtime.token_store,
        caller.principal,
        token_id,
        grace=timedelta(seconds=body.grace_seconds),
    )
    return new_token_reply(made, caller.runtime.clock.now(), "the new secret is shown this once")
