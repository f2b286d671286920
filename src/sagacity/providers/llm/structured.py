"""Structured output: a schema in the prompt, and a parser that tolerates text around the JSON; pure."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from typing import Any, Generic, NamedTuple, TypeVar, cast

from pydantic import JsonValue, ValidationError

from sagacity.providers.base import ChatMessage, Output

_FENCE = re.compile(r"```[a-zA-Z]*[^\S\n]*\n(.*?)```", re.DOTALL)
SHOWN_CHARACTERS = 8_000
"""The most characters shown to the model of an answer that did not parse; more do not help to correct it."""
_OPENERS = {"{": "}", "[": "]"}
BROKEN_OFF = {"is_broken_off": True}
"""The validation context of an answer that breaks off: its missing fields are unknown, not empty."""
MOST_ASKED_AGAIN = 10
"""The most entries requested after an answer was cut off, even if many more had fitted."""
_MOST_OBJECTS = 20
"""The most beginnings of objects that are tried in one text."""
_INSIDE = ("[", ",", '":')
"""What stands before an object within another, which may have been cut off."""
_FEW = 3
"""The most entries requested if not even one was complete."""
T = TypeVar("T")
_FIELD = re.compile(r'[\s,]*"([^"\\]*)"\s*:\s*')
_BETWEEN = ", \t\r\n"


def json_schema_format(output: type[Output]) -> dict[str, JsonValue]:
    """Return the `response_format` that asks for *output* by its JSON schema."""
    schema = _schema_of(output)
    strict = _is_closed(schema)
    if strict:
        _require_all(schema)
    return {
        "type": "json_schema",
        "json_schema": {"name": output.__name__, "schema": schema, "strict": strict},
    }


def schema_message(output: type[Output]) -> ChatMessage:
    """Return the instructions that ask for *output*, for models that take no schema."""
    schema = json.dumps(_schema_of(output), separators=(",", ":"))
    return ChatMessage(
        role="system", content=f"Answer with one JSON object of this JSON schema, and nothing else:\n{schema}"
    )


def mend_messages(answer: str, error: str) -> tuple[ChatMessage, ChatMessage]:
    """Return the messages that show a model its *answer* and what is wrong with it."""
    return _shown(answer, f"That answer could not be read: {error}\nAnswer again with corrected JSON only.")


def go_on_messages(answer: str, kept: "Salvaged[Any] | None") -> tuple[ChatMessage, ChatMessage]:
    """
    Return the messages that show a model its *answer*, which was cut off, and ask for what is missing.

    Asking only for what is missing makes the next answer shorter, and pays for nothing twice.
    """
    if kept is None:
        return mend_messages(
            answer, f"it was cut off; be shorter, and give at most {_FEW} entries, the most important first"
        )
    most = min(kept.entries, MOST_ASKED_AGAIN)
    return _shown(
        answer,
        f"That answer was cut off. Its complete entries ({kept.entries}) are kept; do not repeat them. Answer once "
        f"more with JSON of the same form that holds only what is missing: at most {most} entries, the most important "
        "first.",
    )


def _shown(answer: str, request: str) -> tuple[ChatMessage, ChatMessage]:
    return (
        ChatMessage(role="assistant", content=answer[:SHOWN_CHARACTERS] or "(empty)"),
        ChatMessage(role="user", content=request),
    )


def parse(text: str, output: type[Output]) -> Output:
    """
    Parse *output* from a model's text.

    The whole text is tried first, then each fenced block, then what is between the outermost braces, then each of
    several objects, the last one first.

    Raises:
        ValueError: none of them parses; the message says why, and is meant only for the model.
    """
    fault: ValueError | None = None
    for candidate in _candidates(text):
        try:
            value = _storable(json.loads(candidate, strict=False, parse_constant=_no_number))
        except (ValueError, RecursionError):
            continue
        try:
            return output.model_validate_json(json.dumps(value))
        except ValidationError as error:
            fault = fault or ValueError(_faults(error))
    raise fault or ValueError("it holds no complete JSON object")


class Salvaged(NamedTuple, Generic[Output]):
    """The readable part of an answer that breaks off."""

    value: Output
    entries: int
    """Number of complete entries in its lists."""


def salvage(texts: Sequence[str], output: type[Output]) -> Salvaged[Output] | None:
    """
    Combine answers that break off, each up to its last complete entry; None if no entry is complete.

    Args:
        texts: the answers; each after the first continues the one before it.
        output: the type to parse.
    """
    read: dict[str, JsonValue] = {}
    for text in texts:
        for name, value in _whole_parts(text).items():
            before = read.get(name)
            read[name] = _united(before, value) if isinstance(before, list) else value
    entries = sum(len(value) for value in read.values() if isinstance(value, list))
    if not entries:
        return None
    try:
        value = output.model_validate_json(json.dumps(_storable(read)), context=BROKEN_OFF)
    except ValidationError:
        return None
    return Salvaged(value, entries)


def completed(kept: Output, answer: Output) -> Output:
    """Return *answer* with the entries *kept* of an earlier answer."""
    lists: dict[str, Sequence[object]] = {}
    for name in type(answer).model_fields:
        before: object = getattr(kept, name)
        if isinstance(before, tuple):
            lists[name] = tuple(_united(cast("Sequence[object]", before), getattr(answer, name)))
        elif isinstance(before, list):
            lists[name] = _united(cast("Sequence[object]", before), getattr(answer, name))
    return answer.model_copy(update=lists)


def _united(before: Sequence[T], after: object) -> list[T]:
    more = cast("Sequence[T]", after) if isinstance(after, list | tuple) else ()
    return [*before, *(one for one in more if one not in before)]


def _whole_parts(text: str) -> dict[str, JsonValue]:
    """Return the fields before an object breaks off; a list that breaks off keeps its complete entries."""
    read: dict[str, JsonValue] = {}
    at = text.find("{") + 1
    while at and (name := _FIELD.match(text, at)):
        at = name.end()
        try:
            read[name[1]], at = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            if text.startswith("[", at):
                read[name[1]] = list(_whole_entries(text, at + 1))
            break
    return read


def _whole_entries(text: str, at: int) -> Iterator[JsonValue]:
    """Yield the values of a list from *at*, up to the first incomplete one."""
    with suppress(ValueError, RecursionError):
        while True:
            while at < len(text) and text[at] in _BETWEEN:
                at += 1
            value, at = _DECODER.raw_decode(text, at)
            yield value


def _candidates(text: str) -> Iterator[str]:
    yield text.strip()
    for block in _FENCE.finditer(text):
        yield block.group(1).strip()
    for opener, closer in _OPENERS.items():
        start, end = text.find(opener), text.rfind(closer)
        if 0 <= start < end and (
            opener == "{" or "{" not in text[:start]
        ):  # no list within an object that broke off
            yield text[start : end + 1]
    yield from reversed(list(_objects(text)))


def _objects(text: str) -> Iterator[str]:
    """Yield the first few complete objects of a text that has several, such as a draft and its correction."""
    at, tries = text.find("{"), _MOST_OBJECTS
    while at >= 0 and tries:
        tries, end = tries - 1, at + 1
        if not text[:at].rstrip().endswith(_INSIDE):
            with suppress(ValueError, RecursionError):
                _, end = _DECODER.raw_decode(text, at)
                yield text[at:end]
        at = text.find("{", end)


def _no_number(_constant: str) -> None:
    """Read NaN and infinities, which are not JSON, as null."""


_DECODER = json.JSONDecoder(strict=False, parse_constant=_no_number)


def _storable(value: JsonValue) -> JsonValue:
    """Remove NUL characters, which models never intend and some databases cannot store."""
    if isinstance(value, str):
        return value.replace("\x00", "")
    if isinstance(value, list):
        return [_storable(one) for one in value]
    if isinstance(value, dict):
        return {name.replace("\x00", ""): _storable(one) for name, one in value.items()}
    return value


def _faults(error: ValidationError) -> str:
    faults = error.errors(include_url=False, include_context=False, include_input=False)[:10]
    return "; ".join(f"{'.'.join(map(str, fault['loc'])) or 'answer'}: {fault['msg']}" for fault in faults)


def _schema_of(output: type[Output]) -> dict[str, Any]:
    """Return a copy of the JSON schema of *output*, which the caller may change."""
    return json.loads(_schema_text(output))


@cache
def _schema_text(output: type[Output]) -> str:
    """
    Return the schema of *output* as text, without titles and docstrings, which a model does not need.

    Cached, because the largest takes 7 ms.
    """
    schema = output.model_json_schema()
    for part in (schema, *schema.get("$defs", {}).values()):
        part.pop("title", None)
        part.pop("description", None)
        for field in part.get("properties", {}).values():
            field.pop("title", None)
    return json.dumps(schema)


def _is_closed(schema: object) -> bool:
    """Whether every object in *schema* names all of its fields, as strict decoding requires."""
    if isinstance(schema, list):
        return all(map(_is_closed, cast("list[object]", schema)))
    if not isinstance(schema, Mapping):
        return True
    part = cast("Mapping[str, object]", schema)
    if not part:
        return False  # any value at all
    if part.get("type") == "object" and ("properties" not in part or part.get("additionalProperties")):
        return False
    named = ("properties", "$defs")
    below = [value for key in named for value in cast("Mapping[str, object]", part.get(key, {})).values()]
    return all(map(_is_closed, below)) and all(
        _is_closed(part[key]) for key in ("items", "anyOf", "oneOf", "allOf", "prefixItems") if key in part
    )


def _require_all(schema: dict[str, Any]) -> None:
    """Make every field required and every object closed, as strict decoding requires."""
    for part in (schema, *schema.get("$defs", {}).values()):
        if "properties" in part:
            part["required"] = list(part["properties"])
            part["additionalProperties"] = False
            for field in part["properties"].values():
                field.pop("default", None)
