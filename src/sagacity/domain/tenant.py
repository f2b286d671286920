"""An organisation, and who may act for it."""

from datetime import datetime

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


class ApiToken(Value):
    """What is known of an API token; its secret is shown once and kept only as a hash."""

    token_id: str
    org_id: OrgId
    name: str
    prefix: str
    created_at: datetime
    revoked_at: datetime | None = None
