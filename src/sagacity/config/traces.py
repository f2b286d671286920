"""Settings of tracing: the collector's address, and the headers that it asks for."""

import re
from typing import Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings

from sagacity.domain.addresses import is_this_machine

_PATH = "/v1/traces"
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_VALUE = re.compile(r"[\x20-\x7e]+")


def collector_url(text: str) -> str:
    """
    Return the URL that spans are posted to, with the usual path unless one is given; empty for none.

    Raises:
        ValueError: it is no HTTP URL, or contains a password.
    """
    if not text:
        return ""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    if parts.scheme not in {"http", "https"} or not parts.hostname or port == 0 or not text.isprintable():
        raise ValueError("must be an http or https URL, such as http://127.0.0.1:4318")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("must hold no password and no query; what the collector asks for is a header")
    return text if parts.path not in {"", "/"} else f"{parts.scheme}://{parts.netloc}{_PATH}"


def collector_headers(secret: SecretStr) -> dict[str, SecretStr]:
    """
    Parse headers written as `name=value,name=value`.

    Raises:
        ValueError: one is invalid; the message does not quote it because it is secret.
    """
    headers: dict[str, SecretStr] = {}
    for pair in filter(None, (one.strip() for one in secret.get_secret_value().split(","))):
        name, equals, value = (part.strip() for part in pair.partition("="))
        if not equals or not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
            raise ValueError("must be headers like `name=value,name=value`")
        headers[name] = SecretStr(value)
    return headers


def refuse_readable_secrets(url: str, headers: SecretStr) -> None:
    """
    Make sure that headers do not cross a network unencrypted.

    Raises:
        ValueError: they do.
    """
    if (
        headers.get_secret_value()
        and url.startswith("http:")
        and not is_this_machine(urlsplit(url).hostname or "")
    ):
        raise ValueError(
            "SAGACITY_TRACES_HEADERS are secrets: SAGACITY_TRACES_URL must be https, or on this machine"
        )


class TraceSettings(BaseSettings):
    """The settings of traces."""

    traces_url: str = Field(
        default="",
        description="OpenTelemetry collector that spans are sent to (OTLP over HTTP), such as `http://127.0.0.1:4318`; "
        "empty: none are recorded.",
    )
    traces_headers: SecretStr = Field(
        default=SecretStr(""),
        description="Headers that the collector asks for, as `name=value,name=value`.",
    )
    traces_service: str = Field(
        default="sagacity", min_length=1, max_length=200, description="Name of this service in traces."
    )
    traces_share: float = Field(
        default=1,
        ge=0,
        le=1,
        description="Share of traces that are recorded; a caller's `traceparent` decides about its own.",
    )

    @field_validator("traces_url")
    @classmethod
    def _checked_collector(cls, value: str) -> str:
        return collector_url(value)

    @model_validator(mode="after")
    def _keeps_headers_secret(self) -> Self:
        collector_headers(self.traces_headers)
        refuse_readable_secrets(self.traces_url, self.traces_headers)
        return self
