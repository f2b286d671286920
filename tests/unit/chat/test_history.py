"""The newest messages go into a prompt, as many as fit."""

from datetime import UTC, datetime

import pytest

from sagacity.chat.history import in_sight, window
from sagacity.domain.chat import Message, MessageRole, title_of
from sagacity.domain.context import ContextBudgets
from sagacity.domain.ids import SessionId
from sagacity.providers.tokens import TokenCounter


def message(number: int, tokens: int | None = 10, content: str | None = None) -> Message:
    return Message(
        message_id=str(number),
        session_id=SessionId("c-1"),
        role=MessageRole.ASSISTANT if number % 2 else MessageRole.USER,
        content=content or f"message {number}",
        token_count=tokens,
        created_at=datetime(2026, 3, 1, tzinfo=UTC),
    )


def words(text: str) -> int:
    return len(text.split())


def test_newest_are_kept_in_order() -> None:
    """Without a gap; how many were left out is told."""
    kept, left_out = window([message(number) for number in range(6)], budget=25, count=words)
    assert [(one.role, one.content) for one in kept] == [("user", "message 4"), ("assistant", "message 5")]
    assert left_out == 4


def test_newest_is_cut_rather_than_left_out() -> None:
    """What was said last is what the next message answers."""
    kept, left_out = window([message(0), message(1, 5_000, "word " * 5_000)], budget=100, count=words)
    assert len(kept) == 1
    assert kept[0].content.startswith("word word")
    assert len(kept[0].content) <= 401
    assert left_out == 1
    assert window([message(0, None)], budget=100, count=words)[0]
    assert window([], budget=100, count=words) == ([], 0)


@pytest.mark.parametrize("said", ["我喜欢茶。", "🫖🧑🏽‍🚀", "word ", "a", "\n", " "])
@pytest.mark.parametrize("budget", [1, 7, 1_000])
def test_cut_message_keeps_to_its_tokens(said: str, budget: int) -> None:
    """In any script, by the counter of the budgets; the start of the message is in."""
    count = TokenCounter().count
    text = said * 9_000
    kept, _ = window([message(0, None, text)], budget=budget, count=count)
    cut = kept[0].content
    assert count(cut) <= budget
    assert text.startswith(cut.removesuffix("…"))
    assert budget < 1_000 or len(cut) > 300


def test_newest_are_in_sight_and_memory_gets_the_rest() -> None:
    """Three tenths of the whole at the most; what is further back, or has to be cut, can be remembered."""
    talk = [message(number, None, "word " * 10) for number in range(8)]
    newest, budgets = in_sight(talk, budgets=ContextBudgets(total_tokens=100), count=words)
    assert [one.message_id for one in newest] == ["5", "6", "7"]
    assert budgets.total_tokens == 70
    assert in_sight([], budgets=ContextBudgets(total_tokens=100), count=words)[1].total_tokens == 100
    newest, budgets = in_sight(
        [message(0, None, "word " * 5_000)], budgets=ContextBudgets(total_tokens=100), count=words
    )
    assert newest == []
    assert 70 <= budgets.total_tokens < 100


def test_titles_end_with_a_word() -> None:
    """Short messages are titles as they are."""
    assert title_of("  Hello\n there ") == "Hello there"
    assert title_of("What should I cook on Friday for Anna and her two children?") == (
        "What should I cook on Friday for Anna and her two…"
    )
    assert title_of("x" * 80) == "x" * 49 + "…"
