"""How an answer came about: one line always, the whole trace on request."""

from sagacity.domain.query import Query, Trace
from sagacity.memories.search import REFORMULATION
from sagacity.schemas.found import Explanation, StrategyReport
from sagacity.schemas.search import SearchOptions

NO_USER = "no user was named, so only what is known to all was searched"


def remarks(trace: Trace, *, threshold: float, is_empty: bool, is_of_nobody: bool = False) -> str | None:
    """
    Return what the caller should know about the answer, such as a failed strategy; None if all went well.

    Args:
        trace: of the search.
        threshold: the requested threshold.
        is_empty: whether nothing was returned.
        is_of_nobody: whether users' memories were left out because no user was named.
    """
    said = [
        f"the question was not reformulated: {why}"
        if name == REFORMULATION
        else f"search by {name} failed: {why}"
        for name, why in sorted(trace.failed.items())
    ]
    if is_empty and (count := trace.dropped.get("below_threshold", 0)):
        least = f"the relevance of what was found ({count}) is below the threshold of {threshold:g}"
        said.append(f"nothing relevant is known: {least}")
    if is_empty and is_of_nobody:
        said.append(NO_USER)
    return "; ".join(said) or None


def explained(body: SearchOptions, text: str, trace: Trace) -> Explanation | None:
    """
    Return how an answer came about; None unless requested.

    Args:
        body: the request.
        text: the text that was searched for.
        trace: of the search.
    """
    if not body.explain:
        return None
    names = dict.fromkeys((*trace.strategies, *trace.found, *trace.failed))
    return Explanation(
        query=text,
        ranking=(body.ranking or Query.model_fields["ranking"].default) if body.text else None,
        analysis=trace.analysis,
        strategies=tuple(
            StrategyReport(
                name=name,
                milliseconds=trace.strategies.get(name),
                found=trace.found.get(name),
                failed=trace.failed.get(name),
            )
            for name in names
        ),
        dropped=trace.dropped,
    )
