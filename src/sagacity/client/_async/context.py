# Generated from the API's description by scripts/sdk; change it there.
"""What an agent should know, as one text within a token budget."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.wire import checked, statuses
from sagacity.client.words.memory import ApprovalWord, MemoryKindWord, StatusWord
from sagacity.client.words.query import RankingWord, SearchModeWord, StrategyNameWord
from sagacity.schemas.context import Budgets, ContextBody, ContextPage
from sagacity.schemas.search import ConversationTurn


async def context(
    connection: AsyncConnection,
    query: str,
    *,
    user_id: str,
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
    agent_version: str | None = None,
    agent_versions: Sequence[str] | None = None,
    playbook_name: str | None = None,
    playbook_names: Sequence[str] | None = None,
    playbook_status_filter: ApprovalWord | Sequence[ApprovalWord] | None = None,
    kinds: Sequence[MemoryKindWord | Literal["interaction"]] | None = None,
    neighbours: int | None = None,
    include_history: bool | None = None,
    budgets: Budgets | Mapping[str, object] | None = None,
) -> ContextPage:
    """
    Return what is known about a question, as one text within a token budget.

    It uses what a search returns: current, unexpired and not rejected memories of this user. Relationships of an
    entity are included if such a memory supports them, or if they were added by hand. If a question does not need
    memory, the reply has a context nevertheless; `trace.analysis.requires_memory` is false then.

    Args:
        connection: to the server.
        query: the question, in plain words.
        start_time: earliest time at which a turn arrived or a memory was last changed, inclusive.
        end_time: latest time at which a turn arrived or a memory was last changed, inclusive.
        user_ids: several users instead of one.
        session_id: the conversation in progress.
        top_k: how many results of each kind to consider; the budgets decide how many fit in. By default 20, and
            all of a user's memories of a kind if there are no more than 40.
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
        explain: whether the reply includes the trace; by default True.
        status_filter: by default, current ones.
        include_expired: if true, also finds memories that have expired.
        agent_version: which version of the agent it belongs to.
        agent_versions: several versions of the agent instead of one.
        playbook_name: the name under which playbooks belong together: that of their extractor.
        playbook_names: several names of playbooks instead of one.
        playbook_status_filter: approval, for the kinds that are reviewed.
        kinds: the types of memories to search, and `interaction` for turns; by default ['profile', 'semantic',
            'episodic', 'user_playbook', 'agent_playbook', 'skill', 'interaction'].
        neighbours: how many turns of the same session to return before and after each turn found; by default 1.
        include_history: whether to include the session's newest turns; by default, if a session is given.
        budgets: limits in tokens, for the whole text and for each section; by default {'total_tokens': 5000,
            'profile_tokens': 600, 'facts_tokens': 1500, 'episodes_tokens': 1500, 'procedures_tokens': 400,
            'entities_tokens': 300, 'history_tokens': 300}.
    """
    body = checked(
        ContextBody,
        {
            "query": query,
            "user_id": user_id,
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
            "agent_version": agent_version,
            "agent_versions": agent_versions,
            "playbook_name": playbook_name,
            "playbook_names": playbook_names,
            "playbook_status_filter": playbook_status_filter,
            "kinds": kinds,
            "neighbours": neighbours,
            "include_history": include_history,
            "budgets": budgets,
        },
    )
    return await connection.send("POST", "/api/context", ContextPage, body=body, repeatable=True)
