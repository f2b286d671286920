"""What e-mails to accounts say."""

from collections.abc import Mapping
from typing import NamedTuple

from sagacity.domain.account import Mail
from sagacity.mail.base import Letter


class _Text(NamedTuple):
    subject: str
    before: str
    page: str
    command: str
    after: str


_TEXTS: Mapping[Mail, _Text] = {
    Mail.VERIFY: _Text(
        subject="Confirm your e-mail address",
        before="Somebody signed up with this address. If it was you, confirm it within 24 hours.",
        page="verify-email",
        command="sagacity account verify",
        after="If it was not you, there is nothing to do.",
    ),
    Mail.RESET: _Text(
        subject="Set a new password",
        before="Somebody asked for a new password for this address. If it was you, set one within an hour.",
        page="reset-password",
        command="sagacity account reset",
        after="If it was not you, there is nothing to do: your password stays as it is.",
    ),
    Mail.KNOWN: _Text(
        subject="You have an account already",
        before="Somebody signed up with this address, which has an account already. If it was you, sign in; "
        "if you forgot your password, ask for a new one.",
        page="",
        command="",
        after="If it was not you, there is nothing to do.",
    ),
}


def letter_of(purpose: Mail, to: str, *, code: str, pages: str) -> Letter:
    """
    Return the letter of a purpose.

    Args:
        purpose: what it is for.
        to: the address.
        code: that it carries; empty for none.
        pages: address of the pages that take codes; empty for none. The code stands after a #, so that no server on the
            way, and none of its logs, is told it.
    """
    text = _TEXTS[purpose]
    paragraphs = [text.before]
    if code and pages:
        paragraphs.append(f"{pages.rstrip('/')}/{text.page}#code={code}")
    if code:
        paragraphs.append(f"Your code:\n\n    {code}\n\nIn a terminal: {text.command}")
    return Letter(to=to, subject=text.subject, text="\n\n".join([*paragraphs, text.after]) + "\n")
