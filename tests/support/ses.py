"""An endpoint that speaks the HTTP of Amazon SES (API v2), and takes nothing that is not signed as AWS asks (SigV4)."""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes, policy
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler

from support.aws import is_signed
from support.http_server import served

REGION = "eu-central-1"


class SesEndpoint:
    """What arrived, and what is refused."""

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
    """A server on this machine that is what the region's own would be."""
    endpoint = SesEndpoint()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.path != "/v2/email/outbound-emails":
                self._answer(404, "UnknownOperationException")
            elif not is_signed(self, body, region=REGION, service="ses"):
                self._answer(403, "SignatureDoesNotMatch")
            elif endpoint.refuses:
                self._answer(400, endpoint.refuses.pop(0))
            else:
                endpoint.take(body)
                self._answer(200, "", {"MessageId": str(len(endpoint.letters))})

        def do_GET(self) -> None:
            if self.path != "/v2/email/account" or not is_signed(self, b"", region=REGION, service="ses"):
                self._answer(403, "SignatureDoesNotMatch")
            else:
                self._answer(200, "", endpoint.account)

        def _answer(self, status: int, error: str, content: object = None) -> None:
            body = json.dumps(content if not error else {"message": "ana@example.com was not taken"}).encode()
            self.send_response(status)
            if error:
                self.send_header("x-amzn-ErrorType", error)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name that the library calls
            pass

    with served(Handler) as url:
        endpoint.url = url
        yield endpoint
