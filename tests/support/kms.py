"""An endpoint that speaks the HTTP of AWS KMS, with keys of its own, and takes nothing that is not signed (SigV4)."""

import base64
import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from support.aws import is_signed
from support.http_server import served

REGION = "eu-central-1"
ARN, OTHER_ARN = (f"arn:aws:kms:{REGION}:111122223333:key/{name}" for name in ("first", "second"))


class KmsEndpoint:
    """What was asked, and what is refused."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[str] = []
        """What was done with which key."""
        self.disabled: set[str] = set()
        """ARNs of keys that are of no use for the moment."""
        self.plain: list[bytes] = []
        """What was given back in the clear."""
        self._keys = {arn: AESGCM(secrets.token_bytes(32)) for arn in (ARN, OTHER_ARN)}

    def answer(self, name: str, body: bytes) -> tuple[str, dict[str, str]]:
        """Return the code of an error, and the reply."""
        asked = json.loads(body)
        arn, context = asked["KeyId"], json.dumps(asked["EncryptionContext"]).encode()
        self.asked.append(f"{name} {arn.rpartition('/')[2]}")
        if arn in self.disabled:
            return "DisabledException", {}
        if name == "GenerateDataKey":
            assert asked["KeySpec"] == "AES_256"
            plain, nonce = secrets.token_bytes(32), secrets.token_bytes(12)
            wrapped = nonce + self._keys[arn].encrypt(nonce, plain, context)
        else:
            wrapped = base64.b64decode(asked["CiphertextBlob"])
            try:
                plain = self._keys[arn].decrypt(wrapped[:12], wrapped[12:], context)
            except InvalidTag:
                return "InvalidCiphertextException", {}
        self.plain.append(plain)
        blobs = {"Plaintext": plain, "CiphertextBlob": wrapped}
        return "", {key: base64.b64encode(blob).decode() for key, blob in blobs.items()} | {"KeyId": arn}


@contextmanager
def kms_endpoint() -> Iterator[KmsEndpoint]:
    """A server on this machine that is what the region's own would be."""
    endpoint = KmsEndpoint()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            service, _, name = self.headers["X-Amz-Target"].partition(".")
            assert service == "TrentService"
            error, reply = "AccessDeniedException", {}
            if is_signed(self, body, region=REGION, service="kms"):
                error, reply = endpoint.answer(name, body)
            self._answer(400 if error else 200, reply if not error else {"__type": error, "message": "no"})

        def _answer(self, status: int, content: dict[str, str]) -> None:
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/x-amz-json-1.1")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the name that the library calls
            pass

    with served(Handler) as url:
        endpoint.url = url
        yield endpoint
