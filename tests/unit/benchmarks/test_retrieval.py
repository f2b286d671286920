"""The benchmark of retrieval, on the sample that is shipped."""

from pathlib import Path

import pytest
from cached_embedder import CachedEmbedder
from corpus import TENANT
from evidence import opened
from histories import History
from longmemeval import SAMPLE, load, pooled
from retrieval import EVERYBODY, WAYS, Databases, measured
from retrieval_report import figures_of, misses_of, report_of

from sagacity.providers.embedders.minilm import MiniLM


def silent(what: str, done: int, total: int) -> None:
    """Progress that nobody sees."""


@pytest.mark.full
async def test_questions_are_asked_of_all_that_was_said_before(tmp_path: Path) -> None:
    """Among a handful of sessions words and the default find the evidence, alone and pooled."""
    questions = load(SAMPLE)
    databases = Databases(questions, tmp_path / "store", tmp_path / "cache", silent)
    ways = [way for way in WAYS if way.name in {"bm25", "default", "pooled-default"}]
    rows = await measured(ways, questions, databases, silent)
    assert [row.name for row in rows] == ["bm25", "default", "pooled-default"]
    for row in rows:
        assert [one.question.question_id for one in row.outcomes] == [
            one.question_id for one in questions if one.is_answerable
        ]
        assert row.of_sessions("any@5") == [1, 1, 1]
        assert row.of_turns("any@10") == [1, 1, 1]
        for outcome in row.outcomes:
            assert 0 < len(outcome.hits) <= 10 <= len(outcome.far_hits) or row.name == "bm25"
            assert outcome.milliseconds > 0
    figures = figures_of(rows)
    assert figures["default"]["sessions"]["any@5"] == 1
    page = report_of(rows).markdown()
    assert "| turns, all@10 | ≥ 0.800 |" in page
    assert "BM25 alone" in page
    complete = sum(row.of_turns("all@10").count(1) for row in rows)
    told = [line for row in rows for line in misses_of(row) if "?" in line and line.startswith("\n")]
    assert len(told) == 9 - complete


async def test_a_kept_database_is_used_again(tmp_path: Path) -> None:
    """What is stored once is not stored twice, and is as it was."""
    histories = [History(EVERYBODY, pooled(load(SAMPLE)[:1]))]
    embedder = CachedEmbedder(MiniLM(), tmp_path / "cache")
    for _ in range(2):
        async with opened(tmp_path / "home", histories, embedder, silent) as storage:
            async with storage.read(TENANT) as snapshot:
                turns = await snapshot.interactions.log(EVERYBODY, after_seq=0, limit=1_000)
            assert [turn.content for turn in turns] == [turn.content for _, turn in histories[0].turns]
            assert turns[0].happened_at == histories[0].sessions[0].at
            assert await storage.unembedded_count() == 0
