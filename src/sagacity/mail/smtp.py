"""Send e-mails by SMTP (RFC 5321), with the standard library in a thread."""

import asyncio
import smtplib
import ssl
from collections.abc import Generator
from contextlib import contextmanager
from email.message import EmailMessage
from urllib.parse import unquote, urlsplit

from sagacity.domain.addresses import is_this_machine
from sagacity.domain.clock import Clock
from sagacity.mail.base import Letter
from sagacity.mail.message import message_of

SECONDS = 30.0
_PORTS = {"smtp": 587, "smtps": 465}


def smtp_address(url: str) -> None:
    """
    Make sure that an address names a server.

    Raises:
        ValueError: it does not.
    """
    if not url.startswith(("smtp://", "smtps://")) or not urlsplit(url).hostname:
        raise ValueError("must be `console`, or such as smtps://user:password@host:465 or ses://eu-central-1")


class SmtpMailer:
    """Sends letters through one server. What leaves the machine is encrypted, or is not sent."""

    def __init__(self, url: str, sender: str, clock: Clock) -> None:
        """
        Send letters.

        Args:
            url: `smtps://user:password@host:465`, or `smtp://…` for a server that turns to TLS (STARTTLS).
            sender: address that letters are from.
            clock: tells their date.
        """
        self._address = urlsplit(url)
        self._sender = sender
        self._clock = clock

    async def send(self, letter: Letter) -> None:
        """
        Send a letter through the server.

        Raises:
            OSError: the server cannot be reached, or refused the letter.
        """
        message = message_of(letter, sender=self._sender, at=self._clock.now())
        await asyncio.to_thread(self._hand_over, message)

    async def check(self) -> str:
        """
        Log in to the server without sending anything.

        Raises:
            OSError: it cannot be reached, does not encrypt, or refuses the login.
        """
        await asyncio.to_thread(self._sign_in_only)
        return f"the server takes e-mails from {self._sender}"

    def _sign_in_only(self) -> None:
        with self._signed_in() as server:
            server.noop()

    def _hand_over(self, message: EmailMessage) -> None:
        with self._signed_in() as server:
            server.send_message(message)

    @contextmanager
    def _signed_in(self) -> Generator[smtplib.SMTP]:
        host = self._address.hostname or ""
        port = self._address.port or _PORTS[self._address.scheme]
        if self._address.scheme == "smtps":
            context = ssl.create_default_context()
            with smtplib.SMTP_SSL(host, port, timeout=SECONDS, context=context) as server:
                self._sign_in(server)
                yield server
            return
        with smtplib.SMTP(host, port, timeout=SECONDS) as server:
            if not is_this_machine(host):
                server.starttls(context=ssl.create_default_context())
            self._sign_in(server)
            yield server

    def _sign_in(self, server: smtplib.SMTP) -> None:
        if self._address.username:
            server.login(unquote(self._address.username), unquote(self._address.password or ""))
