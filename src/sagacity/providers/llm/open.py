"""A choice of model → the model; the one place that names the vendor's class."""

from sagacity.providers.base import LLM
from sagacity.providers.choice import ModelChoice
from sagacity.providers.llm.litellm import LiteLLM
from sagacity.providers.retry_policy import Limits, Retry


def open_llm(choice: ModelChoice, *, timeout_seconds: float = 120.0, attempts: int = 3) -> LLM:
    """
    Open the model that was chosen; nothing is loaded or called before its first use.

    Args:
        choice: which model, where, and with which key.
        timeout_seconds: for each try, and for each piece of a stream.
        attempts: tries a call, the first included; only of what may pass by itself.
    """
    limits = Limits(timeout_seconds=timeout_seconds, retry=Retry(attempts=attempts))
    return LiteLLM(choice, limits)
