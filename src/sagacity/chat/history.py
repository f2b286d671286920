"""The conversation so far, as far as it fits: its newest messages, in whole as long as they go in."""

from collections.abc import Callable, Sequence

from sagacity.domain.chat import Message, MessageRole
from sagacity.providers.base import ChatMessage

_ROLES = {MessageRole.USER: "user", MessageRole.ASSISTANT: "assistant", MessageRole.SYSTEM: "system"}
MOST_MESSAGES = 100
"""More are not read: few budgets have room for them."""
_ELLIPSIS = "…"
_CHARACTERS_A_TOKEN = 3
"""Fewer than prose has, so that a message that was cut by characters keeps to its tokens; then it is counted."""


def window(
    messages: Sequence[Message], *, budget: int, count: Callable[[str], int]
) -> tuple[list[ChatMessage], int]:
    """
    Return the newest of *messages* that go into *budget* tokens, oldest first, and how many were left out.

    The newest one is in also if it has to be cut: what was said last is what the next message answers.
    """
    taken: list[ChatMessage] = []
    left = budget
    for message in reversed(messages):
        text = message.content
        tokens = message.token_count if message.token_count is not None else count(text)
        if tokens > left:
            if taken or left <= 0:
                break
            text = text[: left * _CHARACTERS_A_TOKEN] + _ELLIPSIS
            tokens = left
        taken.append(ChatMessage(role=_ROLES[message.role], content=text))  # pyright: ignore[reportArgumentType]  # one of its words
        left -= tokens
    return taken[::-1], len(messages) - len(taken)
