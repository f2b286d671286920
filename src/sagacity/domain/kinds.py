"""The table of the kinds of memory: each property of a kind is defined here once, for every room."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from sagacity.domain.context import SectionName
from sagacity.domain.memory import (
    WRITTEN_DIRECTLY,
    Approval,
    Memory,
    MemoryKind,
    NewMemory,
    Visibility,
)
from sagacity.domain.trust import Trust
from sagacity.domain.views.agent_playbook import agent_playbook_view
from sagacity.domain.views.base import View
from sagacity.domain.views.memory import memory_view
from sagacity.domain.views.profile import profile_view
from sagacity.domain.views.skill import skill_view
from sagacity.domain.views.user_playbook import user_playbook_view


class KindScope(StrEnum):
    """The owner of memories of a kind."""

    USER = "user"
    """One user, and never shown to another."""
    ORGANISATION = "organisation"
    """The organisation; they serve all its users."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KindSpec:
    """
    The properties of one kind of memory.

    To add a kind: its name in `MemoryKind` and its row here; where it is learned from a user's log, also its extractors
    in a file of their own and their row in `learning/extractors/table.py`; where its reply differs from `MemoryView`,
    its view. Search, context, storage, versions and review read this table and stay as they are.
    """

    scope: KindScope
    view: Callable[[Memory], View] = memory_view
    """Builds its wire shape."""
    search_list: str | None = None
    """Its list in the reply to a search of everything. None: the list of all such kinds, and only if asked for."""
    section: SectionName
    """Its section in a context."""
    citation: str
    """The letter with which its citations begin."""
    is_versioned: bool = False
    """Whether it has a name and an agent version; otherwise it holds for every version."""
    is_reviewed: bool = False
    """Whether learned memories wait for a person's approval."""
    is_known_by_uid: bool = False
    """Whether its id in the API is the uid; otherwise its number."""

    def wire_id(self, memory: Memory) -> str | int:
        """Return the id in the API of a memory of this kind."""
        return memory.uid if self.is_known_by_uid else memory.memory_id


KINDS: Final[Mapping[MemoryKind, KindSpec]] = {
    MemoryKind.PROFILE: KindSpec(
        scope=KindScope.USER,
        view=profile_view,
        search_list="profiles",
        section=SectionName.PROFILE,
        citation="p",
        is_known_by_uid=True,
    ),
    MemoryKind.SEMANTIC: KindSpec(scope=KindScope.USER, section=SectionName.FACTS, citation="f"),
    MemoryKind.EPISODIC: KindSpec(scope=KindScope.USER, section=SectionName.EPISODES, citation="e"),
    MemoryKind.USER_PLAYBOOK: KindSpec(
        scope=KindScope.USER,
        view=user_playbook_view,
        search_list="user_playbooks",
        section=SectionName.PROCEDURES,
        citation="u",
        is_versioned=True,
    ),
    MemoryKind.AGENT_PLAYBOOK: KindSpec(
        scope=KindScope.ORGANISATION,
        view=agent_playbook_view,
        search_list="agent_playbooks",
        section=SectionName.PROCEDURES,
        citation="a",
        is_versioned=True,
        is_reviewed=True,
    ),
    MemoryKind.SKILL: KindSpec(
        scope=KindScope.ORGANISATION,
        view=skill_view,
        search_list="skills",
        section=SectionName.PROCEDURES,
        citation="s",
        is_versioned=True,
        is_reviewed=True,
    ),
}
"""Every kind of memory."""

USER_KINDS: Final = frozenset(kind for kind, spec in KINDS.items() if spec.scope is KindScope.USER)
"""Kinds that belong to one user."""
TENANT_KINDS: Final = frozenset(KINDS) - USER_KINDS
"""Kinds that belong to the tenant and serve all its users."""
FACT_KINDS: Final = frozenset({MemoryKind.PROFILE, MemoryKind.SEMANTIC})
"""Kinds that state facts about a user."""
VERSIONED_KINDS: Final = frozenset(kind for kind, spec in KINDS.items() if spec.is_versioned)
"""Kinds that hold for one version of an agent."""
REVIEWED_KINDS: Final = frozenset(kind for kind, spec in KINDS.items() if spec.is_reviewed)
"""Kinds whose learned memories need the approval of a person."""


def alike(kind: MemoryKind) -> tuple[MemoryKind, ...]:
    """Return the kinds whose memories are compared with one of *kind*, because they may say the same."""
    return tuple(sorted(FACT_KINDS)) if kind in FACT_KINDS else (kind,)


def visibility_of(memory: NewMemory) -> Visibility:
    """
    Return whether a memory may be served, while it is current and not expired.

    What is reviewed waits for its approval, unless a client wrote it; what a user taught serves that user at once, what
    only an agent or a tool said of a user never. Of low trust, what a client wrote waits like what was learned.
    """
    if memory.approval is Approval.REJECTED:
        return Visibility.REJECTED
    if memory.attributes.is_unconfirmed:
        return Visibility.UNCONFIRMED
    is_vouched_for = memory.provenance.method == WRITTEN_DIRECTLY and memory.trust is not Trust.LOW
    if memory.kind in REVIEWED_KINDS and not is_vouched_for and memory.approval is Approval.PENDING:
        return Visibility.WAITS_FOR_REVIEW
    return Visibility.SERVED
