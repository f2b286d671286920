"""Prompts: list, preview, and choose an older version."""

from collections.abc import Mapping

from sagacity.api.dependencies import Administers
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.domain.amounts import counted
from sagacity.domain.errors import InvalidInput
from sagacity.prompts.load import active_version, load_prompt, prompt_versions, render
from sagacity.prompts.names import OLDER_NAMES, checked_versions, prompt_name
from sagacity.schemas.prompts import (
    PreviewPromptBody,
    PromptEntry,
    PromptPreview,
    PromptsPage,
    PromptVariable,
    PromptVersionSet,
    UpdatePromptVersionBody,
)

router = resource("prompts")


@router.get("/prompts", response_model_exclude_none=True)
async def get_prompts(caller: Administers) -> PromptsPage:
    """Return every prompt with its versions, the one in use, and its variables."""
    chosen = (await caller.runtime.configs.get(caller.tenant)).prompt_versions
    prompts = tuple(_entry(name, chosen) for name in sorted(prompt_versions()))
    return PromptsPage(prompts=prompts, msg=counted(len(prompts), "prompt"))


@router.post(
    "/preview_prompt",
    response_model_exclude_none=True,
    openapi_extra=sdk(positional=("prompt_id", "variables"), repeatable=True),
)
async def preview_prompt(body: PreviewPromptBody, caller: Administers) -> PromptPreview:
    """
    Render a prompt as a model would get it, without calling one.

    Missing variables are replaced by their descriptions.
    """
    name = prompt_name(body.prompt_id)
    if body.version is None:
        version = active_version(name, (await caller.runtime.configs.get(caller.tenant)).prompt_versions)
    else:
        version = checked_versions({name: body.version})[name]
    declared = load_prompt(name, version).front.variables
    if unknown := sorted(body.variables.keys() - declared.keys()):
        raise InvalidInput(
            f"prompt {name}/v{version} does not know {', '.join(unknown)[:200]}; it takes {', '.join(declared)}"
        )
    shown = {key: f"[{key}: {variable.about}]" for key, variable in declared.items()}
    filled = render(name, version, {**shown, **body.variables})
    return PromptPreview(
        prompt_id=name,
        version=version,
        system=filled.system,
        user=filled.user,
        left_out=tuple(key for key in declared if key not in body.variables),
    )


@router.put(
    "/update_prompt_version",
    response_model_exclude_none=True,
    openapi_extra=sdk(positional=("prompt_id", "version")),
)
async def update_prompt_version(body: UpdatePromptVersionBody, caller: Administers) -> PromptVersionSet:
    """Choose the version of a prompt to use; null for always the newest."""
    configs = caller.runtime.configs
    name = prompt_name(body.prompt_id)
    wanted = {} if body.version is None else checked_versions({name: body.version})
    config = await configs.get(caller.tenant, fresh=True)
    others = {other: version for other, version in config.prompt_versions.items() if other != name}
    chosen = config.model_copy(update={"prompt_versions": others | wanted})
    await configs.set(caller.tenant, chosen, by=caller.principal.audited_as)
    version = active_version(name, wanted)
    return PromptVersionSet(
        prompt_id=name, active_version=version, msg=f"prompt {name} is used in version {version}"
    )


def _entry(name: str, chosen: Mapping[str, int]) -> PromptEntry:
    version = active_version(name, chosen)
    front = load_prompt(name, version).front
    return PromptEntry(
        prompt_id=name,
        description=front.description,
        versions=prompt_versions()[name],
        active_version=version,
        is_chosen=name in chosen,
        variables=tuple(
            PromptVariable(name=key, about=variable.about, data=variable.data)
            for key, variable in front.variables.items()
        ),
        output=front.output,
        older_names=tuple(sorted(older for older, ours in OLDER_NAMES.items() if ours == name)),
    )
