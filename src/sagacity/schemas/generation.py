"""Bodies and replies of learning started by hand, over whole logs or their newest windows."""

from typing import Annotated, Self, TypedDict

from pydantic import Field

from sagacity.domain.interaction import DEFAULT_AGENT_VERSION
from sagacity.domain.operation import OperationStatus
from sagacity.domain.views.operation import OperationView
from sagacity.schemas.base import Body, Id, Label, Reply, Span
from sagacity.schemas.interactions import AgentVersion

Names = Annotated[
    tuple[Id, ...],
    Field(max_length=100, description="Only these extractors; if missing or empty, all."),
]
"""Names of extractors."""


class RerunProfilesBody(Span):
    """Which users' turns to learn profiles from again; without filters, all users'."""

    user_id: Id | None = None
    source: Label | None = None
    extractor_names: Names = ()


class ManualProfilesBody(Body):
    """Which users' newest turns to learn profiles from; without filters, all users'."""

    user_id: Id | None = None
    source: Label | None = None
    extractor_names: Names = ()


class RerunPlaybooksBody(Span):
    """Which users' turns, with one agent version, to learn user playbooks from again."""

    agent_version: AgentVersion = DEFAULT_AGENT_VERSION
    user_id: Id | None = None
    source: Label | None = None
    playbook_name: Id | None = None


class ManualPlaybooksBody(Body):
    """Which users' newest turns, with one agent version, to learn user playbooks from."""

    agent_version: AgentVersion = DEFAULT_AGENT_VERSION
    user_id: Id | None = None
    source: Label | None = None
    playbook_name: Id | None = None


class Started(Reply):
    """A run that was started, and how it stands if the call waited for it."""

    operation_id: str
    operation_status: OperationView | None = None


class ProfilesGenerated(Started):
    """A run that learns profiles."""

    profiles_generated: int | None = None

    @classmethod
    def of(cls, operation: OperationView) -> Self:
        """Return the result of a run that has ended."""
        return cls(profiles_generated=operation.stats.total_generated, **_ending(operation))


class PlaybooksGenerated(Started):
    """A run that learns user playbooks."""

    playbooks_generated: int | None = None

    @classmethod
    def of(cls, operation: OperationView) -> Self:
        """Return the result of a run that has ended."""
        return cls(playbooks_generated=operation.stats.total_generated, **_ending(operation))


class _Ending(TypedDict):
    success: bool
    msg: str
    operation_id: str
    operation_status: OperationView


def _ending(operation: OperationView) -> _Ending:
    """Return the outcome of a run as the fields of every reply about one."""
    done = operation.status is OperationStatus.COMPLETED
    told = f"{operation.stats.total_generated} generated"
    return {
        "success": done,
        "msg": told if done else operation.error_message or str(operation.status),
        "operation_id": operation.operation_id,
        "operation_status": operation,
    }
