"""An endpoint with the HTTP API of Amazon SES (v2), which refuses unsigned calls (SigV4)."""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage

from support.aws import is_signed
from support.http_server import JsonHandler, served

REGION = "eu-central-1"


class SesEndpoint:
    """Records calls, and refuses some."""

    def __init__(self) -> None:
        self.url = ""
        self.letters: list[EmailMessage] = []
        self.recipients: list[list[str]] = []
        self.refuses: list[str] = []
        """Codes of the errors that the next calls get."""
        self.account = {"SendingEnabled": True, "ProductionAccessEnabled": False}

    @property
    def mail_url(self) -> str:
        """The setting that leads here."""
        return f"ses://{REGION}?endpoint={self.url}"

    def take(self, body: bytes) -> None:
        """Keep what one call sent."""
        sent = json.loads(body)
        letter = message_from_bytes(base64.b64decode(sent["Content"]["Raw"]["Data"]), policy=policy.default)
        assert isinstance(letter, EmailMessage)
        assert sent["FromEmailAddress"] == letter["From"]
        self.recipients.append(sent["Destination"]["ToAddresses"])
        self.letters.append(letter)


@contextmanager
def ses_endpoint() -> Iterator[SesEndpoint]:
    """Run a server on this machine in place of the region's own."""
    endpoint = SesEndpoint()

    class Handler(JsonHandler):
        def do_POST(self) -> None:  # noqa: N802  the name that the library calls
            body = self.sent()
            if self.path != "/v2/email/outbound-emails":
                self._refuse(404, "UnknownOperationException")
            elif not is_signed(self, body, region=REGION, service="ses"):
                self._refuse(403, "SignatureDoesNotMatch")
            elif endpoint.refuses:
                self._refuse(400, endpoint.refuses.pop(0))
            else:
                endpoint.take(body)
                self.answer(200, {"MessageId": str(len(endpoint.letters))})

        def do_GET(self) -> None:  # noqa: N802  likewise
            if self.path != "/v2/email/account" or not is_signed(self, b"", region=REGION, service="ses"):
                self._refuse(403, "SignatureDoesNotMatch")
            else:
                self.answer(200, endpoint.account)

        def _refuse(self, status: int, error: str) -> None:
            self.answer(status, {"message": "ana@example.com was not taken"}, x_amzn_ErrorType=error)

    with served(Handler) as url:
        endpoint.url = url
        yield endpoint
