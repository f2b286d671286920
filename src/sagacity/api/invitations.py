"""Invitations to become a member of an organisation."""

from typing import Annotated

from fastapi import Path, Query

from sagacity.accounts import invitations
from sagacity.api.dependencies import Administers, Reads
from sagacity.api.parameters import MaxRows
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.domain.amounts import counted
from sagacity.schemas.base import ExactId, Id, Reply
from sagacity.schemas.members import (
    AcceptBody,
    InvitationReply,
    InvitationsPage,
    InviteBody,
    JoinedReply,
    invitation_view,
)

router = resource("members")
InvitationId = Annotated[
    ExactId,
    Path(description="The invitation, as `GET /api/invitations` lists it."),
]


@router.get("/invitations", response_model_exclude_none=True, openapi_extra=sdk())
async def get_invitations(
    caller: Administers,
    after: Annotated[Id | None, Query(description="`next` of the previous page.")] = None,
    limit: MaxRows = 100,
) -> InvitationsPage:
    """Return the invitations that were not accepted yet, oldest first."""
    found = await invitations.list_invitations(
        caller.runtime.accounts.parts,
        caller.principal,
        after=after,
        limit=limit + 1,
    )
    page = found[:limit]
    return InvitationsPage(
        invitations=tuple(map(invitation_view, page)),
        next=page[-1].invitation_id if len(found) > limit else None,
        msg=counted(len(page), "invitation"),
    )


@router.post(
    "/invitations", response_model_exclude_none=True, openapi_extra=sdk(), operation_id="create_invitation"
)
@limited(Rate.RUN)
async def invite(body: InviteBody, caller: Administers) -> InvitationReply:
    """
    Invite an address to the organisation; an e-mail contains a code that can be used once.

    It is valid for seven days, unless `SAGACITY_INVITATION_HOURS` says otherwise. The address may have an account or
    not. Only an owner can invite an owner.
    """
    made = await invitations.invite(caller.runtime.accounts.parts, caller.principal, body.email, body.role)
    return InvitationReply(invitation=invitation_view(made), msg="an e-mail is on its way")


@router.post("/invitations/accept", openapi_extra=sdk(), operation_id="accept_invitation")
@limited(Rate.RUN)
async def accept(body: AcceptBody, caller: Reads) -> JoinedReply:
    """
    Become a member of the organisation that invited the account's address, with the code of the e-mail.

    The session stays in its organisation; `POST /api/organizations/switch` changes that.
    """
    tenant, member = await invitations.accept(caller.runtime.accounts.parts, caller.principal, body.code)
    return JoinedReply(org_id=tenant.org_id, role=member.role, msg="you are a member now")


@router.post(
    "/invitations/{invitation_id}/resend",
    response_model_exclude_none=True,
    openapi_extra=sdk(),
    operation_id="resend_invitation",
)
@limited(Rate.RUN)
async def send_again(invitation_id: InvitationId, caller: Administers) -> InvitationReply:
    """Send an invitation again with a new code that is valid as long; the previous code becomes invalid."""
    parts = caller.runtime.accounts.parts
    found = await invitations.send_again(parts, caller.principal, invitation_id)
    return InvitationReply(invitation=invitation_view(found), msg="an e-mail is on its way")


@router.delete(
    "/invitations/{invitation_id}",
    response_model_exclude_none=True,
    openapi_extra=sdk(),
    operation_id="revoke_invitation",
)
@limited(Rate.WRITE)
async def revoke(invitation_id: InvitationId, caller: Administers) -> Reply:
    """Withdraw an invitation; its code becomes invalid."""
    await invitations.revoke(caller.runtime.accounts.parts, caller.principal, invitation_id)
    return Reply(msg="the invitation is revoked")
