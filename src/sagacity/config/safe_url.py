"""Which addresses a tenant may use for model endpoints; pure, resolves no names."""

import re
import unicodedata
from urllib.parse import SplitResult, urlsplit

from sagacity.domain.addresses import Address, address_of, is_metadata, is_private

METADATA_HOSTS = frozenset({"metadata", "metadata.google.internal", "metadata.goog", "instance-data"})
PRIVATE_SUFFIXES = (".localhost", ".local", ".internal", ".lan", ".home.arpa")
_FORBIDDEN = re.compile(r"[\s\\\x00-\x1f\x7f]")


def check_url(url: str, *, block_private: bool) -> str:
    """
    Return *url* if a model may be called there.

    Names are not resolved here; addresses are checked when a connection is opened.

    Args:
        url: http or https, without a user name or password.
        block_private: also refuse loopback, private and other non-public addresses.

    Raises:
        ValueError: it is no such URL, or it is refused.
    """
    url = url.strip()
    parts = _split(url)
    host = _as_resolved(parts.hostname or "").rstrip(".").lower()
    if parts.scheme not in {"http", "https"} or not host or _FORBIDDEN.search(url):
        raise ValueError("must be an http or https URL with a host")
    if parts.username is not None or parts.password is not None:
        raise ValueError("must not contain a user name or password")
    address = address_of(host)
    if host in METADATA_HOSTS or (address is not None and is_metadata(address)):
        raise ValueError("points to a cloud metadata service")
    if block_private and _is_private(host, address):
        raise ValueError("points to a private address, which this server does not allow")
    return url


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _ = parts.port  # reading it is what checks it
    except ValueError as error:
        raise ValueError("must be a valid URL") from error
    return parts


def _as_resolved(host: str) -> str:
    """Return *host* as a resolver reads it: other scripts' full stops, digits and letters become those of ASCII."""
    if host.isascii():
        return host
    try:
        # The codec knows the characters of Unicode 3.2 and no later digits.
        return unicodedata.normalize("NFKC", host).encode("idna").decode("ascii")
    except UnicodeError as error:
        raise ValueError("must be a valid URL") from error


def _is_private(host: str, address: Address | None) -> bool:
    if address is not None:
        return is_private(address)
    return host == "localhost" or host.endswith(PRIVATE_SUFFIXES)
