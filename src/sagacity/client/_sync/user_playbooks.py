# Generated from _async by scripts/unasync; edit it there.
"""How an agent should act for one user: read, written, edited, deleted."""

from collections.abc import Mapping, Sequence

from sagacity.client._sync.connection import Connection
from sagacity.client.wire import checked
from sagacity.client.words import StatusWord, statuses
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


def get_user_playbooks(
    connection: Connection,
    *,
    limit: int | None = None,
    user_id: str | None = None,
    playbook_name: str | None = None,
    agent_version: str | None = None,
    status_filter: Sequence[StatusWord] | None = None,
) -> UserPlaybooksPage:
    """Return user playbooks, last changed first."""
    fields = {
        "limit": limit,
        "user_id": user_id,
        "playbook_name": playbook_name,
        "agent_version": agent_version,
        "status_filter": statuses(status_filter),
    }
    body = checked(GetUserPlaybooksBody, fields)
    return connection.send("POST", "/api/get_user_playbooks", UserPlaybooksPage, body=body, repeatable=True)


def add_user_playbook(
    connection: Connection, user_playbooks: Sequence[UserPlaybookData | Mapping[str, object]]
) -> Added:
    """Write user playbooks by hand; each needs content or a trigger."""
    body = checked(AddUserPlaybooksBody, {"user_playbooks": list(user_playbooks)})
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
    blocking_issue: BlockingIssueData | None = None,
    playbook_metadata: str | None = None,
    status: StatusWord | None = None,
) -> Updated:
    """Change a user playbook; what is not given stays."""
    fields = {
        "user_playbook_id": user_playbook_id,
        "playbook_name": playbook_name,
        "content": content,
        "trigger": trigger,
        "pitfall": pitfall,
        "rationale": rationale,
        "blocking_issue": blocking_issue,
        "playbook_metadata": playbook_metadata,
        "status": status,
    }
    body = checked(UpdateUserPlaybookBody, fields)
    return connection.send("PUT", "/api/update_user_playbook", Updated, body=body, repeatable=True)


def delete_user_playbook(connection: Connection, user_playbook_id: int) -> Deleted:
    """Delete one user playbook."""
    body = checked(DeleteUserPlaybookBody, {"user_playbook_id": user_playbook_id})
    return connection.send("DELETE", "/api/delete_user_playbook", Deleted, body=body)


def delete_user_playbooks_by_ids(connection: Connection, user_playbook_ids: Sequence[int]) -> DeletedMany:
    """Delete user playbooks; the count is of those that were there."""
    body = checked(DeleteUserPlaybooksByIdsBody, {"user_playbook_ids": list(user_playbook_ids)})
    return connection.send("DELETE", "/api/delete_user_playbooks_by_ids", DeletedMany, body=body)


def delete_all_user_playbooks(connection: Connection) -> DeletedMany:
    """Delete the user playbooks of all users."""
    return connection.send("DELETE", "/api/delete_all_user_playbooks", DeletedMany)


def delete_all_playbooks(connection: Connection) -> DeletedMany:
    """Delete all playbooks, of users and of agents."""
    return connection.send("DELETE", "/api/delete_all_playbooks", DeletedMany)
