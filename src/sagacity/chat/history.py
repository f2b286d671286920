"""The conversation so far, cut to a token budget: the newest messages, whole as long as they fit."""

from collections.abc import Callable, Sequence

from sagacity.domain.chat import Message, MessageRole
from sagacity.domain.context import ContextBudgets
from sagacity.providers.base import ChatMessage

SHARE = 0.3
"""The share of the prompt's budget that the newest messages may take before memories get any."""
_ROLES = {MessageRole.USER: "user", MessageRole.ASSISTANT: "assistant", MessageRole.SYSTEM: "system"}
MOST_MESSAGES = 100
"""How many messages are read at most: few budgets have room for more."""
_LEAST = 2
_ELLIPSIS = "…"
_CHARACTERS_A_TOKEN = 4
"""About as many as in English. A text with fewer is cut again."""


def window(
    messages: Sequence[Message], *, budget: int, count: Callable[[str], int]
) -> tuple[list[ChatMessage], int]:
    """
    Return the newest of *messages* that go into *budget* tokens, oldest first, and how many were left out.

    The newest two are always included, cut if necessary: the next message is about the last question and its answer.
    """
    taken: list[ChatMessage] = []
    left = budget
    for message in reversed(messages):
        text = message.content
        tokens = message.token_count if message.token_count is not None else count(text)
        if tokens > left:
            if len(taken) >= _LEAST or left <= 0:
                break
            text = _cut(text, left, count)
            if not text:
                break
            tokens = left
        taken.append(ChatMessage(role=_ROLES[message.role], content=text))  # pyright: ignore[reportArgumentType]  # one of its words
        left -= tokens
    return taken[::-1], len(messages) - len(taken)


def _cut(text: str, budget: int, count: Callable[[str], int]) -> str:
    """Return the beginning of *text* that fits into *budget* tokens, with an ellipsis; "" if nothing fits."""
    size = budget * _CHARACTERS_A_TOKEN
    while (tokens := count(text[:size] + _ELLIPSIS)) > budget:
        if size <= 0:
            return ""
        size = min(size - 1, size * budget // tokens)
    return text[:size] + _ELLIPSIS


def in_sight(
    messages: Sequence[Message], *, budgets: ContextBudgets, count: Callable[[str], int]
) -> tuple[Sequence[Message], ContextBudgets]:
    """
    Return the newest *messages*, which a prompt always shows, and the budgets that are left for memory.

    Earlier messages, and one that has to be cut, can be remembered like any turn: the prompt may have no room for them.

    Args:
        messages: of the conversation, oldest first.
        budgets: tokens that the prompt may hold of both.
        count: a text's tokens.
    """
    total = budgets.total_tokens
    taken, left_out = window(messages, budget=round(total * SHARE), count=count)
    room = max(0, total - sum(count(message.content) for message in taken))
    whole = [
        message
        for message, shown in zip(messages[left_out:], taken, strict=True)
        if shown.content == message.content
    ]
    return whole, budgets.model_copy(update={"total_tokens": room})
