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
        Hand a letter over; when this returns, somebody else has it.

        Raises:
            OSError: it cannot be handed over now.
        """
        ...


class MailRefused(OSError):
    """A service did not take an e-mail. The text is the service's name for the reason: no address is in it."""


def reason_of(error: OSError) -> str:
    """Return why an e-mail was not handed over, in a word that may be logged: messages of servers repeat addresses."""
    return str(error) if isinstance(error, MailRefused) else type(error).__name__


class CheckedMailer(Mailer, Protocol):
    """Sends e-mails through a service that can be asked whether it takes them."""

    async def check(self) -> str:
        """
        Ask the service, and hand nothing over.

        Returns:
            What it said, for people.

        Raises:
            OSError: it cannot be reached, or does not take e-mails of this program.
        """
        ...
