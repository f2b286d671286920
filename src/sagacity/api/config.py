"""The caller's identity and its organisation's configuration."""

import asyncio
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Annotated, cast

from fastapi import Body, Path, Query
from fastapi.exceptions import RequestValidationError
from pydantic import JsonValue, ValidationError

from sagacity.access.configuration import compare_versions, list_versions, read_version, roll_back
from sagacity.api.dependencies import Administers, Caller, Reads
from sagacity.api.errors import MOST_FAULTS
from sagacity.api.route import resource
from sagacity.api.sdk import sdk
from sagacity.config.fields import BLOCK_PRIVATE
from sagacity.config.known_keys import Place, idle_choices, ignored_choices, key_faults
from sagacity.config.single_extractors import overlaid, replacing, sent_at, with_singles
from sagacity.config.tenant_config import TenantConfig, masked, merge_secrets
from sagacity.domain.amounts import counted
from sagacity.domain.errors import InvalidInput
from sagacity.domain.ids import MAX_INT
from sagacity.learning.prompt_runner import ModelGateway
from sagacity.schemas.base import Number, refuse_many, refuse_unstorable
from sagacity.schemas.config import (
    ConfigDiff,
    ConfigRolledBack,
    ConfigSaved,
    ConfigVersionReply,
    ConfigVersionsPage,
    MyConfig,
    RollBackBody,
    Whoami,
)

router = resource("configuration")
_Whole = Callable[[TenantConfig, Mapping[str, JsonValue]], dict[str, JsonValue]]
"""Builds the configuration to store from the stored one and a body."""
VersionNumber = Annotated[
    int, Path(gt=0, le=MAX_INT, description="The version, as `GET /api/config/versions` lists it.")
]


@router.get("/whoami", response_model_exclude_none=True)
async def whoami(caller: Reads) -> Whoami:
    """Return the caller's organisation, and where its data is stored."""
    storage = caller.runtime.storage
    return Whoami(
        org_id=caller.tenant.org_id,
        storage_type=storage.kind,
        storage_label=storage.label,
        storage_configured=True,
        message="ok",
    )


@router.get("/my_config", response_model_exclude_none=True, operation_id="get_my_config")
async def my_config(caller: Administers) -> MyConfig:
    """Always refused, because storage credentials are not given out. The reply names the kind of storage."""
    return MyConfig(
        storage_type=caller.runtime.storage.kind,
        message="the storage is the server's own; its credentials are not given out",
    )


@router.get("/get_config")
async def get_config(caller: Administers) -> dict[str, JsonValue]:
    """
    Return the organisation's configuration, with its secrets masked. Null fields are included.

    The first entry of each list of extractors also has a key of its own, such as `profile_extractor_config`,
    for clients that know no lists.
    """
    return with_singles(await caller.runtime.configs.get(caller.tenant, fresh=True))


@router.post("/set_config", openapi_extra=sdk(body="config", repeatable=True))
async def set_config(body: Annotated[dict[str, JsonValue], Body()], caller: Administers) -> ConfigSaved:
    """
    Replace the organisation's configuration.

    A masked secret keeps the stored one. Older names of keys work, and null means the default. Unknown keys are refused
    with the nearest known one. The message names settings without effect, such as a cap in USD for a model whose price
    is not known. A body with `profile_extractor_config`, `user_playbook_extractor_config` or `agent_success_config` and
    without lists changes the first entry of each list, and leaves what it does not name as it is.
    """
    return await _save(caller, body, replacing)


@router.post("/update_config", openapi_extra=sdk(body="changes", repeatable=True))
async def update_config(body: Annotated[dict[str, JsonValue], Body()], caller: Administers) -> ConfigSaved:
    """
    Change the organisation's configuration: each given top-level key replaces the stored one, the others stay.

    The change is atomic. Names, nulls and secrets are as in `POST /api/set_config`. A preset replaces
    the stored window.
    """
    return await _save(caller, body, overlaid)


@router.get("/config/versions", openapi_extra=sdk(), operation_id="get_config_versions")
async def config_versions(
    caller: Administers,
    before: Annotated[Number | None, Query(description="`next` of the previous page.")] = None,
    limit: Annotated[int, Query(gt=0, le=100, description="The largest number of results to return.")] = 20,
) -> ConfigVersionsPage:
    """Return the versions of the organisation's configuration: when each was set, by whom, and what it changed."""
    found = await list_versions(caller.runtime.configs, caller.principal, before=before, limit=limit + 1)
    page = found[:limit]
    return ConfigVersionsPage(
        versions=tuple(page),
        next=page[-1].version if len(found) > limit else None,
        msg=counted(len(page), "version"),
    )


@router.get("/config/versions/{version}", openapi_extra=sdk(), operation_id="get_config_version")
async def config_version(version: VersionNumber, caller: Administers) -> ConfigVersionReply:
    """Return one version of the organisation's configuration, with its secrets masked."""
    found, config = await read_version(caller.runtime.configs, caller.principal, version)
    return ConfigVersionReply(version=found, config=masked(config))


@router.get("/config/diff", openapi_extra=sdk(), operation_id="get_config_diff")
async def config_diff(
    caller: Administers,
    old: Annotated[Number, Query(description="A version.")],
    new: Annotated[Number | None, Query(description="Another version. Default: the present one.")] = None,
) -> ConfigDiff:
    """Return each value in which two versions differ. Changed secrets are masked."""
    found = await compare_versions(caller.runtime.configs, caller.principal, old, new)
    return ConfigDiff(changes=found, msg=counted(len(found), "change"))


@router.post("/config/rollback", openapi_extra=sdk(positional=("version",)), operation_id="roll_back_config")
async def config_rollback(body: RollBackBody, caller: Administers) -> ConfigRolledBack:
    """
    Restore a former version of the configuration, with its secrets.

    It becomes a new version. Work that starts afterwards uses it, in every process.
    """
    runtime = caller.runtime
    version = await roll_back(runtime.configs, caller.principal, body.version)
    runtime.dispatcher.poll_now()
    return ConfigRolledBack(
        version=version, msg=f"version {body.version} is in force again, as version {version}"
    )


async def _save(caller: Caller, body: Mapping[str, JsonValue], whole: _Whole) -> ConfigSaved:
    """Store the configuration that *whole* builds, and report settings without effect."""
    runtime, ignored = caller.runtime, list[str]()
    _check(body)

    def edit(old: TenantConfig) -> TenantConfig:
        wanted = whole(old, body)
        new = _parsed(wanted, given=body, block_private=runtime.settings.block_private_urls)
        ignored[:] = ignored_choices(wanted, TenantConfig)
        kept = new if new.storage_config else new.model_copy(update={"storage_config": old.storage_config})
        return merge_secrets(kept, old)

    saved = await runtime.configs.change(caller.tenant, edit, by=caller.principal.audited_as)
    runtime.dispatcher.poll_now()
    told = [*idle_choices(saved), *ignored, *await _uncapped(runtime.models, saved)]
    idle = "; ".join(dict.fromkeys(told))
    return ConfigSaved(msg=f"configuration saved; without effect: {idle}" if idle else "configuration saved")


async def _uncapped(models: ModelGateway, config: TenantConfig) -> list[str]:
    """Report models that a cap in USD cannot limit, because their price is not known."""
    cap = config.spending_cap
    if cap is None or cap.max_cost_usd is None:
        return []
    unpriced = await asyncio.to_thread(models.unpriced, config)
    why = "no price of it is known, so that its calls count as 0 USD; max_tokens counts what they take"
    return [f"spending_cap.max_cost_usd for {model} ({why})" for model in unpriced]


def _check(body: Mapping[str, JsonValue]) -> None:
    try:
        refuse_many(body)
        refuse_unstorable(body)
    except ValueError as error:
        raise InvalidInput(str(error)) from error


def _parsed(
    body: Mapping[str, JsonValue], *, given: Mapping[str, JsonValue], block_private: bool
) -> TenantConfig:
    """Parse a configuration; faults name its keys as *given* does."""
    faults: list[dict[str, object]] = [
        fault.model_dump() for fault in islice(key_faults(body, TenantConfig), MOST_FAULTS)
    ]
    try:
        config = TenantConfig.model_validate(body, context={BLOCK_PRIVATE: block_private})
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_input=False)
        faults += [dict(fault) for fault in wrong]
        raise _refusal(faults, given) from error
    if faults:
        raise _refusal(faults, given)
    return config


def _refusal(faults: list[dict[str, object]], given: Mapping[str, JsonValue]) -> RequestValidationError:
    return RequestValidationError(
        [fault | {"loc": ("body", *sent_at(cast("Place", fault["loc"]), given))} for fault in faults]
    )
