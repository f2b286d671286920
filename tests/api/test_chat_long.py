"""Conversations that are longer than a prompt."""

import httpx
import pytest

from support.api import publish
from support.chatting import sent
from support.promises import choose
from support.scripted_llm import scripted_llm

pytestmark = pytest.mark.usefixtures("closed_clients")
CHATTER = "We spoke of the weather, of trains and of the neighbours' new fence at some length. "


@pytest.mark.full
async def test_what_no_longer_fits_is_remembered_instead(api: httpx.AsyncClient):
    """A turn of this conversation is either in the prompt's history or can be found, and never neither."""
    with scripted_llm() as model:
        model.answer_with(lambda _request: "I see. " + 25 * CHATTER)
        await choose(api, model)
        first = await sent(api, "The code of the garden shed is 4711.")
        conversation_id = first[0].data["conversation_id"]
        for number in range(6):
            await sent(api, f"Day {number}. " + 25 * CHATTER, conversation_id=conversation_id)
        await sent(api, "What is the code of the garden shed?", conversation_id=conversation_id)
    request = next(
        one for one in reversed(model.requests) if "What is the code" in one.messages[-1]["content"]
    )
    history = [one["content"] for one in request.messages[1:-1]]
    assert any("Day 5." in one for one in history)
    assert not any("4711" in one for one in history)
    assert "The code of the garden shed is 4711" in request.messages[-1]["content"]


async def test_budget_and_not_a_number_says_how_much_is_remembered(api: httpx.AsyncClient):
    """What was said in many short turns is all there, as long as it fits."""
    fruits = [
        "apples", "apricots", "bananas", "cherries", "dates", "figs", "grapes", "kiwis", "lemons", "limes", "mangoes",
        "melons", "oranges", "papayas", "peaches", "pears", "plums", "quinces",
    ]  # fmt: skip
    for number, fruit in enumerate(fruits):
        await publish(
            api, f"At the market on day {number} we saw {fruit}.", user_id="local", session_id=f"{number}"
        )
    events = await sent(api, "What did we see at the market?")
    memories = next(one for one in events if one.name == "memory").data["memories"]
    shown = " ".join(one["content"] for one in memories)
    assert [fruit for fruit in fruits if fruit not in shown] == []
