# Generated from _async by scripts/unasync; edit it there.
# Generated from the API's description by scripts/sdk; change it there.
"""Search turns and memories, with scores."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal

from sagacity.client._sync.connection import Connection
from sagacity.client.wire import checked, statuses
from sagacity.client.words.memory import ApprovalWord, MemoryKindWord, StatusWord
from sagacity.client.words.query import RankingWord, SearchModeWord, StrategyNameWord
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
    RerankProfilesBody,
    SearchAgentPlaybooksBody,
    SearchBody,
    SearchInteractionsBody,
    SearchProfilesBody,
    SearchSkillsBody,
    SearchUserPlaybooksBody,
)


def search_interactions(
    connection: Connection,
    user_id: str | None = None,
    query: str | None = None,
    *,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    user_ids: Sequence[str] | None = None,
    session_id: str | None = None,
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
    Search turns of one or several users, best first; without a query, return the newest.

    Args:
        connection: to the server.
        user_id: the user; use `user_ids` for several.
        query: the question, in plain words.
        start_time: earliest time at which a turn arrived or a memory was last changed, inclusive.
        end_time: latest time at which a turn arrived or a memory was last changed, inclusive.
        user_ids: several users instead of one.
        session_id: the conversation in which the results are used.
        top_k: how many at most; by default 10.
        threshold: lowest relevance, from 0 to 1, of a result; by default 0.0.
        search_mode: `hybrid` compares words and meaning, `vector` only meaning, `fts` only words; by default
            hybrid.
        ranking: how the strategies' results become one list; by default `blended`.
        strategies: which strategies to use, among those of `search_mode`; the server's choice by default.
        rerank: whether a model reranks the first results; the server's choice by default.
        tags: all must match: keywords of a memory, or the list `tags` in its metadata or in that of a turn's
            request.
        metadata: comparisons such as `{"priority": {"gte": 2}}`, joined by `and`, `or` and `not`.
        event_start_time: earliest time at which it happened.
        event_end_time: latest time at which it happened.
        as_of: search what was known at this time, instead of now.
        reference_time: what "today" is to the question; by default now.
        conversation_history: turns before the question, oldest first.
        enable_reformulation: whether a model, if configured, rewrites the question from the history.
        explain: whether the reply explains how the results were found.
        request_id: the publish that it belongs to.
        most_recent_k: search only this many of the newest turns.
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
            "session_id": session_id,
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
    return connection.send("POST", "/api/search_interactions", FoundInteractions, body=body, repeatable=True)


def search_profiles(
    connection: Connection,
    user_id: str | None = None,
    query: str | None = None,
    *,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    user_ids: Sequence[str] | None = None,
    session_id: str | None = None,
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
    Search profiles of one or several users, best first; without a query, return those changed last.

    Args:
        connection: to the server.
        user_id: the user; use `user_ids` for several.
        query: the question, in plain words.
        start_time: earliest time at which a turn arrived or a memory was last changed, inclusive.
        end_time: latest time at which a turn arrived or a memory was last changed, inclusive.
        user_ids: several users instead of one.
        session_id: the conversation in which the results are used.
        top_k: how many at most; by default 10.
        threshold: lowest relevance, from 0 to 1, of a result; by default 0.4.
        search_mode: `hybrid` compares words and meaning, `vector` only meaning, `fts` only words; by default
            hybrid.
        ranking: how the strategies' results become one list; by default `blended`.
        strategies: which strategies to use, among those of `search_mode`; the server's choice by default.
        rerank: whether a model reranks the first results; the server's choice by default.
        tags: all must match: keywords of a memory, or the list `tags` in its metadata or in that of a turn's
            request.
        metadata: comparisons such as `{"priority": {"gte": 2}}`, joined by `and`, `or` and `not`.
        event_start_time: earliest time at which it happened.
        event_end_time: latest time at which it happened.
        as_of: search what was known at this time, instead of now.
        reference_time: what "today" is to the question; by default now.
        conversation_history: turns before the question, oldest first.
        enable_reformulation: whether a model, if configured, rewrites the question from the history.
        explain: whether the reply explains how the results were found.
        status_filter: by default, current ones.
        include_expired: if true, also finds memories that have expired.
        generated_from_request_id: the publish that it was learned from.
        source: a tag of requests that says where they come from; memories take it over.
        custom_feature: a text that one of the custom features must contain.
        extractor_name: only what this extractor learned.
    """
    body = checked(
        SearchProfilesBody,
        {
            "user_id": user_id,
            "query": query,
            "start_time": start_time,
            "end_time": end_time,
            "user_ids": user_ids,
            "session_id": session_id,
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
    return connection.send("POST", "/api/search_profiles", FoundProfiles, body=body, repeatable=True)


def rerank_user_profiles(
    connection: Connection,
    user_id: str,
    query: str,
    profile_ids: Sequence[str],
    *,
    top_k: int | None = None,
) -> FoundProfiles:
    """
    Sort given profiles of a user by how well they answer a question, best first.

    A reranker sorts them if one is configured, else a search. Ids that the user does not have, or that may not be
    returned, are left out.

    Args:
        connection: to the server.
        query: the question, in plain words.
        profile_ids: the profiles to sort.
        top_k: how many at most; by default 10.
    """
    body = checked(
        RerankProfilesBody, {"user_id": user_id, "query": query, "profile_ids": profile_ids, "top_k": top_k}
    )
    return connection.send("POST", "/api/rerank_user_profiles", FoundProfiles, body=body, repeatable=True)


def search_user_playbooks(
    connection: Connection,
    query: str | None = None,
    *,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    user_id: str | None = None,
    user_ids: Sequence[str] | None = None,
    session_id: str | None = None,
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
    Search user playbooks, best first; without a query, return those changed last. By default current ones.

    Args:
        connection: to the server.
        query: the question, in plain words.
        start_time: earliest time at which a turn arrived or a memory was last changed, inclusive.
        end_time: latest time at which a turn arrived or a memory was last changed, inclusive.
        user_id: the user; use `user_ids` for several.
        user_ids: several users instead of one.
        session_id: the conversation in which the results are used.
        top_k: how many at most; by default 10.
        threshold: lowest relevance, from 0 to 1, of a result; by default 0.4.
        search_mode: `hybrid` compares words and meaning, `vector` only meaning, `fts` only words; by default
            hybrid.
        ranking: how the strategies' results become one list; by default `blended`.
        strategies: which strategies to use, among those of `search_mode`; the server's choice by default.
        rerank: whether a model reranks the first results; the server's choice by default.
        tags: all must match: keywords of a memory, or the list `tags` in its metadata or in that of a turn's
            request.
        metadata: comparisons such as `{"priority": {"gte": 2}}`, joined by `and`, `or` and `not`.
        event_start_time: earliest time at which it happened.
        event_end_time: latest time at which it happened.
        as_of: search what was known at this time, instead of now.
        reference_time: what "today" is to the question; by default now.
        conversation_history: turns before the question, oldest first.
        enable_reformulation: whether a model, if configured, rewrites the question from the history.
        explain: whether the reply explains how the results were found.
        status_filter: by default, current ones.
        include_expired: if true, also finds memories that have expired.
        agent_version: which version of the agent it belongs to.
        agent_versions: several versions of the agent instead of one.
        playbook_name: the name under which playbooks belong together: that of their extractor.
        playbook_names: several names of playbooks instead of one.
    """
    body = checked(
        SearchUserPlaybooksBody,
        {
            "query": query,
            "start_time": start_time,
            "end_time": end_time,
            "user_id": user_id,
            "user_ids": user_ids,
            "session_id": session_id,
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
    return connection.send(
        "POST", "/api/search_user_playbooks", FoundUserPlaybooks, body=body, repeatable=True
    )


def search_agent_playbooks(
    connection: Connection,
    query: str | None = None,
    *,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    user_id: str | None = None,
    user_ids: Sequence[str] | None = None,
    session_id: str | None = None,
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
    Search agent playbooks, best first; without a query, return those changed last.

    By default current ones that an agent may use: approved, or written by a client and not rejected.

    Args:
        connection: to the server.
        query: the question, in plain words.
        start_time: earliest time at which a turn arrived or a memory was last changed, inclusive.
        end_time: latest time at which a turn arrived or a memory was last changed, inclusive.
        user_id: the user; use `user_ids` for several.
        user_ids: several users instead of one.
        session_id: the conversation in which the results are used.
        top_k: how many at most; by default 10.
        threshold: lowest relevance, from 0 to 1, of a result; by default 0.4.
        search_mode: `hybrid` compares words and meaning, `vector` only meaning, `fts` only words; by default
            hybrid.
        ranking: how the strategies' results become one list; by default `blended`.
        strategies: which strategies to use, among those of `search_mode`; the server's choice by default.
        rerank: whether a model reranks the first results; the server's choice by default.
        tags: all must match: keywords of a memory, or the list `tags` in its metadata or in that of a turn's
            request.
        metadata: comparisons such as `{"priority": {"gte": 2}}`, joined by `and`, `or` and `not`.
        event_start_time: earliest time at which it happened.
        event_end_time: latest time at which it happened.
        as_of: search what was known at this time, instead of now.
        reference_time: what "today" is to the question; by default now.
        conversation_history: turns before the question, oldest first.
        enable_reformulation: whether a model, if configured, rewrites the question from the history.
        explain: whether the reply explains how the results were found.
        status_filter: by default, current ones.
        include_expired: if true, also finds memories that have expired.
        agent_version: which version of the agent it belongs to.
        agent_versions: several versions of the agent instead of one.
        playbook_name: the name under which playbooks belong together: that of their extractor.
        playbook_names: several names of playbooks instead of one.
        playbook_status_filter: approval, for the kinds that are reviewed.
    """
    body = checked(
        SearchAgentPlaybooksBody,
        {
            "query": query,
            "start_time": start_time,
            "end_time": end_time,
            "user_id": user_id,
            "user_ids": user_ids,
            "session_id": session_id,
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
    return connection.send(
        "POST", "/api/search_agent_playbooks", FoundAgentPlaybooks, body=body, repeatable=True
    )


def search_skills(
    connection: Connection,
    query: str | None = None,
    *,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    user_id: str | None = None,
    user_ids: Sequence[str] | None = None,
    session_id: str | None = None,
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
    Search skills, best first; without a query, return those changed last.

    By default current ones that an agent may use: approved, or written by a client and not rejected.

    Args:
        connection: to the server.
        query: the question, in plain words.
        start_time: earliest time at which a turn arrived or a memory was last changed, inclusive.
        end_time: latest time at which a turn arrived or a memory was last changed, inclusive.
        user_id: the user; use `user_ids` for several.
        user_ids: several users instead of one.
        session_id: the conversation in which the results are used.
        top_k: how many at most; by default 10.
        threshold: lowest relevance, from 0 to 1, of a result; by default 0.4.
        search_mode: `hybrid` compares words and meaning, `vector` only meaning, `fts` only words; by default
            hybrid.
        ranking: how the strategies' results become one list; by default `blended`.
        strategies: which strategies to use, among those of `search_mode`; the server's choice by default.
        rerank: whether a model reranks the first results; the server's choice by default.
        tags: all must match: keywords of a memory, or the list `tags` in its metadata or in that of a turn's
            request.
        metadata: comparisons such as `{"priority": {"gte": 2}}`, joined by `and`, `or` and `not`.
        event_start_time: earliest time at which it happened.
        event_end_time: latest time at which it happened.
        as_of: search what was known at this time, instead of now.
        reference_time: what "today" is to the question; by default now.
        conversation_history: turns before the question, oldest first.
        enable_reformulation: whether a model, if configured, rewrites the question from the history.
        explain: whether the reply explains how the results were found.
        status_filter: by default, current ones.
        include_expired: if true, also finds memories that have expired.
        agent_version: which version of the agent it belongs to.
        agent_versions: several versions of the agent instead of one.
        playbook_name: the name under which playbooks belong together: that of their extractor.
        playbook_names: several names of playbooks instead of one.
        playbook_status_filter: approval, for the kinds that are reviewed.
        skill_status_filter: approval; the same as `playbook_status_filter`, under the name used in other calls on
            skills.
    """
    body = checked(
        SearchSkillsBody,
        {
            "query": query,
            "start_time": start_time,
            "end_time": end_time,
            "user_id": user_id,
            "user_ids": user_ids,
            "session_id": session_id,
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
    return connection.send("POST", "/api/search_skills", FoundSkills, body=body, repeatable=True)


def search(
    connection: Connection,
    query: str,
    *,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    user_id: str | None = None,
    user_ids: Sequence[str] | None = None,
    session_id: str | None = None,
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
    Search everything that an agent may use now; each kind is sorted, best first.

    That is what is current, unexpired and not rejected. Agent playbooks and skills that were learned from users
    are returned once they are approved. Memories of users are returned for the given users only; with a user's
    own token, for that user.

    Args:
        connection: to the server.
        query: the question, in plain words.
        start_time: earliest time at which a turn arrived or a memory was last changed, inclusive.
        end_time: latest time at which a turn arrived or a memory was last changed, inclusive.
        user_id: the user; use `user_ids` for several.
        user_ids: several users instead of one.
        session_id: the conversation in which the results are used.
        top_k: how many of each kind; by default 5.
        threshold: lowest relevance, from 0 to 1, of a result; by default 0.3.
        search_mode: `hybrid` compares words and meaning, `vector` only meaning, `fts` only words; by default
            hybrid.
        ranking: how the strategies' results become one list; by default `blended`.
        strategies: which strategies to use, among those of `search_mode`; the server's choice by default.
        rerank: whether a model reranks the first results; the server's choice by default.
        tags: all must match: keywords of a memory, or the list `tags` in its metadata or in that of a turn's
            request.
        metadata: comparisons such as `{"priority": {"gte": 2}}`, joined by `and`, `or` and `not`.
        event_start_time: earliest time at which it happened.
        event_end_time: latest time at which it happened.
        as_of: search what was known at this time, instead of now.
        reference_time: what "today" is to the question; by default now.
        conversation_history: turns before the question, oldest first.
        enable_reformulation: whether a model, if configured, rewrites the question from the history.
        explain: whether the reply explains how the results were found.
        status_filter: by default, current ones.
        include_expired: if true, also finds memories that have expired.
        agent_version: which version of the agent it belongs to.
        agent_versions: several versions of the agent instead of one.
        playbook_name: the name under which playbooks belong together: that of their extractor.
        playbook_names: several names of playbooks instead of one.
        playbook_status_filter: approval, for the kinds that are reviewed.
        kinds: the types of memories to search, and `interaction` for turns.
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
            "session_id": session_id,
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
    return connection.send("POST", "/api/search", SearchPage, body=body, repeatable=True)
