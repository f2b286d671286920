"""Site variables: values that hold for the whole installation."""

from typing import Annotated

from fastapi import Path

from sagacity.access.site import SiteVariable, list_site, set_site, unset_site
from sagacity.api.dependencies import Administers
from sagacity.api.rates import Rate, limited
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.domain.amounts import counted
from sagacity.schemas.base import Reply, Storable
from sagacity.schemas.site import SiteValueBody, SiteVariableReply, SiteVariablesReply, SiteVariableView

router = resource("configuration")
Name = Annotated[
    Storable, Path(min_length=1, max_length=64, description="The variable, as `GET /api/site` lists it.")
]


@router.get("/site", openapi_extra=sdk(), operation_id="get_site_variables")
async def site_variables(caller: Administers) -> SiteVariablesReply:
    """
    Return every site variable with its value. They hold for all organisations.

    Only callers of the organisation `self-host-org`, which runs the server, are accepted.
    """
    found = await list_site(caller.runtime.site, caller.principal)
    return SiteVariablesReply(variables=tuple(map(_view, found)), msg=counted(len(found), "site variable"))


@router.put("/site/{name}", openapi_extra=sdk(positional=("name", "value")), operation_id="set_site_variable")
@limited(Rate.WRITE)
async def set_site_variable(name: Name, body: SiteValueBody, caller: Administers) -> SiteVariableReply:
    """
    Set a site variable, effective in every process within two seconds.

    Only callers of the organisation `self-host-org`, which runs the server, are accepted.
    """
    variable = await set_site(caller.runtime.site, caller.principal, name, body.value)
    return SiteVariableReply(variable=_view(variable), msg=f"version {variable.version}")


@router.delete("/site/{name}", openapi_extra=sdk(), operation_id="unset_site_variable")
@limited(Rate.WRITE)
async def unset_site_variable(name: Name, caller: Administers) -> Reply:
    """
    Reset a site variable to its default; 404 if it has the default already.

    Only callers of the organisation `self-host-org`, which runs the server, are accepted.
    """
    await unset_site(caller.runtime.site, caller.principal, name)
    return Reply(msg="it has its default again")


def _view(variable: SiteVariable) -> SiteVariableView:
    return SiteVariableView.model_validate(variable, from_attributes=True)
