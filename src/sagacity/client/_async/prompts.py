# Generated from the API's description by scripts/sdk; change it there.
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
    Fill in a prompt and return it as a model would get it, without calling any.

    A variable that is left out is shown by what it is about.

    Args:
        connection: to the server.
        prompt_id: a prompt's name, or one that it had formerly.
        variables: a variable that is left out is shown by what it is about.
        version: null for the active one.
    """
    body = checked(PreviewPromptBody, {"prompt_id": prompt_id, "variables": variables, "version": version})
    return await connection.send("POST", "/api/preview_prompt", PromptPreview, body=body, repeatable=True)


async def update_prompt_version(
    connection: AsyncConnection, prompt_id: str, version: int | None = None
) -> PromptVersionSet:
    """
    Choose which version of a prompt is used; null for the newest, also when there will be a newer one.

    Args:
        connection: to the server.
        prompt_id: a prompt's name, or one that it had formerly.
        version: null for the newest, whichever that will be.
    """
    body = checked(UpdatePromptVersionBody, {"prompt_id": prompt_id, "version": version})
    return await connection.send(
        "PUT", "/api/update_prompt_version", PromptVersionSet, body=body, repeatable=True
    )
