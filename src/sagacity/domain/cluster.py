"""User playbooks that belong together, and what was made of them."""

import hashlib
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from sagacity.domain.amounts import counted
from sagacity.domain.base import Value
from sagacity.domain.ids import MemoryId
from sagacity.domain.memory import BlockingIssue

CLUSTER_ID, MEMBER_COUNT, USER_COUNT = "cluster_id", "member_count", "user_count"
"""What the metadata of a playbook say that was written from a cluster: which one, and who stands behind it."""
REPLACES = "replaces"
"""In its metadata: the number of the playbook that it takes the place of once it is approved."""
WORDING = "wording"
"""In its metadata: a hash of the words that were generated; others are a person's."""


_WORDING_DIGITS = 16


class ClusterCandidate(NamedTuple):
    """A user playbook as it is clustered with others."""

    user_id: str
    """Whose; empty for nobody's."""
    wording: str
    """A hash of what it says."""
    text: str
    """What it says: trigger, content and pitfall, a line each."""


def wording_of(
    *,
    trigger: str | None,
    content: str,
    pitfall: str | None,
    rationale: str | None = None,
    blocking_issue: BlockingIssue | None = None,
) -> str:
    """Return 64 bits of SHA-256 over what a playbook says, as hex: by them it is seen whether it was reworded."""
    issue = "" if blocking_issue is None else f"{blocking_issue.kind}: {blocking_issue.details}"
    text = "\0".join((trigger or "", content, pitfall or "", rationale or "", issue))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_WORDING_DIGITS]


class AggregationMode(StrEnum):
    """Whether a run worked on all clusters, or on those that are new or changed."""

    FULL = "full_archive"
    INCREMENTAL = "incremental"

    @property
    def reason(self) -> str:
        """What the change log gives as the reason."""
        return f"{self} aggregation"


class PlaybookCluster(Value):
    """One group of playbooks of one name and agent version; it keeps its id while its members come and go."""

    cluster_id: str
    learner: str
    """For whom they were grouped: `aggregation` or `skills`."""
    name: str
    agent_version: str
    fingerprint: str = ""
    """What it was made of when it was last worked on; another one means that it changed since."""
    member_ids: tuple[MemoryId, ...] = ()
    memory_id: MemoryId | None = None
    """What was made of it; None before that, and after that was deleted."""
    created_at: datetime
    updated_at: datetime


class Aggregated(Value):
    """What one run did."""

    processed: int = 0
    """User playbooks that were looked at."""
    clusters: int = 0
    generated: int = 0
    """Playbooks for all that were written, and wait for approval."""
    updated: int = 0
    archived: int = 0
    failed: int = 0
    """Clusters that are as they were, since the model failed; the next run tries again."""
    left: int = 0
    """Clusters that are as they were, since a model wrote their playbook and none could be asked now."""
    errors: tuple[str, ...] = ()
    note: str = ""
    """Why rules wrote although a model is configured."""
    skipped_reason: str = ""

    @property
    def written(self) -> int:
        """Playbooks of which it wrote the words."""
        return self.generated + self.updated

    @property
    def message(self) -> str:
        """All of it in one line."""
        if self.skipped_reason:
            return f"Skipped: {self.skipped_reason}"
        told = (
            f"processed {counted(self.processed, 'user playbook')}, found {counted(self.clusters, 'cluster')}, "
            f"generated {counted(self.generated, 'agent playbook')}, rewrote {self.updated}, archived {self.archived}"
        )
        reason = f" ({self.errors[0]})" if self.errors else ""
        failed = f"the model failed for {self.failed}{reason}: run it again" if self.failed else ""
        left = f"{self.left} wait for a model" if self.left else ""
        return "; ".join(filter(None, [told, failed, left, self.note]))


class SkillsMade(Value):
    """What one run that writes skills did."""

    created: int = 0
    updated: int = 0
    """Rewritten: in place, or as one that waits to take the place of one that a person decided on."""
    skipped_reason: str = ""
    """Why nothing was looked at; empty if something was."""
    playbook_count: int = 0
    cluster_count: int = 0
    least_count: int = 0
    """How many playbooks have to be alike for a skill."""
    failed: int = 0
    """Clusters for which the model failed; they are due again the next time."""
    left: int = 0
    """Clusters that changed while they were written, or for which no money was left; due again the next time."""
    note: str = ""
    """Why rules wrote although a model is configured."""

    @property
    def written(self) -> int:
        """Skills of which it wrote the words."""
        return self.created + self.updated

    @property
    def message(self) -> str:
        """All of it in one line."""
        if self.skipped_reason:
            return f"Skipped: {self.skipped_reason}"
        told = (
            f"{counted(self.playbook_count, 'user playbook')} in {counted(self.cluster_count, 'cluster')}: "
            f"{counted(self.created, 'skill')} written, {self.updated} rewritten"
        )
        return "; ".join(filter(None, [told, self._why_nothing, self._failures, self.note]))

    @property
    def _why_nothing(self) -> str:
        if not self.playbook_count:
            return "none is current under that playbook name and agent version"
        if not self.cluster_count and self.least_count:
            least = "skill_generator_config.min_feedback_per_cluster"
            return f"a skill takes {self.least_count} that are alike ({least})"
        return ""

    @property
    def _failures(self) -> str:
        failed = f"the model failed for {self.failed}, which are due again" if self.failed else ""
        left = f"{self.left} wait for the next run" if self.left else ""
        return "; ".join(filter(None, [failed, left]))
