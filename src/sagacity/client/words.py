# Generated from the API's description by scripts/sdk; change it there.
"""Closed sets of words, as members of their enumerations or as plain text."""

from typing import Literal

from sagacity.domain.analytics import RequestStatus, RequestType
from sagacity.domain.analytics_reports import Granularity, Metric
from sagacity.domain.api_token import TokenScope
from sagacity.domain.audit import AuditAction
from sagacity.domain.cursor import DeadLetterStatus
from sagacity.domain.dashboard import FigureGroup
from sagacity.domain.graph import EntityType
from sagacity.domain.ledger import Grouping
from sagacity.domain.memory import Approval, MemoryKind, Status
from sagacity.domain.operation import OperationName, OperationStatus
from sagacity.domain.quarantine import QuarantineTarget
from sagacity.domain.query import Ranking, SearchMode, StrategyName
from sagacity.domain.quota import QuotaName
from sagacity.domain.review_queue import ReviewSignal, ReviewStep
from sagacity.domain.role import Role
from sagacity.domain.trust import Origin
from sagacity.domain.user_memory import MemoryType

ApprovalWord = Approval | Literal["pending", "approved", "rejected"]
AuditActionWord = (
    AuditAction
    | Literal[
        "token.created",
        "token.revoked",
        "token.rotated",
        "config.changed",
        "config.copied",
        "config.key_rotated",
        "site_variable.set",
        "site_variable.unset",
        "quota.set",
        "account.signed_up",
        "account.verified",
        "account.linked",
        "account.password_changed",
        "account.password_reset",
        "account.totp_enabled",
        "account.totp_disabled",
        "account.recovery_code_used",
        "account.deleted",
        "member.added",
        "member.role_changed",
        "member.removed",
        "invitation.created",
        "invitation.sent_again",
        "invitation.revoked",
        "invitation.accepted",
        "user.erasure_ordered",
        "quarantine.placed",
        "quarantine.released",
    ]
)
DeadLetterStatusWord = DeadLetterStatus | Literal["parked", "held", "queued", "replayed"]
EntityTypeWord = (
    EntityType
    | Literal[
        "person",
        "organization",
        "location",
        "project",
        "concept",
        "event",
        "product",
        "skill",
        "interest",
        "goal",
        "date",
        "animal",
        "other",
    ]
)
FigureGroupWord = FigureGroup | Literal["agent_version", "source"]
GranularityWord = Granularity | Literal["hour", "day", "week"]
GroupingWord = Grouping | Literal["learner", "user", "day", "model"]
MemoryKindWord = (
    MemoryKind | Literal["profile", "semantic", "episodic", "user_playbook", "agent_playbook", "skill"]
)
MemoryTypeWord = MemoryType | Literal["profile", "semantic", "episodic", "procedural"]
MetricWord = Metric | Literal["requests", "latency", "errors"]
OperationNameWord = (
    OperationName
    | Literal[
        "profile_generation",
        "playbook_generation",
        "playbook_aggregation",
        "skill_generation",
        "user_erasure",
    ]
)
OperationStatusWord = OperationStatus | Literal["in_progress", "completed", "failed", "cancelled"]
OriginWord = Origin | Literal["operator", "user", "agent", "imported", "web_page", "tool"]
QuarantineTargetWord = QuarantineTarget | Literal["source", "request", "user", "learner"]
QuotaNameWord = (
    QuotaName | Literal["members", "tokens", "users", "interactions", "memories", "interactions_per_day"]
)
RankingWord = Ranking | Literal["blended", "rrf", "weighted"]
RequestStatusWord = RequestStatus | Literal["success", "partial", "error", "timeout"]
RequestTypeWord = RequestType | Literal["chat_stream", "chat_complete", "memory_search", "context_build"]
ReviewSignalWord = (
    ReviewSignal | Literal["stale", "duplicate", "high_cost_low_cite", "supersedeable", "harms", "helps"]
)
ReviewStepWord = ReviewStep | Literal["keep", "archive", "supersede", "merge"]
RoleWord = Role | Literal["owner", "admin", "member", "viewer"]
SearchModeWord = SearchMode | Literal["vector", "fts", "hybrid"]
StatusWord = Status | Literal["current", "pending", "archived", "archive_in_progress"]
StrategyNameWord = StrategyName | Literal["vector", "keyword", "graph", "profile", "recent"]
TokenScopeWord = TokenScope | Literal["read", "publish", "manage", "admin"]
