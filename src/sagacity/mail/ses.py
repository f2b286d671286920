"""Send e-mails through Amazon SES (API v2), with Amazon's own client in a thread."""

import asyncio
from collections.abc import Mapping
from email.policy import SMTP
from functools import cached_property
from typing import Any, NamedTuple, Protocol, cast
from urllib.parse import parse_qs, urlsplit

from sagacity.domain.addresses import is_this_machine
from sagacity.domain.clock import Clock
from sagacity.mail.base import Letter, MailRefused
from sagacity.mail.message import message_of

SECONDS = 30
EXAMPLE = "ses://eu-central-1"


class SesAddress(NamedTuple):
    """Where SES is."""

    region: str
    endpoint: str | None
    """Another address than the region's own, such as that of an interface endpoint in a private network."""


def ses_address(url: str) -> SesAddress:
    """
    Read `ses://REGION`, or `ses://REGION?endpoint=URL`.

    Raises:
        ValueError: it is none, or the endpoint does not encrypt and is not on this machine.
    """
    parts = urlsplit(url)
    options = parse_qs(parts.query, strict_parsing=True) if parts.query else {}
    region = parts.netloc
    if parts.scheme != "ses" or not region.replace("-", "").isalnum() or parts.path not in ("", "/"):
        raise ValueError(f"must name a region, such as {EXAMPLE}")
    if unknown := set(options) - {"endpoint"}:
        raise ValueError(f"{min(unknown)} is no option of {EXAMPLE}: there is `endpoint`")
    endpoint = options.get("endpoint", [None])[0]
    if endpoint is not None:
        to = urlsplit(endpoint)
        is_here = to.scheme == "http" and is_this_machine(to.hostname or "")
        if not to.hostname or to.port == 0 or not (to.scheme == "https" or is_here):
            raise ValueError("the endpoint must be https, or on this machine")
    return SesAddress(region, endpoint)


class _Client(Protocol):
    """The part of the client that is used; Amazon makes the client at run time."""

    def send_email(self, **given: object) -> Mapping[str, Any]: ...

    def get_account(self) -> Mapping[str, Any]: ...


class SesMailer:
    """Sends letters through SES; credentials are found as Amazon's client always finds them."""

    def __init__(self, url: str, sender: str, clock: Clock) -> None:
        """
        Send letters.

        Args:
            url: `ses://REGION`.
            sender: address that letters are from; SES has to know it, or its domain.
            clock: tells their date.
        """
        self._address = ses_address(url)
        self._sender = sender
        self._clock = clock

    async def send(self, letter: Letter) -> None:
        """
        Send a letter through SES.

        Raises:
            MailRefused: SES cannot be reached, or refused the letter.
        """
        message = message_of(letter, sender=self._sender, at=self._clock.now())
        await asyncio.to_thread(self._hand_over, letter.to, message.as_bytes(policy=SMTP))

    async def check(self) -> str:
        """
        Ask SES whether this account may send.

        Raises:
            MailRefused: it cannot be reached, does not know the credentials, or does not let the account send.
        """
        account = await asyncio.to_thread(self._account)
        if not account.get("SendingEnabled", False):
            raise MailRefused("SendingDisabled")
        reach = (
            "" if account.get("ProductionAccessEnabled", False) else ", to verified addresses only (sandbox)"
        )
        return f"SES in {self._address.region} takes e-mails from {self._sender}{reach}"

    def _hand_over(self, to: str, message: bytes) -> None:
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415  it loads slowly

        try:
            self._client.send_email(
                FromEmailAddress=self._sender,
                Destination={"ToAddresses": [to]},
                Content={"Raw": {"Data": message}},
            )
        except (BotoCoreError, ClientError) as error:
            raise _refused(error) from error

    def _account(self) -> Mapping[str, Any]:
        from botocore.exceptions import BotoCoreError, ClientError  # noqa: PLC0415  it loads slowly

        try:
            return self._client.get_account()
        except (BotoCoreError, ClientError) as error:
            raise _refused(error) from error

    @cached_property
    def _client(self) -> _Client:
        import boto3  # noqa: PLC0415  it loads slowly
        from botocore.config import Config  # noqa: PLC0415  with it

        config = Config(
            connect_timeout=10,
            read_timeout=SECONDS,
            retries={"total_max_attempts": 1},  # the outbox tries again, and counts
        )
        session = cast("Any", boto3.Session())  # it has no types, and makes its clients at run time
        return session.client(
            "sesv2", region_name=self._address.region, endpoint_url=self._address.endpoint, config=config
        )


def _refused(error: Exception) -> MailRefused:
    answer = cast("Mapping[str, Mapping[str, str]]", getattr(error, "response", {}))
    return MailRefused(answer.get("Error", {}).get("Code") or type(error).__name__)
