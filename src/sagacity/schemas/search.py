"""Bodies and envelopes of searching."""

from typing import Annotated

from pydantic import Field, StringConstraints

from sagacity.domain.memory import Approval
from sagacity.domain.query import SearchMode
from sagacity.domain.views.agent_playbook import AgentPlaybookView
from sagacity.domain.views.profile import ProfileView
from sagacity.domain.views.user_playbook import UserPlaybookView
from sagacity.schemas.base import Body, Count, Id, Label, Reply, Schema, Share, Span, Statuses

MAX_QUERY = 20_000


class SearchInteractionsBody(Span):
    """Which of a user's turns to find; without a query the newest are returned."""

    user_id: Id
    request_id: Id | None = None
    query: str | None = Field(default=None, max_length=MAX_QUERY)
    top_k: Count | None = None
    most_recent_k: Count | None = None
    """Among how many of the newest turns to look."""
    threshold: Share = 0.0
    search_mode: SearchMode = SearchMode.HYBRID


class SearchMemoriesBody(Span):
    """What the searches of single kinds have in common; without a query the newest are returned."""

    query: str | None = Field(default=None, max_length=MAX_QUERY)
    top_k: Count = 10
    threshold: Share = 0.4
    """Least cosine of a result that no keyword found."""
    enable_reformulation: bool = False
    search_mode: SearchMode = SearchMode.HYBRID


class SearchProfilesBody(SearchMemoriesBody):
    """Which of a user's profiles to find."""

    user_id: Id
    generated_from_request_id: Id | None = None
    source: Label | None = None
    custom_feature: str | None = None
    """A text that one of the custom features has to hold."""
    extractor_name: Label | None = None
    status_filter: Statuses | None = None


class SearchUserPlaybooksBody(SearchMemoriesBody):
    """Which user playbooks to find."""

    user_id: Id | None = None
    agent_version: Label | None = None
    playbook_name: Label | None = None
    status_filter: Statuses | None = None


class SearchAgentPlaybooksBody(SearchMemoriesBody):
    """Which agent playbooks to find."""

    agent_version: Label | None = None
    playbook_name: Label | None = None
    status_filter: Statuses | None = None
    playbook_status_filter: Approval | None = None


class ConversationTurn(Schema):
    """A turn that came before the question."""

    role: Id
    content: str = Field(min_length=1)


class SearchBody(Body):
    """A question to everything that is known: profiles and playbooks of the user, playbooks of the agent."""

    query: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_QUERY)]
    top_k: Count = 5
    threshold: Share = 0.3
    """Least cosine of a result that no keyword found."""
    agent_version: Label | None = None
    playbook_name: Label | None = None
    user_id: Id | None = None
    """Without it only agent playbooks are found: what one user taught is shown to no other."""
    conversation_history: tuple[ConversationTurn, ...] = Field(default=(), max_length=1_000)
    enable_reformulation: bool = False
    search_mode: SearchMode = SearchMode.HYBRID


class SearchPage(Reply):
    """What was found, each kind best first."""

    profiles: tuple[ProfileView, ...] = ()
    agent_playbooks: tuple[AgentPlaybookView, ...] = ()
    user_playbooks: tuple[UserPlaybookView, ...] = ()
    reformulated_query: str | None = None
