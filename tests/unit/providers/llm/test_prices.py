"""The price list: read without LiteLLM, and the same as LiteLLM's own."""

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from sagacity.domain.errors import ConfigError
from sagacity.providers.base import TokenUsage
from sagacity.providers.litellm_seam import load_litellm
from sagacity.providers.llm.prices import cost_usd, price_list, price_of, read_prices


def test_cost_is_that_of_the_list():
    """By the provider's own entry, or by one without a provider's name that says it is the provider's."""
    mini, haiku = "openai/gpt-4o-mini", "anthropic/claude-haiku-4-5"
    million = TokenUsage(prompt_tokens=1_000_000)
    assert cost_usd(mini, million + TokenUsage(completion_tokens=100_000)) == pytest.approx(0.15 + 0.06)
    assert cost_usd(haiku, million) == pytest.approx(1.0)
    assert cost_usd(mini, TokenUsage()) == 0


def test_cached_tokens_have_a_price_of_their_own():
    """What the provider took from its cache costs less, where the list says so; else the same."""
    half = TokenUsage(prompt_tokens=1_000_000, cached_tokens=500_000)
    assert cost_usd("openai/gpt-4o-mini", half) == pytest.approx(0.075 + 0.0375)
    no_discount = next(
        name for name, price in price_list().items() if price.cache_read_input_token_cost is None
    )
    whole = TokenUsage(prompt_tokens=1_000_000)
    assert cost_usd(no_discount, half) == cost_usd(no_discount, whole)


@pytest.mark.parametrize("model", ["openai/my-own", "openai/claude-haiku-4-5", "gpt", "", "/", "openai/"])
def test_price_of_an_unknown_model_is_none(model: str):
    """Another provider's model of that name has another price; nothing is guessed."""
    assert price_of(model) is None
    assert cost_usd(model, TokenUsage(prompt_tokens=5, completion_tokens=5)) is None


def test_list_is_that_of_litellm():
    """What LiteLLM makes of the file has the same prices, by the same names."""
    load_litellm()
    litellm: Any = importlib.import_module("litellm")
    names = ("litellm_provider", "input_cost_per_token", "output_cost_per_token")
    theirs = {
        model: tuple(entry[name] for name in names)
        for model, entry in litellm.model_cost.items()
        if all(entry.get(name) is not None for name in names)
    }
    ours = {model: tuple(getattr(price, name) for name in names) for model, price in price_list().items()}
    assert len(ours) > 1_000
    assert ours.keys() - {"sample_spec"} == theirs.keys() - {"sample_spec"}
    assert all(ours[model] == pytest.approx(theirs[model]) for model in theirs if model in ours)


def test_list_is_read_without_importing_litellm():
    """Which would take seconds, in a process that may call no model at all."""
    script = (
        "import sys; from sagacity.providers.llm.prices import price_of; "
        "print(price_of('openai/gpt-4o-mini') is not None, 'litellm' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout == "True False\n"


def test_entries_that_are_no_price_a_token_are_left_out(tmp_path: Path):
    """Such as models paid by the picture, and whatever else the list holds."""
    paid = {"litellm_provider": "p", "input_cost_per_token": 1e-6, "output_cost_per_token": 0, "mode": "chat"}
    listed = {
        "a": paid,
        "b": {"litellm_provider": "p"},
        "c": "text",
        "d": {**paid, "input_cost_per_token": "free"},
    }
    path = tmp_path / "prices.json"
    path.write_text(json.dumps(listed))
    assert read_prices(path).keys() == {"a"}


@pytest.mark.parametrize("content", [None, b"{", b"\xff", b"[]"])
def test_list_that_cannot_be_read_is_said_so(tmp_path: Path, content: bytes | None):
    """With what mends it."""
    path = tmp_path / "prices.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(ConfigError, match="price list of package litellm cannot be read; reinstall it with"):
        read_prices(path)
