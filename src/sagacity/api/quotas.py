"""Quotas of organisations, and how much of each is used."""

from collections.abc import Sequence
from typing import Annotated

from fastapi import Path

from sagacity.access.quotas import own_quotas, quotas_of, set_quotas
from sagacity.api.dependencies import Administers, Reads
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.domain.amounts import counted
from sagacity.domain.ids import MAX_ORG_BYTES
from sagacity.domain.quota import Quota
from sagacity.schemas.base import Storable
from sagacity.schemas.quotas import QuotasBody, QuotasReply, QuotaView

router = resource("quotas")
Organisation = Annotated[
    Storable, Path(min_length=1, max_length=MAX_ORG_BYTES, description="The organisation's id.")
]


@router.get("/quotas", openapi_extra=sdk(), operation_id="get_quotas")
@limited(Rate.WRITE)
async def quotas(caller: Reads) -> QuotasReply:
    """Return the limits of the caller's organisation, with how much of each is used."""
    return _reply(await own_quotas(caller.runtime.storage, caller.principal))


@router.get("/quotas/{org_id}", openapi_extra=sdk(), operation_id="get_quotas_of")
@limited(Rate.WRITE)
async def quotas_of_organisation(org_id: Organisation, caller: Administers) -> QuotasReply:
    """
    Return the limits of any organisation, with how much of each is used.

    Only callers of the organisation `self-host-org`, which runs the server, are accepted.
    """
    return _reply(await quotas_of(caller.runtime.storage, caller.principal, org_id))


@router.put("/quotas/{org_id}", openapi_extra=sdk(positional=("org_id", "limits")), operation_id="set_quotas")
@limited(Rate.WRITE)
async def set_quotas_of_organisation(
    org_id: Organisation, body: QuotasBody, caller: Administers
) -> QuotasReply:
    """
    Set limits of an organisation, effective in every process from the next call on.

    What exceeds a limit already stays; nothing is added. Only callers of the organisation `self-host-org`, which runs
    the server, are accepted.
    """
    return _reply(await set_quotas(caller.runtime.storage, caller.principal, org_id, body.limits))


def _reply(found: Sequence[Quota]) -> QuotasReply:
    views = tuple(QuotaView(name=one.name, limit=one.most, used=one.used) for one in found)
    full = sum(one.most is not None and one.used >= one.most for one in found)
    limits = counted(sum(one.most is not None for one in found), "limit")
    return QuotasReply(quotas=views, msg=f"{limits}, {full} reached" if full else limits)
