"""Quarantines: data and everything derived from it, taken out of all that is served until it is released."""

from datetime import datetime
from enum import StrEnum
from typing import Protocol

from sagacity.domain.base import Value
from sagacity.domain.cluster import CLUSTER_ID
from sagacity.domain.ids import MemoryId, RequestId, UserId
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import Memory, NewMemory


class QuarantineTarget(StrEnum):
    """What a quarantine holds, together with everything derived from it."""

    SOURCE = "source"
    """Requests with that `source`."""
    REQUEST = "request"
    """One request, by its id."""
    USER = "user"
    """All requests and memories of a user."""
    LEARNER = "learner"
    """What one extractor or playbook name produced; the turns stay served."""


class Published(Protocol):
    """Whether a request, stored or not, is held."""

    @property
    def request_id(self) -> RequestId:
        """Its id."""
        ...

    @property
    def user_id(self) -> UserId:
        """Its user."""
        ...

    @property
    def source(self) -> str:
        """Its source."""
        ...


class Standing(Value):
    """A quarantine in force, as far as new rows are concerned."""

    quarantine_id: str
    target: QuarantineTarget
    value: str

    def is_of_request(self, request: Published) -> bool:
        """Whether the turns of *request* are held."""
        match self.target:
            case QuarantineTarget.SOURCE:
                return request.source == self.value
            case QuarantineTarget.REQUEST:
                return request.request_id == self.value
            case QuarantineTarget.USER:
                return request.user_id == self.value
            case QuarantineTarget.LEARNER:
                return False

    def is_of_memory(self, memory: NewMemory) -> bool:
        """Whether *memory* is held because of its own fields; its evidence may hold it as well."""
        match self.target:
            case QuarantineTarget.SOURCE:
                return memory.source == self.value
            case QuarantineTarget.REQUEST:
                return self.value in memory.source_request_ids
            case QuarantineTarget.USER:
                return memory.user_id == self.value
            case QuarantineTarget.LEARNER:
                return self.value in {
                    memory.name,
                    memory.provenance.learner,
                    *memory.attributes.extractor_names,
                }


class Quarantine(Standing):
    """What is held, by whom, since when and why, and when it was released."""

    reason: str = ""
    actor: str = ""
    request_count: int = 0
    """Number of requests that it held at the start."""
    memory_count: int = 0
    """Number of memories that it held at the start."""
    created_at: datetime
    released_at: datetime | None = None
    released_by: str = ""
    release_reason: str = ""


class Held(Value):
    """A page of what a quarantine holds, for whoever reviews it."""

    memories: tuple[Memory, ...] = ()
    turns: tuple[Interaction, ...] = ()


def parents_of(memory: NewMemory) -> tuple[tuple[MemoryId, ...], str | None]:
    """Return the playbooks that a memory names as its sources, and the group of playbooks that it was made of."""
    skill = memory.attributes.skill
    group = memory.metadata.get(CLUSTER_ID)
    return skill.user_playbook_ids if skill else (), group if isinstance(group, str) else None
