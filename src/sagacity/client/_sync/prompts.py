# Generated from _async by scripts/unasync; edit it there.
# Generated from the API's description by scripts/sdk; change it there.
"""What models are asked by."""

from collections.abc import Mapping

from sagacity.client._sync.connection import Connection
from sagacity.client.wire import checked
from sagacity.schemas.prompts import (
    PreviewPromptBody,
    PromptPreview,
    PromptsPage,
    PromptVersionSet,
    UpdatePromptVersionBody,
)


def get_prompts(connection: Connection) -> PromptsPage:
    """Return every prompt: its versions, the one in use, and the variables that it is filled in with."""
    return connection.get("/api/prompts", PromptsPage)


def preview_prompt(
    connection: Connection,
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
    return connection.send("POST", "/api/preview_prompt", PromptPreview, body=body, repeatable=True)


def update_prompt_version(
    connection: Connection, prompt_id: str, version: int | None = None
) -> PromptVersionSet:
    """
    Choose which version of a prompt is used; null for the newest, also when there will be a newer one.

    Args:
        connection: to the server.
        prompt_id: a prompt's name, or one that it had formerly.
        version: null for the newest, whichever that will be.
    """
    body = checked(UpdatePromptVersionBody, {"prompt_id": prompt_id, "version": version})
    return connection.send("PUT", "/api/update_prompt_version", PromptVersionSet, body=body, repeatable=True)
