"""
An agent with a tool and a memory: context → model and tools → answer with citations → publish → verdict.

    SAGACITY_EVALUATION_DELAY_SECONDS=5 sagacity serve                      # in another terminal
    sagacity config set --data '{"agent_success_configs":
        [{"evaluation_name": "helped", "success_definition_prompt": "The user knows when the order arrives."}]}'
    OPENAI_BASE_URL=http://127.0.0.1:11434/v1 OPENAI_MODEL=qwen3 python examples/agent_loop.py "Where is order 17?"

Any server that speaks OpenAI's protocol will do; OPENAI_API_KEY is sent if it is set. Each argument is a message of the
user. At the end it prints which memories were shown and cited, and how the conversation went.
"""

# ruff: noqa: TID251  a program of its own, that takes its model from the environment

import json
import os
import sys
import time
from typing import Any

import httpx

from sagacity.client import Sagacity
from sagacity.client.agents import turns_of

Message = dict[str, Any]
USER, AGENT = "ana", "shop-1"
INSTRUCTIONS = """\
You help customers of a shop. Where you use something of the memory below, name its source, such as [p:2].

"""
FIND_ORDER = {
    "name": "find_order",
    "parameters": {"type": "object", "properties": {"number": {"type": "integer"}}, "required": ["number"]},
}


def find_order(number: int) -> Message:
    """Look an order up; an agent has real tools here."""
    return {"order": number, "state": "sent", "arrives": "2026-12-01"}


def ask(messages: list[Message]) -> Message:
    """Return the model's next message."""
    key = os.environ.get("OPENAI_API_KEY")
    reply = httpx.post(
        f"{os.environ.get('OPENAI_BASE_URL', 'https://api.openai.com/v1').rstrip('/')}/chat/completions",
        headers={"Authorization": f"Bearer {key}"} if key else {},
        json={
            "model": os.environ.get("OPENAI_MODEL", "gpt-5-mini"),
            "messages": messages,
            "tools": [{"type": "function", "function": FIND_ORDER}],
        },
        timeout=120,
    )
    reply.raise_for_status()
    return reply.json()["choices"][0]["message"]


def answer(memory: Sagacity, session_id: str, said: list[Message], question: str) -> str:
    """Answer *question*, after what was *said* before, and publish what is new."""
    page = memory.context(question, user_id=USER, session_id=session_id, include_history=False)
    system = {"role": "system", "content": INSTRUCTIONS + page.context}
    new: list[Message] = [{"role": "user", "content": question}]
    while calls := (message := ask([system, *said, *new])).get("tool_calls"):
        new.append(message)
        for call in calls:
            found = find_order(**json.loads(call["function"]["arguments"]))
            new.append({"role": "tool", "tool_call_id": call["id"], "content": json.dumps(found)})
    said += [*new, message]
    # The turns have the tool calls with their results, and the answer without the citations, which they name beside it.
    turns = turns_of([*new, message], page)
    memory.publish_interaction(USER, turns, session_id=session_id, agent_version=AGENT)
    return turns[-1].content


def report(memory: Sagacity, session_id: str) -> None:
    """Print which memories were shown and cited, and the verdict on the conversation once it is there."""
    for one in memory.get_injection_stats(days_back=1).stats:
        print(f"shown {one.surfaced_count}, cited {one.citation_count} times: {one.content}")
    for _ in range(20):
        page = memory.get_agent_success_evaluation_results(agent_version=AGENT)
        for one in page.agent_success_evaluation_results:
            if one.session_id == session_id:
                print(f"{one.evaluation_name}: {'success' if one.is_success else one.failure_reason}")
                return
        time.sleep(1)
    print("no verdict: no evaluator is configured, or nobody said how it went")


def main() -> None:
    """Lead one conversation."""
    session_id, said = f"order-{time.time_ns()}", list[Message]()
    with Sagacity() as memory:
        for question in sys.argv[1:]:
            print(answer(memory, session_id, said, question))
        report(memory, session_id)


if __name__ == "__main__":
    main()
