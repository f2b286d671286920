"""Checks and filters for Schemathesis: no reply contains a planted secret; general rules of the description apply."""

import json
import os
import re
from pathlib import Path
from typing import Any

import jsonschema_rs
import schemathesis

SECRETS = "PLANTED_SECRETS"
"""Names the file that lists them as JSON."""
TOO_LARGE = 413
SLASHES = "/api/users/{user_id}/export"
"""`DELETE /api/users/{user_id}` answers here too, as the id of a user may have slashes."""
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_SOME_TIME = "2026-01-01T00:00:00Z"


@schemathesis.check
def no_planted_secret(
    ctx: schemathesis.CheckContext, response: schemathesis.Response, case: schemathesis.Case
) -> None:
    """Neither in the body nor in a header."""
    said = response.content.decode(errors="replace") + json.dumps(response.headers)
    found = [secret for secret in json.loads(Path(os.environ[SECRETS]).read_text()) if secret in said]
    assert found == [], f"the reply holds {found}"


@schemathesis.hook
def filter_failure(
    ctx: schemathesis.HookContext,
    failure: Exception,
    case: schemathesis.Case,
    response: schemathesis.Response,
) -> bool:
    """Ignore failures of calls that are valid according to `info`, such as a null or a time in seconds."""
    name = type(failure).__name__
    if name == "AcceptedNegativeData":
        return response.status_code != TOO_LARGE and not is_right_as_info_says(case)
    of_method = name in {"UnsupportedMethodResponse", "AllowHeaderMismatch"}
    return not (of_method and case.operation.path == SLASHES)


def is_right_as_info_says(case: schemathesis.Case) -> bool:
    """Whether a call is valid according to the description's introduction: nulls, times as texts, equivalent types."""
    document = _widened(case.operation.schema.raw_schema)
    described = document["paths"][case.operation.path][case.method.lower()]
    schema = described.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    if schema is not None:
        whole = {**schema, "components": document["components"]}
        body = case.body if isinstance(case.body, dict) else {}
        if not jsonschema_rs.is_valid(whole, _plain(body)):
            return False
    query = case.query or {}
    return all(
        _fits(one["schema"], query[one["name"]], document)
        for one in described.get("parameters", ())
        if one["in"] == "query" and one["name"] in query
    )


def _widened(schema: Any) -> Any:
    """Return a description that takes another type where it says the same, and items twice."""
    if isinstance(schema, list):
        return [_widened(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    wide = {name: _widened(one) for name, one in schema.items() if name != "uniqueItems"}
    if wide.get("type") == "boolean":
        return {"anyOf": [wide, {"enum": [0, 1, "0", "1", "true", "false"]}]}
    if wide.get("type") in ("integer", "number"):
        return {"anyOf": [wide, {"type": "boolean"}, {"type": "string", "pattern": f"^{_NUMBER.pattern}$"}]}
    return wide


def _fits(schema: dict[str, Any], value: Any, document: dict[str, Any]) -> bool:
    if "date-time" in json.dumps(schema):
        return _NUMBER.fullmatch(str(value)) is not None or value in (None, "null")
    return jsonschema_rs.is_valid({**schema, "components": document["components"]}, value)


def _plain(value: Any, name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _plain(one, key) for key, one in value.items() if one is not None}
    if isinstance(value, list):
        return [_plain(one) for one in value if one is not None]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return _SOME_TIME if is_number and name.endswith(("_time", "_at", "_from", "_to")) else value
