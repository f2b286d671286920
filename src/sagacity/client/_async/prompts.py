"""What models are asked by."""

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
    """Return every prompt: its versions, the one in use, and the variables that it is filled in with."""
    return await connection.get("/api/prompts", PromptsPage)


async def preview_prompt(
    connection: AsyncConnection,
    prompt_id: str,
    variables: Mapping[str, str] | None = None,
    *,
    version: int | None = None,
) -> PromptPreview:
    """
    Return a prompt as a model would get it; none is called.

    Args:
        connection: to the server.
        prompt_id: its name, or one that it had formerly.
        variables: what to fill in; one that is left out is shown by what it is about.
        version: None for the one in use.
    """
    body = checked(
        PreviewPromptBody, {"prompt_id": prompt_id, "version": version, "variables": dict(variables or {})}
    )
    return await connection.send("POST", "/api/preview_prompt", PromptPreview, body=body, repeatable=True)


async def update_prompt_version(
    connection: AsyncConnection, prompt_id: str, version: int | None = None
) -> PromptVersionSet:
    """Choose which version of a prompt is used; None for the newest, also when there will be a newer one."""
    body = checked(UpdatePromptVersionBody, {"prompt_id": prompt_id, "version": version})
    return await connection.send(
        "PUT", "/api/update_prompt_version", PromptVersionSet, body=body, repeatable=True
    )
