"""Bodies and replies of the aggregation of user playbooks."""

from typing import Self

from sagacity.domain.cluster import Aggregated
from sagacity.domain.interaction import DEFAULT_AGENT_VERSION
from sagacity.domain.views.operation import OperationView
from sagacity.schemas.base import Body, Id, Reply
from sagacity.schemas.interactions import AgentVersion
from sagacity.schemas.operations import outcome


class RunPlaybookAggregationBody(Body):
    """Which playbooks to aggregate."""

    agent_version: AgentVersion = DEFAULT_AGENT_VERSION
    playbook_name: Id


class PlaybookAggregationReply(Reply):
    """The result of an aggregation."""

    playbooks_processed: int = 0
    clusters: int = 0
    playbooks_generated: int = 0
    """How many new ones were written; they wait for approval."""
    playbooks_updated: int = 0
    playbooks_archived: int = 0
    clusters_failed: int = 0
    """Clusters left unchanged because the model failed; the next run tries again."""
    operation_id: str = ""
    operation_status: OperationView | None = None

    @classmethod
    def of(cls, operation: OperationView) -> Self:
        """Return the result of an aggregation, or that it is still running."""
        done = Aggregated.model_validate(operation.result or {}, extra="ignore")
        text = outcome(operation, done.message)
        return cls(
            success=operation.status.is_successful,
            message=text,
            msg=text,
            playbooks_processed=done.processed,
            clusters=done.clusters,
            playbooks_generated=done.generated,
            playbooks_updated=done.updated,
            playbooks_archived=done.archived,
            clusters_failed=done.failed,
            operation_id=operation.operation_id,
            operation_status=operation,
        )
