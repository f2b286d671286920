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
    return _letter(_TEXTS[purpose], to, code=code, pages=pages)


def invitation_letter(to: str, *, organisation: str, role: str, code: str, pages: str) -> Letter:
    """
    Return the letter that invites an address.

    Args:
        to: the address.
        organisation: that invites.
        role: what the account is to be.
        code: that it carries.
        pages: as in `letter_of`.
    """
    text = _Text(
        subject="You are invited",
        before=f"You are invited to the organisation {organisation!r}, with the role {role}. "
        "Accept within seven days: sign in and use the code, or sign up with it.",
        page="accept-invitation",
        command="sagacity invitations accept, or sagacity account register --invitation-code",
        after="If you do not know what this is about, there is nothing to do.",
    )
    return _letter(text, to, code=code, pages=pages)


def _letter(text: _Text, to: str, *, code: str, pages: str) -> Letter:
    paragraphs = [text.before]
    if code and pages:
        paragraphs.append(f"{pages.rstrip('/')}/{text.page}#code={code}")
    if code:
        paragraphs.append(f"Your code:\n\n    {code}\n\nIn a terminal: {text.command}")
    return Letter(to=to, subject=text.subject, text="\n\n".join([*paragraphs, text.after]) + "\n")
