"""A job of the queue, identified by its scope so that equal ones coalesce; pure."""

import hashlib
import json
from enum import StrEnum

from sagacity.domain.base import Value
from sagacity.domain.ids import OrgId, UserId
from sagacity.domain.tenant import DueScope, Tenant


class JobKind(StrEnum):
    """What is to be done; each kind has a queue of its own, so that none waits for the other."""

    LEARN = "learn"
    INDEX = "index"

    @property
    def queue(self) -> str:
        """The queue's key."""
        return f"sagacity:queue:{self}"


class Job(Value):
    """Do what is due of a user's log or of an organisation itself, or index an organisation's documents."""

    kind: JobKind
    org_id: OrgId
    user_id: UserId | None = None
    """None: the job is the organisation's."""

    @property
    def tenant(self) -> Tenant:
        """Whose work it is."""
        return Tenant(org_id=self.org_id)

    @property
    def scope(self) -> DueScope:
        """What is due."""
        return DueScope(tenant=self.tenant, user_id=self.user_id)

    @property
    def job_id(self) -> str:
        """The identity: equal for equal scopes, and free of what users may write into an id."""
        return f"sagacity:{self.kind}:{_digest(self.org_id, self.user_id)}"

    @property
    def places(self) -> str:
        """The key under which the organisation's jobs of this kind that wait or run are counted."""
        return f"sagacity:places:{self.kind}:{_digest(self.org_id)}"


def learn_job(scope: DueScope) -> Job:
    """Return the job that does what is due of a scope."""
    return Job(kind=JobKind.LEARN, org_id=scope.tenant.org_id, user_id=scope.user_id)


def index_job(tenant: Tenant) -> Job:
    """Return the job that makes the vectors of an organisation's documents."""
    return Job(kind=JobKind.INDEX, org_id=tenant.org_id)


def _digest(*parts: str | None) -> str:
    return hashlib.blake2b(json.dumps(parts).encode(), digest_size=16).hexdigest()
