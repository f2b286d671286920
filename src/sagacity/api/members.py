"""Members of an organisation."""

from typing import Annotated

from fastapi import Path, Query

from sagacity.accounts import members
from sagacity.accounts.members import Known
from sagacity.api.dependencies import Administers, Reads
from sagacity.api.parameters import MaxRows
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.domain.amounts import counted
from sagacity.domain.ids import UserId
from sagacity.schemas.base import ExactId, Id, Reply
from sagacity.schemas.members import MemberReply, MembersPage, MemberView, RoleBody

router = resource("members")
MemberId = Annotated[ExactId, Path(description="The account, as `GET /api/members` lists it.")]


@router.get("/members", response_model_exclude_none=True, openapi_extra=sdk())
async def get_members(
    caller: Administers,
    after: Annotated[Id | None, Query(description="`next` of the previous page.")] = None,
    limit: MaxRows = 100,
) -> MembersPage:
    """Return the organisation's members with their roles, in the order of their ids."""
    found = await members.list_members(
        caller.runtime.accounts.parts,
        caller.principal,
        after=after,
        limit=limit + 1,
    )
    page = found[:limit]
    return MembersPage(
        members=tuple(map(_view, page)),
        next=page[-1].member.user_id if len(found) > limit else None,
        msg=counted(len(page), "member"),
    )


@router.patch(
    "/members/{user_id}",
    response_model_exclude_none=True,
    openapi_extra=sdk(repeatable=True),
    operation_id="change_role",
)
@limited(Rate.WRITE)
async def change_role(user_id: MemberId, body: RoleBody, caller: Administers) -> MemberReply:
    """
    Change a member's role, effective in every process from the next call on.

    Only an owner may grant or take the role of owner. Changing the last owner's role gets 409.
    """
    known = await members.change_role(
        caller.runtime.accounts.parts, caller.principal, UserId(user_id), body.role
    )
    return MemberReply(member=_view(known), msg=f"the role is {known.member.role}")


@router.delete(
    "/members/{user_id}", response_model_exclude_none=True, openapi_extra=sdk(), operation_id="remove_member"
)
@limited(Rate.WRITE)
async def remove_member(user_id: MemberId, caller: Reads) -> Reply:
    """
    Remove a member from the organisation. Everybody may leave; only administrators remove others.

    Effective in every process from the next call on. The user's data stays until it is erased. Removing the last owner
    gets 409.
    """
    parts = caller.runtime.accounts.parts
    await members.remove_member(parts, caller.principal, UserId(user_id))
    return Reply(msg="the account is no member any more")


def _view(known: Known) -> MemberView:
    account = known.account
    return MemberView(
        **known.member.model_dump(),
        email=None if account is None else account.email,
        full_name=(account.full_name or None) if account is not None else None,
    )
