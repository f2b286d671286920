"""The audit log: every change of access and of configuration."""

from typing import Annotated

from fastapi import Depends, Query

from sagacity.access.audit import list_audit
from sagacity.api.dependencies import Administers
from sagacity.api.parameters import MaxRows
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.domain.amounts import counted
from sagacity.domain.audit import AuditAction, AuditFilter
from sagacity.domain.errors import InvalidInput
from sagacity.domain.ids import MAX_INT
from sagacity.schemas.audit import AuditPage, audit_view
from sagacity.schemas.base import Label, Moment, Number

router = resource("audit")
_ACTIONS = ", ".join(f"`{one}`" for one in AuditAction)


def _filter(
    *,
    action: Annotated[AuditAction | None, Query(description=f"Only this: {_ACTIONS}.")] = None,
    actor: Annotated[
        Label | None, Query(description="Only what this caller did, as the rows name callers.")
    ] = None,
    target: Annotated[
        Label | None, Query(description="Only what was done to this, such as a token's id.")
    ] = None,
    start_time: Annotated[Moment | None, Query(description="From this moment on.")] = None,
    end_time: Annotated[Moment | None, Query(description="Before this moment.")] = None,
) -> AuditFilter:
    if start_time is not None and end_time is not None and end_time <= start_time:
        raise InvalidInput("end_time must be later than start_time")
    return AuditFilter(action=action, actor=actor, target=target, start=start_time, end=end_time)


@router.get("/audit", openapi_extra=sdk())
async def get_audit(
    caller: Administers,
    wanted: Annotated[AuditFilter, Depends(_filter)],
    before: Annotated[
        Number | None, Query(description="Newest first: `next` of the previous page. Not with `after`.")
    ] = None,
    after: Annotated[
        int | None,
        Query(ge=0, le=MAX_INT, description="Oldest first, behind this row; 0 for all of them."),
    ] = None,
    limit: MaxRows = 100,
) -> AuditPage:
    """
    Return the audit log: who changed what in access and configuration, newest first.

    Rows are never changed or deleted, and each holds a hash over itself and the row before. They name people by
    keyed pseudonyms only, and hold no secrets.
    """
    if before is not None and after is not None:
        raise InvalidInput("send either before or after")
    found = await list_audit(
        caller.runtime.storage, caller.principal, wanted, before=before, after=after, limit=limit + 1
    )
    page = found[:limit]
    return AuditPage(
        org_id=caller.tenant.org_id,
        entries=tuple(map(audit_view, page)),
        next=page[-1].seq if len(found) > limit else None,
        msg=counted(len(page), "row"),
    )
