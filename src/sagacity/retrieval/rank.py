"""Several rankings become one; pure."""

from collections.abc import Mapping, Sequence

from sagacity.domain.base import Value
from sagacity.storage.base import Hit

K = 60
WEIGHTS = {"vector": 1.0, "keyword": 1.0}
PARAPHRASE_COSINE = 0.7
"""From here on two short texts say the same, as all-MiniLM-L6-v2 sees it: paraphrases lie at 0.85 on average, what
does not belong together at 0.17, and a question and the fact that answers it between 0.2 and 0.6."""


def relevance(cosine: float) -> float:
    """Return how much a text has to do with a query, in [0, 1]: 1 for a paraphrase, 0.3 for a loose connection."""
    return min(max(cosine / PARAPHRASE_COSINE, 0.0), 1.0)


class Ranked(Value):
    """One thing found, with its fused score and each strategy's own."""

    kind: str
    owner_id: int
    score: float
    components: dict[str, float]


def fuse(rankings: Mapping[str, Sequence[Hit]], *, k: int = K) -> list[Ranked]:
    """
    Merge ranked lists into one by weighted reciprocal rank. What a strategy did not find gets nothing from it.

    Args:
        rankings: each strategy's hits, best first; lengths may differ, any may be empty.
        k: offset in ranks; larger makes the first ranks count for less.

    Returns:
        Best first, ties by best cosine, then by id. Scores in (0, 1]: 1 is first place in every strategy.

    Raises:
        ValueError: *k* is negative.

    Source: Cormack, Clarke & Büttcher, SIGIR 2009; k = 60 is theirs. Unmatched documents get no rank at all:
        ranking them last in every list costs more than half of the right answers on short memories.
    """
    if k < 0:
        raise ValueError(f"k is {k}; it can not be negative")
    best = sum(WEIGHTS[name] / (k + 1) for name in rankings) or 1.0
    scores: dict[tuple[str, int], float] = {}
    components: dict[tuple[str, int], dict[str, float]] = {}
    for name, hits in rankings.items():
        for rank, hit in enumerate(hits, start=1):
            key = (hit.kind, hit.owner_id)
            scores[key] = scores.get(key, 0.0) + WEIGHTS[name] / (k + rank) / best
            components.setdefault(key, {})[name] = hit.score
    ordered = sorted(
        scores, key=lambda key: (-scores[key], -components[key].get("vector", -1.0), key[0], key[1])
    )
    return [
        Ranked(kind=kind, owner_id=owner, score=scores[kind, owner], components=components[kind, owner])
        for kind, owner in ordered
    ]
