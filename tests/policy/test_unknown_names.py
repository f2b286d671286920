"""Every route says something of names that it does not know: a refusal, or a warning where something is written."""

import re

from sagacity.api.openapi import examples
from support.api import client_of, running, settings_in
from support.routes import address, described

PUBLIC = {"/", "/health", "/health/live", "/health/ready", "/health/detailed", "/meta/version"}
WRITES = re.compile(
    r"/(publish|add_|update_)|/(entities|relationships)(/\{\w+\}(/merge)?)?$"
    r"|/chat/(send|complete|stop|retry|conversations(/\{\w+\})?)$"
    r"|/memories(/bulk|/\{memory_id\})?$|/profile(/memory-settings)?$"
)
SIGNS_IN = re.compile(
    r"/(auth/\w+(/\w+)?|token|register|account|verify-email|resend-verification|forgot-password|reset-password)$"
)
"""They are refused for what they say of somebody, before anybody looks at names."""
REFUSED = {400, 401, 403, 404}
DOCUMENT = described()
SCHEMAS = DOCUMENT["components"]["schemas"]
OPERATIONS = [
    (method, path, operation)
    for path, operations in DOCUMENT["paths"].items()
    for method, operation in operations.items()
]


def is_write(method: str, path: str) -> bool:
    """By what the paths say: whatever else there is reads, searches, deletes or starts something."""
    if SIGNS_IN.search(path):
        return "requestBody" in DOCUMENT["paths"][path][method]
    return (
        method in {"post", "put", "patch"}
        and bool(WRITES.search(path))
        and "update_prompt" not in path
        and not path.endswith("update_config")
    ) or (path.endswith("update_prompt_version"))


async def test_unknown_query_parameters_are_refused_everywhere(tmp_path):
    """On whatever does not write; with the nearest known name where there is one."""
    async with running(settings_in(tmp_path)) as app, client_of(app) as api:
        for method, path, operation in OPERATIONS:
            if path in PUBLIC:  # a probe may add a parameter that keeps proxies from answering in its place
                assert (await api.request(method.upper(), path, params={"t": "1"})).is_success
                continue
            url = address(path)
            known = [one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"]
            mistyped = f"{known[0]}x" if known else "user_idd"
            given = {mistyped: "1"} | {
                one["name"]: SCHEMAS[one["schema"]["$ref"].rpartition("/")[2]]["enum"][0]
                if "$ref" in one["schema"]
                else "1"
                for one in operation.get("parameters", ())
                if one["in"] == "query" and one["required"]
            }
            body = examples()[f"{method.upper()} {path}"].request
            reply = await api.request(method.upper(), url, params=given, json=body)
            text = reply.json().get("message") or ""
            if is_write(method, path):
                assert f"{mistyped} is not known" not in text, path
                assert reply.status_code in REFUSED or mistyped in str(reply.json().get("warnings")), (
                    path,
                    reply.text,
                )
            else:
                assert reply.status_code == 422, (path, reply.text)
                assert f"{mistyped} is not known" in text, (path, reply.text)
                assert not known or f"did you mean {known[0]}?" in text


async def test_unknown_fields_are_refused_or_named_everywhere(tmp_path):
    """Refused where the body chooses something, named in the reply where it is written down."""
    async with running(settings_in(tmp_path)) as app, client_of(app) as api:
        for method, path, operation in OPERATIONS:
            body = examples()[f"{method.upper()} {path}"].request
            if "requestBody" not in operation:
                continue
            url = address(path)
            reply = await api.request(method.upper(), url, json=body | {"not_a_field": 1})
            if is_write(method, path):
                assert reply.status_code in REFUSED or "not_a_field" in str(reply.json().get("warnings")), (
                    path,
                    reply.text,
                )
            else:
                assert reply.status_code == 422, (path, reply.text)
                assert "not_a_field is not known" in reply.json()["message"], path
