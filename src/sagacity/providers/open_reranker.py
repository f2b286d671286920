"""From a choice to a reranker; the only file that names them all."""

from pathlib import Path

from sagacity.domain.errors import ConfigError
from sagacity.providers.base import Reranker
from sagacity.providers.cross_encoder import CrossEncoder
from sagacity.providers.late_interaction import LateInteraction
from sagacity.providers.minilm import MiniLM

LATE_INTERACTION = "late-interaction"


def open_reranker(choice: str) -> Reranker | None:
    """
    Build the reranker of *choice*; nothing is loaded before its first use.

    Args:
        choice: `late-interaction`, the path of a folder with a cross-encoder, or empty for none.

    Raises:
        ConfigError: it is neither.
    """
    if not choice:
        return None
    if choice == LATE_INTERACTION:
        return LateInteraction(MiniLM())
    folder = Path(choice).expanduser()
    if not folder.is_dir():
        raise ConfigError(
            f"SAGACITY_RERANKER: no folder {choice!r}; it is {LATE_INTERACTION}, "
            "or a folder with model.onnx and tokenizer.json, or empty"
        )
    return CrossEncoder(folder)
