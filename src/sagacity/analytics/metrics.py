"""Turn a search trace and a context into the numbers of a record; pure."""

from collections.abc import Mapping

from sagacity.domain.analysis import QueryAnalysis
from sagacity.domain.analytics import ContextMetrics, QuestionMetrics, RetrievalMetrics, StepTimings
from sagacity.domain.context import Context, DropReason, SectionName
from sagacity.domain.memory import MemoryKind
from sagacity.domain.query import StrategyName, Trace
from sagacity.retrieval.measures import ANALYSIS, RETRIEVAL

_TYPES = {str(MemoryKind.USER_PLAYBOOK): "procedural"}
"""The chat contract's names of kinds, where they differ from ours."""
_TOKENS = {
    SectionName.PROFILE: "profile_tokens_used",
    SectionName.FACTS: "semantic_tokens_used",
    SectionName.EPISODES: "episodic_tokens_used",
    SectionName.PROCEDURES: "procedural_tokens_used",
    SectionName.ENTITIES: "entity_tokens_used",
    SectionName.HISTORY: "history_tokens_used",
}
_OF_MEMORY = frozenset(_TOKENS) - {SectionName.ENTITIES, SectionName.HISTORY}
_RANKING, _BUILDING = ("rank", "rerank"), ("entities and history", "context")


def type_of(kind: str) -> str:
    """Return the chat contract's name of a kind of memory."""
    return _TYPES.get(kind, kind)


def step_timings(trace: Trace, **others: float | None) -> StepTimings:
    """Return the durations of a search's steps, together with *others*, by their names in the record."""
    took, phases = trace.strategies, trace.measures.phases
    return StepTimings(
        query_analysis_time=phases.get(ANALYSIS),
        **{f"{name}_search_time": took.get(name) for name in StrategyName},
        total_retrieval_time=phases.get(RETRIEVAL),
        ranking_time=_sum(took, _RANKING),
        context_building_time=_sum(took, _BUILDING),
        **others,
    )


def retrieval_metrics(trace: Trace) -> RetrievalMetrics:
    """Return how many results the strategies found, and how many of those remained."""
    counts = {name: trace.found.get(name, 0) for name in StrategyName}
    raw, different = sum(counts.values()), sum(trace.measures.kinds.values())
    by_type: dict[str, int] = {}
    for kind, count in trace.measures.kinds.items():
        by_type[type_of(kind)] = by_type.get(type_of(kind), 0) + count
    return RetrievalMetrics.model_validate(
        {
            **{f"{name}_results_count": count for name, count in counts.items()},
            "total_raw_results": raw,
            "post_dedup_count": different,
            "deduplication_removed": raw - different,
            "score_distribution": trace.measures.scores,
            "memories_by_type": by_type,
            "avg_combined_score": trace.measures.combined,
        }
    )


def context_metrics(context: Context, *, budget: int) -> ContextMetrics:
    """Return how much of the token *budget* the context used."""
    tokens = {_TOKENS[one.name]: one.tokens for one in context.sections}
    items = [item for one in context.sections if one.name in _OF_MEMORY for item in one.items]
    left_out = [one for one in context.dropped if one.reason is DropReason.OVER_BUDGET]
    return ContextMetrics(
        **tokens,
        total_context_tokens=context.total_tokens,
        token_budget_max=budget,
        truncation_occurred=context.truncated,
        memories_included=len(items),
        memories_truncated=sum(item.is_cut for item in items) + len(left_out),
    )


def question_metrics(analysis: QueryAnalysis | None) -> QuestionMetrics:
    """Return the analysis of the question; empty if it was not analysed."""
    if analysis is None:
        return QuestionMetrics()
    return QuestionMetrics(
        intent=str(analysis.intent),
        requires_memory=analysis.requires_memory,
        keywords_count=len(analysis.keywords),
        entities_count=len(analysis.entities_mentioned),
        memory_types_needed=tuple(dict.fromkeys(map(type_of, analysis.memory_types_needed))),
        time_reference=None if analysis.time_reference is None else str(analysis.time_reference.kind),
        confidence=analysis.confidence,
    )


def _sum(took: Mapping[str, float], names: tuple[str, ...]) -> float | None:
    known = [took[name] for name in names if name in took]
    return round(sum(known), 3) if known else None
