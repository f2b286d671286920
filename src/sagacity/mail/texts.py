"""The texts of e-mails to accounts and invited people, in the languages of `templates/languages/`."""

import tomllib
from collections.abc import Mapping
from datetime import timedelta
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple

from sagacity.domain.account import Mail
from sagacity.mail.base import Letter

if TYPE_CHECKING:
    from jinja2 import Template

LANGUAGES = ("en", "de")
"""Languages of e-mails; the first is the default."""
_FOLDER = files("sagacity.mail") / "templates"


class _Step(NamedTuple):
    page: str
    command: str


_STEPS: Mapping[Mail, _Step] = {
    Mail.VERIFY: _Step(page="verify-email", command="sagacity account verify"),
    Mail.RESET: _Step(page="reset-password", command="sagacity account reset"),
    Mail.KNOWN: _Step(page="", command=""),
}
"""Where the code of an e-mail is entered: on which web page, and with which command."""
_INVITATION = _Step(
    page="accept-invitation",
    command="sagacity invitations accept, sagacity account register --invitation-code",
)


def letter_of(
    purpose: Mail, to: str, *, code: str, lasts: timedelta, pages: str, language: str = LANGUAGES[0]
) -> Letter:
    """
    Return the letter of a purpose.

    Args:
        purpose: what it is for.
        to: the address.
        code: in the letter; empty for none.
        lasts: how long the code is valid.
        pages: address of the pages that take codes; empty for none. The code stands after a #, so that no server on the
            way, and none of its logs, is told it.
        language: one of LANGUAGES.
    """
    words = {"within": _within(lasts, language)}
    return _letter(purpose, _STEPS[purpose], to, code=code, pages=pages, language=language, words=words)


def invitation_letter(
    to: str,
    *,
    organisation: str,
    role: str,
    code: str,
    lasts: timedelta,
    pages: str,
    language: str = LANGUAGES[0],
) -> Letter:
    """
    Return the letter that invites an address.

    Args:
        to: the address.
        organisation: the one that invites.
        role: of the new member.
        code: in the letter.
        lasts: how long the code is valid.
        pages: as in `letter_of`.
        language: one of LANGUAGES.
    """
    words = {"organisation": organisation, "role": role, "within": _within(lasts, language)}
    return _letter("invitation", _INVITATION, to, code=code, pages=pages, language=language, words=words)


def _letter(
    name: str,
    step: _Step,
    to: str,
    *,
    code: str,
    pages: str,
    language: str,
    words: Mapping[str, str] | None = None,
) -> Letter:
    phrases = phrases_of(language)
    filled = {key: text.format_map(words or {}) for key, text in phrases[name].items()}
    given = {
        **filled,
        "common": phrases["common"],
        "language": language,
        "code": code,
        "command": step.command,
        "link": f"{pages.rstrip('/')}/{step.page}#code={code}" if code and pages else "",
    }
    return Letter(
        to=to,
        subject=filled["subject"],
        text=_layout("letter.txt.jinja").render(given),
        html=_layout("letter.html.jinja").render(given),
        language=language,
    )


def _within(lasts: timedelta, language: str) -> str:
    """Return a time in words, in the largest unit that it is a whole number of: `24 hours`, `1 hour`, `7 days`."""
    minutes = int(lasts.total_seconds()) // 60
    name, count = "minute", minutes
    for unit, size in (("hour", 60), ("day", 1_440)):
        if minutes % size == 0 and (unit == "hour" or minutes // size > 1):
            name, count = unit, minutes // size
    words = phrases_of(language)["within"]
    return words[name if count == 1 else f"{name}s"].format(count=count)


@cache
def phrases_of(language: str) -> Mapping[str, Mapping[str, str]]:
    """Return what letters are made of in a language: the phrases of each purpose, and those that all share."""
    return tomllib.loads((_FOLDER / "languages" / f"{language}.toml").read_text(encoding="utf-8"))


@cache
def _layout(name: str) -> "Template":
    from jinja2 import Environment, StrictUndefined  # noqa: PLC0415  most processes send no e-mail

    environment = Environment(
        autoescape=".html." in name,  # noqa: S701  the other one is plain text
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.from_string((_FOLDER / name).read_text(encoding="utf-8"))
