"""AWS credentials for tests, and the check that a call is signed with them (SigV4)."""

import hashlib
import hmac
import re
from http.server import BaseHTTPRequestHandler

KEY_ID, SECRET = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
ENVIRONMENT = {
    "AWS_ACCESS_KEY_ID": KEY_ID,
    "AWS_SECRET_ACCESS_KEY": SECRET,
    "AWS_EC2_METADATA_DISABLED": "true",
}
_SIGNED = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<id>\w+)/(?P<scope>\S+), SignedHeaders=(?P<names>\S+), Signature=(?P<signature>\w+)"
)


def is_signed(call: BaseHTTPRequestHandler, body: bytes, *, region: str, service: str) -> bool:
    """Return whether a call is signed with the credentials, for this service."""
    said = _SIGNED.fullmatch(call.headers.get("Authorization", ""))
    if said is None or said["id"] != KEY_ID:
        return False
    day, meant_region, meant_service, end = said["scope"].split("/")
    lines = [f"{name}:{call.headers[name].strip()}" for name in said["names"].split(";")]
    request = "\n".join(
        [call.command, call.path, "", *lines, "", said["names"], hashlib.sha256(body).hexdigest()]
    )
    hashed = hashlib.sha256(request.encode()).hexdigest()
    signed = "\n".join(["AWS4-HMAC-SHA256", call.headers["X-Amz-Date"], said["scope"], hashed])
    key = f"AWS4{SECRET}".encode()
    for part in (day, meant_region, meant_service, end, signed):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    is_meant = (meant_region, meant_service) == (region, service)
    return is_meant and hmac.compare_digest(key.hex(), said["signature"])
