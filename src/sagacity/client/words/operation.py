# Generated from the API's description by scripts/sdk; change it there.
"""Closed sets of words, as members of their enumerations or as plain text."""

from typing import Literal

from sagacity.domain.operation import OperationName, OperationStatus

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
