"""Roles of members in an organisation."""

from enum import StrEnum


class Role(StrEnum):
    """What an account may do in an organisation that it is a member of."""

    OWNER = "owner"
    """Everything, and say who else is an owner."""
    ADMIN = "admin"
    """Everything but what concerns owners."""
    MEMBER = "member"
    """Read and write the own data."""
    VIEWER = "viewer"
    """Read what the organisation holds, and change nothing."""
