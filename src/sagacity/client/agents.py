"""From an agent's messages, in the form of OpenAI's chat completions, to turns to publish."""

import json
from collections.abc import Iterable, Mapping

from pydantic import BaseModel

from sagacity.client.wire import checked
from sagacity.domain.chat import AnswerSource
from sagacity.domain.citations import CitationReader
from sagacity.domain.memory import MemoryKind
from sagacity.schemas.context import ContextPage
from sagacity.schemas.interactions import CitationData, InteractionData

_INSTRUCTIONS = frozenset({"system", "developer"})
_ANSWER, _RESULT = "assistant", "tool"
_MEMORIES = frozenset(map(str, MemoryKind))


class _Image(BaseModel):
    url: str = ""


class _Part(BaseModel):
    type: str = "text"
    text: str = ""
    image_url: _Image | None = None


class _Function(BaseModel):
    name: str
    arguments: str = ""


class _Call(BaseModel):
    id: str = ""
    function: _Function | None = None


class _Message(BaseModel):
    role: str
    content: str | list[_Part] | None = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None
    tool_call_id: str | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.text)
        return self.content or self.refusal or ""

    @property
    def image_url(self) -> str:
        parts = self.content if isinstance(self.content, list) else []
        return next((part.image_url.url for part in parts if part.image_url is not None), "")


class _Messages(BaseModel):
    messages: list[_Message]


def turns_of(messages: Iterable[object], page: ContextPage | None = None) -> list[InteractionData]:
    """
    Return the turns to publish for messages of OpenAI's chat completions, as they went to and from a model.

    A tool call is told with its arguments and what it returned. Instructions (`system`, `developer`) and messages
    that say nothing are left out. Of several images of a message, the first is kept.

    Args:
        messages: in order; mappings, or what a provider's SDK returns. Of a longer talk, give those that are new.
        page: the context that the model was given. Where an answer cites it (`[p:2]`), the citation is taken out of the
            text, and the turn names the memory.

    Raises:
        InvalidInput: one of them is no such message, or too long; the text says which or why.
    """
    plain = [one.model_dump() if isinstance(one, BaseModel) else one for one in messages]
    read = checked(_Messages, {"messages": plain}).messages
    results = {one.tool_call_id: one.text for one in read if one.role == _RESULT}
    called = {call.id for one in read for call in one.tool_calls or ()}
    turns = [
        _turn(one, results, page)
        for one in read
        if one.role not in _INSTRUCTIONS and not (one.role == _RESULT and one.tool_call_id in called)
    ]
    return [turn for turn in turns if turn.content or turn.tools_used or turn.interacted_image_url]


def _turn(message: _Message, results: Mapping[str | None, str], page: ContextPage | None) -> InteractionData:
    text, memories = message.text, tuple[CitationData, ...]()
    if message.role == _ANSWER and page is not None:
        text, memories = _cited(text, page)
    used = [
        {"tool_name": call.function.name, "tool_data": _told(call, results)}
        for call in message.tool_calls or ()
        if call.function is not None
    ]
    fields = {"role": message.role.capitalize(), "content": text, "interacted_image_url": message.image_url}
    return checked(InteractionData, {**fields, "tools_used": used, "citations": memories})


def _told(call: _Call, results: Mapping[str | None, str]) -> dict[str, object]:
    arguments = call.function.arguments if call.function is not None else ""
    try:
        given = json.loads(arguments)
    except ValueError:
        given = arguments
    return {"input": given, **({"output": results[call.id]} if call.id in results else {})}


def _cited(answer: str, page: ContextPage) -> tuple[str, tuple[CitationData, ...]]:
    """Return an answer without its citations, and the memories that they name, each once."""
    shown = [item for section in page.sections for item in section.items]
    reader = CitationReader(
        AnswerSource(citation=item.citation, kind=item.kind, item_id=item.item_id) for item in shown
    )
    text = reader.read(answer) + reader.finish()
    memories = dict.fromkeys((one.kind, one.item_id) for one in reader.cited if one.kind in _MEMORIES)
    return text, tuple(CitationData(entity_type=kind, entity_id=item) for kind, item in memories)
