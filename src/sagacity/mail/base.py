"""What sends e-mails."""

from typing import Protocol

from sagacity.domain.base import Value


class Letter(Value):
    """One e-mail in plain text."""

    to: str
    subject: str
    text: str


class Mailer(Protocol):
    """Sends e-mails, one at a time."""

    async def send(self, letter: Letter) -> None:
        """
        Hand a letter over; when this returns, somebody else has it.

        Raises:
            OSError: it cannot be handed over now.
        """
        ...
