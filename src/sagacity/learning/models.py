"""Open the models that a tenant's configuration chooses."""

from collections.abc import Callable, Mapping

from pydantic import SecretStr

from sagacity.config.model_choice import NO_DEFAULTS, Role, choose_model
from sagacity.config.settings import Settings, provider_keys
from sagacity.config.tenant_config import TenantConfig
from sagacity.domain.errors import ProviderRefused
from sagacity.learning.prompt_runner import Models
from sagacity.providers.base import LLM
from sagacity.providers.choice import ModelChoice
from sagacity.providers.llm.open import open_llm
from sagacity.providers.llm.refusing import RefusingLLM


def open_models(
    settings: Settings,
    environment: Mapping[str, SecretStr] | None = None,
    *,
    defaults: Callable[[], Mapping[Role, str]] = lambda: NO_DEFAULTS,
) -> Models:
    """
    Return the function that opens a tenant's model for a role; equal choices share one client.

    Args:
        settings: the settings of this process.
        environment: the server's keys by the names of their variables; by default this process's environment.
        defaults: returns the installation's models by role; called each time.
    """
    keys = provider_keys() if environment is None else environment
    opened: dict[ModelChoice, LLM] = {}

    def models(config: TenantConfig, role: Role) -> LLM | None:
        try:
            choice = choose_model(config, role, keys, defaults())
        except ProviderRefused as reason:
            return RefusingLLM(reason)
        if choice is None:
            return None
        if choice not in opened:
            opened[choice] = open_llm(
                choice,
                timeout_seconds=settings.model_timeout_seconds,
                first_piece_seconds=settings.model_first_piece_seconds,
                piece_seconds=settings.model_piece_seconds,
                attempts=settings.model_attempts,
                block_private=settings.block_private_urls,
            )
        return opened[choice]

    return models
