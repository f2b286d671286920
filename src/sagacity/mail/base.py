"""The interface of a mailer."""

from typing import Protocol

from sagacity.domain.base import Value


class Letter(Value):
    """One e-mail, as plain text and as HTML that says the same."""

    to: str
    subject: str
    text: str
    html: str
    language: str


class Mailer(Protocol):
    """Sends e-mails, one at a time."""

    async def send(self, letter: Letter) -> None:
        """
        Send a letter; when this returns, the service has accepted it.

        Raises:
            OSError: it cannot be sent now.
        """
        ...


class MailRefused(OSError):
    """A service refused an e-mail. The message is the service's name of the reason, without addresses."""


def reason_of(error: OSError) -> str:
    """Return why an e-mail was not sent, in a word that may be logged, because servers' messages repeat addresses."""
    return str(error) if isinstance(error, MailRefused) else type(error).__name__


class CheckedMailer(Mailer, Protocol):
    """A mailer whose service can be checked."""

    async def check(self) -> str:
        """
        Check the service without sending anything.

        Returns:
            The result, for people.

        Raises:
            OSError: it cannot be reached, or does not accept e-mails from this program.
        """
        ...
