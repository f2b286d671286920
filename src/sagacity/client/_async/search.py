"""Finding what is known, by meaning and by words, with scores."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.wire import checked
from sagacity.client.words import ApprovalWord, ModeWord, StatusWord, statuses
from sagacity.domain.query import SearchMode
from sagacity.schemas.interactions import InteractionsPage
from sagacity.schemas.playbooks import AgentPlaybooksPage, UserPlaybooksPage
from sagacity.schemas.profiles import ProfilesPage
from sagacity.schemas.search import (
    ConversationTurn,
    SearchAgentPlaybooksBody,
    SearchBody,
    SearchInteractionsBody,
    SearchPage,
    SearchProfilesBody,
    SearchUserPlaybooksBody,
)


async def search(
    connection: AsyncConnection,
    query: str,
    *,
    user_id: str | None = None,
    top_k: int | None = None,
    threshold: float | None = None,
    agent_version: str | None = None,
    playbook_name: str | None = None,
    conversation_history: Sequence[ConversationTurn | Mapping[str, object]] | None = None,
    enable_reformulation: bool = False,
    search_mode: ModeWord = SearchMode.HYBRID,
) -> SearchPage:
    """
    Ask everything that is known: the user's profiles and playbooks, and the agent's playbooks.

    Args:
        connection: to the server.
        query: the question, in plain words.
        user_id: whose profiles and playbooks; without it only agent playbooks are found.
        top_k: how many of each kind at most; by default 5.
        threshold: least relevance of what shares no word with the query, 0 to 1; by default 0.3.
        agent_version: only playbooks of this agent.
        playbook_name: only playbooks of this name.
        conversation_history: turns that came before the question, oldest first.
        enable_reformulation: let a model rewrite the question by the history, if one is configured.
        search_mode: by meaning (VECTOR), by words (FTS), or both.
    """
    fields = {
        "query": query,
        "user_id": user_id,
        "top_k": top_k,
        "threshold": threshold,
        "agent_version": agent_version,
        "playbook_name": playbook_name,
        "conversation_history": None if conversation_history is None else list(conversation_history),
        "enable_reformulation": enable_reformulation,
        "search_mode": search_mode,
    }
    body = checked(SearchBody, fields)
    return await connection.send("POST", "/api/search", SearchPage, body=body, repeatable=True)


async def search_interactions(
    connection: AsyncConnection,
    user_id: str,
    query: str | None = None,
    *,
    request_id: str | None = None,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    top_k: int | None = None,
    most_recent_k: int | None = None,
    threshold: float | None = None,
    search_mode: ModeWord = SearchMode.HYBRID,
) -> InteractionsPage:
    """Find turns of a user; without a query the newest are returned."""
    fields = {
        "user_id": user_id,
        "query": query,
        "request_id": request_id,
        "start_time": start_time,
        "end_time": end_time,
        "top_k": top_k,
        "most_recent_k": most_recent_k,
        "threshold": threshold,
        "search_mode": search_mode,
    }
    body = checked(SearchInteractionsBody, fields)
    return await connection.send(
        "POST", "/api/search_interactions", InteractionsPage, body=body, repeatable=True
    )


async def search_profiles(
    connection: AsyncConnection,
    user_id: str,
    query: str | None = None,
    *,
    generated_from_request_id: str | None = None,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    top_k: int | None = None,
    source: str | None = None,
    custom_feature: str | None = None,
    extractor_name: str | None = None,
    status_filter: Sequence[StatusWord] | None = None,
    threshold: float | None = None,
    enable_reformulation: bool = False,
    search_mode: ModeWord = SearchMode.HYBRID,
) -> ProfilesPage:
    """Find profiles of a user; without a query the newest are returned."""
    fields = {
        "user_id": user_id,
        "query": query,
        "generated_from_request_id": generated_from_request_id,
        "start_time": start_time,
        "end_time": end_time,
        "top_k": top_k,
        "source": source,
        "custom_feature": custom_feature,
        "extractor_name": extractor_name,
        "status_filter": statuses(status_filter),
        "threshold": threshold,
        "enable_reformulation": enable_reformulation,
        "search_mode": search_mode,
    }
    body = checked(SearchProfilesBody, fields)
    return await connection.send("POST", "/api/search_profiles", ProfilesPage, body=body, repeatable=True)


async def search_user_playbooks(
    connection: AsyncConnection,
    query: str | None = None,
    *,
    user_id: str | None = None,
    agent_version: str | None = None,
    playbook_name: str | None = None,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    status_filter: Sequence[StatusWord] | None = None,
    top_k: int | None = None,
    threshold: float | None = None,
    enable_reformulation: bool = False,
    search_mode: ModeWord = SearchMode.HYBRID,
) -> UserPlaybooksPage:
    """Find user playbooks; without a query the newest are returned."""
    fields = {
        "query": query,
        "user_id": user_id,
        "agent_version": agent_version,
        "playbook_name": playbook_name,
        "start_time": start_time,
        "end_time": end_time,
        "status_filter": statuses(status_filter),
        "top_k": top_k,
        "threshold": threshold,
        "enable_reformulation": enable_reformulation,
        "search_mode": search_mode,
    }
    body = checked(SearchUserPlaybooksBody, fields)
    return await connection.send(
        "POST", "/api/search_user_playbooks", UserPlaybooksPage, body=body, repeatable=True
    )


async def search_agent_playbooks(
    connection: AsyncConnection,
    query: str | None = None,
    *,
    agent_version: str | None = None,
    playbook_name: str | None = None,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    status_filter: Sequence[StatusWord] | None = None,
    playbook_status_filter: ApprovalWord | None = None,
    top_k: int | None = None,
    threshold: float | None = None,
    enable_reformulation: bool = False,
    search_mode: ModeWord = SearchMode.HYBRID,
) -> AgentPlaybooksPage:
    """Find agent playbooks; without a query the newest are returned."""
    fields = {
        "query": query,
        "agent_version": agent_version,
        "playbook_name": playbook_name,
        "start_time": start_time,
        "end_time": end_time,
        "status_filter": statuses(status_filter),
        "playbook_status_filter": playbook_status_filter,
        "top_k": top_k,
        "threshold": threshold,
        "enable_reformulation": enable_reformulation,
        "search_mode": search_mode,
    }
    body = checked(SearchAgentPlaybooksBody, fields)
    return await connection.send(
        "POST", "/api/search_agent_playbooks", AgentPlaybooksPage, body=body, repeatable=True
    )
