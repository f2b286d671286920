"""Who calls, and what they may reach."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from sagacity.auth.tokens import hash_token
from sagacity.bootstrap import Runtime
from sagacity.domain.change import DIRECT
from sagacity.domain.errors import Unauthorized
from sagacity.domain.ids import UserId
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from sagacity.storage.transaction import Transaction

_bearer = HTTPBearer(
    auto_error=False,
    scheme_name="token",
    description="An API token. A server that never made one serves its own machine without.",
)


@dataclass(frozen=True, slots=True)
class Caller:
    """The runtime on behalf of one tenant."""

    runtime: Runtime
    tenant: Tenant
    actor: str = DIRECT
    """As whom changes are recorded: `api`, with the name of the token where one was used."""

    def read(self, *, user_id: str | None = None) -> AbstractAsyncContextManager[Transaction]:
        """Open the tenant's data to read, on behalf of one user if one is named; see `Storage.read`."""
        return self.runtime.storage.read(self.tenant, user_id=None if user_id is None else UserId(user_id))

    def begin(self) -> AbstractAsyncContextManager[Transaction]:
        """Open the tenant's data to write; see `Storage.begin`."""
        return self.runtime.storage.begin(self.tenant)


def runtime_of(http_request: Request) -> Runtime:
    """Return what the server runs on."""
    return http_request.app.state.runtime


async def caller_of(
    http_request: Request,
    credentials: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)],
) -> Caller:
    """
    Find out whose data the call works on.

    Raises:
        Unauthorized: its token is not known, or one is needed and did not come.
    """
    runtime = runtime_of(http_request)
    if credentials is not None:
        token = await runtime.storage.find_token(hash_token(credentials.credentials))
        return Caller(runtime, Tenant(org_id=token.org_id), actor=f"{DIRECT}:{token.name}")
    if await runtime.storage.has_tokens():
        raise Unauthorized("an API token is needed: send `Authorization: Bearer <token>`")
    client = http_request.client
    if not runtime.settings.is_loopback or not is_local(
        "" if client is None else client.host,
        host=http_request.headers.get("host", ""),
        origin=http_request.headers.get("origin"),
        origins=runtime.settings.cors_origins,
    ):
        raise Unauthorized("without any API token the server serves its own machine only; make a token first")
    return Caller(runtime, Tenant(org_id=LOCAL_ORG))


def is_local(client: str, *, host: str, origin: str | None, origins: Sequence[str] = ()) -> bool:
    """
    Whether a call without a token comes from this machine, and not from a web page that someone visits on it.

    Args:
        client: the address of the other end.
        host: the Host header; a name that is not this machine's own gives a rebound domain away.
        origin: the Origin header, which browsers send for other sites' pages.
        origins: the web origins that the settings let in.
    """
    try:
        if not _is_loopback(client) or not _is_loopback(urlsplit(f"//{host}").hostname or ""):
            return False
        return origin is None or origin in origins or urlsplit(origin).netloc == host
    except ValueError:  # such as the bracket of an address that goes no further
        return False


def _is_loopback(name: str) -> bool:
    if name == "localhost":
        return True
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return False


RuntimeDep = Annotated[Runtime, Depends(runtime_of)]
CallerDep = Annotated[Caller, Depends(caller_of)]
