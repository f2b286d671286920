# Generated from the API's description by scripts/sdk; change it there.
"""Closed sets of words, as members of their enumerations or as plain text."""

from typing import Literal

from sagacity.domain.memory import Approval, MemoryKind, Status

ApprovalWord = Approval | Literal["pending", "approved", "rejected"]
MemoryKindWord = (
    MemoryKind | Literal["profile", "semantic", "episodic", "user_playbook", "agent_playbook", "skill"]
)
StatusWord = Status | Literal["current", "pending", "archived", "archive_in_progress"]
