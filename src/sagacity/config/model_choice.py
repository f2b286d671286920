"""Which model a tenant uses in a role: its own choice, else one of its own keys, else the server's."""

from collections.abc import Mapping
from contextlib import suppress
from enum import StrEnum
from types import MappingProxyType

from pydantic import SecretStr

from sagacity.config.model_keys import APIKeyConfig, LLMConfig
from sagacity.config.provider_access import Access, access_named, accesses
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.errors import ProviderRefused
from sagacity.providers.choice import ModelChoice

PREFERRED_FOR_CHAT = "gemini"
"""The provider whose model answers chats if no model is named and several providers are available."""


class Role(StrEnum):
    """The role of a model."""

    GENERATION = "generation"
    SHOULD_RUN = "should_run"
    PRE_RETRIEVAL = "pre_retrieval"
    EVALUATION = "evaluation"
    CHAT = "chat"


NO_DEFAULTS: Mapping[Role, str] = MappingProxyType({})
"""The installation names no model."""


def choose_model(
    config: TenantConfig,
    role: Role,
    environment: Mapping[str, SecretStr],
    defaults: Mapping[Role, str] = NO_DEFAULTS,
) -> ModelChoice | None:
    """
    Choose the model that serves *role*.

    The custom endpoint answers everything, if there is one. Otherwise the model that the tenant named
    for the role; otherwise the installation's default, if there is a key to its provider; otherwise the first
    provider to which the tenant has a key; otherwise the first to which the server has one.

    Args:
        config: the tenant's.
        role: evaluation uses the model of generation, and so does the chat unless a model is named for it.
        environment: keys of the server by the names of their variables, such as `OPENAI_API_KEY`.
        defaults: the installation's, by role; generation's stands in as the tenant's would.

    Returns:
        None if there is no key at all; then the rules learn.

    Raises:
        ProviderRefused: the tenant named a model of a provider that is unknown or without a key.
    """
    keys = config.api_key_config or APIKeyConfig()
    if keys.custom_endpoint is not None:
        endpoint = keys.custom_endpoint
        return ModelChoice(
            model=f"openai/{endpoint.model}", api_key=endpoint.api_key, api_base=endpoint.api_base
        )
    named = _named(config.llm_config or LLMConfig(), role)
    if named is not None:
        return _opened(*access_named(named, keys, environment))
    fallback = _default(defaults, role)
    if fallback is not None:
        with suppress(ProviderRefused):  # no key to it: all is as if it were not set
            return _opened(*access_named(fallback, keys, environment))
    small = role in {Role.SHOULD_RUN, Role.PRE_RETRIEVAL}
    within_reach = list(accesses(keys, environment))
    if role is Role.CHAT:  # a stable sort: the others keep their order
        within_reach.sort(key=lambda access: access.provider.name != PREFERRED_FOR_CHAT)
    for access in within_reach:
        return _opened(access, access.default_model(small=small))
    return None


def _default(defaults: Mapping[Role, str], role: Role) -> str | None:
    stands_in = role in {Role.EVALUATION, Role.CHAT}
    return defaults.get(role) or (defaults.get(Role.GENERATION) if stands_in else None)


def _named(chosen: LLMConfig, role: Role) -> str | None:
    match role:
        case Role.GENERATION | Role.EVALUATION:
            return chosen.generation_model_name
        case Role.SHOULD_RUN:
            return chosen.should_run_model_name
        case Role.PRE_RETRIEVAL:
            return chosen.pre_retrieval_model_name
        case Role.CHAT:
            return chosen.chat_model_name or chosen.generation_model_name


def _opened(access: Access, model: str) -> ModelChoice:
    name = access.model_name(model)
    if access.azure is None:
        return ModelChoice(model=name, api_key=access.api_key, api_base=access.api_base)
    return ModelChoice(
        model=name,
        api_key=access.api_key,
        api_base=access.api_base,
        api_version=access.azure.api_version,
        # A deployment's name tells nothing of the model behind it, so its temperature is left alone.
        preferred_temperature=None,
    )
