# Generated from the API's description by scripts/sdk; change it there.
"""Finding what was said and what was learned, with scores."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.wire import checked, statuses
from sagacity.client.words import (
    ApprovalWord,
    MemoryKindWord,
    RankingWord,
    SearchModeWord,
    StatusWord,
    StrategyNameWord,
)
from sagacity.schemas.found import (
    FoundAgentPlaybooks,
    FoundInteractions,
    FoundProfiles,
    FoundSkills,
    FoundUserPlaybooks,
    SearchPage,
)
from sagacity.schemas.search import (
    ConversationTurn,
    SearchAgentPlaybooksBody,
    SearchBody,
    SearchInteractionsBody,
    SearchProfilesBody,
    SearchSkillsBody,
    SearchUserPlaybooksBody,
)


async def search_interactions(
    connection: AsyncConnection,
    user_id: str | None = None,
    query: str | None = None,
    *,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    user_ids: Sequence[str] | None = None,
    top_k: int | None = None,
    threshold: float | None = None,
    search_mode: SearchModeWord | None = None,
    ranking: RankingWord | None = None,
    strategies: Sequence[StrategyNameWord] | None = None,
    rerank: bool | None = None,
    tags: Sequence[str] | None = None,
    metadata: Mapping[str, object] | None = None,
    event_start_time: datetime | None = None,
    event_end_time: datetime | None = None,
    as_of: datetime | None = None,
    reference_time: datetime | None = None,
    conversation_history: Sequence[ConversationTurn | Mapping[str, object]] | None = None,
    enable_reformulation: bool | None = None,
    explain: bool | None = None,
    request_id: str | None = None,
    most_recent_k: int | None = None,
    neighbours: int | None = None,
) -> FoundInteractions:
    """
    Find turns of a user, or of several, best first; without a query return the newest ones.

    Args:
        connection: to the server.
        user_id: whose; `user_ids` in its place names several users.
        query: the question, in plain words.
        user_ids: several users in place of one.
        top_k: how many at most; by default 10.
        threshold: least relevance of a result that no keyword found; by default 0.0.
        ranking: how what the strategies found becomes one list; by default `blended`.
        strategies: which ways of finding are used, of those that `search_mode` admits; by default what the server
            deems best.
        rerank: whether a second, closer look orders the first results; by default what the server deems best.
        tags: all of them: keywords of a memory, or the list `tags` in its metadata or that of a turn's request.
        metadata: comparisons such as `{"priority": {"gte": 2}}`, joined by `and`, `or` and `not`.
        event_start_time: since when it happened, in the world.
        as_of: what was known then, in place of what is known now.
        reference_time: what "today" is to the question; by default now.
        enable_reformulation: let a model rewrite the question by the history, where one is configured.
        explain: whether the reply says how it came about.
        most_recent_k: among how many of the newest turns to look.
        neighbours: how many turns of the same session to return before and after each turn found; by default 0.
    """
    body = checked(
        SearchInteractionsBody,
        {
            "user_id": user_id,
            "query": query,
            "start_time": start_time,
            "end_time": end_time,
            "user_ids": user_ids,
            "top_k": top_k,
            "threshold": threshold,
            "search_mode": search_mode,
            "ranking": ranking,
            "strategies": strategies,
            "rerank": rerank,
            "tags": tags,
            "metadata": metadata,
            "event_start_time": event_start_time,
            "event_end_time": event_end_time,
            "as_of": as_of,
            "reference_time": reference_time,
            "conversation_history": conversation_history,
            "enable_reformulation": enable_reformulation,
            "explain": explain,
            "request_id": request_id,
            "most_recent_k": most_recent_k,
            "neighbours": neighbours,
        },
    )
    return await connection.send(
        "POST", "/api/search_interactions", FoundInteractions, body=body, repeatable=True
    )


async def search_profiles(
    connection: AsyncConnection,
    user_id: str | None = None,
    query: str | None = None,
    *,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    user_ids: Sequence[str] | None = None,
    top_k: int | None = None,
    threshold: float | None = None,
    search_mode: SearchModeWord | None = None,
    ranking: RankingWord | None = None,
    strategies: Sequence[StrategyNameWord] | None = None,
    rerank: bool | None = None,
    tags: Sequence[str] | None = None,
    metadata: Mapping[str, object] | None = None,
    event_start_time: datetime | None = None,
    event_end_time: datetime | None = None,
    as_of: datetime | None = None,
    reference_time: datetime | None = None,
    conversation_history: Sequence[ConversationTurn | Mapping[str, object]] | None = None,
    enable_reformulation: bool | None = None,
    explain: bool | None = None,
    status_filter: Sequence[StatusWord] | None = None,
    include_expired: bool | None = None,
    generated_from_request_id: str | None = None,
    source: str | None = None,
    custom_feature: str | None = None,
    extractor_name: str | None = None,
) -> FoundProfiles:
    """
    Find profiles of a user, or of several; without a query return those changed last. By default current ones.

    Args:
        connection: to the server.
        user_id: whose; `user_ids` in its place names several users.
        query: the question, in plain words.
        user_ids: several users in place of one.
        top_k: how many at most; by default 10.
        threshold: least relevance of a result that no keyword found; by default 0.4.
        ranking: how what the strategies found becomes one list; by default `blended`.
        strategies: which ways of finding are used, of those that `search_mode` admits; by default what the server
            deems best.
        rerank: whether a second, closer look orders the first results; by default what the server deems best.
        tags: all of them: keywords of a memory, or the list `tags` in its metadata or that of a turn's request.
        metadata: comparisons such as `{"priority": {"gte": 2}}`, joined by `and`, `or` and `not`.
        event_start_time: since when it happened, in the world.
        as_of: what was known then, in place of what is known now.
        reference_time: what "today" is to the question; by default now.
        enable_reformulation: let a model rewrite the question by the history, where one is configured.
        explain: whether the reply says how it came about.
        status_filter: by default what is current.
        custom_feature: a text that one of the custom features has to hold.
    """
    body = checked(
        SearchProfilesBody,
        {
            "user_id": user_id,
            "query": query,
            "start_time": start_time,
            "end_time": end_time,
            "user_ids": user_ids,
            "top_k": top_k,
            "threshold": threshold,
            "search_mode": search_mode,
            "ranking": ranking,
            "strategies": strategies,
            "rerank": rerank,
            "tags": tags,
            "metadata": metadata,
            "event_start_time": event_start_time,
            "event_end_time": event_end_time,
            "as_of": as_of,
            "reference_time": reference_time,
            "conversation_history": conversation_history,
            "enable_reformulation": enable_reformulation,
            "explain": explain,
            "status_filter": statuses(status_filter),
            "include_expired": include_expired,
            "generated_from_request_id": generated_from_request_id,
            "source": source,
            "custom_feature": custom_feature,
            "extractor_name": extractor_name,
        },
    )
    return await connection.send("POST", "/api/search_profiles", FoundProfiles, body=body, repeatable=True)


async def search_user_playbooks(
    connection: AsyncConnection,
    query: str | None = None,
    *,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    user_id: str | None = None,
    user_ids: Sequence[str] | None = None,
    top_k: int | None = None,
    threshold: float | None = None,
    search_mode: SearchModeWord | None = None,
    ranking: RankingWord | None = None,
    strategies: Sequence[StrategyNameWord] | None = None,
    rerank: bool | None = None,
    tags: Sequence[str] | None = None,
    metadata: Mapping[str, object] | None = None,
    event_start_time: datetime | None = None,
    event_end_time: datetime | None = None,
    as_of: datetime | None = None,
    reference_time: datetime | None = None,
    conversation_history: Sequence[ConversationTurn | Mapping[str, object]] | None = None,
    enable_reformulation: bool | None = None,
    explain: bool | None = None,
    status_filter: Sequence[StatusWord] | None = None,
    include_expired: bool | None = None,
    agent_version: str | None = None,
    agent_versions: Sequence[str] | None = None,
    playbook_name: str | None = None,
    playbook_names: Sequence[str] | None = None,
) -> FoundUserPlaybooks:
    """
    Find user playbooks, best first; without a query return those changed last. By default current ones.

    Args:
        connection: to the server.
        query: the question, in plain words.
        user_id: whose; `user_ids` in its place names several users.
        user_ids: several users in place of one.
        top_k: how many at most; by default 10.
        threshold: least relevance of a result that no keyword found; by default 0.4.
        ranking: how what the strategies found becomes one list; by default `blended`.
        strategies: which ways of finding are used, of those that `search_mode` admits; by default what the server
            deems best.
        rerank: whether a second, closer look orders the first results; by default what the server deems best.
        tags: all of them: keywords of a memory, or the list `tags` in its metadata or that of a turn's request.
        metadata: comparisons such as `{"priority": {"gte": 2}}`, joined by `and`, `or` and `not`.
        event_start_time: since when it happened, in the world.
        as_of: what was known then, in place of what is known now.
        reference_time: what "today" is to the question; by default now.
        enable_reformulation: let a model rewrite the question by the history, where one is configured.
        explain: whether the reply says how it came about.
        status_filter: by default what is current.
    """
    body = checked(
        SearchUserPlaybooksBody,
        {
            "query": query,
            "start_time": start_time,
            "end_time": end_time,
            "user_id": user_id,
            "user_ids": user_ids,
            "top_k": top_k,
            "threshold": threshold,
            "search_mode": search_mode,
            "ranking": ranking,
            "strategies": strategies,
            "rerank": rerank,
            "tags": tags,
            "metadata": metadata,
            "event_start_time": event_start_time,
            "event_end_time": event_end_time,
            "as_of": as_of,
            "reference_time": reference_time,
            "conversation_history": conversation_history,
            "enable_reformulation": enable_reformulation,
            "explain": explain,
            "status_filter": statuses(status_filter),
            "include_expired": include_expired,
            "agent_version": agent_version,
            "agent_versions": agent_versions,
            "playbook_name": playbook_name,
            "playbook_names": playbook_names,
        },
    )
    return await connection.send(
        "POST", "/api/search_user_playbooks", FoundUserPlaybooks, body=body, repeatable=True
    )


async def search_agent_playbooks(
    connection: AsyncConnection,
    query: str | None = None,
    *,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    user_id: str | None = None,
    user_ids: Sequence[str] | None = None,
    top_k: int | None = None,
    threshold: float | None = None,
    search_mode: SearchModeWord | None = None,
    ranking: RankingWord | None = None,
    strategies: Sequence[StrategyNameWord] | None = None,
    rerank: bool | None = None,
    tags: Sequence[str] | None = None,
    metadata: Mapping[str, object] | None = None,
    event_start_time: datetime | None = None,
    event_end_time: datetime | None = None,
    as_of: datetime | None = None,
    reference_time: datetime | None = None,
    conversation_history: Sequence[ConversationTurn | Mapping[str, object]] | None = None,
    enable_reformulation: bool | None = None,
    explain: bool | None = None,
    status_filter: Sequence[StatusWord] | None = None,
    include_expired: bool | None = None,
    agent_version: str | None = None,
    agent_versions: Sequence[str] | None = None,
    playbook_name: str | None = None,
    playbook_names: Sequence[str] | None = None,
    playbook_status_filter: ApprovalWord | Sequence[ApprovalWord] | None = None,
) -> FoundAgentPlaybooks:
    """
    Find agent playbooks, best first; without a query return those changed last.

    By default current ones that may be served: approved, or written by a client and not rejected.

    Args:
        connection: to the server.
        query: the question, in plain words.
        user_id: whose; `user_ids` in its place names several users.
        user_ids: several users in place of one.
        top_k: how many at most; by default 10.
        threshold: least relevance of a result that no keyword found; by default 0.4.
        ranking: how what the strategies found becomes one list; by default `blended`.
        strategies: which ways of finding are used, of those that `search_mode` admits; by default what the server
            deems best.
        rerank: whether a second, closer look orders the first results; by default what the server deems best.
        tags: all of them: keywords of a memory, or the list `tags` in its metadata or that of a turn's request.
        metadata: comparisons such as `{"priority": {"gte": 2}}`, joined by `and`, `or` and `not`.
        event_start_time: since when it happened, in the world.
        as_of: what was known then, in place of what is known now.
        reference_time: what "today" is to the question; by default now.
        enable_reformulation: let a model rewrite the question by the history, where one is configured.
        explain: whether the reply says how it came about.
        status_filter: by default what is current.
        playbook_status_filter: what a reviewer said, of the kinds that are reviewed.
    """
    body = checked(
        SearchAgentPlaybooksBody,
        {
            "query": query,
            "start_time": start_time,
            "end_time": end_time,
            "user_id": user_id,
            "user_ids": user_ids,
            "top_k": top_k,
            "threshold": threshold,
            "search_mode": search_mode,
            "ranking": ranking,
            "strategies": strategies,
            "rerank": rerank,
            "tags": tags,
            "metadata": metadata,
            "event_start_time": event_start_time,
            "event_end_time": event_end_time,
            "as_of": as_of,
            "reference_time": reference_time,
            "conversation_history": conversation_history,
            "enable_reformulation": enable_reformulation,
            "explain": explain,
            "status_filter": statuses(status_filter),
            "include_expired": include_expired,
            "agent_version": agent_version,
            "agent_versions": agent_versions,
            "playbook_name": playbook_name,
            "playbook_names": playbook_names,
            "playbook_status_filter": playbook_status_filter,
        },
    )
    return await connection.send(
        "POST", "/api/search_agent_playbooks", FoundAgentPlaybooks, body=body, repeatable=True
    )


async def search_skills(
    connection: AsyncConnection,
    query: str | None = None,
    *,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    user_id: str | None = None,
    user_ids: Sequence[str] | None = None,
    top_k: int | None = None,
    threshold: float | None = None,
    search_mode: SearchModeWord | None = None,
    ranking: RankingWord | None = None,
    strategies: Sequence[StrategyNameWord] | None = None,
    rerank: bool | None = None,
    tags: Sequence[str] | None = None,
    metadata: Mapping[str, object] | None = None,
    event_start_time: datetime | None = None,
    event_end_time: datetime | None = None,
    as_of: datetime | None = None,
    reference_time: datetime | None = None,
    conversation_history: Sequence[ConversationTurn | Mapping[str, object]] | None = None,
    enable_reformulation: bool | None = None,
    explain: bool | None = None,
    status_filter: Sequence[StatusWord] | None = None,
    include_expired: bool | None = None,
    agent_version: str | None = None,
    agent_versions: Sequence[str] | None = None,
    playbook_name: str | None = None,
    playbook_names: Sequence[str] | None = None,
    playbook_status_filter: ApprovalWord | Sequence[ApprovalWord] | None = None,
    skill_status_filter: ApprovalWord | Sequence[ApprovalWord] | None = None,
) -> FoundSkills:
    """
    Find skills, best first; without a query return those changed last.

    By default current ones that may be served: approved, or written by a client and not rejected.

    Args:
        connection: to the server.
        query: the question, in plain words.
        user_id: whose; `user_ids` in its place names several users.
        user_ids: several users in place of one.
        top_k: how many at most; by default 10.
        threshold: least relevance of a result that no keyword found; by default 0.4.
        ranking: how what the strategies found becomes one list; by default `blended`.
        strategies: which ways of finding are used, of those that `search_mode` admits; by default what the server
            deems best.
        rerank: whether a second, closer look orders the first results; by default what the server deems best.
        tags: all of them: keywords of a memory, or the list `tags` in its metadata or that of a turn's request.
        metadata: comparisons such as `{"priority": {"gte": 2}}`, joined by `and`, `or` and `not`.
        event_start_time: since when it happened, in the world.
        as_of: what was known then, in place of what is known now.
        reference_time: what "today" is to the question; by default now.
        enable_reformulation: let a model rewrite the question by the history, where one is configured.
        explain: whether the reply says how it came about.
        status_filter: by default what is current.
        playbook_status_filter: what a reviewer said, of the kinds that are reviewed.
        skill_status_filter: what a reviewer said, by the name that it has in other calls on skills.
    """
    body = checked(
        SearchSkillsBody,
        {
            "query": query,
            "start_time": start_time,
            "end_time": end_time,
            "user_id": user_id,
            "user_ids": user_ids,
            "top_k": top_k,
            "threshold": threshold,
            "search_mode": search_mode,
            "ranking": ranking,
            "strategies": strategies,
            "rerank": rerank,
            "tags": tags,
            "metadata": metadata,
            "event_start_time": event_start_time,
            "event_end_time": event_end_time,
            "as_of": as_of,
            "reference_time": reference_time,
            "conversation_history": conversation_history,
            "enable_reformulation": enable_reformulation,
            "explain": explain,
            "status_filter": statuses(status_filter),
            "include_expired": include_expired,
            "agent_version": agent_version,
            "agent_versions": agent_versions,
            "playbook_name": playbook_name,
            "playbook_names": playbook_names,
            "playbook_status_filter": playbook_status_filter,
            "skill_status_filter": skill_status_filter,
        },
    )
    return await connection.send("POST", "/api/search_skills", FoundSkills, body=body, repeatable=True)


async def search(
    connection: AsyncConnection,
    query: str,
    *,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    user_id: str | None = None,
    user_ids: Sequence[str] | None = None,
    top_k: int | None = None,
    threshold: float | None = None,
    search_mode: SearchModeWord | None = None,
    ranking: RankingWord | None = None,
    strategies: Sequence[StrategyNameWord] | None = None,
    rerank: bool | None = None,
    tags: Sequence[str] | None = None,
    metadata: Mapping[str, object] | None = None,
    event_start_time: datetime | None = None,
    event_end_time: datetime | None = None,
    as_of: datetime | None = None,
    reference_time: datetime | None = None,
    conversation_history: Sequence[ConversationTurn | Mapping[str, object]] | None = None,
    enable_reformulation: bool | None = None,
    explain: bool | None = None,
    status_filter: Sequence[StatusWord] | None = None,
    include_expired: bool | None = None,
    agent_version: str | None = None,
    agent_versions: Sequence[str] | None = None,
    playbook_name: str | None = None,
    playbook_names: Sequence[str] | None = None,
    playbook_status_filter: ApprovalWord | Sequence[ApprovalWord] | None = None,
    kinds: Sequence[MemoryKindWord | Literal["interaction"]] | None = None,
    neighbours: int | None = None,
) -> SearchPage:
    """
    Ask everything that may be served now, each kind best first.

    That is what is current, unexpired and not rejected. An agent playbook or a skill that was learned from users
    waits for its approval. What belongs to users is found for those named, and for no other.

    Args:
        connection: to the server.
        query: the question, in plain words.
        user_id: whose; `user_ids` in its place names several users.
        user_ids: several users in place of one.
        top_k: how many of each kind; by default 5.
        threshold: least relevance of a result that no keyword found; by default 0.3.
        ranking: how what the strategies found becomes one list; by default `blended`.
        strategies: which ways of finding are used, of those that `search_mode` admits; by default what the server
            deems best.
        rerank: whether a second, closer look orders the first results; by default what the server deems best.
        tags: all of them: keywords of a memory, or the list `tags` in its metadata or that of a turn's request.
        metadata: comparisons such as `{"priority": {"gte": 2}}`, joined by `and`, `or` and `not`.
        event_start_time: since when it happened, in the world.
        as_of: what was known then, in place of what is known now.
        reference_time: what "today" is to the question; by default now.
        enable_reformulation: let a model rewrite the question by the history, where one is configured.
        explain: whether the reply says how it came about.
        status_filter: by default what is current.
        playbook_status_filter: what a reviewer said, of the kinds that are reviewed.
        neighbours: how many turns of the same session to return before and after each turn found; by default 0.
    """
    body = checked(
        SearchBody,
        {
            "query": query,
            "start_time": start_time,
            "end_time": end_time,
            "user_id": user_id,
            "user_ids": user_ids,
            "top_k": top_k,
            "threshold": threshold,
            "search_mode": search_mode,
            "ranking": ranking,
            "strategies": strategies,
            "rerank": rerank,
            "tags": tags,
            "metadata": metadata,
            "event_start_time": event_start_time,
            "event_end_time": event_end_time,
            "as_of": as_of,
            "reference_time": reference_time,
            "conversation_history": conversation_history,
            "enable_reformulation": enable_reformulation,
            "explain": explain,
            "status_filter": statuses(status_filter),
            "include_expired": include_expired,
            "agent_version": agent_version,
            "agent_versions": agent_versions,
            "playbook_name": playbook_name,
            "playbook_names": playbook_names,
            "playbook_status_filter": playbook_status_filter,
            "kinds": kinds,
            "neighbours": neighbours,
        },
    )
    return await connection.send("POST", "/api/search", SearchPage, body=body, repeatable=True)
