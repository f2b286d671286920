"""Open the model of a choice; the only file that names the vendor's class."""

from sagacity.providers.base import LLM
from sagacity.providers.choice import ModelChoice
from sagacity.providers.llm.litellm import LiteLLM
from sagacity.providers.retry_policy import Limits, Retry


def open_llm(
    choice: ModelChoice,
    *,
    timeout_seconds: float = 120.0,
    first_piece_seconds: float | None = None,
    piece_seconds: float | None = None,
    attempts: int = 3,
    block_private: bool = False,
) -> LLM:
    """
    Open the model that was chosen; nothing is loaded or called before its first use.

    Args:
        choice: which model, where, and with which key.
        timeout_seconds: for each attempt.
        first_piece_seconds: for the first piece of a stream; None: as for an attempt.
        piece_seconds: for each later piece; None: as for an attempt.
        attempts: per call, including the first; only temporary failures are retried.
        block_private: refuse private addresses, if the choice names an address.
    """
    limits = Limits(
        timeout_seconds=timeout_seconds,
        first_piece_seconds=first_piece_seconds,
        piece_seconds=piece_seconds,
        retry=Retry(attempts=attempts),
    )
    return LiteLLM(choice, limits, block_private=block_private)
