# Generated from _async by scripts/unasync; edit it there.
"""Skills as a zip archive."""

from collections.abc import Sequence

from sagacity.client._sync.connection import Connection
from sagacity.client.wire import checked
from sagacity.client.words.memory import ApprovalWord
from sagacity.schemas.skills import ExportFormat, ExportSkillsBody


def export_skill_folders(
    connection: Connection,
    *,
    skill_ids: Sequence[int] | None = None,
    playbook_name: str | None = None,
    agent_version: str | None = None,
    skill_status_filter: ApprovalWord | Sequence[ApprovalWord] | None = None,
) -> bytes:
    """Return skills as a zip archive with a folder each, as agents load them; see `export_skills`."""
    fields = {
        "format": ExportFormat.ZIP,
        "skill_ids": skill_ids,
        "playbook_name": playbook_name,
        "agent_version": agent_version,
        "skill_status_filter": skill_status_filter,
    }
    body = checked(ExportSkillsBody, fields)
    return connection.download("POST", "/api/export_skills", body=body)
