"""An endpoint with the HTTP API of AWS KMS and its own keys, which refuses unsigned calls (SigV4)."""

import base64
import json
import secrets
from collections.abc import Iterator
from contextlib import contextmanager

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from support.aws import is_signed
from support.http_server import JsonHandler, served

REGION = "eu-central-1"
ARN, OTHER_ARN = (f"arn:aws:kms:{REGION}:111122223333:key/{name}" for name in ("first", "second"))


class KmsEndpoint:
    """Records calls, and refuses some."""

    def __init__(self) -> None:
        self.url = ""
        self.asked: list[str] = []
        """What was done with which key."""
        self.disabled: set[str] = set()
        """ARNs of keys that cannot be used at the moment."""
        self.plain: list[bytes] = []
        """The plaintexts that were returned."""
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
    """Run a server on this machine in place of the region's own."""
    endpoint = KmsEndpoint()

    class Handler(JsonHandler):
        def do_POST(self) -> None:  # noqa: N802  the name that the library calls
            body = self.sent()
            service, _, name = self.headers["X-Amz-Target"].partition(".")
            assert service == "TrentService"
            error, reply = "AccessDeniedException", {}
            if is_signed(self, body, region=REGION, service="kms"):
                error, reply = endpoint.answer(name, body)
            self.answer(400 if error else 200, {"__type": error, "message": "no"} if error else reply)

    with served(Handler) as url:
        endpoint.url = url
        yield endpoint
