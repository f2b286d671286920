"""Every place that cuts text by tokens ends, and gives what fits, for any text, size and encoding (row C24)."""

import itertools
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from hypothesis import example, given
from hypothesis import strategies as st

from sagacity.chat.history import in_sight, window
from sagacity.chat.remember import MOST_ASKED, asked_in
from sagacity.domain.chat import Message, MessageRole
from sagacity.domain.context import ContextBudgets, SectionName
from sagacity.domain.ids import InteractionId, SessionId
from sagacity.domain.interaction import Interaction
from sagacity.domain.query import Scored
from sagacity.learning.windows.ends import end_of_window
from sagacity.providers.tokens import TokenCounter, pieces_of
from sagacity.retrieval.context.assemble import build_context

COUNT = TokenCounter().count
NOW = datetime(2026, 3, 1, tzinfo=UTC)
MOST_CALLS = 10_000
"""Of a counter in one test: what does not end stops here."""
units = st.sampled_from(
    [
        "a",
        " ",
        "  ",
        "\n",
        "\t",
        "word ",
        "中",
        "é",
        "🧑🏽‍🚀",
        "\u2028",
        "\x00",
        "…",
        ".,",
        "x" * 50,
        "1",
        "a b",
        "\ud83d",
    ]
)
texts = st.builds(
    lambda parts, times: "".join(parts) * times, st.lists(units, max_size=6), st.sampled_from([1, 2, 40, 900])
)
sizes = st.one_of(st.integers(1, 12), st.sampled_from([100, 1_000, 16_384]))
encodings: st.SearchStrategy[Callable[[str], int]] = st.sampled_from(
    [
        COUNT,
        len,
        lambda text: len(text) * 7,
        lambda text: len(text) // 40,
        lambda text: 3 + len(text) // 2,
        lambda text: 1_000_000,
        lambda text: 0,
        lambda text: len(text) + 5 * text.count("\n") ** 2,
        lambda text: len(text) ** 2,
    ]
)
"""How somebody's model may count: exactly, much more or less, with a surcharge, without sense."""


def ending(count: Callable[[str], int]) -> Callable[[str], int]:
    """Return *count*, which fails rather than to be asked for ever."""
    calls: Iterator[int] = itertools.count()

    def limited(text: str) -> int:
        assert next(calls) < MOST_CALLS
        return count(text)

    return limited


def message(content: str) -> Message:
    return Message(
        message_id="m", session_id=SessionId("c"), role=MessageRole.USER, content=content, created_at=NOW
    )


def turn(number: int, content: str, role: str = "user", session_id: str = "c") -> Interaction:
    return Interaction.model_validate(
        {
            "interaction_id": InteractionId(number),
            "request_id": f"r{number}",
            "session_id": session_id,
            "user_id": "ana",
            "seq": number,
            "role": role,
            "content": content,
            "created_at": NOW,
        }
    )


@given(texts, sizes)
@example(" " * 60, 7)
@example("a " * 60, 1)
@example("a" * 20 + " " + "a" * 20, 20)
def test_pieces_are_the_whole_text_for_any_size(text: str, size: int) -> None:
    """Each goes on from where the last one ended, and none is empty or too long."""
    pieces = [piece for piece, _ in itertools.islice(pieces_of(text, size), len(text) + 1)]
    assert "".join(pieces) == text
    assert all(1 <= len(piece) <= size for piece in pieces)


@given(texts)
def test_any_text_is_counted_to_its_end(text: str) -> None:
    """Also one with half a character in it, and one of many pieces."""
    assert COUNT(text * 40) <= len((text * 40).encode(errors="surrogatepass")) + len(text * 40) // 16_384 + 1


@given(st.lists(texts, max_size=4), st.integers(-3, 300), encodings)
@example([""], 2, lambda text: 3 + len(text) // 2)
@example(["a b"], 2, lambda text: 3 + len(text) // 2)
def test_a_message_is_cut_to_any_budget(said: list[str], budget: int, count: Callable[[str], int]) -> None:
    """The newest that go in, each from its beginning; what a budget has no room for is left out."""
    count = ending(count)
    messages = [message(one) for one in said]
    taken, left_out = window(messages, budget=budget, count=count)
    assert left_out == len(said) - len(taken)
    for kept, whole in zip(taken, said[left_out:], strict=True):
        assert whole.startswith(kept.content.removesuffix("…"))
    assert sum(count(one.content) for one in taken) <= max(budget, 0)
    whole, budgets = in_sight(messages, budgets=ContextBudgets(total_tokens=max(budget, 0)), count=count)
    assert len(whole) <= len(taken) or budget <= 0
    assert budgets.total_tokens >= 0


@given(st.lists(texts, max_size=4), st.integers(0, 400), st.integers(0, 400), encodings)
def test_a_line_of_a_context_is_cut_to_any_budget(
    said: list[str], total: int, of_each: int, count: Callable[[str], int]
) -> None:
    """By whatever counts, and nothing is over."""
    count = ending(count)
    shares = {f"{name}_tokens": of_each for name in SectionName}
    built = build_context(
        [Scored(interaction=turn(number, one), score=0.5) for number, one in enumerate(said, start=1)],
        budgets=ContextBudgets(total_tokens=total, **shares),
        count=count,
    )
    assert not built.text or count(built.text) <= total


@given(
    st.lists(
        st.builds(
            lambda text, role, session: (text, role, session),
            st.one_of(texts, st.just("long " * 6_000)),
            st.sampled_from(["user", "assistant", "tool"]),
            st.sampled_from(["c", "d"]),
        ),
        max_size=12,
    ),
    st.integers(1, 8),
)
def test_no_part_of_a_window_is_read_twice_or_left_out(said: list[tuple[str, str, str]], step: int) -> None:
    """Windows of a log overlap by what is context only: whatever the step, each begins behind the last."""
    turns = [turn(number, *one) for number, one in enumerate(said, start=1)]
    start, windows = 0, 0
    while start < len(turns):
        there = turns[start : start + step]
        following = turns[start + step] if start + step < len(turns) else None
        kept = end_of_window(there, following=following)
        assert 1 <= kept <= len(there)
        start, windows = start + kept, windows + 1
        assert windows <= len(turns)


@given(texts)
def test_a_long_message_is_searched_for_by_its_ends(text: str) -> None:
    """However long its words are."""
    asked = asked_in(text)
    assert len(asked) <= MOST_ASKED + 1
    assert asked == text or len(text) > MOST_ASKED
