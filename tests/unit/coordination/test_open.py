"""From a URL to shared state."""

import subprocess
import sys
import traceback

import pytest

from sagacity.coordination.local import LocalLimiter
from sagacity.coordination.open import open_shared
from sagacity.domain.errors import ConfigError


async def test_without_a_url_a_process_shares_with_itself() -> None:
    """Nothing has to be installed or started for one process."""
    shared = open_shared("")
    assert isinstance(shared.limiter, LocalLimiter)
    assert await shared.check() is True
    await shared.close()


@pytest.mark.parametrize(
    "url",
    [
        "http://u:sekret@host",
        "host:6379",
        " ",
        "redis://u:sekret@host:port/0",
        "redis://:sekret@host:99999999/0",
        "redis://:sekret@host/first",
        "redis://[sekret",
        "redis://:sekret@host/0?colour=red",
        "redis://host/0?db=sekret",
        "rediss://:sekret@host/0?ssl_cert_reqs=perhaps",
    ],
)
def test_a_malformed_url_stops_the_start_without_showing_it(url: str) -> None:
    """The error names the setting and the form, and a password is not in its traceback either."""
    with pytest.raises(ConfigError, match="SAGACITY_REDIS_URL: write it like redis://HOST:PORT/0") as caught:
        open_shared(url)
    shown = traceback.format_exception(caught.value.with_traceback(None))
    assert "sekret" not in "".join(shown)


@pytest.mark.parametrize(
    "url", ["redis://host", "redis://u:p%40ss@host:6380/3", "rediss://host/0", "unix:///run/valkey.sock?db=2"]
)
async def test_every_form_of_url_is_taken(url: str) -> None:
    """Nothing connects at the opening."""
    await open_shared(url).close()


def test_a_missing_package_is_named() -> None:
    """The extra that brings it stands in the error; without a URL nothing is missed."""
    program = """
import sys
sys.modules["redis"] = None
from sagacity.domain.errors import ConfigError
from sagacity.coordination.open import open_shared
open_shared("")
try:
    open_shared("redis://host")
except ConfigError as error:
    print(error)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "uv pip install -e '.[redis]'" in ended.stdout
