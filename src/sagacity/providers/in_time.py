"""Scoring one text after the other until the time is up."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress

import numpy as np

from sagacity.providers.base import Vectors


async def score_in_time(
    score: Callable[[str], Awaitable[float]], texts: Sequence[str], *, seconds: float
) -> Vectors:
    """
    Score *texts* in their order. One at a time: on a CPU a batch is no faster, and its time harder to limit.

    Returns:
        float32 [n]; NaN for what there was no time for.
    """
    scores = np.full(len(texts), np.nan, np.float32)
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            for place, text in enumerate(texts):
                scores[place] = await score(text)
    return scores
