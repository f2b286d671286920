"""Roles of members in an organisation."""

from enum import StrEnum


class Role(StrEnum):
    """An account's role in an organisation."""

    OWNER = "owner"
    """Everything, including the choice of owners."""
    ADMIN = "admin"
    """Everything but what concerns owners."""
    MEMBER = "member"
    """Read and write one's own data."""
    VIEWER = "viewer"
    """Read the organisation's data, and change nothing."""
