# Generated from _async by scripts/unasync; edit it there.
"""Finding what is known, by meaning and by words, with scores; the options that all searches share are written once."""

from collections.abc import Sequence
from typing import Unpack

from sagacity.client._sync.connection import Connection
from sagacity.client.search_options import MemoryOptions, Options, PlaybookOptions, asked
from sagacity.client.words import ApprovalWord, KindWord
from sagacity.schemas.found import (
    FoundAgentPlaybooks,
    FoundInteractions,
    FoundProfiles,
    FoundUserPlaybooks,
    SearchPage,
)
from sagacity.schemas.search import (
    SearchAgentPlaybooksBody,
    SearchBody,
    SearchInteractionsBody,
    SearchProfilesBody,
    SearchUserPlaybooksBody,
)


def search(
    connection: Connection,
    query: str,
    *,
    user_id: str | None = None,
    kinds: Sequence[KindWord] | None = None,
    playbook_status_filter: ApprovalWord | Sequence[ApprovalWord] | None = None,
    neighbours: int | None = None,
    top_k: int | None = None,
    **options: Unpack[PlaybookOptions],
) -> SearchPage:
    """
    Ask everything that is known: the user's profiles and playbooks, and the agent's playbooks and skills.

    Args:
        connection: to the server.
        query: the question, in plain words.
        user_id: whose profiles and playbooks; without it only what holds for all users is found.
        kinds: what is looked for: any of profile, semantic, episodic, user_playbook, agent_playbook, skill and
            interaction; by default profiles, playbooks and skills.
        playbook_status_filter: what a reviewer said of agent playbooks and skills; by default what may be served.
        neighbours: how many turns before and after each turn found come with it, up to 5.
        top_k: how many of each kind at most; by default 5.
        options: as every search has them; `threshold` is 0.3 by default.
    """
    fields = {
        "query": query,
        "user_id": user_id,
        "kinds": kinds,
        "playbook_status_filter": playbook_status_filter,
        "neighbours": neighbours,
        "top_k": top_k,
    }
    body = asked(SearchBody, fields, options)
    return connection.send("POST", "/api/search", SearchPage, body=body, repeatable=True)


def search_interactions(
    connection: Connection,
    user_id: str | None = None,
    query: str | None = None,
    *,
    request_id: str | None = None,
    most_recent_k: int | None = None,
    neighbours: int | None = None,
    top_k: int | None = None,
    **options: Unpack[Options],
) -> FoundInteractions:
    """
    Find turns; without a query the newest are returned.

    Args:
        connection: to the server.
        user_id: whose turns; `user_ids` in its place names several users.
        query: the question, in plain words.
        request_id: only turns of this publish.
        most_recent_k: among how many of the newest turns to look.
        neighbours: how many turns before and after each turn found come with it, up to 5.
        top_k: how many at most; by default 10.
        options: as every search has them; `threshold` is 0 by default.
    """
    fields = {
        "user_id": user_id,
        "query": query,
        "request_id": request_id,
        "most_recent_k": most_recent_k,
        "neighbours": neighbours,
        "top_k": top_k,
    }
    body = asked(SearchInteractionsBody, fields, options)
    return connection.send("POST", "/api/search_interactions", FoundInteractions, body=body, repeatable=True)


def search_profiles(
    connection: Connection,
    user_id: str | None = None,
    query: str | None = None,
    *,
    generated_from_request_id: str | None = None,
    source: str | None = None,
    custom_feature: str | None = None,
    extractor_name: str | None = None,
    top_k: int | None = None,
    **options: Unpack[MemoryOptions],
) -> FoundProfiles:
    """
    Find profiles; without a query those changed last are returned.

    Args:
        connection: to the server.
        user_id: whose profiles; `user_ids` in its place names several users.
        query: the question, in plain words.
        generated_from_request_id: only what was learned from this publish.
        source: only what came from there.
        custom_feature: a text that one of the custom features holds.
        extractor_name: only what this extractor learned.
        top_k: how many at most; by default 10.
        options: as every search has them; `threshold` is 0.4 by default.
    """
    fields = {
        "user_id": user_id,
        "query": query,
        "generated_from_request_id": generated_from_request_id,
        "source": source,
        "custom_feature": custom_feature,
        "extractor_name": extractor_name,
        "top_k": top_k,
    }
    body = asked(SearchProfilesBody, fields, options)
    return connection.send("POST", "/api/search_profiles", FoundProfiles, body=body, repeatable=True)


def search_user_playbooks(
    connection: Connection,
    query: str | None = None,
    *,
    user_id: str | None = None,
    top_k: int | None = None,
    **options: Unpack[PlaybookOptions],
) -> FoundUserPlaybooks:
    """
    Find user playbooks; without a query those changed last are returned.

    Args:
        connection: to the server.
        query: the question, in plain words.
        user_id: whose playbooks; by default those of all users.
        top_k: how many at most; by default 10.
        options: as every search has them; `threshold` is 0.4 by default.
    """
    fields = {"query": query, "user_id": user_id, "top_k": top_k}
    body = asked(SearchUserPlaybooksBody, fields, options)
    return connection.send(
        "POST", "/api/search_user_playbooks", FoundUserPlaybooks, body=body, repeatable=True
    )


def search_agent_playbooks(
    connection: Connection,
    query: str | None = None,
    *,
    playbook_status_filter: ApprovalWord | Sequence[ApprovalWord] | None = None,
    top_k: int | None = None,
    **options: Unpack[PlaybookOptions],
) -> FoundAgentPlaybooks:
    """
    Find agent playbooks; without a query those changed last are returned.

    Args:
        connection: to the server.
        query: the question, in plain words.
        playbook_status_filter: what a reviewer said of them; by default what may be served.
        top_k: how many at most; by default 10.
        options: as every search has them; `threshold` is 0.4 by default.
    """
    fields = {"query": query, "playbook_status_filter": playbook_status_filter, "top_k": top_k}
    body = asked(SearchAgentPlaybooksBody, fields, options)
    return connection.send(
        "POST", "/api/search_agent_playbooks", FoundAgentPlaybooks, body=body, repeatable=True
    )
