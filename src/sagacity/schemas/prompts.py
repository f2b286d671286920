"""Bodies and envelopes of the prompts that models are asked by."""

from typing import Annotated

from pydantic import Field

from sagacity.schemas.base import Body, Label, Reply, Schema, WriteBody, WriteReply

PromptId = Annotated[Label, Field(min_length=1, description="A prompt's name, or one that it had formerly.")]
Version = Annotated[int, Field(gt=0, le=1_000_000)]


class PromptVariable(Schema):
    """What a prompt is filled in with."""

    name: str
    about: str
    data: bool = False
    """Whether others wrote it: then it is fenced, and stands in the user part."""


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
    """What to fill in."""

    prompt_id: PromptId
    version: Version | None = None
    """Null for the active one."""
    variables: Annotated[dict[str, str], Field(max_length=100)] = {}
    """A variable that is left out is shown by what it is about."""


class PromptPreview(Reply):
    """A prompt as a model would get it; nothing was called."""

    prompt_id: str
    version: int
    system: str
    user: str
    left_out: tuple[str, ...] = ()
    """Variables that were not given."""


class UpdatePromptVersionBody(WriteBody):
    """Which version is to be used."""

    prompt_id: PromptId
    version: Version | None = None
    """Null for the newest, whichever that will be."""


class PromptVersionSet(WriteReply):
    """Which version is used from now on."""

    prompt_id: str
    active_version: int
