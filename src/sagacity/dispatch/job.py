"""A job of the queue, identified by its scope so that equal ones coalesce; pure."""

import hashlib
import json
from enum import StrEnum

from sagacity.domain.base import Value
from sagacity.domain.ids import OrgId, UserId
from sagacity.domain.tenant import DueScope, Tenant


class JobKind(StrEnum):
    """The kind of work. Each kind has its own queue, so that one never waits for another."""

    LEARN = "learn"
    INDEX = "index"

    @property
    def queue(self) -> str:
        """The queue's key."""
        return f"sagacity:queue:{self}"


class Job(Value):
    """A request to do the due work of a scope, or to index an organisation's documents."""

    kind: JobKind
    org_id: OrgId
    user_id: UserId | None = None
    """None: the work is that of the organisation."""

    @property
    def tenant(self) -> Tenant:
        """The scope that it works on."""
        return Tenant(org_id=self.org_id)

    @property
    def scope(self) -> DueScope:
        """What is due."""
        return DueScope(tenant=self.tenant, user_id=self.user_id)

    @property
    def job_id(self) -> str:
        """The job's identity: equal for equal scopes, and hashed because ids of users may contain anything."""
        return f"sagacity:{self.kind}:{_digest(self.org_id, self.user_id)}"

    @property
    def places(self) -> str:
        """The key of the organisation's slots for jobs of this kind."""
        return f"sagacity:places:{self.kind}:{_digest(self.org_id)}"


def learn_job(scope: DueScope) -> Job:
    """Return the job that does the due work of a scope."""
    return Job(kind=JobKind.LEARN, org_id=scope.tenant.org_id, user_id=scope.user_id)


def index_job(tenant: Tenant) -> Job:
    """Return the job that makes the missing vectors of an organisation."""
    return Job(kind=JobKind.INDEX, org_id=tenant.org_id)


def _digest(*parts: str | None) -> str:
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()
