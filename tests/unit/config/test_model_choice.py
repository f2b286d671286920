"""Which model serves a tenant: order, roles, overrides, keys of the server."""

import importlib
from typing import Any

import pytest
from pydantic import SecretStr

from sagacity.config.model_choice import Role, choose_model
from sagacity.config.provider_access import PROVIDERS, Provider
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.errors import ProviderRefused
from sagacity.providers.choice import ModelChoice
from sagacity.providers.litellm_seam import load_litellm

BIG, SMALL = (Role.GENERATION, Role.EVALUATION, Role.CHAT), (Role.SHOULD_RUN, Role.PRE_RETRIEVAL)
NOTHING: dict[str, SecretStr] = {}


def config(keys: dict[str, Any] | None = None, **models: str) -> TenantConfig:
    return TenantConfig.model_validate({"api_key_config": keys, "llm_config": models or None})


def chosen(config: TenantConfig, role: Role = Role.GENERATION, environment: Any = NOTHING) -> ModelChoice:
    choice = choose_model(config, role, environment)
    assert choice is not None
    return choice


def test_no_key_gives_no_model():
    """Without any key the rules learn."""
    assert [choose_model(config(), role, NOTHING) for role in Role] == [None] * 5


@pytest.mark.parametrize(
    ("provider", "big", "small"),
    [
        ("anthropic", "anthropic/claude-sonnet-4-6", "anthropic/claude-haiku-4-5"),
        ("gemini", "gemini/gemini-3-flash-preview", "gemini/gemini-3-flash-preview"),
        (
            "openrouter",
            "openrouter/google/gemini-3-flash-preview",
            "openrouter/google/gemini-3-flash-preview",
        ),
        ("deepseek", "deepseek/deepseek-chat", "deepseek/deepseek-chat"),
        ("minimax", "minimax/MiniMax-M2.5", "minimax/MiniMax-M2.5"),
        ("dashscope", "dashscope/qwen-plus", "dashscope/qwen-plus"),
        ("xai", "xai/grok-4.3", "xai/grok-4.3"),
        ("moonshot", "moonshot/kimi-k2.5", "moonshot/kimi-k2.5"),
        ("zai", "zai/glm-4.7", "zai/glm-4.7"),
        ("openai", "openai/gpt-5-mini", "openai/gpt-5-nano"),
    ],
)
def test_each_provider_has_its_models(provider: str, big: str, small: str):
    """A key alone, in the configuration or in the environment, is enough for every role."""
    own = config({provider: {"api_key": "sk-own"}})
    environment = {f"{provider.upper()}_API_KEY": SecretStr("sk-server")}
    for role in Role:
        model = big if role in BIG else small
        assert chosen(own, role) == ModelChoice(model=model, api_key=SecretStr("sk-own"))
        assert chosen(config(), role, environment) == ModelChoice(model=model, api_key=SecretStr("sk-server"))


def test_order_of_providers():
    """With every key the first in order serves, and without it the next."""
    order = [
        "anthropic", "gemini", "openrouter", "deepseek", "minimax", "dashscope", "xai", "moonshot", "zai", "openai",
    ]  # fmt: skip
    assert [provider.name for provider in PROVIDERS] == order
    keys = {name: {"api_key": "sk"} for name in order}
    for name in order:
        assert chosen(config(keys)).model.startswith(f"{name}/")
        del keys[name]


def test_own_key_goes_before_the_servers():
    """A tenant that brings a key is served with it, whatever the server prefers."""
    environment = {"ANTHROPIC_API_KEY": SecretStr("sk-server")}
    choice = chosen(config({"openai": {"api_key": "sk-own"}}), environment=environment)
    assert (choice.model, choice.api_key) == ("openai/gpt-5-mini", SecretStr("sk-own"))


def test_blank_key_of_the_server_counts_as_none():
    """An empty variable is not a key."""
    assert choose_model(config(), Role.GENERATION, {"OPENAI_API_KEY": SecretStr("")}) is None


def test_google_ai_key_is_a_key_to_gemini():
    """The chat side's name for the key is understood."""
    choice = chosen(config(), environment={"GOOGLE_AI_API_KEY": SecretStr("sk")})
    assert choice.model == "gemini/gemini-3-flash-preview"


def test_custom_endpoint_beats_all():
    """A server of the tenant's own answers every role, under the name by which it knows the model."""
    endpoint = {"model": "qwen/qwen3-8b", "api_key": "sk-local", "api_base": "http://10.0.0.5:8000/v1"}
    own = config(
        {"custom_endpoint": endpoint, "anthropic": {"api_key": "sk"}}, generation_model_name="claude-opus-4-6"
    )
    for role in Role:
        assert chosen(own, role) == ModelChoice(
            model="openai/qwen/qwen3-8b", api_key=SecretStr("sk-local"), api_base="http://10.0.0.5:8000/v1"
        )


def test_azure_goes_by_its_deployment():
    """Azure is called at its endpoint, by the deployment's name, with its API version."""
    azure = {"api_key": "sk-az", "endpoint": "https://x.openai.azure.com", "deployment_name": "prod"}
    choice = chosen(config({"openai": {"api_key": "sk", "azure_config": azure}}))
    assert choice == ModelChoice(
        model="azure/prod",
        api_key=SecretStr("sk-az"),
        api_base="https://x.openai.azure.com",
        api_version="2024-02-15-preview",
        preferred_temperature=None,
    )
    unnamed = {"api_key": "sk-az", "endpoint": "https://x.openai.azure.com", "api_version": "2025-01-01"}
    choice = chosen(config({"openai": {"azure_config": unnamed}}), Role.SHOULD_RUN)
    assert (choice.model, choice.api_version) == ("azure/gpt-5-nano", "2025-01-01")


def test_dashscope_region_is_kept():
    """The address of another region goes with the key."""
    choice = chosen(config({"dashscope": {"api_key": "sk", "api_base": "https://intl.example/v1"}}))
    assert (choice.model, choice.api_base) == ("dashscope/qwen-plus", "https://intl.example/v1")


@pytest.mark.parametrize(
    ("name", "model", "key"),
    [
        ("claude-opus-4-6", "anthropic/claude-opus-4-6", "sk-a"),
        ("anthropic/claude-opus-4-6", "anthropic/claude-opus-4-6", "sk-a"),
        ("gpt-4o-mini", "openai/gpt-4o-mini", "sk-o"),
        ("o3-mini", "openai/o3-mini", "sk-o"),
        ("openrouter/anthropic/claude-3", "openrouter/anthropic/claude-3", "sk-r"),
        ("gemini-2.5-flash", "gemini/gemini-2.5-flash", "sk-server"),
    ],
)
def test_named_model_is_served_by_its_provider(name: str, model: str, key: str):
    """A model chosen by name finds its provider's key, with or without the provider before it."""
    keys = {
        "anthropic": {"api_key": "sk-a"},
        "openai": {"api_key": "sk-o"},
        "openrouter": {"api_key": "sk-r"},
    }
    choice = chosen(
        config(keys, generation_model_name=name), environment={"GEMINI_API_KEY": SecretStr("sk-server")}
    )
    assert choice == ModelChoice(model=model, api_key=SecretStr(key))


def test_each_role_has_its_own_name():
    """A name counts for its role; evaluation follows generation; the rest keep their defaults."""
    own = config(
        {"openai": {"api_key": "sk"}}, generation_model_name="gpt-5", pre_retrieval_model_name="gpt-4.1-nano"
    )
    assert {role.value: chosen(own, role).model for role in Role} == {
        "generation": "openai/gpt-5",
        "should_run": "openai/gpt-5-nano",
        "pre_retrieval": "openai/gpt-4.1-nano",
        "evaluation": "openai/gpt-5",
        "chat": "openai/gpt-5",
    }


def test_chat_has_a_model_of_its_own():
    """By its name; without one by that of generation; without either Gemini goes before the others."""
    keys = {"openai": {"api_key": "sk"}, "gemini": {"api_key": "g"}}
    named = config(keys, generation_model_name="gpt-5", chat_model_name="gpt-5-nano")
    assert chosen(named, Role.CHAT).model == "openai/gpt-5-nano"
    assert chosen(config(keys, generation_model_name="gpt-5"), Role.CHAT).model == "openai/gpt-5"
    assert chosen(config(keys), Role.CHAT).model == "gemini/gemini-3-flash-preview"
    environment = {"GOOGLE_AI_API_KEY": SecretStr("g"), "OPENAI_API_KEY": SecretStr("sk")}
    assert chosen(config(), Role.CHAT, environment).model == "gemini/gemini-3-flash-preview"
    assert chosen(config({"openai": {"api_key": "sk"}}), Role.CHAT).model == "openai/gpt-5-mini"


def test_named_azure_deployment():
    """A deployment chosen by name goes before the configured one."""
    azure = {"api_key": "sk-az", "endpoint": "https://x.openai.azure.com", "deployment_name": "prod"}
    own = config({"openai": {"azure_config": azure}}, should_run_model_name="azure/small")
    assert chosen(own, Role.SHOULD_RUN).model == "azure/small"
    assert chosen(own, Role.GENERATION).model == "azure/prod"


@pytest.mark.parametrize("name", ["claude-opus-4-6", "azure/prod", "sagemaker/x", "ollama/llama3", "mystery"])
def test_named_model_that_cannot_be_served_is_refused(name: str):
    """A choice that cannot be honoured is told, and never quietly replaced."""
    with pytest.raises(ProviderRefused, match=name):
        choose_model(
            config({"openai": {"api_key": "sk"}}, generation_model_name=name), Role.GENERATION, NOTHING
        )


@pytest.mark.parametrize(
    ("model", "temperature"),
    [
        ("openai/gpt-5-mini", 1.0),
        ("azure/gpt-5.1", 1.0),
        ("gemini/gemini-3-flash-preview", 1.0),
        ("openrouter/google/gemini-3-flash-preview", 1.0),
        ("openai/o3-mini", 1.0),
        ("openai/gpt-4o", 0.2),
        ("gemini/gemini-2.5-flash", 0.2),
        ("anthropic/claude-haiku-4-5", 0.2),
    ],
)
def test_temperature_follows_the_family(model: str, temperature: float):
    """Families that take only 1.0 get it; the others are kept cool."""
    assert ModelChoice(model=model).temperature == temperature


@pytest.mark.parametrize("provider", PROVIDERS, ids=lambda provider: provider.name)
def test_default_models_are_known_to_litellm(provider: Provider):
    """The names that we choose are names that LiteLLM calls under that provider."""
    load_litellm()
    litellm: Any = importlib.import_module("litellm")
    for model in (provider.model, provider.small_model):
        known = litellm.get_model_info(f"{provider.name}/{model}")
        assert (known["litellm_provider"], known["mode"]) == (provider.name, "chat")
