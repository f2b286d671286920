"""Accounts for tests: servers that allow people to sign up, and a real SMTP server that keeps its letters."""

import asyncio
import re
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

import httpx
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import AuthResult, Envelope, LoginPassword
from fastapi import FastAPI

from support.api import client_of, running, settings_in
from support.parts import StoppedClock

CHEAP = {"password_memory_kib": 64, "password_passes": 1, "answer_step_seconds": 0}
"""Settings for a fast password hash, and for answers without delay."""
PASSWORD = "Two-Lions-4"
EMAIL = "ana@example.com"


def plain_text(letter: EmailMessage) -> str:
    """Return the plain-text part of a letter."""
    part = letter.get_body(("plain",))
    assert part is not None
    return part.get_content().replace("\r\n", "\n")


class Mailbox:
    """Handles the SMTP server's letters: it accepts them, or refuses as many as told."""

    def __init__(self) -> None:
        self.letters: list[EmailMessage] = []
        self.refuses = 0

    async def handle_DATA(self, server: object, session: object, envelope: Envelope) -> str:  # noqa: N802  the name that the library calls
        if self.refuses:
            self.refuses -= 1
            return "451 try later"
        assert isinstance(envelope.content, bytes)
        letter = message_from_bytes(envelope.content, policy=policy.default)
        assert isinstance(letter, EmailMessage)
        self.letters.append(letter)
        return "250 OK"

    def codes(self, email: str = EMAIL) -> list[str]:
        """The codes that an address was sent, oldest first."""
        texts = [plain_text(one) for one in self.letters if one["To"] == email]
        return [found[1] for text in texts if (found := re.search(r"^    (\S{40,})\s*$", text, re.MULTILINE))]


@contextmanager
def mail_server(password: str = "") -> Iterator[tuple[str, Mailbox]]:
    """Run a real SMTP server; yields its address and its mailbox. Signing in to it needs the *password*."""
    mailbox = Mailbox()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def is_let_in(*given: object) -> AuthResult:
        sent = given[-1]
        return AuthResult(success=isinstance(sent, LoginPassword) and sent.password == password.encode())

    asks = {"authenticator": is_let_in, "auth_require_tls": False} if password else {}
    controller = Controller(mailbox, hostname="127.0.0.1", port=port, **asks)
    controller.start()
    try:
        yield f"smtp://{f'sagacity:{password}@' if password else ''}127.0.0.1:{port}", mailbox
    finally:
        controller.stop()


@asynccontextmanager
async def serving(folder: Any, clock: StoppedClock | None = None, **given: Any) -> AsyncIterator[FastAPI]:
    """Run an application with open sign-up; addresses need not be confirmed unless *given* says so."""
    usual = {"sign_up": "open", "verify_email": bool(given.get("mail_url"))}
    if given.get("mail_url"):
        usual["mail_from"] = "sagacity@example.com"
    async with running(settings_in(folder, **(CHEAP | usual | given)), clock) as app:
        yield app


async def sign_up(api: httpx.AsyncClient, email: str = EMAIL, password: str = PASSWORD, **more: Any) -> str:
    """Make an account; returns its user's id."""
    reply = await api.post("/api/auth/signup", json={"email": email, "password": password, **more})
    assert reply.status_code == 201, reply.text
    return reply.json()["user_id"]


async def log_in(api: httpx.AsyncClient, email: str = EMAIL, password: str = PASSWORD) -> dict[str, Any]:
    """Sign in; returns the reply."""
    reply = await api.post("/api/auth/login", json={"email": email, "password": password})
    assert reply.status_code == 200, reply.text
    return reply.json()


def signed_in(app: FastAPI, tokens: dict[str, Any]) -> httpx.AsyncClient:
    """A client that sends an access token."""
    return client_of(app, token=tokens["access_token"])


async def mailed(app: FastAPI, mailbox: Mailbox, count: int) -> None:
    """Wait until the server was handed *count* letters."""
    async with asyncio.timeout(60):
        while len(mailbox.letters) < count:
            await app.state.runtime.accounts.mails.send_due()
            await asyncio.sleep(0.01)
