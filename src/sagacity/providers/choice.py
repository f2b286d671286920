"""Which model to call, where and with which key; the caller chooses before a model is opened."""

import re

from pydantic import SecretStr

from sagacity.domain.base import Value

_FIXED_TEMPERATURE = re.compile(r"(gpt-5|gemini-3|o[134](-|$))")


class ModelChoice(Value):
    """
    One chat model.

    `model` is in LiteLLM's naming, provider first: `anthropic/claude-haiku-4-5`. A server that speaks
    OpenAI's protocol is `openai/NAME` with its `api_base`.
    """

    model: str
    api_key: SecretStr | None = None
    api_base: str | None = None
    api_version: str | None = None
    preferred_temperature: float | None = 0.2
    """0..2; None leaves it to the provider."""

    @property
    def temperature(self) -> float | None:
        """The temperature to send: 1.0 for model families that accept no other, else the preferred one."""
        return self.temperature_near(self.preferred_temperature)

    def temperature_near(self, wanted: float | None) -> float | None:
        """Return the temperature to send if *wanted* is preferred."""
        name = self.model.rpartition("/")[2].lower()
        return 1.0 if _FIXED_TEMPERATURE.match(name) else wanted
