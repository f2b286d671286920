"""User playbooks that belong together, and the memories made from them."""

import hashlib
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from sagacity.domain.amounts import counted
from sagacity.domain.base import Value
from sagacity.domain.ids import MemoryId
from sagacity.domain.memory import BlockingIssue

CLUSTER_ID, MEMBER_COUNT, USER_COUNT = "cluster_id", "member_count", "user_count"
"""Metadata of a playbook that was written from a cluster: the cluster and its members."""
REPLACES = "replaces"
"""Metadata: the number of the playbook that it replaces once it is approved."""
WORDING = "wording"
"""Metadata: a hash of the generated text; if it differs, a person edited the text."""


_WORDING_DIGITS = 16


class ClusterCandidate(NamedTuple):
    """A user playbook with what clustering needs."""

    user_id: str
    """The user; empty if none."""
    wording: str
    """A hash of its text."""
    text: str
    """Its text: trigger, content and pitfall, one line each."""


def wording_of(
    *,
    trigger: str | None,
    content: str,
    pitfall: str | None,
    rationale: str | None = None,
    blocking_issue: BlockingIssue | None = None,
) -> str:
    """Return 64 bits of SHA-256 over a playbook's text, as hex, to see whether it was reworded."""
    issue = "" if blocking_issue is None else f"{blocking_issue.kind}: {blocking_issue.details}"
    text = "\0".join((trigger or "", content, pitfall or "", rationale or "", issue))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_WORDING_DIGITS]


class AggregationMode(StrEnum):
    """Whether a run covered all clusters, or only new and changed ones."""

    FULL = "full_archive"
    INCREMENTAL = "incremental"

    @property
    def reason(self) -> str:
        """The reason in the change log."""
        return f"{self} aggregation"


class PlaybookCluster(Value):
    """One group of playbooks of one name and agent version; it keeps its id while its members come and go."""

    cluster_id: str
    learner: str
    """The learner that grouped them: `aggregation` or `skills`."""
    name: str
    agent_version: str
    fingerprint: str = ""
    """A hash of its members when it was last processed; if it differs, the cluster has changed."""
    member_ids: tuple[MemoryId, ...] = ()
    memory_id: MemoryId | None = None
    """The memory made of it; None if there is none yet or it was deleted."""
    created_at: datetime
    updated_at: datetime


class Aggregated(Value):
    """The result of one run."""

    processed: int = 0
    """User playbooks considered."""
    clusters: int = 0
    generated: int = 0
    """Playbooks for all that were written, and wait for approval."""
    updated: int = 0
    archived: int = 0
    failed: int = 0
    """Clusters left unchanged because the model failed; the next run tries again."""
    left: int = 0
    """Clusters left unchanged because a model wrote their playbook and none is available now."""
    errors: tuple[str, ...] = ()
    note: str = ""
    """Why rules wrote although a model is configured."""
    skipped_reason: str = ""

    @property
    def written(self) -> int:
        """Playbooks that it wrote."""
        return self.generated + self.updated

    @property
    def message(self) -> str:
        """The result in one line."""
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
    """The result of one run that writes skills."""

    created: int = 0
    updated: int = 0
    """Rewritten, in place or as a proposal to replace one that a person has decided on."""
    skipped_reason: str = ""
    """Why nothing was considered; empty if something was."""
    playbook_count: int = 0
    cluster_count: int = 0
    least_count: int = 0
    """How many similar playbooks a skill needs."""
    failed: int = 0
    """Clusters for which the model failed; the next run tries again."""
    left: int = 0
    """Clusters that changed meanwhile, or for which the budget was spent; the next run tries again."""
    note: str = ""
    """Why rules wrote although a model is configured."""

    @property
    def written(self) -> int:
        """Skills that it wrote."""
        return self.created + self.updated

    @property
    def message(self) -> str:
        """The result in one line."""
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
