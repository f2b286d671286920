"""The text of the SDK's modules: one function a call, as a person would write it."""

import re
import textwrap
from collections.abc import Mapping, Sequence

from sagacity.schemas.base import ID_LENGTH
from sdk_generator.description import Api, Argument, Call, references
from sdk_generator.types import Types, words_module

MARK = "# Generated from the API's description by scripts/sdk; change it there.\n"
_WAITING = (
    "wait_for_response: bool = {waits}",
    "timeout_seconds: float | None = None",
    "on_progress: Callable[[OperationView], None] | None = None",
)
_WAITING_TEXTS = {
    "wait_for_response": "return when it has ended; otherwise at once, with the `operation_id`.",
    "timeout_seconds": "how long to wait at most; None for as long as it takes.",
    "on_progress": "called with how the run stands while waiting.",
}
_NO_CHOICE = (None, "", [], {})
_ROOM = "sagacity.client._async"
_WIDTH = 110


def modules(api: Api, classes: Mapping[str, str]) -> dict[str, str]:
    """Return the text of each module, by its name."""
    names = sorted({call.module for call in api.calls})
    texts = {
        f"_async/{name}.py": _module(
            api.modules[name],
            [call for call in api.calls if call.module == name],
            Types(api.components, classes),
        )
        for name in names
    }
    return texts | {"_async/calls.py": _class(api.calls, names)} | _words(api, classes)


def _module(text: str, calls: Sequence[Call], types: Types) -> str:
    functions = [_function(call, types) for call in calls]
    return "\n\n".join([MARK + f'"""{text}"""\n\n' + _imports(types.imports), *functions])


def _imports(wanted: set[tuple[str, str]]) -> str:
    return "".join(f"from {module} import {name}\n" for module, name in sorted(wanted))


def _function(call: Call, types: Types) -> str:
    types.use("AsyncConnection", f"{_ROOM}.connection")
    reply = types.use(call.reply) if call.reply else types.use("JsonObject", "sagacity.client.wire")
    result = _result(call, types)
    inner = "\n".join([_docstring(call), *_statements(call, reply, types)])
    taken = ", ".join(["connection: AsyncConnection", *_signature(call, types)])
    return f"async def {call.name}({taken}) -> {result}:\n{textwrap.indent(inner, '    ')}\n"


def _result(call: Call, types: Types) -> str:
    if call.returns is not None:
        return types.use(next(references(call.returns.schema)))
    return call.reply or f"dict[str, {types.use('JsonValue')}]"


def _signature(call: Call, types: Types) -> list[str]:
    taken = [_taken(one, types) for one in call.arguments if one.is_positional]
    named = [_taken(one, types) for one in call.arguments if not one.is_positional]
    if call.follows:
        types.use("Callable")
        types.use("OperationView")
        named += [line.format(waits=call.waits) for line in _WAITING]
    return [*taken, "*", *named] if named else taken


def _taken(one: Argument, types: Types) -> str:
    kind = types.given(one.schema)
    if one.is_required:
        return f"{one.name}: {kind}"
    if one.default is not None:
        return f"{one.name}: {kind.removesuffix(' | None')} = {one.default}"
    return f"{one.name}: {kind.removesuffix(' | None')} | None = None"


def _docstring(call: Call) -> str:
    summary, _, rest = call.text.strip().partition("\n")
    texts = {one.name: _told(one) for one in call.arguments} | (_WAITING_TEXTS if call.follows else {})
    arguments = [_argument(name, text) for name, text in texts.items() if text not in {"", ID_LENGTH}]
    if not rest.strip() and not arguments:
        return f'"""{summary}"""'
    parts = [summary, *_paragraphs(rest)]
    if arguments:
        parts.append("\n".join(["Args:", _argument("connection", "to the server."), *arguments]))
    return '"""\n' + "\n\n".join(parts) + '\n"""'


def _told(one: Argument) -> str:
    """Return what the document says of an argument, with the server's choice where it chooses."""
    choice = one.schema.get("default")
    if (
        not one.text
        or choice is False
        or choice in _NO_CHOICE
        or one.default is not None
        or "by default" in one.text.lower()
    ):
        return one.text
    return f"{one.text.removesuffix('.')}; by default {choice}."


def _paragraphs(text: str) -> list[str]:
    return [textwrap.fill(" ".join(one.split()), _WIDTH) for one in text.split("\n\n") if one.strip()]


def _argument(name: str, text: str) -> str:
    told = " ".join(text.split())
    told = told[0].lower() + told[1:] if told[1:2].islower() or told[1:2] == " " else told
    filled = textwrap.fill(f"{name}: {told}", _WIDTH - 4, subsequent_indent="    ")
    return textwrap.indent(filled, "    ")


def _statements(call: Call, reply: str, types: Types) -> list[str]:
    sent = [_path(call, types), reply]
    lines: list[str] = []
    query = [one for one in call.arguments if one.place == "query"]
    if query:
        lines.append(f"params = {_fields(query)}")
        sent.append("params=params")
    if call.follows:
        sent.append('params={"wait_for_response": False}')
    if call.body is not None:
        lines.append(f"body = {_body(call, types)}")
        sent.append("body=body")
    if call.verb == "GET":
        awaited = f"await connection.get({', '.join(sent)})"
    else:
        sent += ["repeatable=True"] if call.is_repeatable else []
        awaited = f"await connection.send({call.verb!r}, {', '.join(sent)})"
    return lines + _return(call, awaited, types)


def _return(call: Call, awaited: str, types: Types) -> list[str]:
    if call.follows:
        follow = types.use("follow", f"{_ROOM}.waiting")
        waiting = "timeout_seconds=timeout_seconds, on_progress=on_progress"
        return [
            f"started = {awaited}",
            "if not wait_for_response:",
            "    return started",
            f"return await {follow}(connection, started, {waiting})",
        ]
    if call.returns is not None:
        return [f"reply = {awaited}", f"return reply.{call.returns.name}"]
    return [f"return {awaited}"] if call.reply else [f"return ({awaited}).root"]


def _path(call: Call, types: Types) -> str:
    texts = {
        one.name for one in call.arguments if one.place == "path" and one.schema.get("type") != "integer"
    }
    if texts:
        types.use("segment", "sagacity.client.wire")
    values = {name: f"{{segment({name})}}" for name in texts}
    path = re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], f"{{{found[1]}:d}}"), call.path)
    return f'f"{path}"' if "{" in path else f'"{path}"'


def _body(call: Call, types: Types) -> str:
    checked = types.use("checked", "sagacity.client.wire")
    fields = [one for one in call.arguments if one.place == "body"]
    if not call.body:
        return f"{checked}({types.use('JsonObject', 'sagacity.client.wire')}, {fields[0].name})"
    for one in fields:
        if _is_status_list(one):
            types.use("statuses", "sagacity.client.wire")
    return f"{checked}({types.use(call.body)}, {_fields(fields)})"


def _fields(arguments: Sequence[Argument]) -> str:
    shown = [
        f'"{one.name}": {f"statuses({one.name})" if _is_status_list(one) else one.name}' for one in arguments
    ]
    return "{" + ", ".join(shown) + "}"


def _is_status_list(one: Argument) -> bool:
    """Whether it holds states of life, of which what is current is null on the wire."""
    return one.place == "body" and "Status" in set(references(one.schema)) and "'array'" in repr(one.schema)


def _class(calls: Sequence[Call], names: Sequence[str]) -> str:
    lines = [
        MARK
        + '"""Every call of the API that is one request, as a method; each is written in its module."""\n'
    ]
    lines += [
        "from typing import TYPE_CHECKING",
        f"from {_ROOM}.connection import AsyncConnection",
        "from sagacity.client.later import Later",
        "if TYPE_CHECKING:",
        f"    from {_ROOM} import {', '.join(names)}",
        "else:",
        *(f'    {name} = Later("{_ROOM}.{name}")' for name in names),
        "\n",
    ]
    lines += ["class AsyncCalls(AsyncConnection):", '    """The calls that are one request each."""\n']
    for name in names:
        own = [call.name for call in calls if call.module == name]
        own.sort(
            key=lambda one: one == name
        )  # the method that has its module's name hides it from those after it
        lines += [f"    {one} = {name}.{one}" for one in own] + [""]
    return "\n".join(lines)


def _words(api: Api, classes: Mapping[str, str]) -> dict[str, str]:
    """Return a module of words for each module with enumerations: a call loads no others."""
    asked = {name for call in api.calls for one in call.arguments for name in references(one.schema)}
    names: dict[str, list[str]] = {}
    for name in sorted(asked):
        if "enum" in api.components[name]:
            names.setdefault(words_module(classes[name]), []).append(name)
    return {
        f"{module.removeprefix('sagacity.client.').replace('.', '/')}.py": _words_of(api, classes, own)
        for module, own in names.items()
    }


def _words_of(api: Api, classes: Mapping[str, str], names: Sequence[str]) -> str:
    types = Types(api.components, classes)
    lines: list[str] = []
    for name in names:
        words = ", ".join(f'"{word}"' for word in api.components[name]["enum"])
        lines.append(f"{name}Word = {types.use(name)} | {types.use('Literal')}[{words}]")
    text = '"""Closed sets of words, as members of their enumerations or as plain text."""\n\n'
    return MARK + text + _imports(types.imports) + "\n" + "\n".join(lines) + "\n"
