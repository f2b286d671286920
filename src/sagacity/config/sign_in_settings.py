"""Settings of signing in with browsers: this server's own address, cookies, and an OpenID Connect provider."""

from typing import Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings

from sagacity.domain.addresses import is_this_machine

_LONGEST_ISSUER = 500


def checked_address(text: str) -> str:
    """
    Return a URL to which secrets may be sent, without a trailing slash; empty for none.

    Raises:
        ValueError: it is no HTTP URL, is unencrypted to another machine, or has more than a path.
    """
    if not text:
        return ""
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    is_fit = parts.scheme == "https" or (parts.scheme == "http" and is_this_machine(parts.hostname or ""))
    if not is_fit or not parts.hostname or port == 0 or not text.isascii() or not text.isprintable():
        raise ValueError("must be an https URL, or an http URL of this machine")
    if "@" in parts.netloc or "?" in text or "#" in text or "\\" in text or " " in text:
        raise ValueError("must have no user, no query and no fragment")
    return text


class SignInSettings(BaseSettings):
    """The settings of signing in with a browser."""

    public_url: str = Field(
        default="",
        description="Address at which browsers reach this server, such as `https://memory.example.com`; cookies and "
        "OpenID Connect need it. It is never taken from the `Host` header.",
    )
    cookie_sessions: bool = Field(
        default=False, description="Let web pages sign in to accounts with a cookie instead of tokens."
    )
    oidc_issuer: str = Field(
        default="",
        max_length=_LONGEST_ISSUER,
        description="OpenID Connect provider that people sign in with, exactly as its discovery document names itself; "
        "empty: none.",
    )
    oidc_client_id: str = Field(
        default="", max_length=_LONGEST_ISSUER, description="The provider's client id for this server."
    )
    oidc_client_secret: SecretStr = Field(
        default=SecretStr(""),
        description="The provider's client secret for this server; empty for a public client.",
    )
    oidc_scopes: str = Field(
        default="openid email profile",
        description="Scopes requested from the provider; at least `openid` and `email`.",
    )

    @field_validator("public_url")
    @classmethod
    def _checked_public_url(cls, value: str) -> str:
        return checked_address(value).rstrip("/")

    @field_validator("oidc_issuer")
    @classmethod
    def _checked_issuer(cls, value: str) -> str:
        return checked_address(value)

    @field_validator("oidc_scopes")
    @classmethod
    def _checked_scopes(cls, value: str) -> str:
        scopes = value.split()
        if not {"openid", "email"} <= set(scopes) or not value.isascii() or not value.isprintable():
            raise ValueError("must be scopes separated by spaces, `openid` and `email` among them")
        return " ".join(scopes)

    @model_validator(mode="after")
    def _can_be_signed_in_to(self) -> Self:
        if self.cookie_sessions and not self.public_url:
            raise ValueError(
                "SAGACITY_COOKIE_SESSIONS needs SAGACITY_PUBLIC_URL, whose pages may send the cookie"
            )
        if bool(self.oidc_issuer) != bool(self.oidc_client_id):
            raise ValueError("SAGACITY_OIDC_ISSUER and SAGACITY_OIDC_CLIENT_ID need each other")
        if self.oidc_issuer and not self.public_url:
            raise ValueError(
                "SAGACITY_OIDC_ISSUER needs SAGACITY_PUBLIC_URL, where the provider sends browsers back"
            )
        return self
