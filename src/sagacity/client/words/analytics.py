# Generated from the API's description by scripts/sdk; change it there.
"""Closed sets of words, as members of their enumerations or as plain text."""

from typing import Literal

from sagacity.domain.analytics import RequestStatus, RequestType

RequestStatusWord = RequestStatus | Literal["success", "partial", "error", "timeout"]
RequestTypeWord = RequestType | Literal["chat_stream", "chat_complete", "memory_search", "context_build"]
