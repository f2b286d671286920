"""Recorded calls, as rows."""

from datetime import datetime, timedelta

import numpy as np

from sagacity.domain.analytics import (
    ContextMetrics,
    QuestionMetrics,
    RequestAnalytics,
    RequestStatus,
    RequestType,
    RetrievalMetrics,
    StepTimings,
)
from sagacity.domain.ids import UserId
from sagacity.domain.measures import Spread
from support.parts import ANNA, BEN, START


def measured(name: str, *, user_id: UserId | None = ANNA, at: datetime = START, **fields) -> RequestAnalytics:
    """One call, by its id; a successful answer of 10 ms unless the fields say otherwise."""
    values = {"request_type": RequestType.CHAT_STREAM, "total_time_ms": 10.0, "request_id": f"{name} call"}
    return RequestAnalytics(id=name, user_id=user_id, created_at=at, **{**values, **fields})


def found(*, raw: int = 0, removed: int = 0, **fields) -> RetrievalMetrics:
    """What a call's strategies found."""
    return RetrievalMetrics(
        total_raw_results=raw, post_dedup_count=raw - removed, deduplication_removed=removed, **fields
    )


def random_calls(count: int, *, start: datetime, days: float, seed: int = 7) -> list[RequestAnalytics]:
    """Calls of two users over some days, of every type and end; some steps are missing."""
    random = np.random.default_rng(seed)
    return [_random_call(random, number, start, days) for number in range(count)]


def _random_call(random: np.random.Generator, number: int, start: datetime, days: float) -> RequestAnalytics:
    def ms(missing: float = 0.3) -> float | None:
        return None if random.random() < missing else round(float(random.lognormal(3, 1)), 3)

    raw = int(random.integers(0, 40))
    removed = int(random.integers(0, raw + 1))
    scores = sorted(float(one) for one in random.random(3))
    had_context = random.random() < 0.7
    return measured(
        f"call {number:05}",
        user_id=(ANNA, BEN)[int(random.integers(2))],
        at=start + timedelta(days=days * float(random.random())),
        request_type=list(RequestType)[int(random.integers(4))],
        status=list(RequestStatus)[int(random.choice(4, p=[0.7, 0.1, 0.1, 0.1]))],
        conversation_id=f"talk {number % 5}" if number % 2 else None,
        total_time_ms=ms(0),
        ttfb_ms=ms(),
        step_timings=StepTimings(
            total_retrieval_time=ms(0.1),
            ranking_time=ms(),
            context_building_time=ms(),
            llm_total_time=ms(),
        ),
        retrieval_metrics=found(
            raw=raw,
            removed=removed,
            vector_results_count=raw,
            keyword_results_count=raw // 2,
            graph_results_count=raw // 3,
            score_distribution={"vector": Spread(min=scores[0], avg=scores[1], max=scores[2])} if raw else {},
            memories_by_type={"profile": raw // 2, "semantic": raw // 4},
            avg_combined_score=float(random.random()) if raw else None,
        ),
        context_metrics=ContextMetrics(
            total_context_tokens=int(random.integers(0, 5000)),
            token_budget_max=5000,
            truncation_occurred=bool(random.random() < 0.3),
        )
        if had_context
        else ContextMetrics(),
        query_analysis=QuestionMetrics(intent=("recall", "question", None)[int(random.integers(3))]),
    )
