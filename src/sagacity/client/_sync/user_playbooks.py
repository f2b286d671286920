# Generated from _async by scripts/unasync; edit it there.
# Generated from the API's description by scripts/sdk; change it there.
"""Rules for an agent that one user taught."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sagacity.client._sync.connection import Connection
from sagacity.client.wire import checked, statuses
from sagacity.client.words.memory import StatusWord
from sagacity.schemas.interactions import Deleted, DeletedMany
from sagacity.schemas.playbooks import (
    AddUserPlaybooksBody,
    BlockingIssueData,
    DeleteUserPlaybookBody,
    DeleteUserPlaybooksByIdsBody,
    GetUserPlaybooksBody,
    UpdateUserPlaybookBody,
    UserPlaybookData,
    UserPlaybooksPage,
)
from sagacity.schemas.profiles import Added, Updated


def add_user_playbook(
    connection: Connection, user_playbooks: Sequence[UserPlaybookData | Mapping[str, object]]
) -> Added:
    """
    Add user playbooks; either all are stored, or none.

    Args:
        connection: to the server.
        user_playbooks: rules that single users taught.
    """
    body = checked(AddUserPlaybooksBody, {"user_playbooks": user_playbooks})
    return connection.send("POST", "/api/add_user_playbook", Added, body=body)


def update_user_playbook(
    connection: Connection,
    user_playbook_id: int,
    *,
    playbook_name: str | None = None,
    content: str | None = None,
    trigger: str | None = None,
    pitfall: str | None = None,
    rationale: str | None = None,
    blocking_issue: BlockingIssueData | Mapping[str, object] | None = None,
    playbook_metadata: str | None = None,
    status: StatusWord | None = None,
) -> Updated:
    """
    Change a user playbook; fields that are not given stay as they are.

    Args:
        connection: to the server.
        user_playbook_id: the user playbook's number.
        playbook_name: the name under which playbooks belong together: that of their extractor.
        content: what the memory says.
        trigger: when the rule applies.
        pitfall: what the agent should not do.
        rationale: why the rule holds.
        blocking_issue: what prevented the agent from doing what was asked.
        playbook_metadata: free text that is kept with the playbook.
        status: use `current` for current, because null leaves the status as it is.
    """
    body = checked(
        UpdateUserPlaybookBody,
        {
            "user_playbook_id": user_playbook_id,
            "playbook_name": playbook_name,
            "content": content,
            "trigger": trigger,
            "pitfall": pitfall,
            "rationale": rationale,
            "blocking_issue": blocking_issue,
            "playbook_metadata": playbook_metadata,
            "status": status,
        },
    )
    return connection.send("PUT", "/api/update_user_playbook", Updated, body=body, repeatable=True)


def get_user_playbooks(
    connection: Connection,
    *,
    start_time: datetime | None = None,
    end_time: datetime | None = None,
    limit: int | None = None,
    user_id: str | None = None,
    playbook_name: str | None = None,
    agent_version: str | None = None,
    status_filter: Sequence[StatusWord] | None = None,
    query: str | None = None,
) -> UserPlaybooksPage:
    """
    Return unexpired user playbooks, last changed first; by default those of any status.

    Args:
        connection: to the server.
        start_time: earliest time at which a turn arrived or a memory was last changed, inclusive.
        end_time: latest time at which a turn arrived or a memory was last changed, inclusive.
        limit: the largest number of results to return; by default 100.
        user_id: the user: the person who talks to the agent.
        playbook_name: the name under which playbooks belong together: that of their extractor.
        agent_version: which version of the agent it belongs to.
        status_filter: only memories with one of these statuses; null stands for current. Default: current.
        query: words to look for; the best match comes first.
    """
    body = checked(
        GetUserPlaybooksBody,
        {
            "start_time": start_time,
            "end_time": end_time,
            "limit": limit,
            "user_id": user_id,
            "playbook_name": playbook_name,
            "agent_version": agent_version,
            "status_filter": statuses(status_filter),
            "query": query,
        },
    )
    return connection.send("POST", "/api/get_user_playbooks", UserPlaybooksPage, body=body, repeatable=True)


def delete_user_playbook(connection: Connection, user_playbook_id: int) -> Deleted:
    """
    Delete one user playbook.

    Args:
        connection: to the server.
        user_playbook_id: the user playbook's number.
    """
    body = checked(DeleteUserPlaybookBody, {"user_playbook_id": user_playbook_id})
    return connection.send("DELETE", "/api/delete_user_playbook", Deleted, body=body)


def delete_user_playbooks_by_ids(connection: Connection, user_playbook_ids: Sequence[int]) -> DeletedMany:
    """
    Delete several user playbooks; unknown ids are ignored.

    Args:
        connection: to the server.
        user_playbook_ids: only these user playbooks.
    """
    body = checked(DeleteUserPlaybooksByIdsBody, {"user_playbook_ids": user_playbook_ids})
    return connection.send("DELETE", "/api/delete_user_playbooks_by_ids", DeletedMany, body=body)


def delete_all_user_playbooks(connection: Connection) -> DeletedMany:
    """Delete all user playbooks of all users."""
    return connection.send("DELETE", "/api/delete_all_user_playbooks", DeletedMany)
