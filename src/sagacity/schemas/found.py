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
    """What one strategy did; other steps are listed, too."""

    name: str
    milliseconds: float | None = None
    found: int | None = None
    """How many it found."""
    failed: str | None = None
    """Why it returned nothing, or only a part."""


class Explanation(Schema):
    """How the results were found."""

    query: str = ""
    """The question that was searched for, as rewritten if it was."""
    ranking: Ranking | None = None
    analysis: QueryAnalysis | None = None
    """The analysis of the question."""
    strategies: tuple[StrategyReport, ...] = ()
    dropped: dict[str, int] = {}
    """How many results were not returned, by reason."""


class SearchReply(Reply):
    """The common fields of all replies to searches."""

    reformulated_query: str | None = None
    """The question as rewritten by a model; only if it was."""
    explanation: Explanation | None = None
    """Only if requested."""


class FoundInteractions(SearchReply):
    """Turns, best first, or newest first without a query."""

    interactions: tuple[InteractionView, ...] = ()


class FoundProfiles(SearchReply):
    """Profiles, best first, or last changed first without a query."""

    user_profiles: tuple[ProfileView, ...] = ()


class FoundUserPlaybooks(SearchReply):
    """User playbooks, best first, or last changed first without a query."""

    user_playbooks: tuple[UserPlaybookView, ...] = ()


class FoundAgentPlaybooks(SearchReply):
    """Agent playbooks, best first, or last changed first without a query."""

    agent_playbooks: tuple[AgentPlaybookView, ...] = ()


class FoundSkills(SearchReply):
    """Skills, best first, or last changed first without a query."""

    skills: tuple[SkillView, ...] = ()


class SearchPage(SearchReply):
    """Results, each kind best first."""

    profiles: tuple[ProfileView, ...] = ()
    agent_playbooks: tuple[AgentPlaybookView, ...] = ()
    user_playbooks: tuple[UserPlaybookView, ...] = ()
    skills: tuple[SkillView, ...] = ()
    interactions: tuple[InteractionView, ...] | None = None
    """Only if requested."""
    memories: tuple[MemoryView, ...] | None = None
    """Of the kinds that have no list of their own (semantic, episodic); only if they were asked for."""
