"""From a choice to a reranker."""

from pathlib import Path

import pytest

from sagacity.domain.errors import ConfigError
from sagacity.providers.cross_encoder import CrossEncoder
from sagacity.providers.late_interaction import LateInteraction
from sagacity.providers.open_reranker import open_reranker


def test_choice_opens_its_reranker(tmp_path: Path) -> None:
    """Nothing, the built-in one, or a folder's."""
    assert open_reranker("") is None
    assert isinstance(open_reranker("late-interaction"), LateInteraction)
    assert isinstance(open_reranker(str(tmp_path)), CrossEncoder)


@pytest.mark.parametrize("choice", ["late_interaction", "cross-encoder/some-model", "/nowhere"])
def test_choice_that_is_no_folder_is_refused(choice: str) -> None:
    """Most likely a name that would be downloaded elsewhere; the error says what it can be."""
    with pytest.raises(ConfigError, match=rf"no folder '{choice}'; it is late-interaction, or a folder"):
        open_reranker(choice)
