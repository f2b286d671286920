"""Settings of accounts: who may sign up, how passwords are hashed, and how e-mails are sent."""

from collections.abc import Mapping
from typing import Literal, Self

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings

from sagacity.config.secrets import checked_secret
from sagacity.mail.open import check_address
from sagacity.mail.texts import LANGUAGES

_REGION, _SENDER = "AWS_REGION", "SES_SENDER_EMAIL"
"""Other programs' names for the settings of e-mails."""


def mail_of_others(environment: Mapping[str, str]) -> dict[str, object]:
    """Return the settings of e-mails from other programs' variables, where ours are not set."""
    given: dict[str, object] = {}
    sender, region = environment.get(_SENDER, ""), environment.get(_REGION, "")
    if sender and "SAGACITY_MAIL_FROM" not in environment:
        given["mail_from"] = sender
    if sender and region and "SAGACITY_MAIL_URL" not in environment:
        given["mail_url"] = f"ses://{region}"
    return given


class AccountSettings(BaseSettings):
    """The settings of accounts and of their e-mails."""

    sign_up: Literal["closed", "invited", "open"] = Field(
        default="closed",
        description="Who may create an account: nobody (`closed`), who has the invitation code (`invited`), or anybody "
        "(`open`). Accounts are users of the organisation in `SAGACITY_JWT_ORG`.",
    )
    invitation_code: SecretStr = Field(
        default=SecretStr(""), description="Code for signing up if that is `invited`."
    )
    verify_email: bool = Field(
        default=True, description="Require an address to be confirmed before its account can sign in."
    )
    account_key: SecretStr = Field(
        default=SecretStr(""),
        description="Secret with which tokens of accounts are signed, at least 32 bytes, the same for all processes. "
        "Empty: one is generated and kept as `accounts.key` in the home folder.",
    )
    account_pages: str = Field(
        default="",
        description="Address of the web pages `verify-email` and `reset-password` that e-mails link to; empty: they "
        "only carry the code.",
    )
    password_passes: int = Field(
        default=3, ge=1, le=100, description="Passes of Argon2id over its memory, for each password."
    )
    password_memory_kib: int = Field(
        default=65_536, ge=32, le=4_194_304, description="Memory of Argon2id in KiB, for each password."
    )
    access_minutes: int = Field(
        default=15, ge=1, le=1_440, description="Minutes that an account's access token is valid."
    )
    session_hours: int = Field(
        default=720, ge=1, le=8_760, description="Hours without a refresh after which a session ends."
    )
    cookie_hours: int = Field(
        default=720, ge=1, le=8_760, description="Hours that a cookie session lasts after signing in."
    )
    verify_email_hours: int = Field(
        default=24, ge=1, le=720, description="Hours that a code to confirm an address is valid."
    )
    reset_password_minutes: int = Field(
        default=60, ge=5, le=1_440, description="Minutes that a code for a new password is valid."
    )
    invitation_hours: int = Field(
        default=168, ge=1, le=2_160, description="Hours that an invitation is valid after its e-mail."
    )
    answer_step_seconds: float = Field(
        default=0.25,
        ge=0,
        le=5,
        description="Signing up and requesting an e-mail are answered after a multiple of this many seconds, so that "
        "the time does not reveal whether the address has an account; 0: as soon as possible.",
    )
    mail_url: SecretStr = Field(
        default=SecretStr(""),
        description="Service that sends e-mails: `smtps://user:password@host:465`, `smtp://…:587` with STARTTLS, "
        "`ses://REGION` for Amazon SES, or `console`, which prints them, for development. Empty: none are sent.",
    )
    mail_from: str = Field(default="", description="Sender's address of e-mails.")
    mail_language: str = Field(
        default=LANGUAGES[0],
        description=f"Language of e-mails: {', '.join(f'`{one}`' for one in LANGUAGES)}.",
    )

    @model_validator(mode="after")
    def _accounts_can_be_made(self) -> Self:
        url = self.mail_url.get_secret_value()
        if url not in ("", "console"):
            try:
                check_address(url)
            except ValueError as error:
                raise ValueError(f"SAGACITY_MAIL_URL {error}") from error
            if "@" not in self.mail_from or not self.mail_from.isprintable():
                raise ValueError(
                    "SAGACITY_MAIL_URL needs SAGACITY_MAIL_FROM, the address that e-mails are from"
                )
        if self.access_minutes > self.session_hours * 60:
            raise ValueError("SAGACITY_ACCESS_MINUTES must be no longer than SAGACITY_SESSION_HOURS")
        if self.account_pages and not self.account_pages.startswith(("https://", "http://")):
            raise ValueError("SAGACITY_ACCOUNT_PAGES must be an http or https URL")
        if self.sign_up == "invited" and not self.invitation_code.get_secret_value():
            raise ValueError("SAGACITY_SIGN_UP=invited needs SAGACITY_INVITATION_CODE")
        if self.sign_up != "closed" and self.verify_email and not url:
            raise ValueError(
                "SAGACITY_SIGN_UP needs SAGACITY_MAIL_URL, to confirm addresses; `console` prints e-mails, "
                "and SAGACITY_VERIFY_EMAIL=false does without"
            )
        return self

    @field_validator("mail_language")
    @classmethod
    def _known_language(cls, value: str) -> str:
        if value not in LANGUAGES:
            raise ValueError(f"must be one of {', '.join(LANGUAGES)}")
        return value

    @field_validator("account_key")
    @classmethod
    def _long_enough(cls, value: SecretStr) -> SecretStr:
        return checked_secret(value)
