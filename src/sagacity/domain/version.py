"""Versions: CURRENT, PENDING beside it, ARCHIVED behind it."""

from sagacity.domain.base import Value
from sagacity.domain.ids import MemoryId, UserId
from sagacity.domain.memory import Memory, MemoryKind


class VersionFilter(Value):
    """Which memories of one kind are swapped; an empty field selects all."""

    kind: MemoryKind
    user_ids: tuple[UserId, ...] = ()
    memory_ids: tuple[MemoryId, ...] = ()
    names: tuple[str, ...] = ()
    """Names of playbooks, which are those of their extractors."""
    agent_versions: tuple[str, ...] = ()
    only_affected_users: bool = False
    """Only users who have something to promote (upgrade) or to restore (downgrade)."""


class Upgraded(Value):
    """How many memories an upgrade moved."""

    deleted_count: int = 0
    archived_count: int = 0
    promoted_count: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing was pending, so that nothing changed."""
        return not self.promoted_count


class Downgraded(Value):
    """How many memories a downgrade moved."""

    demoted_count: int = 0
    restored_count: int = 0

    @property
    def is_empty(self) -> bool:
        """Whether nothing was archived by an upgrade, so that nothing changed."""
        return not self.restored_count


class ChangedPair(Value):
    """What one memory of CURRENT became in PENDING."""

    before: Memory
    after: Memory
    similarity: float
    """0..1: the cosine of the two."""


class VersionDiff(Value):
    """PENDING against CURRENT, to decide by."""

    added: tuple[Memory, ...] = ()
    lost: tuple[Memory, ...] = ()
    changed: tuple[ChangedPair, ...] = ()
    covered: tuple[ChangedPair, ...] = ()
    """Of what is lost, what a memory of PENDING says as well, with that memory."""
    unchanged_count: int = 0
