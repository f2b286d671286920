"""The known model providers: which can be called, and with which key."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from pydantic import SecretStr

from sagacity.config.model_keys import APIKeyConfig, AzureConfig
from sagacity.domain.base import Value
from sagacity.domain.errors import ProviderRefused


class Provider(NamedTuple):
    """A vendor, and its default models."""

    name: str
    model: str
    small_model: str
    """For the gate and for rewriting queries, where answers are short and needed soon."""
    families: tuple[str, ...] = ()
    """Prefixes of its models' names, for choices that do not name the provider."""
    environment: tuple[str, ...] = ()
    """Alternative environment variables of its key, besides `NAME_API_KEY`."""


PROVIDERS = (
    Provider("anthropic", "claude-sonnet-4-6", "claude-haiku-4-5", ("claude-",)),
    Provider(
        "gemini",
        "gemini-3-flash-preview",
        "gemini-3-flash-preview",
        ("gemini-", "text-embedding-004"),
        environment=("GOOGLE_AI_API_KEY",),
    ),
    Provider("openrouter", "google/gemini-3-flash-preview", "google/gemini-3-flash-preview"),
    Provider("deepseek", "deepseek-chat", "deepseek-chat", ("deepseek-",)),
    Provider("minimax", "MiniMax-M2.5", "MiniMax-M2.5", ("MiniMax-",)),
    Provider("dashscope", "qwen-plus", "qwen-plus", ("qwen",)),
    Provider("xai", "grok-4.3", "grok-4.3", ("grok-",)),
    Provider("moonshot", "kimi-k2.5", "kimi-k2.5", ("kimi-", "moonshot-")),
    Provider("zai", "glm-4.7", "glm-4.7", ("glm-",)),
    Provider(
        "openai",
        "gpt-5-mini",
        "gpt-5-nano",
        ("gpt-", "chatgpt-", "o1", "o3", "o4", "text-embedding-3", "text-embedding-ada"),
    ),
)
"""In order of preference if several have a key."""


class Access(Value):
    """A provider together with a key for it."""

    provider: Provider
    api_key: SecretStr
    api_base: str | None = None
    azure: AzureConfig | None = None

    def default_model(self, *, small: bool) -> str:
        """Return the default model."""
        if self.azure is not None and self.azure.deployment_name is not None:
            return self.azure.deployment_name
        return self.provider.small_model if small else self.provider.model

    def model_name(self, model: str) -> str:
        """Return *model* in LiteLLM's naming."""
        return f"{'azure' if self.azure is not None else self.provider.name}/{model}"


def accesses(keys: APIKeyConfig, environment: Mapping[str, SecretStr]) -> Iterator[Access]:
    """Yield the available providers: the tenant's own keys before the server's, each in order of preference."""
    for provider in PROVIDERS:
        access = _own_access(provider, keys)
        if access is not None:
            yield access
    for provider in PROVIDERS:
        for name in (f"{provider.name.upper()}_API_KEY", *provider.environment):
            if name in environment and environment[name].get_secret_value():
                yield Access(provider=provider, api_key=environment[name])


def _own_access(provider: Provider, keys: APIKeyConfig) -> Access | None:
    if provider.name == "openai":
        if keys.openai is None:
            return None
        azure, api_key = keys.openai.azure_config, keys.openai.api_key
        if azure is not None:
            return Access(provider=provider, api_key=azure.api_key, api_base=azure.endpoint, azure=azure)
        return None if api_key is None else Access(provider=provider, api_key=api_key)
    if provider.name == "dashscope" and keys.dashscope is not None:
        return Access(provider=provider, api_key=keys.dashscope.api_key, api_base=keys.dashscope.api_base)
    plain = {
        "anthropic": keys.anthropic,
        "openrouter": keys.openrouter,
        "gemini": keys.gemini,
        "minimax": keys.minimax,
        "deepseek": keys.deepseek,
        "zai": keys.zai,
        "moonshot": keys.moonshot,
        "xai": keys.xai,
    }.get(provider.name)
    return None if plain is None else Access(provider=provider, api_key=plain.api_key)


def provider_of(name: str) -> tuple[Provider, str]:
    """Split a chosen *name* into its provider and the provider's name of the model."""
    prefix, slash, rest = name.partition("/")
    vendor = "openai" if prefix == "azure" else prefix
    for provider in PROVIDERS:
        if slash and provider.name == vendor:
            return provider, rest
        if not slash and name.startswith(provider.families):
            return provider, name
    raise ProviderRefused(f"the provider of the model {name} is unknown: name it, as in openai/{name}")


def access_named(name: str, keys: APIKeyConfig, environment: Mapping[str, SecretStr]) -> tuple[Access, str]:
    """
    Find the key for a model chosen by *name*, and the provider's name of the model.

    Raises:
        ProviderRefused: the provider is unknown, or there is no key for it.
    """
    provider, model = provider_of(name)
    azure_only = name.startswith("azure/")
    for access in accesses(keys, environment):
        if access.provider == provider and (access.azure is not None or not azure_only):
            return access, model
    raise ProviderRefused(f"the model {name} was chosen, but there is no key for its provider")
