"""Late interaction: the score, what is kept, what there is no time for."""

import asyncio

import numpy as np
import pytest

from sagacity.providers.base import Vectors
from sagacity.providers.late_interaction import MAX_TOKENS, LateInteraction, max_sim

UP, RIGHT, DOWN = [0.0, 1.0], [1.0, 0.0], [0.0, -1.0]
DIRECTIONS = {"up": UP, "right": RIGHT, "down": DOWN, "slope": [0.6, 0.8]}
BYTES_A_WORD = 2 * 2  # two numbers in half precision


class Compass:
    """Each word is a direction; counts what it is asked, and never comes back from `lost`."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def embed_tokens(self, text: str, *, limit: int) -> Vectors:
        self.asked.append(text)
        if text == "lost":
            await asyncio.Event().wait()
        words = [DIRECTIONS[word] for word in text.split()[:limit]]
        return np.array(words, np.float32).reshape(-1, 2)


def rows(*vectors: list[float]) -> Vectors:
    return np.array(vectors, np.float32).reshape(-1, 2)


def test_max_sim_is_the_mean_of_the_best_matches() -> None:
    """Each token of the question takes its best match; tokens of the text that match nothing cost nothing."""
    assert max_sim(rows(UP, RIGHT), rows(UP, RIGHT, DOWN)) == 1.0
    assert max_sim(rows(UP, RIGHT), rows(UP)) == 0.5
    assert max_sim(rows(RIGHT), rows([0.6, 0.8])) == pytest.approx(0.6)


def test_max_sim_stays_in_its_range() -> None:
    """What points away, and what has no token, is worth nothing; rounding does not pass 1."""
    assert max_sim(rows(UP), rows(DOWN)) == 0.0
    assert max_sim(rows(), rows(UP)) == max_sim(rows(UP), rows()) == 0.0
    assert max_sim(rows([0.0, 1.0001]), rows([0.0, 1.0001])) == 1.0


async def test_rank_scores_each_text_in_its_place() -> None:
    """One score a text, in the order that was given."""
    scores = await LateInteraction(Compass()).rank("up right", ["down", "up right", "up", ""], seconds=5)
    assert scores.tolist() == [0.0, 1.0, 0.5, 0.0]
    assert scores.dtype == np.float32


async def test_text_is_cut() -> None:
    """What stands behind the limit is not seen."""
    page = "down " * MAX_TOKENS
    assert (await LateInteraction(Compass()).rank("up", [page + "up"], seconds=5)).tolist() == [0.0]


async def test_vectors_are_made_once() -> None:
    """The same texts under another question: only the question is new."""
    compass = Compass()
    reranker = LateInteraction(compass)
    await reranker.rank("up", ["up right", "down"], seconds=5)
    again = await reranker.rank("right", ["down", "up right", "up right"], seconds=5)
    assert again.tolist() == [0.0, 1.0, 1.0]
    assert compass.asked == ["up", "up right", "down", "right"]


async def test_kept_vectors_score_as_new_ones_do() -> None:
    """Half precision costs less than a thousandth."""
    reranker = LateInteraction(Compass())
    first = await reranker.rank("right", ["slope up"], seconds=5)
    second = await reranker.rank("right", ["slope up"], seconds=5)
    assert first[0] == pytest.approx(0.6)
    assert second[0] == pytest.approx(0.6, abs=1e-3)


async def test_least_recently_used_vectors_go_first() -> None:
    """Room for three words: a new one takes the place of what was not asked for longest."""
    compass = Compass()
    reranker = LateInteraction(compass, cache_bytes=3 * BYTES_A_WORD)
    await reranker.rank("up", ["right", "down"], seconds=5)
    await reranker.rank("up", ["right"], seconds=5)
    await reranker.rank("up", ["slope"], seconds=5)
    assert compass.asked == ["up", "right", "down", "slope"]
    await reranker.rank("up", ["right", "slope"], seconds=5)
    assert compass.asked == ["up", "right", "down", "slope"]
    await reranker.rank("up", ["down"], seconds=5)
    assert compass.asked == ["up", "right", "down", "slope", "down"]


async def test_without_room_it_still_ranks() -> None:
    """A text that is larger than the cache is not kept, and not lost."""
    compass = Compass()
    reranker = LateInteraction(compass, cache_bytes=0)
    assert (await reranker.rank("up", ["up", "down"], seconds=5)).tolist() == [1.0, 0.0]
    assert compass.asked == ["up", "up", "up", "down"]


async def test_what_there_is_no_time_for_has_no_score() -> None:
    """Those before it are scored, those behind it are not, and a later call starts anew."""
    reranker = LateInteraction(Compass())
    scores = await reranker.rank("up", ["down", "lost", "up"], seconds=0.2)
    assert scores.tolist() == [0.0, pytest.approx(np.nan, nan_ok=True), pytest.approx(np.nan, nan_ok=True)]
    assert (await reranker.rank("up", ["down", "up"], seconds=5)).tolist() == [0.0, 1.0]


async def test_what_is_kept_is_scored_before_what_takes_time() -> None:
    """A text behind the slow one has its score, as it costs nothing."""
    reranker = LateInteraction(Compass())
    await reranker.rank("up", ["up"], seconds=5)
    scores = await reranker.rank("up", ["lost", "up"], seconds=0.2)
    assert np.isnan(scores).tolist() == [True, False]
    assert scores[1] == 1.0
