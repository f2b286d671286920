"""Which addresses of model endpoints a tenant may name; pure, asks no resolver."""

import re
import socket
import unicodedata
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import SplitResult, urlsplit

METADATA_HOSTS = frozenset({"metadata", "metadata.google.internal", "metadata.goog", "instance-data"})
METADATA_NETWORKS = tuple(
    ip_network(network)
    for network in (
        "169.254.0.0/16",  # nearly all clouds
        "fe80::/10",
        "fd00:ec2::/32",  # Amazon
        "fd20:ce::254/128",  # Google
        "fd00:42::42/128",  # Scaleway
        "100.100.100.200/32",  # Alibaba
        "168.63.129.16/32",  # Azure's own agent
        "192.0.0.192/32",  # Oracle
    )
)
"""Where clouds hand out the credentials of the machine, with all of the link-local range."""
PRIVATE_SUFFIXES = (".localhost", ".local", ".internal", ".lan", ".home.arpa")
NAT64 = (ip_network("64:ff9b::/96"), ip_network("64:ff9b:1::/48"))
"""IPv6 addresses that end in one of IPv4; the second is for networks of one's own (RFC 8215)."""
_FORBIDDEN = re.compile(r"[\s\\\x00-\x1f\x7f]")


def check_url(url: str, *, block_private: bool) -> str:
    """
    Return *url* when a model may be called there.

    Names are not resolved: a name that points to a private address passes. Where that matters, the machine's
    outgoing traffic has to be filtered as well.

    Args:
        url: http or https, without a user name or password.
        block_private: also refuse loopback, private and otherwise not public addresses.

    Raises:
        ValueError: it is no such address, or one that is refused.
    """
    url = url.strip()
    parts = _split(url)
    host = _as_resolved(parts.hostname or "").rstrip(".").lower()
    if parts.scheme not in {"http", "https"} or not host or _FORBIDDEN.search(url):
        raise ValueError("must be an http or https URL with a host")
    if parts.username is not None or parts.password is not None:
        raise ValueError("must not contain a user name or password")
    address = _address(host)
    if host in METADATA_HOSTS or (address is not None and _is_metadata(address)):
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


def _address(host: str) -> IPv4Address | IPv6Address | None:
    """Read *host* as an address in any notation that a resolver takes, such as 0x7f.1 or 2130706433."""
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        try:
            return IPv4Address(socket.inet_aton(host))
        except OSError:
            return None
    if isinstance(address, IPv6Address):
        if any(address in network for network in NAT64):
            return IPv4Address(int(address) & 0xFFFFFFFF)
        return address.ipv4_mapped or address.sixtofour or address
    return address


def _is_metadata(address: IPv4Address | IPv6Address) -> bool:
    return any(address in network for network in METADATA_NETWORKS)


def _is_private(host: str, address: IPv4Address | IPv6Address | None) -> bool:
    if address is not None:
        return not address.is_global
    return host == "localhost" or host.endswith(PRIVATE_SUFFIXES)
