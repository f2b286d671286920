"""Encode requests, decode replies, and check URLs."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TypeVar
from urllib.parse import quote

import httpx
from pydantic import BaseModel, JsonValue, RootModel, ValidationError
from pydantic_core import PydanticSerializationError

from sagacity.client.errors import ServerError
from sagacity.domain.addresses import is_this_machine
from sagacity.domain.errors import InvalidInput
from sagacity.domain.memory import Status

R = TypeVar("R", bound=BaseModel)
T = TypeVar("T")
Parameter = str | int | float | datetime | None
"""What a query may hold."""


class JsonObject(RootModel[dict[str, JsonValue]]):
    """A body or a reply that is a plain JSON object."""


def server_url(text: str, *, has_key: bool, allow_insecure: bool) -> httpx.URL:
    """
    Return the address of a server.

    Args:
        text: as the user gave it.
        has_key: whether an API key will be sent there.
        allow_insecure: whether the key may travel unencrypted to another machine.

    Raises:
        InvalidInput: it is no http(s) address, or it would give the key away.
    """
    try:
        url = httpx.URL(text.rstrip("/"))
    except httpx.InvalidURL as error:
        raise InvalidInput(f"{text!r} is not a URL: {error}") from error
    if url.scheme not in {"http", "https"} or not url.host:
        raise InvalidInput(f"{text!r} is not an http or https address")
    if url.scheme == "http" and has_key and not allow_insecure and not is_this_machine(url.host):
        raise InvalidInput(
            f"the API key would be sent unencrypted to {url.host}; use https, or allow it by --allow-insecure, "
            "in Python by allow_insecure=True"
        )
    return url


def given(fields: Mapping[str, T | None]) -> dict[str, T]:
    """Return the fields that have a value; None stands for not given."""
    return {name: value for name, value in fields.items() if value is not None}


def queried(params: Mapping[str, Parameter]) -> dict[str, str | int | float]:
    """Return the parameters of a query that have a value, times as ISO 8601."""
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in given(params).items()
    }


def statuses(words: Sequence[Status | str] | None) -> list[Status] | None:
    """Return lifecycle states as the schemas take them; None stays None."""
    return None if words is None else [Status(word) for word in words]


def checked(schema: type[R], fields: Mapping[str, object]) -> R:
    """
    Make a request body; fields that are None are left out, except of a plain JSON object, where null says something.

    Raises:
        InvalidInput: the server would refuse it; the message names the field.
    """
    is_plain = issubclass(schema, RootModel)
    try:
        return schema.model_validate(fields if is_plain else given(fields))
    except ValidationError as error:
        raise InvalidInput(_first_fault(error)) from error


def encode(body: BaseModel) -> bytes:
    """
    Write a request body as JSON; times become ISO 8601.

    Raises:
        InvalidInput: it holds something that JSON cannot.
    """
    try:
        return body.model_dump_json(exclude_unset=True).encode()
    except (PydanticSerializationError, UnicodeEncodeError) as error:
        raise InvalidInput(f"the body cannot be written as JSON: {error}") from error


def segment(value: object) -> str:
    """Return a value as one part of a path; also `..`, which by itself would mean the part above."""
    quoted = quote(str(value), safe="")
    return quoted if quoted.strip(".") else quoted.replace(".", "%2E")


def decode(schema: type[R], response: httpx.Response) -> R:
    """
    Read a reply; fields that a newer server added are passed over.

    Raises:
        ServerError: it is not what this release of Sagacity answers.
    """
    try:
        return schema.model_validate_json(response.content, extra="ignore")
    except ValidationError as error:
        where = response.request.url.path
        raise ServerError(f"{where} gave a reply that cannot be read: {_first_fault(error)}") from error


def _first_fault(error: ValidationError) -> str:
    from sagacity.schemas.fault_words import in_words  # noqa: PLC0415  only a fault needs it

    fault = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in fault["loc"])
    return f"{place}: {in_words(fault)}" if place else in_words(fault)
