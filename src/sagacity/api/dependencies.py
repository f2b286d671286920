"""Who calls, and what they may reach."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Request, Security
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from sagacity.auth.end_users import looks_signed
from sagacity.auth.tokens import hash_token
from sagacity.bootstrap import Runtime
from sagacity.domain.change import DIRECT
from sagacity.domain.errors import Unauthorized
from sagacity.domain.ids import OrgId, UserId
from sagacity.domain.principal import CallerKind, Permission, Principal
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from sagacity.memories.acting import Acting
from sagacity.storage.transaction import Transaction

OF_END_USERS = frozenset({Permission.READ, Permission.WRITE})
"""What a person who signed in may do, with the own data alone."""
_bearer = HTTPBearer(
    auto_error=False,
    scheme_name="token",
    description="An API token, or a user's own token where the server is configured to verify those. Until an API "
    "token has been created, calls from the server's own machine need none.",
)


@dataclass(frozen=True, slots=True)
class Caller:
    """The runtime on behalf of a principal."""

    runtime: Runtime
    principal: Principal

    @property
    def acting(self) -> Acting:
        """What the room for memories acts by."""
        return Acting(self.runtime.parts, self.principal)

    @property
    def tenant(self) -> Tenant:
        """Whose data the call works on."""
        return self.principal.tenant

    def read(self, *, user_id: str | None = None) -> AbstractAsyncContextManager[Transaction]:
        """Open the principal's data to read, only one user's if one is named; see `Storage.read`."""
        return self.runtime.storage.read(self.principal, user_id=_user(user_id))

    def begin(self, *, user_id: str | None = None) -> AbstractAsyncContextManager[Transaction]:
        """Open the principal's data to write, only one user's if one is named; see `Storage.begin`."""
        return self.runtime.storage.begin(self.principal, user_id=_user(user_id))


def _user(user_id: str | None) -> UserId | None:
    return None if user_id is None else UserId(user_id)


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
    if credentials is not None and runtime.user_tokens is not None and looks_signed(credentials.credentials):
        user_id = await runtime.user_tokens.user_of(credentials.credentials)
        return Caller(runtime, _end_user(runtime.settings.jwt_org, user_id))
    if credentials is not None:
        token = await runtime.storage.find_token(hash_token(credentials.credentials))
        return Caller(runtime, Principal(tenant=Tenant(org_id=token.org_id), actor=f"{DIRECT}:{token.name}"))
    if await runtime.storage.has_tokens():
        raise Unauthorized("an API token is needed: send `Authorization: Bearer <token>`")
    client = http_request.client
    if not runtime.settings.is_loopback or not is_local(
        "" if client is None else client.host,
        host=http_request.headers.get("host", ""),
        origin=http_request.headers.get("origin"),
        origins=runtime.settings.cors_origins,
    ):
        raise Unauthorized(
            "until an API token exists, the server only answers calls from its own machine; "
            "create one with `sagacity token create`"
        )
    return Caller(runtime, Principal(tenant=Tenant(org_id=LOCAL_ORG), kind=CallerKind.LOCAL))


def _end_user(org: str, user_id: UserId) -> Principal:
    return Principal(
        tenant=Tenant(org_id=OrgId(org)),
        user_id=user_id,
        permissions=OF_END_USERS,
        kind=CallerKind.USER,
        actor=f"user:{user_id}",
    )


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


@dataclass(frozen=True, slots=True)
class Needs:
    """What a route asks of its caller, said beside the route."""

    permission: Permission

    async def __call__(self, caller: Annotated[Caller, Depends(caller_of)]) -> Caller:
        """
        Return the caller, who has the permission.

        Raises:
            Forbidden: it has not.
        """
        caller.principal.require(self.permission)
        return caller


Reads = Annotated[Caller, Depends(Needs(Permission.READ))]
Writes = Annotated[Caller, Depends(Needs(Permission.WRITE))]
Reviews = Annotated[Caller, Depends(Needs(Permission.REVIEW))]
Runs = Annotated[Caller, Depends(Needs(Permission.LEARN))]
Administers = Annotated[Caller, Depends(Needs(Permission.ADMIN))]
