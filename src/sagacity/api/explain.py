"""How an answer came about, for those who asked: a line for everybody, the whole of it on request."""

from sagacity.domain.query import Query, Trace
from sagacity.memories.search import REFORMULATION
from sagacity.schemas.found import Explanation, StrategyReport
from sagacity.schemas.search import SearchOptions


def failures(trace: Trace) -> str | None:
    """Return what a reader should know of how the answer came about; None if all went well."""
    said = [
        f"the question was not reformulated: {why}"
        if name == REFORMULATION
        else f"search by {name} failed: {why}"
        for name, why in sorted(trace.failed.items())
    ]
    return "; ".join(said) or None


def explained(body: SearchOptions, text: str, trace: Trace) -> Explanation | None:
    """
    Return how an answer came about; None if nobody asked.

    Args:
        body: what was asked.
        text: what was searched for.
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
