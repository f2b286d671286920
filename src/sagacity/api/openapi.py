"""Build the OpenAPI document from the routes, with an example of each call."""

import asyncio
import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, cast

from fastapi import FastAPI, Request, Response
from fastapi.openapi.utils import get_openapi
from pydantic import JsonValue
from starlette.routing import Route

from sagacity.api.field_words import describe_fields
from sagacity.api.health import server_version
from sagacity.api.vocabulary import OLDER_ROUTES, renamed
from sagacity.domain.base import Value
from sagacity.domain.ids import MAX_INT
from sagacity.schemas.errors import Problem

DESCRIPTION = (
    "Self-hosted memory and self-improvement for AI agents: publish conversations, "
    "and get back what was learned from them. "
    "Times are seconds since 1970 where they are numbers, and ISO 8601 where they are strings; "
    "a null is the same as a missing field. "
    'A boolean may be given as 0 or 1, and a number as a string ("10"). '
    "An item that is listed twice counts once."
)
TAGS = {
    "interactions": "The conversations that everything else is learned from.",
    "receipts": "The state of one publish.",
    "profiles": "What is known about users.",
    "user playbooks": "Rules for an agent that one user taught.",
    "agent playbooks": "Rules for an agent that hold for all users.",
    "skills": "Instructions for one kind of task, for all agents.",
    "memories": "What is remembered of a user, of four types; where a memory comes from, and undoing a merge.",
    "memory review": "Memories that a person should look at, and what was done with them.",
    "entities": "People, places and things that users mention, and their relationships.",
    "generation": "Learning on demand: from all turns again, or from the newest.",
    "versions": "Pending versions: compare, upgrade, downgrade.",
    "operations": "Long-running work: progress and cancellation.",
    "search": "Search turns and memories, with scores.",
    "context": "What an agent should know, as one text within a token budget.",
    "chat": "Conversations, and streamed answers that rest on what is remembered.",
    "settings": "Who a user is, and what may be remembered of them.",
    "evaluations": "Whether sessions went well, and the dashboard's figures.",
    "dead letters": "Turns that a learner gave up on.",
    "accounts": "People who sign in with an address and a password, where the server's settings let them.",
    "members": "Who belongs to an organisation, with which role, and who is invited.",
    "users": "Users as a whole: erased completely, with a signed report.",
    "tokens": "API tokens: given, replaced and taken back.",
    "audit": "Every change of access and configuration, in a log that is only added to.",
    "quarantines": "What is taken out of everything that is served, with all that was derived from it, and back.",
    "analytics": "How long answers, searches and contexts took, what they found, and how they ended.",
    "usage": "How often memories are surfaced, and how many tokens that takes.",
    "model calls": "Calls to models, and their cost.",
    "prompts": "The prompts that are sent to models, and their versions.",
    "quotas": "What organisations may have at most.",
    "configuration": "The caller's identity and its organisation's configuration.",
    "health": "Whether the server works; open to everyone.",
    "older names": "Routes of older clients, with the older names of fields.",
}
Document = dict[str, Any]


class Example(Value):
    """A request and its reply."""

    request: JsonValue = None
    reply: JsonValue


@cache
def examples() -> Mapping[str, Example]:
    """Return an example of each call, by method and path such as `GET /health`; `scripts/examples` records them."""
    found: dict[str, Example] = {}
    for file in files("sagacity.api").joinpath("examples").iterdir():
        for call, example in json.loads(file.read_text("utf-8")).items():
            found[call] = Example.model_validate(example)
    older: dict[str, Example] = {}
    for path, (successor, names) in OLDER_ROUTES.items():
        for call, example in found.items():
            method, current = call.split()
            if current == f"/api{successor}":
                request, reply = (
                    cast("JsonValue", renamed(one, names)) for one in (example.request, example.reply)
                )
                older[f"{method} /api{path}"] = Example(request=request, reply=reply)
    return found | older


def install_openapi(app: FastAPI) -> None:
    """Make *app* serve the document with examples; it is built once, when first asked for, while other calls go on."""

    def document() -> Document:
        if app.openapi_schema is None:
            app.openapi_schema = _document(app)
        return app.openapi_schema

    @cache
    def text() -> bytes:
        return json.dumps(document(), ensure_ascii=False, separators=(",", ":")).encode()

    one_at_a_time = asyncio.Lock()

    async def described(_: Request) -> Response:
        async with one_at_a_time:
            return Response(await asyncio.to_thread(text), media_type="application/json")

    app.openapi = document
    # Before the route that FastAPI has for it, which would build the document on the event loop.
    app.router.routes.insert(0, Route("/openapi.json", described, include_in_schema=False))


def _document(app: FastAPI) -> Document:
    document = get_openapi(
        title="Sagacity",
        version=server_version(),
        description=DESCRIPTION,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        tags=[{"name": name, "description": text} for name, text in TAGS.items()],
        routes=app.routes,
    )
    schemas = cast("dict[str, Document]", document["components"]["schemas"])
    if "Problem" in schemas:
        raise TypeError("a schema has the name of the one that errors have")
    problem = Problem.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas |= problem.pop("$defs") | {"Problem": problem}
    for unused in ("HTTPValidationError", "ValidationError"):  # of the 422 that is replaced below
        del schemas[unused]
    describe_fields(schemas)
    _make_bounds_exact(document)
    for path, operations in cast("Document", document["paths"]).items():
        for method, operation in cast("Document", operations).items():
            _describe(method, path, cast("Document", operation))
            _title(cast("Document", operation))
    return document


def _title(operation: Document) -> None:
    """Say in lists of calls what one does, where there would be its name, which the path says already."""
    if not operation.get("deprecated"):  # these say what they are called now
        about = " ".join(operation["description"].split())
        operation["summary"] = re.split(r"[.:;](?:\s|$)", about, maxsplit=1)[0]


_BOUNDS = frozenset({"minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"})


def _make_bounds_exact(part: object) -> None:
    """Write the bounds of integers as integers: FastAPI writes floats, which rounds the largest to 2^63."""
    if isinstance(part, dict):
        schema = cast("Document", part)
        for name in _BOUNDS & schema.keys():
            if schema.get("type") == "integer" and isinstance(schema[name], float):
                schema[name] = min(int(schema[name]), MAX_INT)
        for one in schema.values():
            _make_bounds_exact(one)
    elif isinstance(part, list):
        for one in cast("list[object]", part):
            _make_bounds_exact(one)


_REFUSALS = {
    "4XX": "The call was refused; `error` has the reason.",
    "5XX": "The database, a model or the server itself fails for the moment; `error` has the reason.",
}


def _describe(method: str, path: str, operation: Document) -> None:
    """Add examples to an operation, and the actual shape of its errors."""
    example = examples().get(f"{method.upper()} {path}")
    if example is not None:
        if "requestBody" in operation:
            operation["requestBody"]["content"]["application/json"]["example"] = example.request
        good = next(code for code in sorted(operation["responses"]) if code.startswith("2"))
        content = operation["responses"][good].get("content", {})
        for kind in ("application/json", "text/event-stream"):
            if kind in content:
                content[kind]["example"] = example.reply
                break
    operation["responses"].pop("422", None)
    if operation.get("security") or "requestBody" in operation:
        problem = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
        for codes, why in _REFUSALS.items():
            operation["responses"][codes] = {"description": why, "content": problem}
