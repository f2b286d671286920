"""The keys and addresses of the model providers that a tenant uses."""

from sagacity.config.fields import ConfigPart, SafeUrl, Secret, Text


class ProviderKey(ConfigPart):
    """A key, and nothing else."""

    api_key: Secret


class DashScopeKey(ConfigPart):
    """A key, with the address of another region where needed."""

    api_key: Secret
    api_base: SafeUrl | None = None


class AzureConfig(ConfigPart):
    """A deployment of OpenAI's models on Azure."""

    api_key: Secret
    endpoint: SafeUrl
    api_version: Text = "2024-02-15-preview"
    deployment_name: Text | None = None


class OpenAIKey(ConfigPart):
    """OpenAI itself, or its models on Azure, which is preferred where both are given."""

    api_key: Secret | None = None
    azure_config: AzureConfig | None = None


class CustomEndpoint(ConfigPart):
    """A server that speaks OpenAI's protocol; it answers all completions, and never embeds."""

    model: Text
    """The name by which that server knows the model, with nothing before it."""
    api_key: Secret
    api_base: SafeUrl


class APIKeyConfig(ConfigPart):
    """The providers that a tenant has keys for."""

    custom_endpoint: CustomEndpoint | None = None
    openai: OpenAIKey | None = None
    anthropic: ProviderKey | None = None
    openrouter: ProviderKey | None = None
    gemini: ProviderKey | None = None
    minimax: ProviderKey | None = None
    deepseek: ProviderKey | None = None
    dashscope: DashScopeKey | None = None
    zai: ProviderKey | None = None
    moonshot: ProviderKey | None = None
    xai: ProviderKey | None = None


class LLMConfig(ConfigPart):
    """Models chosen by name, as in `anthropic/claude-haiku-4-5`; null leaves the choice to the keys."""

    should_run_model_name: Text | None = None
    generation_model_name: Text | None = None
    embedding_model_name: Text | None = None
    pre_retrieval_model_name: Text | None = None
