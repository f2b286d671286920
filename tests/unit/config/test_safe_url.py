"""An address is judged as a resolver reads it, in whatever script it is written."""

import pytest

from sagacity.config.safe_url import check_url


@pytest.mark.parametrize(
    "host",
    [
        "169。254。169。254",
        "169．254．169．254",
        "169｡254｡169｡254｡",
        "１６９.２５４.１６９.２５４",
        "169.254.\u00ad169.254",
        "ｍetadata.google。internal",
    ],
)
def test_a_metadata_service_in_other_characters_is_refused(host: str) -> None:
    """What a resolver maps to full stops, digits and letters, or leaves out, hides no address."""
    with pytest.raises(ValueError, match="metadata"):
        check_url(f"http://{host}/latest", block_private=False)


@pytest.mark.parametrize(
    "host",
    ["127。0。0。1:8081", "１０.1.2.3", "ｌocalhost", "models。internal", "127.0.0.\U0001fbf1"],
)
def test_a_private_address_in_other_characters_is_refused(host: str) -> None:
    """The same for the stricter setting."""
    assert check_url(f"http://{host}/v1", block_private=False)
    with pytest.raises(ValueError, match="private"):
        check_url(f"http://{host}/v1", block_private=True)


@pytest.mark.parametrize("host", ["müller.example", "例え.example", "llm。example.com"])
def test_a_public_name_in_any_script_passes(host: str) -> None:
    """It is returned as it was written."""
    assert check_url(f"https://{host}/v1", block_private=True) == f"https://{host}/v1"


def test_a_name_that_no_resolver_reads_is_refused() -> None:
    """A label may have 63 characters."""
    with pytest.raises(ValueError, match="valid URL"):
        check_url(f"http://{'ü' * 70}.example/", block_private=False)
