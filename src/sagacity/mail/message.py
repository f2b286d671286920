"""Build an Internet message (RFC 5322) with two parts from a letter."""

from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid

from sagacity.mail.base import Letter


def message_of(letter: Letter, *, sender: str, at: datetime) -> EmailMessage:
    """Return the message: HTML, and plain text for those who prefer it."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = sender, letter.to, letter.subject
    message["Date"] = format_datetime(at)
    message["Message-ID"] = make_msgid(domain=sender.rpartition("@")[2].rstrip(">"))
    message["Auto-Submitted"] = "auto-generated"
    message.set_content(letter.text)
    message.add_alternative(letter.html, subtype="html")
    message["Content-Language"] = letter.language  # last: such headers go with the content that is set next
    return message
