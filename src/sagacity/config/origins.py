"""Web origins in settings: how lists of them are written, and what an origin is."""

import json
from json import JSONDecodeError
from typing import cast
from urllib.parse import urlsplit

ANY_ORIGIN = "*"
_DEFAULT_PORTS = {"http": 80, "https": 443}


def read_list(text: str) -> list[str]:
    """
    Return the members of a list, in JSON or separated by commas.

    Raises:
        ValueError: it begins like JSON and is no list of texts.
    """
    if not text.lstrip().startswith("["):
        return [part.strip() for part in text.split(",") if part.strip()]
    try:
        members = json.loads(text)
    except JSONDecodeError as error:
        raise ValueError(f"the JSON list cannot be read: {error}") from error
    if not all(isinstance(one, str) for one in members):
        raise ValueError("the JSON list must hold texts")
    return [one.strip() for one in cast("list[str]", members)]


def checked_origin(text: str) -> str:
    """
    Return an origin as browsers write it: lower case, without the default port of its scheme.

    Raises:
        ValueError: it is no origin, or more than one.
    """
    if text == ANY_ORIGIN:
        return text
    wrong = ValueError(f"{text!r} is no origin; write scheme://host or scheme://host:port, and no path")
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise wrong from error
    scheme = parts.scheme.lower()
    # A user's name, a path, a query or a fragment would be left over. Browsers write other letters as `xn--…`.
    named = f"[{host}]" if host and ":" in host else host
    written = {f"{scheme}://{named}", f"{scheme}://{named}:{port}"}
    if not scheme or not host or not text.isascii() or text.lower() not in written or "*" in host:
        raise wrong
    return (
        f"{scheme}://{named}" if port in {None, _DEFAULT_PORTS.get(scheme)} else f"{scheme}://{named}:{port}"
    )
