"""Codes of authenticator apps."""

from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from sagacity.auth.totp import as_typed, new_recovery_codes, otpauth_url, plain_code, step_of

SECRET = b"12345678901234567890"
"""The one of RFC 6238, appendix B."""


@pytest.mark.parametrize(
    ("seconds", "code"),
    [
        (59, "287082"),
        (1_111_111_109, "081804"),
        (1_111_111_111, "050471"),
        (1_234_567_890, "005924"),
        (2_000_000_000, "279037"),
        (20_000_000_000, "353130"),
    ],
)
def test_codes_are_those_of_the_standard(seconds: int, code: str) -> None:
    """The test values of RFC 6238, appendix B, of which apps show the last six digits."""
    now = datetime.fromtimestamp(seconds, UTC)
    assert step_of(SECRET, code, now, after=0) == seconds // 30
    assert step_of(SECRET, str((int(code) + 1) % 1_000_000).zfill(6), now, after=0) is None


def test_a_code_is_right_one_step_early_and_late_and_not_after_it_was_used() -> None:
    """So a clock may be half a minute wrong, and nobody uses a code that was seen."""
    made, code = datetime.fromtimestamp(1_111_111_109, UTC), "081804"
    step = 1_111_111_109 // 30
    for steps, found in ((-2, None), (-1, step), (0, step), (1, step), (2, None)):
        assert step_of(SECRET, code, made + timedelta(seconds=30 * steps), after=0) == found
    assert step_of(SECRET, code, made, after=step) is None
    assert step_of(SECRET, code, made, after=step - 1) == step


@pytest.mark.parametrize("code", ["", "81804", "0818040", "٠٨١٨٠٤", "08180\ud800", "abcdef"])
def test_what_is_no_code_is_none(code: str) -> None:
    """Other digits and fewer of them, too."""
    assert step_of(SECRET, code, datetime.fromtimestamp(1_111_111_109, UTC), after=0) is None


def test_the_address_for_apps_names_the_account_and_its_server() -> None:
    """As the Key URI Format has it, which apps read from a QR code; what is no letter is escaped."""
    url = urlsplit(otpauth_url(SECRET, account="ana+1@example.com", issuer="Sagacity"))
    assert (url.scheme, url.netloc, unquote(url.path)) == ("otpauth", "totp", "/Sagacity:ana+1@example.com")
    assert parse_qs(url.query) == {"secret": [as_typed(SECRET)], "issuer": ["Sagacity"]}


def test_recovery_codes_are_ten_and_read_however_they_are_typed() -> None:
    """No two are alike, and none has the length of an app's code."""
    codes = new_recovery_codes()
    assert len(set(codes)) == 10
    assert {len(plain_code(one)) for one in codes} == {16}
    assert plain_code(f" {codes[0].upper().replace('-', ' ')} ") == codes[0].replace("-", "")
