"""Tables for everything that is learned."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Protocol

from sagacity.cli.output import Render, table

if TYPE_CHECKING:
    from sagacity.domain.trust import Origin, Trust
    from sagacity.domain.views.agent_playbook import AgentPlaybookView
    from sagacity.domain.views.interaction import InteractionView
    from sagacity.domain.views.memory import MemoryView
    from sagacity.domain.views.profile import ProfileView
    from sagacity.domain.views.skill import SkillView
    from sagacity.domain.views.user_playbook import UserPlaybookView


class _Stamped(Protocol):
    """What says where it comes from."""

    @property
    def origin(self) -> "Origin | None": ...
    @property
    def trust(self) -> "Trust | None": ...


def moment(at: datetime | int | None, *, seconds: bool = False) -> str:
    """Format a time, also one in seconds since 1970, for people: in UTC, and saying so; empty for None."""
    if at is None:
        return ""
    when = datetime.fromtimestamp(at, UTC) if isinstance(at, int) else at.astimezone(UTC)
    return f"{when:%Y-%m-%d %H:%M:%SZ}" if seconds else f"{when:%Y-%m-%d %H:%MZ}"


def number(share: float | None) -> str:
    """Format a share with two digits; empty for None."""
    return "" if share is None else f"{share:.2f}"


def trust(one: "_Stamped") -> str:
    """Return how far something is trusted, and what it comes from: `low: web page`."""
    if one.trust is None or one.origin is None:
        return ""
    return f"{one.trust}: {one.origin.replace('_', ' ')}"


def _status(one: "ProfileView | UserPlaybookView") -> str:
    """Return the version that something belongs to, or that it is in none before it is confirmed."""
    return one.status or ("unconfirmed" if one.unconfirmed else "current")


def profiles(found: "Iterable[ProfileView]") -> Render:
    """Draw profiles, with their relevance where they were searched for."""
    rows = [
        (
            number(profile.relevance),
            profile.content,
            profile.user_id,
            _status(profile),
            trust(profile),
            moment(profile.last_modified_timestamp),
            profile.profile_id,
        )
        for profile in found
    ]
    return table(
        ("#relevance", "content", "~user", "~status", "+trust", "+#changed", "+#profile id"),
        rows,
        empty="no profiles",
    )


def user_playbooks(found: "Iterable[UserPlaybookView]") -> Render:
    """Draw user playbooks, with their relevance where they were searched for."""
    rows = [
        (
            number(playbook.relevance),
            playbook.trigger or "",
            playbook.content,
            playbook.user_id or "",
            _status(playbook),
            trust(playbook),
            playbook.user_playbook_id,
        )
        for playbook in found
    ]
    columns = ("#relevance", "when", "do", "~user", "~status", "+trust", "#id")
    return table(columns, rows, empty="no user playbooks")


def agent_playbooks(found: "Iterable[AgentPlaybookView]") -> Render:
    """Draw agent playbooks, with their relevance where they were searched for."""
    rows = [
        (
            number(playbook.relevance),
            playbook.trigger or "",
            playbook.content,
            playbook.agent_version,
            playbook.playbook_status if playbook.status is None else playbook.status,
            playbook.user_count,
            playbook.member_count,
            playbook.replaces,
            trust(playbook),
            playbook.agent_playbook_id,
        )
        for playbook in found
    ]
    columns = (
        "#relevance",
        "when",
        "do",
        "~agent",
        "approval",
        "+#users",
        "+#rules",
        "+#replaces",
        "+trust",
        "#id",
    )
    return table(columns, rows, empty="no agent playbooks")


def skills(found: "Iterable[SkillView]") -> Render:
    """Draw skills without their instructions, with their relevance where they were searched for."""
    rows = [
        (
            number(skill.relevance),
            skill.skill_name,
            skill.description,
            skill.version,
            skill.agent_version,
            skill.skill_status if skill.status is None else skill.status,
            skill.replaces,
            trust(skill),
            skill.skill_id,
        )
        for skill in found
    ]
    columns = ("#relevance", "name", "when", "#version", "~agent", "approval", "+#replaces", "+trust", "#id")
    return table(columns, rows, empty="no skills")


def memories(found: "Iterable[MemoryView]") -> Render:
    """Draw memories of any kind, with their relevance where they were searched for."""
    rows = [
        (
            number(memory.relevance),
            memory.kind,
            memory.trigger or "",
            memory.content,
            memory.user_id or "",
            memory.status or "current",
            trust(memory),
            memory.memory_id,
        )
        for memory in found
    ]
    return table(
        ("#relevance", "#kind", "when", "content", "~user", "~status", "+trust", "#id"),
        rows,
        empty="no other memories",
    )


def interactions(found: "Iterable[InteractionView]") -> Render:
    """Draw turns, with their relevance where they were searched for; those beside one stand around it."""
    rows = [
        (
            number(turn.relevance),
            turn.role,
            _text(turn),
            turn.user_id,
            trust(turn),
            moment(turn.created_at),
            turn.interaction_id,
        )
        for one in found
        for turn in sorted((one, *(one.neighbours or ())), key=lambda turn: turn.interaction_id)
    ]
    columns = ("#relevance", "role", "content", "~user", "+trust", "+#at", "#id")
    return table(columns, rows, empty="no interactions")


def _text(turn: "InteractionView") -> str:
    action = "" if turn.user_action == "none" else f"[{turn.user_action}: {turn.user_action_description}]"
    tools = " ".join(f"[used {tool.tool_name}]" for tool in turn.tools_used)
    return " ".join(part for part in (tools, turn.content, action) if part)
