"""Bodies and replies about prompts."""

from typing import Annotated

from pydantic import Field

from sagacity.schemas.base import Body, Label, Reply, Schema, WriteBody, WriteReply

PromptId = Annotated[Label, Field(min_length=1, description="A prompt's name, or its name in older clients.")]
Version = Annotated[int, Field(gt=0, le=1_000_000)]


class PromptVariable(Schema):
    """A variable of a prompt."""

    name: str
    about: str
    data: bool = False
    """Whether others wrote its text; then it is fenced, in the user part of the prompt."""


class PromptEntry(Schema):
    """One prompt with its versions; description, variables and output are those of the active one."""

    prompt_id: str
    description: str
    versions: tuple[int, ...]
    active_version: int
    is_chosen: bool = False
    """Whether the organisation chose the active version; otherwise it is the newest."""
    variables: tuple[PromptVariable, ...]
    output: str
    """The type that an answer is parsed into, or `text`."""
    older_names: tuple[str, ...] = ()


class PromptsPage(Reply):
    """Every prompt, by name."""

    prompts: tuple[PromptEntry, ...] = ()


class PreviewPromptBody(Body):
    """Which prompt to render."""

    prompt_id: PromptId
    version: Version | None = None
    """Null for the active one."""
    variables: Annotated[dict[str, str], Field(max_length=100)] = {}
    """Missing variables are replaced by their descriptions."""


class PromptPreview(Reply):
    """A prompt as a model would get it; no model was called."""

    prompt_id: str
    version: int
    system: str
    user: str
    left_out: tuple[str, ...] = ()
    """Variables that were not given."""


class UpdatePromptVersionBody(WriteBody):
    """Which version of a prompt to use."""

    prompt_id: PromptId
    version: Version | None = None
    """Null for always the newest."""


class PromptVersionSet(WriteReply):
    """Which version is used from now on."""

    prompt_id: str
    active_version: int
