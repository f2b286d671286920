"""One question to a model: a prompt file filled in, an answer of a known type."""

from collections.abc import Mapping

from sagacity.prompts.load import render
from sagacity.providers.base import LLM, ChatMessage, Output


async def ask(
    llm: LLM, name: str, version: int, variables: Mapping[str, str], output: type[Output]
) -> Output:
    """
    Ask *llm* by prompt *name* and return its answer.

    Raises:
        ValueError: the variables are not those of the prompt.
        ProviderError: the model failed.
    """
    prompt = render(name, version, variables)
    messages = (
        ChatMessage(role="system", content=prompt.system),
        ChatMessage(role="user", content=prompt.user),
    )
    answer, _usage = await llm.structured(messages, output)
    return answer
