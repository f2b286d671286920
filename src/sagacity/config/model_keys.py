"""A tenant's own keys and addresses for model providers."""

from collections.abc import Mapping
from typing import Annotated, ClassVar

from pydantic import Field

from sagacity.config.fields import ConfigPart, Idle, ModelName, SafeUrl, Secret, Text


class ProviderKey(ConfigPart):
    """A key, and nothing else."""

    api_key: Secret = Field(description="The key. Replies show a mask.")


class DashScopeKey(ConfigPart):
    """A key, with the address of another region where needed."""

    api_key: Secret = Field(description="The key. Replies show a mask.")
    api_base: SafeUrl | None = Field(default=None, description="Address, if not the default region.")


class AzureConfig(ConfigPart):
    """A deployment of OpenAI's models on Azure."""

    api_key: Secret = Field(description="The key. Replies show a mask.")
    endpoint: SafeUrl = Field(description="Address of the resource.")
    api_version: Text = Field(default="2024-02-15-preview", description="Version of its API.")
    deployment_name: Text | None = Field(default=None, description="Used if no model is named.")


class OpenAIKey(ConfigPart):
    """OpenAI itself, or its models on Azure, which are preferred if both are given."""

    api_key: Secret | None = Field(default=None, description="The key. Replies show a mask.")
    azure_config: AzureConfig | None = Field(
        default=None, description="Used instead of the key if both are given."
    )


class CustomEndpoint(ConfigPart):
    """A server that speaks OpenAI's protocol; it answers all completions and no embeddings."""

    model: Text = Field(description="The model's name on that server, without a provider prefix.")
    api_key: Secret = Field(description="Must not be empty; use any text if the server needs no key.")
    api_base: SafeUrl = Field(
        description="Such as `http://127.0.0.1:11434/v1`. Cloud metadata services are refused."
    )


class APIKeyConfig(ConfigPart):
    """Keys for model providers."""

    custom_endpoint: CustomEndpoint | None = Field(
        default=None, description="An OpenAI-compatible server; it answers all completions."
    )
    openai: OpenAIKey | None = Field(default=None, description="OpenAI, or its models on Azure.")
    anthropic: ProviderKey | None = Field(default=None, description="Anthropic.")
    openrouter: ProviderKey | None = Field(default=None, description="OpenRouter.")
    gemini: ProviderKey | None = Field(default=None, description="Google Gemini.")
    minimax: ProviderKey | None = Field(default=None, description="MiniMax.")
    deepseek: ProviderKey | None = Field(default=None, description="DeepSeek.")
    dashscope: DashScopeKey | None = Field(default=None, description="DashScope (Qwen).")
    zai: ProviderKey | None = Field(default=None, description="Z.ai (GLM).")
    moonshot: ProviderKey | None = Field(default=None, description="Moonshot (Kimi).")
    xai: ProviderKey | None = Field(default=None, description="xAI (Grok).")


class LLMConfig(ConfigPart):
    """Models chosen by name, as in `anthropic/claude-haiku-4-5`; null leaves the choice to the keys."""

    should_run_model_name: ModelName = Field(
        default=None, description="Decides whether a window is worth reading; null: no model does."
    )
    generation_model_name: ModelName = Field(
        default=None, description="Extracts, judges, merges and evaluates."
    )
    chat_model_name: ModelName = Field(
        default=None,
        description="Answers in the chat; null: generation_model_name, or else Gemini where it is within reach.",
    )
    embedding_model_name: Annotated[
        ModelName, Idle("all organisations share the server's embedder, SAGACITY_EMBEDDER")
    ] = Field(default=None, description="An embedder.")
    pre_retrieval_model_name: ModelName = Field(
        default=None, description="Rewrites questions before a search."
    )

    refused: ClassVar[Mapping[str, str]] = {
        "default_generation": "is called generation_model_name here",
        "default_evaluate": "has no model of its own here: evaluation uses generation_model_name",
    }
