"""A mailer for development, which prints e-mails and sends none."""

import sys

from sagacity.mail.base import Letter


class ConsoleMailer:
    """Prints letters to the server's own output."""

    async def send(self, letter: Letter) -> None:
        """Print a letter."""
        sys.stderr.write(f"\n--- e-mail to {letter.to}: {letter.subject}\n{letter.text}---\n")
        sys.stderr.flush()
