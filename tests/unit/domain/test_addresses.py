"""Which addresses no model is called at, in whatever form a resolver gives them."""

import pytest

from sagacity.domain.addresses import is_this_machine, refusal_of

METADATA = (
    "169.254.169.254",  # Amazon, Google, Azure, Oracle, DigitalOcean and others
    "169.254.170.2",  # Amazon's containers
    "fd00:ec2::254",
    "fd20:ce::254",
    "fd00:42::42",
    "fd00:c1::a9fe:a9fe",
    "fe80::a9fe:a9fe%eth0",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "::ffff:169.254.169.254",
    "::ffff:0:169.254.169.254",
    "::169.254.169.254",
    "64:ff9b::169.254.169.254",
    "64:ff9b:1::169.254.169.254",
    "64:ff9b:1:a9fe:00a9:fe00::",  # the same, after 48, 56 and 64 bits
    "64:ff9b:1:00a9:00fe:a9fe::",
    "64:ff9b:1:0:00a9:fea9:fe00::",
    "2002:a9fe:a9fe::1",  # 6to4
    "2001:0:a9fe:a9fe:0:0:0:0",  # Teredo: its server, and its client, which is inverted
    "2001:0:808:808:0:0:5601:5601",
    "2001:0:6464:64c8::",
)
PRIVATE = (
    *("127.0.0.1", "10.1.2.3", "192.168.0.1", "100.64.0.1", "0.0.0.0", "224.0.0.1"),
    *(
        "::",
        "::1",
        "fd12::1",
        "ff02::1",
        "::ffff:10.0.0.1",
        "64:ff9b::10.0.0.1",
        "2002:a00:1::1",
        "::127.0.0.1",
    ),
)
PUBLIC = (
    "8.8.8.8",
    "2606:4700::1111",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "64:ff9b:1::8.8.8.8",
    "2002:808:808::1",
)


@pytest.mark.parametrize("address", METADATA)
def test_metadata_services_are_refused_in_every_form(address: str) -> None:
    """With either setting."""
    for block_private in (False, True):
        refusal = refusal_of(address, block_private=block_private)
        assert refusal == "leads to a cloud metadata service"


def test_private_addresses_are_refused_where_they_are_to_be() -> None:
    """Loopback among them; public ones never are, and what is no address always is."""
    for address in PRIVATE:
        assert refusal_of(address, block_private=False) is None, address
        assert "private" in (refusal_of(address, block_private=True) or ""), address
    for address in PUBLIC:
        assert refusal_of(address, block_private=True) is None, address
    assert refusal_of("models.example", block_private=False) == "leads to no address"


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("localhost", True),
        ("127.0.0.1", True),
        ("127.8.9.10", True),
        ("::1", True),
        ("", False),
        ("0.0.0.0", False),
        ("localhost.example.com", False),
        ("192.168.0.1", False),
        ("::", False),
    ],
)
def test_this_machine_is_known_by_its_name_or_a_loopback_address(host: str, *, expected: bool) -> None:
    """What may reach others, or be pointed at others, is not taken for it."""
    assert is_this_machine(host) is expected
