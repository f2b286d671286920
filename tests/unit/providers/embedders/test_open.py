"""From a choice to an embedder."""

import pytest
from pydantic import ValidationError

from sagacity.domain.errors import ConfigError
from sagacity.providers.embedders.cached import CachedEmbedder
from sagacity.providers.embedders.minilm import MiniLM
from sagacity.providers.embedders.multilingual import MultilingualUSE
from sagacity.providers.embedders.open import EmbedderChoice, open_embedder
from sagacity.providers.embedders.remote import RemoteEmbedder


@pytest.mark.parametrize(
    ("choice", "kind", "dimension"),
    [
        (EmbedderChoice(cache_entries=0), MiniLM, 384),
        (EmbedderChoice(), CachedEmbedder, 384),
        (EmbedderChoice(name="multilingual", cache_entries=0, dimension=512), MultilingualUSE, 512),
        (EmbedderChoice(name="openai/some-model", dimension=1536, cache_entries=0), RemoteEmbedder, 1536),
    ],
)
def test_choice_opens_its_embedder(choice: EmbedderChoice, kind: type, dimension: int) -> None:
    """Each name has one embedder; a cache stands before it unless none is wanted."""
    opened = open_embedder(choice)
    assert type(opened) is kind
    assert opened.dimension == dimension


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        (EmbedderChoice(name="openai/some-model"), "needs a dimension"),
        (EmbedderChoice(name="minilm", dimension=512), "384 numbers, but 512 are configured"),
        (EmbedderChoice(name="word2vec"), "no embedder 'word2vec'"),
    ],
)
def test_choice_that_cannot_be_stops_start_up(choice: EmbedderChoice, told: str) -> None:
    """The error says what to change."""
    with pytest.raises(ConfigError, match=told):
        open_embedder(choice)


def test_choice_is_checked_and_keeps_its_key() -> None:
    """Negative sizes are refused; the key does not print."""
    with pytest.raises(ValidationError, match="cache_entries"):
        EmbedderChoice(cache_entries=-1)
    assert "sk-1" not in repr(EmbedderChoice(api_key="sk-1"))
