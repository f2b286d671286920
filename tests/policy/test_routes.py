"""Every route asks for a token or is on the public list, and says what it does."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from sagacity.api import accounts, health, oidc, totp
from sagacity.api.app import ROUTERS, SERVED, create_app
from sagacity.api.dependencies import Needs
from sagacity.api.field_words import FIELD_WORDS
from sagacity.api.openapi import Example, examples
from sagacity.api.rates import limits_of
from sagacity.api.route import PREFIX
from sagacity.api.vocabulary import OLDER_ROUTES
from sagacity.api.waits import waiting_of
from sagacity.config.settings import Settings
from support.api import client_of, make_token, running, settings_in
from support.routes import address, described

PUBLIC = {"/", "/health", "/health/live", "/health/ready", "/health/detailed", "/meta/version"}
"""Open to everyone; they tell nothing about data."""
SIGN_IN = {
    "/api/auth/signup",
    "/api/auth/login",
    "/api/auth/login/code",
    "/api/auth/refresh",
    "/api/auth/oidc/token",
    "/api/auth/cookie",
    "/api/auth/cookie/code",
    "/api/auth/password/reset",
    "/api/register",
    "/api/verify-email",
    "/api/resend-verification",
    "/api/forgot-password",
    "/api/reset-password",
    "/token",
}
"""Open to everyone: by these a caller comes to a token."""
OPEN = PUBLIC | SIGN_IN
OPEN_ROUTERS = (health.router, accounts.public, accounts.root, oidc.public, oidc.pages, totp.public)
ROOT = Path(__file__).parent.parent.parent
DOCUMENT = described()
OPERATIONS = [
    (method, path, operation)
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
]
NAMES = [f"{method.upper()} {path}" for method, path, _ in OPERATIONS]


def example_of(method: str, path: str) -> Example:
    return examples()[f"{method.upper()} {path}"]


async def test_every_route_wants_a_token_or_is_public(tmp_path):
    """Asked without a token, a route that is not on the list says 401, whatever was sent."""
    async with running(settings_in(tmp_path)) as app, client_of(app) as api:
        await make_token(app, "a")
        for method, path, _ in OPERATIONS:
            reply = await api.request(method.upper(), address(path), json=example_of(method, path).request)
            if path in SIGN_IN:
                assert reply.status_code in {200, 400, 401, 403}, path
            else:
                assert (reply.status_code == 200) if path in PUBLIC else (reply.status_code == 401), path


def success_of(operation: dict[str, Any]) -> dict[str, Any]:
    """Return what an operation says of its reply when all goes well."""
    return next(one for code, one in sorted(operation["responses"].items()) if code.startswith("2"))


def says_nothing(name: str, text: str) -> bool:
    """Whether *text* has no word that *name* has not."""
    return not set(re.findall(r"[a-z]+", text.lower())) - {*name.lower().split("_"), "a", "an", "of", "the"}


def test_every_parameter_and_field_is_described():
    """By more than its name; and every schema, too."""
    described = [
        (f"{method} {path} {one['name']}", one["name"], one)
        for method, path, operation in OPERATIONS
        for one in operation.get("parameters", ())
    ]
    for schema, shape in DOCUMENT["components"]["schemas"].items():
        described.append((schema, schema, shape))
        described += [(f"{schema}.{field}", field, one) for field, one in shape.get("properties", {}).items()]
    assert [place for place, name, one in described if says_nothing(name, one.get("description", ""))] == []


def test_no_path_and_no_query_takes_a_text_that_databases_refuse():
    """PostgreSQL has no place for NUL characters: a call with one is refused with a word, not by the database."""
    taken = [
        f"{route.path}: {field.alias}"
        for router in SERVED
        for route in router.routes
        if isinstance(route, APIRoute)
        for dependant in (route.dependant, *walk(route.dependant))
        for field in (*dependant.path_params, *dependant.query_params)
        if not field.validate("a\x00b", {}, loc=("query", field.alias))[1]
    ]
    assert taken == []


def test_every_text_of_the_table_of_fields_is_used():
    """A text for a field that is gone, or that has one of its own, is left over."""
    used: set[str] = set()
    for schema, shape in DOCUMENT["components"]["schemas"].items():
        for field, one in shape.get("properties", {}).items():
            found = next((name for name in (f"{schema}.{field}", field) if name in FIELD_WORDS), "")
            if one["description"] == FIELD_WORDS.get(found):
                used.add(found)
    assert set(FIELD_WORDS) - used == set()


@pytest.mark.parametrize(("method", "path", "operation"), OPERATIONS, ids=NAMES)
def test_every_route_is_documented(method, path, operation):
    """Summary, description, tag, an example each way, and the token where one is needed."""
    assert operation["summary"]
    assert len(operation["description"]) > 20
    assert operation["tags"]
    content, example = success_of(operation).get("content", {}), example_of(method, path)
    reply = content.get("application/json", content.get("text/event-stream", {"example": None}))
    assert reply["example"] == example.reply
    if "requestBody" in operation:
        assert operation["requestBody"]["content"]["application/json"]["example"] == example.request
        assert example.request is not None
    assert bool(operation.get("security")) is (path not in OPEN)
    for codes in ("4XX", "5XX"):
        assert (codes in operation["responses"]) is (path not in PUBLIC)


def test_a_list_of_routes_says_what_each_does():
    """Whoever reads it sees no more than the summary; a path in other words would say nothing."""
    summaries = {f"{method.upper()} {path}": operation["summary"] for method, path, operation in OPERATIONS}
    assert summaries["POST /api/publish_interaction"] == "Store turns"
    assert summaries["GET /health/live"] == "Return that the process is alive"
    assert summaries["POST /api/unified_search"] == "Unified search (now search)"
    assert [place for place, summary in summaries.items() if not 5 < len(summary) < 115] == []


def test_every_route_says_what_it_needs_of_its_caller():
    """One permission each, declared beside the route; the public ones ask for none."""
    needs = {
        route.path: [one.call.permission for one in walk(route.dependant) if isinstance(one.call, Needs)]
        for router in SERVED
        if all(router is not one for one in OPEN_ROUTERS)
        for route in router.routes
        if isinstance(route, APIRoute)
    }
    assert len(needs) > 80
    assert {path: found for path, found in needs.items() if len(found) != 1} == {}
    assert {path.replace(":path}", "}") for path in needs} == {path for _, path, _ in OPERATIONS} - OPEN | {
        PREFIX + path for path in OLDER_ROUTES
    }


def walk(dependant: Dependant) -> Iterator[Dependant]:
    for one in dependant.dependencies:
        yield one
        yield from walk(one)


def test_limits_are_declared_beside_their_routes():
    """What writes, searches and starts runs is limited; what only reads a list is not."""
    found = limits_of(ROUTERS)
    limits = {call.split()[1]: per_minute for call, per_minute in found.items()}
    assert limits["/api/publish_interaction"] == 60
    assert limits["/api/context"] == limits["/api/search"] == 120
    assert limits["/api/rerun_profile_generation"] == 5
    assert limits["/api/cancel_operation"] == 10
    assert limits["/api/chat/send"] == 60
    assert limits["/api/v1/analytics/summary"] == 120
    assert limits["/api/auth/login"] == 60
    assert len(limits) == 88
    assert "/api/get_profiles" not in limits


def test_calls_that_wait_for_a_whole_answer_say_so_beside_their_routes():
    """They have longer; no other has."""
    assert waiting_of(ROUTERS) == {
        "POST /api/chat/send",
        "POST /api/chat/complete",
        "POST /api/chat/retry",
        "POST /api/chat/conversations",
    }


def test_examples_name_existing_routes():
    """Each route has one, and no example outlives its route."""
    assert examples().keys() == set(NAMES)


async def test_the_examples_are_what_the_server_takes(tmp_path):
    """Each example of a body passes its schema: it is answered with anything but 422."""
    async with running(settings_in(tmp_path)) as app, client_of(app) as api:
        for method, path, operation in OPERATIONS:
            request = example_of(method, path).request
            if request is not None:
                reply = await api.request(method.upper(), address(path), json=request)
                is_of_people = {"accounts", "members"} & {*operation["tags"]}
                refused = {400, 401, 403, 409} if is_of_people else set()
                assert reply.status_code in {200, 201, 404} | refused, (path, reply.text)
                if path == "/api/tokens":  # the first one: from now on each call needs it
                    api.headers["Authorization"] = f"Bearer {await make_token(app, 'self-host-org')}"


def test_the_document_on_disk_is_of_this_version():
    """That it is what the code serves, `make check` says."""
    assert json.loads((ROOT / "docs/reference/openapi.json").read_text())["openapi"].startswith("3.1")


def test_the_application_has_no_route_outside_the_document():
    """What is served and what is documented are the same, but for the document itself and its pages."""
    app = create_app(Settings())
    assert isinstance(app, FastAPI)
    served = {route.path.replace(":path}", "}") for route in app.routes}
    documented = {path for _, path, _ in OPERATIONS}
    pages = {route.path for route in oidc.pages.routes}
    assert served - documented - pages == {
        "/openapi.json",
        "/docs",
        "/docs/oauth2-redirect",
        "/redoc",
        "/static-offline-docs",
    }


def test_bounds_of_integers_are_those_that_are_checked() -> None:
    """2^63 is one more than what is taken; as a float, it is all that can be said."""
    text = json.dumps(described())
    assert re.findall(r'"(?:exclusiveM|m)(?:inimum|aximum)": -?[\d.]+e\+\d+', text) == []
    assert '"maximum": 9223372036854775807' in text
