"""The settings of accounts: who may sign up, how passwords are hashed, and by what e-mails are sent."""

from typing import Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings

from sagacity.config.secrets import checked_secret


class AccountSettings(BaseSettings):
    """The settings of accounts and of their e-mails."""

    sign_up: Literal["closed", "invited", "open"] = Field(
        default="closed",
        description="Who may make an account: nobody (`closed`), who knows the invitation code (`invited`), or anybody "
        "(`open`). Accounts are users of the organisation in `SAGACITY_JWT_ORG`.",
    )
    invitation_code: SecretStr = Field(
        default=SecretStr(""), description="Code that signing up needs where it is `invited`."
    )
    verify_email: bool = Field(
        default=True, description="An address must be confirmed before its account can be signed in to."
    )
    account_key: SecretStr = Field(
        default=SecretStr(""),
        description="Secret by which tokens of accounts are signed, 32 bytes at least; empty: one is made and kept as "
        "`accounts.key` in the home folder. The same for all processes.",
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
    mail_url: SecretStr = Field(
        default=SecretStr(""),
        description="What sends e-mails: `smtps://user:password@host:465`, `smtp://…:587` with STARTTLS, or `console`, "
        "which prints them, for development. Empty: none are sent.",
    )
    mail_from: str = Field(default="", description="Address that e-mails are from.")

    @model_validator(mode="after")
    def _accounts_can_be_made(self) -> Self:
        url = self.mail_url.get_secret_value()
        if url not in ("", "console"):
            if not url.startswith(("smtp://", "smtps://")) or not urlsplit(url).hostname:
                raise ValueError(
                    "SAGACITY_MAIL_URL must be `console`, or such as smtps://user:password@host:465"
                )
            if "@" not in self.mail_from or not self.mail_from.isprintable():
                raise ValueError(
                    "SAGACITY_MAIL_URL needs SAGACITY_MAIL_FROM, the address that e-mails are from"
                )
        if self.account_pages and not self.account_pages.startswith(("https://", "http://")):
            raise ValueError("SAGACITY_ACCOUNT_PAGES must be an http or https URL")
        if self.sign_up == "invited" and not self.invitation_code.get_secret_value():
            raise ValueError("SAGACITY_SIGN_UP=invited needs SAGACITY_INVITATION_CODE")
        if self.sign_up != "closed" and self.verify_email and not url:
            raise ValueError(
                "SAGACITY_SIGN_UP needs SAGACITY_MAIL_URL, by which addresses are confirmed; `console` prints e-mails, "
                "and SAGACITY_VERIFY_EMAIL=false does without"
            )
        return self

    @field_validator("account_key")
    @classmethod
    def _long_enough(cls, value: SecretStr) -> SecretStr:
        return checked_secret(value)
