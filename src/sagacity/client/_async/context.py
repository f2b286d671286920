"""What an agent should know, as one text within a budget of tokens."""

from collections.abc import Mapping, Sequence
from typing import Unpack

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.search_options import PlaybookOptions, asked
from sagacity.client.words import ApprovalWord, KindWord
from sagacity.schemas.context import Budgets, ContextBody, ContextPage


async def context(
    connection: AsyncConnection,
    query: str,
    *,
    user_id: str,
    session_id: str | None = None,
    include_history: bool | None = None,
    budgets: Budgets | Mapping[str, int] | None = None,
    kinds: Sequence[KindWord] | None = None,
    playbook_status_filter: ApprovalWord | Sequence[ApprovalWord] | None = None,
    neighbours: int | None = None,
    top_k: int | None = None,
    **options: Unpack[PlaybookOptions],
) -> ContextPage:
    """
    Build what is known and matters to a question into one text for a prompt.

    Args:
        connection: to the server.
        query: the question, in plain words.
        user_id: who asks.
        session_id: the conversation that goes on now; its newest turns are put in.
        include_history: False to leave the conversation out.
        budgets: tokens for the whole (`total_tokens`, by default 5,000) and for the sections.
        kinds: what is looked for: any of profile, semantic, episodic, user_playbook, agent_playbook, skill and
            interaction; by default all.
        playbook_status_filter: what a reviewer said of agent playbooks and skills; by default what may be served.
        neighbours: how many turns before and after each turn found come with it, up to 5; by default 1.
        top_k: how many of each kind are looked at; by default 20. The budgets decide how many are put in.
        options: as every search has them. `conversation_history` stands in for the session's own turns. Here
            `threshold` is 0 by default, and `explain` True: the reply holds a trace.

    Returns:
        The text, empty if nothing is known, with the source of each line, and what was left out.
    """
    fields = {
        "query": query,
        "user_id": user_id,
        "session_id": session_id,
        "include_history": include_history,
        "budgets": budgets,
        "kinds": kinds,
        "playbook_status_filter": playbook_status_filter,
        "neighbours": neighbours,
        "top_k": top_k,
    }
    body = asked(ContextBody, fields, options)
    return await connection.send("POST", "/api/context", ContextPage, body=body, repeatable=True)
