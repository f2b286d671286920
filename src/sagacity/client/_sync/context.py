# Generated from _async by scripts/unasync; edit it there.
# Generated from the API's description by scripts/sdk; change it there.
"""What an agent should know, as one text within a budget of tokens."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal

from sagacity.client._sync.connection import Connection
from sagacity.client.wire import checked, statuses
from sagacity.client.words import (
    ApprovalWord,
    MemoryKindWord,
    RankingWord,
    SearchModeWord,
    StatusWord,
    StrategyNameWord,
)
from sagacity.schemas.context import Budgets, ContextBody, ContextPage
from sagacity.schemas.search import ConversationTurn


def context(
    connection: Connection,
    query: str,
    *,
    user_id: str,
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
    agent_version: str | None = None,
    agent_versions: Sequence[str] | None = None,
    playbook_name: str | None = None,
    playbook_names: Sequence[str] | None = None,
    playbook_status_filter: ApprovalWord | Sequence[ApprovalWord] | None = None,
    kinds: Sequence[MemoryKindWord | Literal["interaction"]] | None = None,
    neighbours: int | None = None,
    session_id: str | None = None,
    include_history: bool | None = None,
    budgets: Budgets | Mapping[str, object] | None = None,
) -> ContextPage:
    """
    Return what is known and matters to a question as one text, within a budget of tokens.

    What may be served is what a search serves: current, unexpired, not rejected, of this user. Of an entity those
    relationships are told that such a memory says, or that were written by hand. A question that asks for nothing
    remembered is answered too; `trace.analysis.requires_memory` says so.

    Args:
        connection: to the server.
        query: the question, in plain words.
        user_ids: several users in place of one.
        top_k: how many of each kind are looked at; the budgets decide how many of them are put in; by default 20.
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
        explain: whether the reply holds the trace; by default True.
        status_filter: by default what is current.
        playbook_status_filter: what a reviewer said, of the kinds that are reviewed.
        session_id: the conversation that goes on now.
        include_history: whether the newest turns of the session are put in; by default where a session is named.
    """
    body = checked(
        ContextBody,
        {
            "query": query,
            "user_id": user_id,
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
            "agent_version": agent_version,
            "agent_versions": agent_versions,
            "playbook_name": playbook_name,
            "playbook_names": playbook_names,
            "playbook_status_filter": playbook_status_filter,
            "kinds": kinds,
            "neighbours": neighbours,
            "session_id": session_id,
            "include_history": include_history,
            "budgets": budgets,
        },
    )
    return connection.send("POST", "/api/context", ContextPage, body=body, repeatable=True)
