"""The origin of a text, as the platform marks it, and how far it is trusted."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final


class Origin(StrEnum):
    """The origin of a turn or a memory; of several origins, the least trusted."""

    OPERATOR = "operator"
    """Written by somebody who may review."""
    USER = "user"
    AGENT = "agent"
    """Said by an agent, or written by a program for it."""
    IMPORTED = "imported"
    """Taken over from another system."""
    WEB_PAGE = "web_page"
    TOOL = "tool"
    """What a tool returned."""


class Trust(StrEnum):
    """How far an origin is trusted. Data of low trust gives no instruction until a person approves it."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


_TRUST: Final[Mapping[Origin, Trust]] = {
    Origin.OPERATOR: Trust.HIGH,
    Origin.USER: Trust.HIGH,
    Origin.AGENT: Trust.MEDIUM,
    Origin.IMPORTED: Trust.LOW,
    Origin.WEB_PAGE: Trust.LOW,
    Origin.TOOL: Trust.LOW,
}
_RANK: Final = {origin: rank for rank, origin in enumerate(Origin)}
TOOL_ROLES: Final = frozenset({"tool", "function", "tool_result", "tool_output", "function_call_output"})
"""Roles under which the results of tools are sent."""
WEB_ROLES: Final = frozenset({"web", "web_page", "webpage", "browser"})
"""Roles under which pages are sent."""
OUTSIDE: Final = frozenset({Origin.TOOL, Origin.WEB_PAGE})
"""Origins that are neither a person nor an agent."""


def trust_of(origin: Origin) -> Trust:
    """Return how far *origin* is trusted."""
    return _TRUST[origin]


def least_trusted(origins: Iterable[Origin | None]) -> Origin | None:
    """Return the least trusted of *origins*, without those that are not known; None where there are none."""
    known = [one for one in origins if one is not None]
    return max(known, key=_RANK.__getitem__, default=None)


def most_trusted(origins: Iterable[Origin | None]) -> Origin | None:
    """Return the most trusted of *origins*, without those that are not known; None where there are none."""
    known = [one for one in origins if one is not None]
    return min(known, key=_RANK.__getitem__, default=None)
