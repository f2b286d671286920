"""Who is calling, and what the caller may reach."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from typing import Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Request, Security
from fastapi.openapi.models import HTTPBearer as BearerModel
from fastapi.security.base import SecurityBase
from starlette.types import Scope

from sagacity.access import tokens
from sagacity.accounts.sign_in import principal_of
from sagacity.api.cookies import refuse_other_sites, session_cookie
from sagacity.api.errors import not_json
from sagacity.api.middleware.body import FAULT
from sagacity.auth.account_tokens import TokenUse, is_of_accounts
from sagacity.auth.end_users import looks_signed
from sagacity.auth.tokens import bearer, hash_token
from sagacity.bootstrap import Runtime
from sagacity.domain.addresses import is_this_machine
from sagacity.domain.audit import LOCAL
from sagacity.domain.errors import StorageError, Unauthorized
from sagacity.domain.ids import OrgId, UserId
from sagacity.domain.principal import OF_END_USERS, CallerKind, Permission, Principal
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from sagacity.memories.acting import Acting
from sagacity.storage.transaction import Transaction

_PRINCIPAL = "principal"
"""What the state of a call holds: whose it is, once that is known."""
_OF_COOKIE = "principal_of_cookie"
"""The same of a call by cookie, which may still be another site's doing."""
_IPV6 = 6


@dataclass(frozen=True, slots=True)
class Caller:
    """The runtime for a principal."""

    runtime: Runtime
    principal: Principal

    @property
    def acting(self) -> Acting:
        """What the room `memories` needs to act for the caller."""
        return Acting(self.runtime.parts, self.principal)

    @property
    def tenant(self) -> Tenant:
        """The organisation whose data the call works on."""
        return self.principal.tenant

    def read(self, *, user_id: str | None = None) -> AbstractAsyncContextManager[Transaction]:
        """Open the principal's data to read, only one user's if *user_id* is given; see `Storage.read`."""
        return self.runtime.storage.read(self.principal, user_id=_user(user_id))

    def begin(self, *, user_id: str | None = None) -> AbstractAsyncContextManager[Transaction]:
        """Open the principal's data to write, only one user's if *user_id* is given; see `Storage.begin`."""
        return self.runtime.storage.begin(self.principal, user_id=_user(user_id))


def _user(user_id: str | None) -> UserId | None:
    return None if user_id is None else UserId(user_id)


def runtime_of(http_request: Request) -> Runtime:
    """Return what the server runs on."""
    return http_request.app.state.runtime


async def caller_of(http_request: Request) -> Caller:
    """
    Find out whose data the call works on, and refuse a body that is not JSON.

    Raises:
        Unauthorized: the token is unknown, or missing although required.
        RequestValidationError: the body is not JSON.
    """
    runtime = runtime_of(http_request)
    principal = await _principal_of(http_request, runtime)
    fault: str | None = getattr(http_request.state, FAULT, None)
    if fault is not None:
        raise not_json(fault)
    return Caller(runtime, principal)


async def _principal_of(http_request: Request, runtime: Runtime) -> Principal:
    if token := bearer(http_request.headers.get("authorization")):
        return await _known(http_request, token)
    if cookie := session_cookie(http_request, runtime.settings):
        principal = await _known_by_cookie(http_request, cookie)
        refuse_other_sites(http_request, runtime.settings, runtime.accounts.parts, principal)
        return principal
    if runtime.user_tokens is not None or runtime.accounts.are_open or await runtime.token_store.any_made():
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
    return Principal(tenant=Tenant(org_id=LOCAL_ORG), kind=CallerKind.LOCAL, audited_as=LOCAL)


async def _known(http_request: Request, token: str) -> Principal:
    """
    Return who sent a token; what was found out about it lasts for the call.

    Raises:
        Unauthorized: it is not known, or not valid.
    """
    known: Principal | None = getattr(http_request.state, _PRINCIPAL, None)
    if known is not None:
        return known
    runtime = runtime_of(http_request)
    if is_of_accounts(token):
        known = await principal_of(runtime.accounts.parts, token)
    elif runtime.user_tokens is not None and looks_signed(token):
        known = _end_user(runtime, await runtime.user_tokens.user_of(token))
    else:
        known = await tokens.principal_of(runtime.token_store, token)
    _require_served(runtime, known)
    setattr(http_request.state, _PRINCIPAL, known)
    return known


def _require_served(runtime: Runtime, principal: Principal) -> None:
    """
    Make sure that the server is for the caller's organisation.

    Raises:
        Unauthorized: it is for `self-host-org` alone.
    """
    if runtime.settings.self_host and principal.tenant.org_id != LOCAL_ORG:
        raise Unauthorized(f"this server is for the organisation {LOCAL_ORG!r} alone, as SELF_HOST says")


async def _known_by_cookie(http_request: Request, cookie: str) -> Principal:
    """
    Return whose a browser's cookie is; whether the browser's owner meant the call, this does not say.

    Raises:
        Unauthorized: it is not valid, or its session has ended.
    """
    known: Principal | None = getattr(http_request.state, _OF_COOKIE, None)
    if known is None:
        runtime = runtime_of(http_request)
        known = await principal_of(runtime.accounts.parts, cookie, use=TokenUse.COOKIE)
        _require_served(runtime, known)
        setattr(http_request.state, _OF_COOKIE, known)
    return known


async def allowance_of(scope: Scope) -> str:
    """
    Return whose allowance of calls a call takes from: a user's, an organisation's, or else an address's.

    Who makes up tokens is as unknown as who sends none, and does not get an allowance for each.
    """
    http_request = Request(scope)
    token = bearer(http_request.headers.get("authorization"))
    cookie = None if token else session_cookie(http_request, runtime_of(http_request).settings)
    if token or cookie:
        try:
            principal = (
                await _known(http_request, token)
                if token
                else await _known_by_cookie(http_request, cookie or "")
            )
        except (Unauthorized, StorageError):
            pass  # the route will say so
        else:
            org_id, user_id = principal.tenant.org_id, principal.account_id or principal.user_id
            # Hashed: it may be written down outside of this process, and user ids are often addresses.
            return hash_token(f"org:{org_id}" if user_id is None else f"user:{org_id}:{user_id}")
    return address_of(http_request)


def address_of(http_request: Request) -> str:
    """Return the network address of a call; of IPv6 only the network, as one household has millions of addresses."""
    name = "" if http_request.client is None else http_request.client.host
    try:
        address = ip_address(name)
    except ValueError:
        return name
    return str(ip_network((address, 64), strict=False)) if address.version == _IPV6 else name


def _end_user(runtime: Runtime, user_id: UserId) -> Principal:
    return Principal(
        tenant=Tenant(org_id=OrgId(runtime.settings.jwt_org)),
        user_id=user_id,
        permissions=OF_END_USERS,
        kind=CallerKind.USER,
        actor=f"user:{user_id}",
        audited_as=runtime.accounts.parts.audited_as(user_id),
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
        if (
            "@" in host
            or not is_this_machine(client)
            or not is_this_machine(urlsplit(f"//{host}").hostname or "")
        ):
            return False
        return origin is None or origin in origins or urlsplit(origin).netloc == host
    except ValueError:  # such as the bracket of an address that goes no further
        return False


async def _is_by_cookie(http_request: Request) -> bool:
    """Return whether the caller is identified by a browser's cookie, without a token."""
    await caller_of(http_request)
    return hasattr(http_request.state, _OF_COOKIE) and not hasattr(http_request.state, _PRINCIPAL)


RuntimeDep = Annotated[Runtime, Depends(runtime_of)]
IsByCookie = Annotated[bool, Depends(_is_by_cookie)]


class Needs(SecurityBase):
    """
    What a route requires of its caller, declared beside the route.

    One dependency rather than a chain, because each costs a twentieth of a short call.
    """

    scheme_name = "token"
    model = BearerModel(
        description="An API token, an account's access token, or a user's own token where the server is configured to "
        "verify those. Where the server has sessions by cookie, a cookie does in its place. Until an API token has "
        "been created, calls from the server's own machine need none."
    )

    def __init__(self, permission: Permission) -> None:
        self.permission = permission

    async def __call__(self, http_request: Request) -> Caller:
        """
        Return the caller, after checking the permission.

        Raises:
            Forbidden: the caller lacks the permission.
            Unauthorized: the token is unknown, or missing although required.
            RequestValidationError: the body is not JSON.
        """
        caller = await caller_of(http_request)
        caller.principal.require(self.permission)
        return caller


Reads = Annotated[Caller, Security(Needs(Permission.READ))]
Writes = Annotated[Caller, Security(Needs(Permission.WRITE))]
Reviews = Annotated[Caller, Security(Needs(Permission.REVIEW))]
Runs = Annotated[Caller, Security(Needs(Permission.LEARN))]
Administers = Annotated[Caller, Security(Needs(Permission.ADMIN))]


async def _administers_or_nobody(http_request: Request) -> Caller | None:
    """
    Return the caller if it may administer; None if it may not or is anonymous.

    For routes that are open to everyone but tell administrators more, so their description requires no token.

    Raises:
        Unauthorized: its token is unknown.
    """
    try:
        caller = await caller_of(http_request)
    except Unauthorized:
        if bearer(http_request.headers.get("authorization")) is not None:
            raise
        return None
    return caller if Permission.ADMIN in caller.principal.permissions else None


AdministersOrNobody = Annotated[Caller | None, Depends(_administers_or_nobody)]
