"""Replies to searches: what was found, and how it was found."""

from sagacity.domain.analysis import QueryAnalysis
from sagacity.domain.query import Ranking
from sagacity.domain.views.agent_playbook import AgentPlaybookView
from sagacity.domain.views.interaction import InteractionView
from sagacity.domain.views.memory import MemoryView
from sagacity.domain.views.profile import ProfileView
from sagacity.domain.views.skill import SkillView
from sagacity.domain.views.user_playbook import UserPlaybookView
from sagacity.schemas.base import Reply, Schema


class StrategyReport(Schema):
    """What one way of finding did; steps that are not a way of finding are named too."""

    name: str
    milliseconds: float | None = None
    found: int | None = None
    """How many it found."""
    failed: str | None = None
    """Why it gave no answer, or not the whole of one."""


class Explanation(Schema):
    """How an answer came about."""

    query: str = ""
    """What was searched for, after a reformulation if there was one."""
    ranking: Ranking | None = None
    analysis: QueryAnalysis | None = None
    """What the question was taken to ask for."""
    strategies: tuple[StrategyReport, ...] = ()
    dropped: dict[str, int] = {}
    """How many were found and not returned, by the reason."""


class SearchReply(Reply):
    """What the replies to all searches have in common."""

    reformulated_query: str | None = None
    """The question as a model rewrote it; only if it did."""
    explanation: Explanation | None = None
    """Only if it was asked for."""


class FoundInteractions(SearchReply):
    """Turns, best first, or newest first where there was no question."""

    interactions: tuple[InteractionView, ...] = ()


class FoundProfiles(SearchReply):
    """Profiles, best first, or last changed first where there was no question."""

    user_profiles: tuple[ProfileView, ...] = ()


class FoundUserPlaybooks(SearchReply):
    """User playbooks, best first, or last changed first where there was no question."""

    user_playbooks: tuple[UserPlaybookView, ...] = ()


class FoundAgentPlaybooks(SearchReply):
    """Agent playbooks, best first, or last changed first where there was no question."""

    agent_playbooks: tuple[AgentPlaybookView, ...] = ()


class FoundSkills(SearchReply):
    """Skills, best first, or last changed first where there was no question."""

    skills: tuple[SkillView, ...] = ()


class SearchPage(SearchReply):
    """What was found, each kind best first."""

    profiles: tuple[ProfileView, ...] = ()
    agent_playbooks: tuple[AgentPlaybookView, ...] = ()
    user_playbooks: tuple[UserPlaybookView, ...] = ()
    skills: tuple[SkillView, ...] = ()
    interactions: tuple[InteractionView, ...] | None = None
    """Only if they were asked for."""
    memories: tuple[MemoryView, ...] | None = None
    """Of the kinds that have no list of their own (semantic, episodic); only if they were asked for."""
