"""Network addresses: this machine's own, and those at which no model may be called; pure, resolves no names."""

import socket
from collections.abc import Iterator
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

Address = IPv4Address | IPv6Address
METADATA_NETWORKS = tuple(
    ip_network(network)
    for network in (
        "169.254.0.0/16",  # nearly all clouds; with the credentials of Amazon's containers
        "fe80::/10",
        "fd00:ec2::/32",  # Amazon
        "fd20:ce::254/128",  # Google
        "fd00:42::42/128",  # Scaleway
        "fd00:c1::a9fe:a9fe/128",  # Oracle
        "100.100.100.200/32",  # Alibaba
        "168.63.129.16/32",  # Azure's own agent
        "192.0.0.192/32",  # Oracle
    )
)
"""Addresses of cloud metadata services, which hand out credentials; includes the whole link-local range."""
_ENDING_IN_IPV4 = tuple(
    map(ip_network, ("64:ff9b::/96", "64:ff9b:1::/48", "::ffff:0:0/96", "::ffff:0:0:0/96", "::/96"))
)
"""NAT64, NAT64 of networks of one's own (RFC 8215), mapped, translated (RFC 2765), compatible."""
_OWN_NAT64 = ip_network("64:ff9b:1::/48")
_OF_IPV6_ITSELF = frozenset({IPv6Address("::"), IPv6Address("::1")})


def address_of(host: str) -> Address | None:
    """Read *host* as an address in any notation that a resolver takes, such as 0x7f.1; None: it is a name."""
    try:
        return ip_address(host.partition("%")[0])
    except ValueError:
        try:
            return IPv4Address(socket.inet_aton(host))
        except OSError:
            return None


@lru_cache(maxsize=256)
def is_this_machine(host: str) -> bool:
    """Whether the name or address *host* can be nothing but this machine: `localhost`, or a loopback address."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def is_metadata(address: Address) -> bool:
    """Whether *address*, or an IPv4 address that it may embed, is a cloud metadata service."""
    return any(one in network for one in (address, *_embedded(address)) for network in METADATA_NETWORKS)


def is_private(address: Address) -> bool:
    """Whether *address* is loopback, private or otherwise not public."""
    if isinstance(address, IPv6Address) and address not in _OF_IPV6_ITSELF:
        if any(address in network for network in _ENDING_IN_IPV4):
            address = _last_four(address)
        else:
            address = address.sixtofour or address
    return not address.is_global or address.is_multicast


def refusal_of(host: str, *, block_private: bool) -> str | None:
    """
    Return why no model may be called at the resolved address *host*; None if it is allowed.

    Args:
        host: the address.
        block_private: also refuse loopback, private and other non-public addresses.
    """
    address = address_of(host)
    if address is None:
        return "leads to no address"
    if is_metadata(address):
        return "leads to a cloud metadata service"
    if block_private and is_private(address):
        return "leads to a private address, which this server does not allow"
    return None


def _embedded(address: Address) -> Iterator[IPv4Address]:
    """Yield the IPv4 addresses that an IPv6 address may embed."""
    if isinstance(address, IPv4Address):
        return
    if any(address in network for network in _ENDING_IN_IPV4):
        yield _last_four(address)
    if address in _OWN_NAT64:  # RFC 6052, 2.2: by the length of the prefix, around the ninth byte
        packed = address.packed
        yield from (IPv4Address(packed[start:8] + packed[9 : start + 5]) for start in (6, 7, 8))
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo


def _last_four(address: IPv6Address) -> IPv4Address:
    return IPv4Address(address.packed[12:])
