"""Data keys and the keys that wrap them: what opens, what does not, and what is said then."""

import base64
import stat

import pytest

from sagacity.auth.key_ring import (
    KeyRing,
    add_key,
    keep_first_key,
    key_id,
    new_data_key,
    no_keys,
    open_key_file,
    read_keys,
    wrapped_by,
)
from sagacity.domain.errors import ConfigError

OLD, NEW = b"o" * 32, b"n" * 32
SECRET = "sk-planted-\ud800-é"


def test_what_is_sealed_opens_for_its_organisation_only():
    """Also after another key wraps the data key; never for another one, with another key, or when it was changed."""
    key = new_data_key("org-a")
    sealed = key.seal(SECRET)
    wrapped = KeyRing((OLD,)).wrap(key)
    assert key.seal(SECRET) != sealed
    assert "planted" not in sealed
    both = KeyRing((NEW, OLD))
    again = both.wrap(both.unwrap(wrapped, "org-a"))
    assert (wrapped_by(wrapped), wrapped_by(again)) == (
        key_id(OLD),
        key_id(NEW) == both.first_id and key_id(NEW),
    )
    assert KeyRing((NEW,)).unwrap(again, "org-a").open(sealed) == SECRET
    with pytest.raises(
        ConfigError, match=f"sealed by the key {key_id(OLD)}, which is not there: set SAGACITY_CONFIG_KEY"
    ):
        KeyRing((NEW,)).unwrap(wrapped, "org-a")
    with pytest.raises(ConfigError, match="was changed"):
        KeyRing((OLD,)).unwrap(wrapped, "org-b")
    with pytest.raises(ConfigError, match="was changed"):
        KeyRing((OLD,)).unwrap(wrapped[:-8] + "AAAAAAA=", "org-a")
    for other in (new_data_key("org-a"), type(key)(key.secret, "org-b")):
        with pytest.raises(ConfigError, match="another key sealed it"):
            other.open(sealed)
    for broken in ("sealed:v1:", "sealed:v1:####", sealed[:-4]):
        with pytest.raises(ConfigError, match="was changed"):
            key.open(broken)
    assert SECRET not in repr((key, both))
    with pytest.raises(ConfigError):
        no_keys(make=True)


def test_keys_are_read_from_text():
    """Base64 of either alphabet, several by commas; what is short or no base64 is refused without being repeated."""
    one, other = base64.b64encode(b"\xff" * 32).decode(), base64.urlsafe_b64encode(b"\xfe" * 32).decode()
    assert read_keys(f"{one}, {other}") == (b"\xff" * 32, b"\xfe" * 32)
    for wrong in ("secret-words", base64.b64encode(b"x" * 31).decode(), f"{one},", "é"):
        with pytest.raises(ValueError, match="must") as error:
            read_keys(wrong)
        assert "secret-words" not in str(error.value)


def test_key_file_is_made_once_and_rotated(tmp_path):
    """Only its owner reads it. A key that is asked for and not there is not made: it was lost."""
    path = tmp_path / "home" / "config.key"
    with pytest.raises(ConfigError, match=r"restore config\.key in the home folder"):
        open_key_file(path, make=False)
    first = open_key_file(path, make=True)
    assert open_key_file(path, make=True) == first
    second = add_key(path)
    assert second.keys[1:] == first.keys
    assert open_key_file(path, make=False) == second
    assert keep_first_key(path).keys == second.keys[:1]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in path.parent.iterdir()] == ["config.key"]
    for wrong in ("", "00", "no hexadecimal"):
        path.write_text(wrong)
        with pytest.raises(ConfigError, match=r"config\.key"):
            open_key_file(path, make=True)
