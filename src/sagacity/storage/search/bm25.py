"""BM25, with statistics of the searched scopes only."""

from collections.abc import Sequence
from itertools import accumulate, groupby
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from sagacity.domain.query import Filter
from sagacity.storage.base import Scope, SearchScope
from sagacity.storage.hits import Hits
from sagacity.storage.search.keywords import terms_of
from sagacity.storage.search.ranked import Ranked, best_admitted, off_the_loop
from sagacity.storage.search.term_index import ScopeTerms, term_numbers

K1 = 1.2
B = 0.75


async def best_by_terms(
    scope: Scope, scopes: Sequence[SearchScope], wanted: Filter, text: str, *, limit: int
) -> Hits:
    """
    Return the documents that share terms with *text*.

    Args:
        scope: the open transaction.
        scopes: where to search. Statistics come from these alone, so other users' documents do not change a score.
        wanted: the filters.
        text: a question or a few words.
        limit: most results of each kind.

    Returns:
        Best first, ties by document; scores are positive. Empty if *text* has no terms.

    Source: Robertson & Zaragoza 2009, with Lucene's IDF, which is always positive; k1 = 1.2, b = 0.75.
    """
    terms = list(terms_of(text))
    count = sum(one.document_count for one in scopes)
    if not terms or not count:
        return Hits()
    indexed = await scope.backend.terms.read(scope, scopes)
    length = max(sum(one.term_count for one in scopes) / count, 1.0)
    ranked = await off_the_loop(count, _ranked, scopes, indexed, term_numbers(terms), count, length)
    return Hits(await best_admitted(scope, ranked, wanted, limit))


def _ranked(
    scopes: Sequence[SearchScope],
    indexed: Sequence[ScopeTerms],
    numbers: npt.NDArray[np.uint64],
    count: int,
    average_length: float,
) -> list[Ranked]:
    """Score the documents that have any of the terms, by kind; the ceiling is the limit for ever higher frequencies."""
    segments = [
        (scope.kind, segment)
        for scope, terms in sorted(zip(scopes, indexed, strict=True), key=lambda pair: pair[0].kind)
        for segment in terms.segments
    ]
    starts = [0, *accumulate(len(segment.live) for _, segment in segments)]
    found = [
        (matches, start)
        for (_, segment), start in zip(segments, starts, strict=False)
        if (matches := segment.find(numbers)) is not None
    ]
    if not found:
        return []
    terms = np.concatenate([matches.terms for matches, _ in found])
    places = np.concatenate([matches.places + start for matches, start in found])
    frequencies = np.concatenate([matches.frequencies for matches, _ in found]).astype(np.float64)
    ids, owners, lengths, plain = (
        np.concatenate([getattr(segment.documents, name) for _, segment in segments])
        for name in ("ids", "owners", "lengths", "plain")
    )
    having = np.bincount(terms, minlength=len(numbers))
    weights = np.where(having > 0, np.log1p((count - having + 0.5) / (having + 0.5)), 0.0)
    length = K1 * (1 - B + B * lengths[places] / average_length)
    part = weights[terms] * frequencies * (K1 + 1) / (frequencies + length)
    scores = np.asarray(np.bincount(places, part, minlength=starts[-1]), np.float64)
    ceiling = float((K1 + 1) * weights.sum())
    ranked: list[Ranked] = []
    position = 0
    for kind, some in groupby(segments, key=itemgetter(0)):
        behind = position + sum(len(segment.live) for _, segment in some)
        scored = position + np.flatnonzero(scores[position:behind])
        scored = scored[np.argsort(ids[scored], kind="stable")]
        ranked.append(Ranked(kind, ids[scored], owners[scored], scores[scored], plain[scored], ceiling))
        position = behind
    return ranked
