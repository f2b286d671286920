"""ID tokens: not one of Project Wycheproof's vectors is taken for somebody's sign-in."""

import httpx
import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from sagacity.accounts.oidc.provider import WELL_KNOWN, OidcChoice, OidcProvider
from sagacity.config.settings import load_settings
from sagacity.domain.errors import ConfigError, Unauthorized
from support.jose_vectors import Vector, vectors
from support.parts import StoppedClock

ISSUER = "https://login.example.com"


def provider_of(vector: Vector) -> OidcProvider:
    """A provider with the vector's keys, which gives the vector's token for every code."""

    async def discovery(_: Request) -> JSONResponse:
        names = {"authorization_endpoint": "a", "token_endpoint": "token", "jwks_uri": "keys"}
        return JSONResponse({"issuer": ISSUER} | {name: f"{ISSUER}/{path}" for name, path in names.items()})

    async def keys(_: Request) -> JSONResponse:
        return JSONResponse({"keys": list(vector.keys)})

    async def token(_: Request) -> JSONResponse:
        return JSONResponse({"id_token": vector.token})

    app = Starlette(
        routes=[Route(WELL_KNOWN, discovery), Route("/keys", keys), Route("/token", token, methods=["POST"])]
    )
    choice = OidcChoice(
        issuer=ISSUER, client_id="c", scopes="openid email", redirect_uri="https://m.example.com/"
    )
    return OidcProvider(choice, httpx.AsyncClient(transport=httpx.ASGITransport(app)), StoppedClock())


async def test_no_vector_is_a_sign_in() -> None:
    """Also those whose signature is right: they say nothing of a person."""
    for vector in vectors():
        with pytest.raises(Unauthorized):
            await provider_of(vector).identity_of("code", verifier="v", nonce="n")


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"cookie_sessions": True}, "PUBLIC_URL"),
        ({"public_url": "http://memory.example.com"}, "https"),
        ({"public_url": "https://a:b@memory.example.com"}, "no user"),
        ({"oidc_issuer": ISSUER, "public_url": "https://m.example.com"}, "CLIENT_ID"),
        ({"oidc_issuer": ISSUER, "oidc_client_id": "c"}, "PUBLIC_URL"),
        ({"oidc_issuer": "http://login.example.com", "oidc_client_id": "c"}, "https"),
        ({"oidc_scopes": "openid"}, "email"),
    ],
)
def test_settings_that_are_not_safe_stop_the_start(given: dict[str, object], named: str) -> None:
    with pytest.raises(ConfigError, match=named):
        load_settings(**given)
