"""A trace and a context in numbers."""

from sagacity.analytics.metrics import context_metrics, question_metrics, retrieval_metrics, step_timings
from sagacity.domain.analysis import Intent, QueryAnalysis
from sagacity.domain.analytics import ContextMetrics, QuestionMetrics
from sagacity.domain.context import Context, ContextItem, Dropped, DropReason, Section, SectionName
from sagacity.domain.measures import Spread
from sagacity.domain.memory import MemoryKind
from sagacity.domain.query import StrategyName, Trace
from sagacity.retrieval.evidence import by_kind
from sagacity.retrieval.measures import ANALYSIS, RETRIEVAL, measures_of
from sagacity.storage.hits import Hit, Hits
from support.parts import START

KINDS = ("profile", "user_playbook", "interaction")


def item(citation: str, **fields) -> ContextItem:
    values = {"kind": "profile", "item_id": citation, "text": citation, "tokens": 3}
    return ContextItem(citation=citation, **values, **fields)


def test_what_several_strategies_found_is_counted_once_after_all() -> None:
    """By type as the chat contract names them; what failed found nothing and has no scores."""
    hits = {
        StrategyName.VECTOR: Hits.of(
            [
                Hit(1, 1, "profile", 0.5),
                Hit(2, 2, "user_playbook", 0.25),
                Hit(3, 7, "interaction", 0),
            ]
        ),
        StrategyName.KEYWORD: Hits.of([Hit(1, 1, "profile", 9.0), Hit(4, 1, "interaction", 3.0)]),
        StrategyName.GRAPH: Hits(),
    }
    trace = Trace(
        found={name: len(some) for name, some in hits.items()},
        failed={"recent": "no answer"},
        measures=measures_of(by_kind(KINDS, hits), [1.0, 0.5], {}),
    )
    told = retrieval_metrics(trace)
    assert (told.vector_results_count, told.keyword_results_count, told.recent_results_count) == (3, 2, 0)
    assert (told.total_raw_results, told.post_dedup_count, told.deduplication_removed) == (5, 4, 1)
    assert told.memories_by_type == {"profile": 1, "procedural": 1, "interaction": 2}
    assert told.score_distribution == {
        "vector": Spread(min=0, max=0.5, avg=0.25),
        "keyword": Spread(min=3, max=9, avg=6),
    }
    assert told.avg_combined_score == 0.75


def test_nothing_found_has_no_scores() -> None:
    told = retrieval_metrics(
        Trace(measures=measures_of(by_kind(KINDS, {StrategyName.VECTOR: Hits()}), [], {}))
    )
    assert (told.score_distribution, told.avg_combined_score, told.memories_by_type) == ({}, None, {})


def test_steps_that_belong_together_are_one_time() -> None:
    """And a step that was not taken has none."""
    trace = Trace(
        strategies={"vector": 5.0, "rank": 1.0, "rerank": 2.5, "entities and history": 4.0, "context": 0.5},
        measures=measures_of({}, [], {RETRIEVAL: 8.0, ANALYSIS: 0.25}),
    )
    told = step_timings(trace, setup_time=2.0, llm_ttfb=None)
    assert told.model_dump(exclude_none=True) == {
        "setup_time": 2.0,
        "query_analysis_time": 0.25,
        "vector_search_time": 5.0,
        "total_retrieval_time": 8.0,
        "ranking_time": 3.5,
        "context_building_time": 4.5,
    }
    assert step_timings(Trace()).model_dump(exclude_none=True) == {}


def test_context_counts_what_it_holds_and_what_was_cut() -> None:
    """History and entities are no memories; a duplicate was not left out for lack of space."""
    sections = (
        Section(
            name=SectionName.PROFILE,
            tokens=10,
            budget_tokens=20,
            items=(item("p:1"), item("p:2", is_cut=True)),
        ),
        Section(name=SectionName.EPISODES, tokens=7, budget_tokens=20, items=(item("i:1"),)),
        Section(name=SectionName.ENTITIES, tokens=5, budget_tokens=20, items=(item("e:1"),)),
        Section(name=SectionName.HISTORY, tokens=4, budget_tokens=20, items=(item("h:1"),)),
    )
    dropped = tuple(
        Dropped(kind="profile", item_id=str(reason), reason=reason)
        for reason in (DropReason.OVER_BUDGET, DropReason.DUPLICATE, DropReason.OVER_BUDGET)
    )
    context = Context(text="x", total_tokens=29, truncated=True, sections=sections, dropped=dropped)
    assert context_metrics(context, budget=50) == ContextMetrics(
        profile_tokens_used=10,
        episodic_tokens_used=7,
        entity_tokens_used=5,
        history_tokens_used=4,
        total_context_tokens=29,
        token_budget_max=50,
        truncation_occurred=True,
        memories_included=3,
        memories_truncated=3,
    )


def test_question_is_counted_and_not_quoted() -> None:
    """No word of it is in the record; the types that it needs have the contract's names."""
    analysis = QueryAnalysis(
        original_query="How does Maria cook?",
        reference_at=START,
        intent=Intent.QUESTION,
        confidence=0.9,
        keywords=("maria", "cook"),
        entities_mentioned=("Maria",),
        requires_memory=False,
        memory_types_needed=(MemoryKind.USER_PLAYBOOK, MemoryKind.SEMANTIC),
    )
    told = question_metrics(analysis)
    assert told == QuestionMetrics(
        intent="question",
        requires_memory=False,
        keywords_count=2,
        entities_count=1,
        memory_types_needed=("procedural", "semantic"),
        confidence=0.9,
    )
    assert "maria" not in told.model_dump_json().lower()
    assert question_metrics(None) == QuestionMetrics()
