"""Of two looks the one that serves more."""

from sagacity.api.served import fuller
from sagacity.domain.query import Scored


def scored(*scores: float) -> tuple[Scored, ...]:
    return tuple(Scored(score=score) for score in scores)


def serves(one: Scored) -> bool:
    return one.score > 0


def test_deeper_look_is_taken_unless_it_serves_less() -> None:
    """It is cut short where a strategy was late; then what the first one found stays."""
    first = scored(3, -1, 2)
    for deeper in (scored(3, -1, 2, 1), scored(-1, 3, -2, 2)):
        assert fuller(first, deeper, serves) is deeper
    for deeper in ((), scored(2, -1, -2)):
        assert fuller(first, deeper, serves) is first
