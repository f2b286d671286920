"""Open the mailer at an address; the only file that names a service."""

from sagacity.domain.clock import Clock
from sagacity.mail.base import CheckedMailer, Mailer
from sagacity.mail.console import ConsoleMailer
from sagacity.mail.ses import SesMailer, ses_address
from sagacity.mail.smtp import SmtpMailer, smtp_address

CONSOLE = "console"


def check_address(url: str) -> None:
    """
    Make sure that a URL names a mailer.

    Raises:
        ValueError: it does not.
    """
    if url == CONSOLE:
        return
    if url.startswith("ses:"):
        ses_address(url)
    else:
        smtp_address(url)


def open_mailer(url: str, sender: str, clock: Clock) -> Mailer:
    """Return the mailer."""
    return ConsoleMailer() if url == CONSOLE else open_service(url, sender, clock)


def open_service(url: str, sender: str, clock: Clock) -> CheckedMailer:
    """Return the mailer, if it uses a service."""
    return SesMailer(url, sender, clock) if url.startswith("ses:") else SmtpMailer(url, sender, clock)
