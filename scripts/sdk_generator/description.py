"""What the API's description says of each call, as values."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

Json = Mapping[str, Any]
WAITING = "wait_for_response"
"""The query parameter by which a call that starts an operation waits for it; the SDK follows the operation instead."""


@dataclass(frozen=True)
class Argument:
    """One argument of a method."""

    name: str
    place: Literal["path", "query", "body"]
    schema: Json
    is_required: bool
    is_positional: bool
    default: bool | int | None
    text: str


@dataclass(frozen=True)
class Call:
    """One call of the API, as a method."""

    name: str
    module: str
    verb: str
    path: str
    arguments: tuple[Argument, ...]
    body: str | None
    """The component that the body is, "" for one plain object, or None without a body."""
    reply: str | None
    """The component that the reply is, or None for a plain object."""
    returns: Argument | None
    """The field of the reply that the method returns in place of the whole."""
    is_repeatable: bool
    follows: bool
    waits: bool
    text: str


@dataclass(frozen=True)
class Api:
    """The whole description."""

    calls: tuple[Call, ...]
    modules: Mapping[str, str]
    """What each module is for."""
    components: Mapping[str, Json]


def read(document: Json) -> Api:
    """Return the calls of a description that clients have a method for, in its order."""
    components = document["components"]["schemas"]
    operations = [
        (path, verb, operation)
        for path, verbs in document["paths"].items()
        for verb, operation in verbs.items()
        if not operation.get("deprecated") and operation.get("x-sdk", {}).get("generated", True)
    ]
    return Api(
        calls=tuple(_call(path, verb, operation, components) for path, verb, operation in operations),
        modules={_module(tag["name"]): tag["description"] for tag in document["tags"]},
        components=components,
    )


def _module(tag: str) -> str:
    return tag.replace(" ", "_")


def _call(path: str, verb: str, operation: Json, components: Mapping[str, Json]) -> Call:
    wishes = operation.get("x-sdk", {})
    follows = wishes.get("follows", False)
    body, fields = _body(operation, wishes, components)
    parameters = [one for one in operation.get("parameters", []) if not (follows and one["name"] == WAITING)]
    taken = [(one["name"], one["in"], one["schema"], one["required"]) for one in parameters]
    taken += [(name, "body", schema, required) for name, schema, required in fields]
    positional = _positional(wishes, taken)
    omitted = wishes.get("omitted", ())
    defaults = wishes.get("defaults", {})
    arguments = [
        Argument(
            name=name,
            place=place,
            schema=schema,
            is_required=required,
            is_positional=name in positional,
            default=defaults.get(name, _default(schema) if place == "query" else None),
            text=schema.get("description", ""),
        )
        for name, place, schema, required in taken
        if name not in omitted
    ]
    order = {name: place for place, name in enumerate(positional)}
    arguments.sort(key=lambda one: (order.get(one.name, len(order)), not one.is_required))
    good = next(reply for code, reply in sorted(operation["responses"].items()) if code.startswith("2"))
    reply = _reference(good["content"]["application/json"]["schema"])
    return Call(
        name=operation["operationId"],
        module=_module(operation["tags"][0]),
        verb=verb.upper(),
        path=path,
        arguments=tuple(arguments),
        body=body,
        reply=reply,
        returns=_returned(wishes.get("returns"), components.get(reply or "", {})),
        is_repeatable=wishes.get("repeatable", verb in {"get", "put", "patch"}),
        follows=follows,
        waits=defaults.get(WAITING, False),
        text=operation["description"],
    )


def _body(
    operation: Json, wishes: Json, components: Mapping[str, Json]
) -> tuple[str | None, list[tuple[str, Json, bool]]]:
    """Return what the body is, and its fields: name, schema, whether it is needed."""
    if "requestBody" not in operation:
        return None, []
    schema = operation["requestBody"]["content"]["application/json"]["schema"]
    component = _reference(schema)
    if component is None:
        return "", [(wishes["body"], schema, True)]
    needed = components[component].get("required", [])
    properties = components[component]["properties"]
    return component, [(name, one, name in needed) for name, one in properties.items()]


def _positional(wishes: Json, taken: list[tuple[str, Any, Json, bool]]) -> tuple[str, ...]:
    """Return the wished ones; otherwise the path's, or else all that are needed."""
    if "positional" in wishes:
        return tuple(wishes["positional"])
    in_path = tuple(name for name, place, _, _ in taken if place == "path")
    return in_path or tuple(name for name, _, _, required in taken if required)


def _default(schema: Json) -> bool | int | None:
    default = schema.get("default")
    return default if isinstance(default, int) else None


def _returned(name: str | None, reply: Json) -> Argument | None:
    if name is None:
        return None
    schema = reply["properties"][name]
    return Argument(name, "body", schema, True, False, None, "")


def _reference(schema: Json) -> str | None:
    return schema["$ref"].rpartition("/")[2] if "$ref" in schema else None


def references(schema: object) -> Iterator[str]:
    """Yield the components that a schema names."""
    if isinstance(schema, Mapping):
        if "$ref" in schema:
            yield schema["$ref"].rpartition("/")[2]
        for one in schema.values():
            yield from references(one)
    elif isinstance(schema, list):
        for one in schema:
            yield from references(one)
