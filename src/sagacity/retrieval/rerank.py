"""Rerank the first results with a second model."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sagacity.domain.base import Value
from sagacity.domain.errors import ProviderError
from sagacity.domain.query import Scored
from sagacity.providers.base import Reranker, Vectors

RERANK = "rerank"
"""The component that the reranker gives, in [0, 1]."""
FORMER = "before_rerank"
"""The component with the score before reranking."""


class Reranked(Value):
    """The reranked results, and why some or all kept their ranks."""

    items: tuple[Scored, ...]
    failed: str = ""
    """Empty if all were reranked."""


async def rerank(
    items: Sequence[Scored],
    *,
    query: str,
    reranker: Reranker,
    blend: float,
    depth: int = 20,
    seconds: float = 1.0,
) -> Reranked:
    """
    Reorder the first results by a blend of their scores and a reranker's.

    Args:
        items: best first.
        query: the question.
        reranker: scores it together with each text.
        blend: the reranker's share, in [0, 1]; 0 keeps the order, 1 ignores the former scores.
        depth: how many results are reranked.
        seconds: the reranker's time limit; results that it did not reach keep their ranks.

    Returns:
        The same items. Those that were reranked have the components `rerank` and `before_rerank`, and exchanged places
        among each other. Each place keeps its score, so the scores still fall.
    """
    head = items[:depth]
    if not head:
        return Reranked(items=tuple(items))
    try:
        looks = await reranker.rank(query, [_text(item) for item in head], seconds=seconds)
    except ProviderError as error:
        return Reranked(items=tuple(items), failed=str(error))
    seen = [place for place in range(len(head)) if np.isfinite(looks[place])]
    late = len(head) - len(seen)
    moved = _moved([head[place] for place in seen], looks[seen], blend=blend)
    places = dict(zip(seen, moved, strict=True))
    return Reranked(
        items=tuple(places.get(place, item) for place, item in enumerate(items)),
        failed=f"{reranker.name} did not get to {late} of {len(head)} results in time" if late else "",
    )


def _moved(items: Sequence[Scored], looks: Vectors, *, blend: float) -> list[Scored]:
    """Return *items* in the order of the blended scores, ties in the former order; the places keep their scores."""
    former = np.array([item.score for item in items])
    blended = (1 - blend) * _spread(former) + blend * _spread(looks)
    order = [int(place) for place in np.argsort(-blended, kind="stable")]
    return [
        items[place].model_copy(
            update={
                "score": items[rank].score,
                "components": items[place].components
                | {RERANK: float(looks[place]), FORMER: items[place].score},
            }
        )
        for rank, place in enumerate(order)
    ]


def _spread(scores: npt.NDArray[np.floating]) -> npt.NDArray[np.floating]:
    """Scale *scores* so that the least is 0 and the greatest 1; all become 0 if they are equal."""
    width = np.ptp(scores) if len(scores) else 0.0
    return (scores - scores.min()) / width if width else np.zeros_like(scores)


def _text(item: Scored) -> str:
    """Return the text by which a result is found."""
    if item.memory:
        return item.memory.search_text
    return item.interaction.search_text if item.interaction else ""
