# Generated from the API's description by scripts/sdk; change it there.
"""The prompts that are sent to models, and their versions."""

from collections.abc import Mapping

from sagacity.client._async.connection import AsyncConnection
from sagacity.client.wire import checked
from sagacity.schemas.prompts import (
    PreviewPromptBody,
    PromptPreview,
    PromptsPage,
    PromptVersionSet,
    UpdatePromptVersionBody,
)


async def get_prompts(connection: AsyncConnection) -> PromptsPage:
    """Return every prompt with its versions, the one in use, and its variables."""
    return await connection.get("/api/prompts", PromptsPage)


async def preview_prompt(
    connection: AsyncConnection,
    prompt_id: str,
    variables: Mapping[str, str] | None = None,
    *,
    version: int | None = None,
) -> PromptPreview:
    """
    Render a prompt as a model would get it, without calling one.

    Missing variables are replaced by their descriptions.

    Args:
        connection: to the server.
        prompt_id: a prompt's name, or its name in older clients.
        variables: missing variables are replaced by their descriptions.
        version: null for the active one.
    """
    body = checked(PreviewPromptBody, {"prompt_id": prompt_id, "variables": variables, "version": version})
    return await connection.send("POST", "/api/preview_prompt", PromptPreview, body=body, repeatable=True)


async def update_prompt_version(
    connection: AsyncConnection, prompt_id: str, version: int | None = None
) -> PromptVersionSet:
    """
    Choose the version of a prompt to use; null for always the newest.

    Args:
        connection: to the server.
        prompt_id: a prompt's name, or its name in older clients.
        version: null for always the newest.
    """
    body = checked(UpdatePromptVersionBody, {"prompt_id": prompt_id, "version": version})
    return await connection.send(
        "PUT", "/api/update_prompt_version", PromptVersionSet, body=body, repeatable=True
    )
