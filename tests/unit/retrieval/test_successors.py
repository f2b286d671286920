"""What was replaced comes after what replaced it."""

from datetime import UTC, datetime

from sagacity.domain.ids import MemoryId, MemoryUid
from sagacity.domain.memory import Memory, MemoryKind
from sagacity.domain.query import Scored
from sagacity.retrieval.successors import successors_first

NOW = datetime(2026, 3, 1, tzinfo=UTC)


def scored(number: int, score: float, *, superseded_by: int | None = None) -> Scored:
    return Scored(
        memory=Memory(
            uid=MemoryUid(f"uid-{number}"),
            memory_id=MemoryId(number),
            kind=MemoryKind.PROFILE,
            created_at=NOW,
            updated_at=NOW,
            superseded_by=None if superseded_by is None else MemoryId(superseded_by),
        ),
        score=score,
    )


def order(*items: Scored) -> list[tuple[int, float]]:
    return [(int(one.memory.memory_id), one.score) for one in successors_first(items) if one.memory]


def test_the_replaced_one_follows_with_no_higher_score() -> None:
    """Right behind its successor; the others keep their places."""
    assert order(scored(1, 1.0, superseded_by=2), scored(3, 0.8), scored(2, 0.5), scored(4, 0.4)) == [
        (3, 0.8),
        (2, 0.5),
        (1, 0.5),
        (4, 0.4),
    ]


def test_a_chain_is_in_order_of_time() -> None:
    """The newest first."""
    chain = (scored(1, 0.9, superseded_by=2), scored(2, 0.8, superseded_by=3), scored(3, 0.1))
    assert order(*chain) == [(3, 0.1), (2, 0.1), (1, 0.1)]


def test_nothing_moves_where_it_is_right_already() -> None:
    """Nor where the successor was not found, or two replaced each other."""
    right = (scored(2, 0.9), scored(1, 0.5, superseded_by=2))
    assert order(*right) == [(2, 0.9), (1, 0.5)]
    alone = (scored(1, 0.9, superseded_by=7), scored(2, 0.5))
    assert order(*alone) == [(1, 0.9), (2, 0.5)]
    assert {one for one, _ in order(scored(1, 0.9, superseded_by=2), scored(2, 0.5, superseded_by=1))} == {
        1,
        2,
    }
