"""An organisation, and a scope of due work within it."""

from sagacity.domain.base import Value
from sagacity.domain.ids import OrgId, UserId

LOCAL_ORG = OrgId("self-host-org")


class Tenant(Value):
    """The owner of the data behind one call; every door to data asks for one."""

    org_id: OrgId


class DueScope(Value):
    """A user's log, or an organisation itself, that has work waiting."""

    tenant: Tenant
    user_id: UserId | None
    """None: the organisation itself."""
