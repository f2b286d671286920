"""Turns and windows for tests of the rule-based learner."""

from datetime import UTC, datetime

from sagacity.domain.cursor import Window
from sagacity.domain.ids import InteractionId, RequestId, UserId
from sagacity.domain.interaction import Interaction, ToolUse

USER = UserId("ana")


def turn(
    seq: int, content: str, role: str = "User", tools: tuple[ToolUse, ...] = (), expert: str = ""
) -> Interaction:
    return Interaction(
        interaction_id=InteractionId(seq * 10),
        seq=seq,
        request_id=RequestId("r"),
        user_id=USER,
        role=role,
        content=content,
        tools_used=tools,
        expert_content=expert,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


def window(*unread: Interaction, context: tuple[Interaction, ...] = ()) -> Window:
    return Window(
        user_id=USER, first_seq=unread[0].seq, last_seq=unread[-1].seq, unread=unread, context=context
    )


def said(*contents: str) -> Window:
    return window(*(turn(seq, content) for seq, content in enumerate(contents, start=1)))
