"""The organisations that an account is a member of."""

from fastapi import Response

from sagacity.accounts import cookies as browser
from sagacity.accounts import sign_in
from sagacity.accounts.organisations import list_organisations
from sagacity.api import cookies
from sagacity.api.dependencies import IsByCookie, Reads
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.domain.amounts import counted
from sagacity.schemas.accounts import SwitchedSession
from sagacity.schemas.members import OrganizationsReply, SwitchBody, organization_view

router = resource("members")


@router.get("/organizations", openapi_extra=sdk())
async def get_organizations(caller: Reads) -> OrganizationsReply:
    """Return the organisations that the account is a member of, and which one the access token works in."""
    user_id, _ = sign_in.require_account(caller.principal)
    found = await list_organisations(caller.runtime.accounts.parts, user_id)
    return OrganizationsReply(
        organizations=tuple(
            organization_view(one, is_current=one.org_id == caller.tenant.org_id) for one in found
        ),
        msg=counted(len(found), "organisation"),
    )


@router.post("/organizations/switch", openapi_extra=sdk(), operation_id="switch_organization")
@limited(Rate.RUN)
async def switch(
    body: SwitchBody, caller: Reads, reply: Response, *, is_by_cookie: IsByCookie
) -> SwitchedSession:
    """
    Begin a session in another organisation of the account. The next sign-in leads there, too.

    The current session stays in its organisation, so that no program changes place between two calls. That of a
    browser ends: its cookie is replaced, and the reply holds no token but that of the page, `csrf_token`.
    """
    runtime = caller.runtime
    if is_by_cookie:
        session = await browser.switch_by_cookie(runtime.accounts.parts, caller.principal, body.organization)
        cookies.keep_session(reply, runtime.settings, session)
        return SwitchedSession(csrf_token=session.csrf_token, expires_in=session.lasts_seconds)
    tokens = await sign_in.switch(runtime.accounts.parts, caller.principal, body.organization)
    return SwitchedSession(
        access_token=tokens.access_token,
        refresh_token=tokens.refresh_token,
        token_type="bearer",  # noqa: S106  OAuth's name of the kind
        expires_in=tokens.expires_in,
    )
