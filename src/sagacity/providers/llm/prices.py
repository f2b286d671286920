"""Prices of tokens, from LiteLLM's list without importing LiteLLM, which takes seconds."""

from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from pydantic import BaseModel, ConfigDict, JsonValue, TypeAdapter, ValidationError

from sagacity.domain.errors import ConfigError
from sagacity.providers.base import TokenUsage

PACKAGE, FILE = "litellm", "model_prices_and_context_window_backup.json"


_LISTED: TypeAdapter[dict[str, JsonValue]] = TypeAdapter(dict[str, JsonValue])


class Price(BaseModel):
    """The price of a token in USD."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    litellm_provider: str
    input_cost_per_token: float
    output_cost_per_token: float
    cache_read_input_token_cost: float | None = None
    """None if cached tokens have no price of their own."""


def price_of(model: str) -> Price | None:
    """
    Return the listed price of a token of *model*, in LiteLLM's naming; None if it is not listed.

    The list is read directly, because LiteLLM's own cost functions call some providers for prices that it lacks.

    Raises:
        ConfigError: the list is missing or damaged.
    """
    provider, _, name = model.partition("/")
    prices = price_list()
    for key in (model, name):
        price = prices.get(key)
        if price is not None and (key == model or price.litellm_provider == provider):
            return price
    return None


def cost_usd(model: str, usage: TokenUsage) -> float | None:
    """Return the cost of tokens, with cached ones at their own price; None if the price is not known."""
    price = price_of(model)
    if price is None:
        return None
    cached = price.cache_read_input_token_cost
    read = price.input_cost_per_token
    return (
        (usage.prompt_tokens - usage.cached_tokens) * read
        + usage.cached_tokens * (read if cached is None else cached)
        + usage.completion_tokens * price.output_cost_per_token
    )


@cache
def price_list() -> Mapping[str, Price]:
    """
    Return the prices of models that are paid by the token; read once per process, in 0.1 s.

    Raises:
        ConfigError: the list is missing or damaged.
    """
    spec = find_spec(PACKAGE)
    folder = Path(spec.origin).parent if spec is not None and spec.origin is not None else Path()
    return read_prices(folder / FILE)


def read_prices(path: Path) -> Mapping[str, Price]:
    """
    Read prices from a file in LiteLLM's format.

    Raises:
        ConfigError: the file is missing or damaged.
    """
    try:
        listed = _LISTED.validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        mend = f"pip install --force-reinstall --no-deps '{PACKAGE}>=1.106'"
        raise ConfigError(
            f"the price list of package {PACKAGE} cannot be read; reinstall it with: {mend}"
        ) from error
    prices: dict[str, Price] = {}
    for model, entry in listed.items():
        with suppress(ValidationError):
            prices[model] = Price.model_validate(entry)
    return prices
