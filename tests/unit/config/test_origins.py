"""Web origins in settings."""

import re

import pytest

from sagacity.config.origins import checked_origin, read_list
from sagacity.config.settings import load_settings
from sagacity.domain.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("", []),
        (" , ", []),
        ("https://a.example", ["https://a.example"]),
        ("https://a.example, http://b:3000 ,", ["https://a.example", "http://b:3000"]),
        ('["https://a.example", " http://b:3000"]', ["https://a.example", "http://b:3000"]),
        (" []", []),
        ("*", ["*"]),
    ],
)
def test_list_is_read_with_commas_or_as_json(text: str, members: list[str]) -> None:
    assert read_list(text) == members


@pytest.mark.parametrize("text", ["[", '["a"', "[1]", '["a", null]', '["a"] x'])
def test_what_begins_as_json_must_be_a_list_of_texts(text: str) -> None:
    with pytest.raises(ValueError, match="the JSON list"):
        read_list(text)


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("https://a.example", "https://a.example"),
        ("HTTPS://A.Example", "https://a.example"),
        ("https://a.example:443", "https://a.example"),
        ("http://a.example:80", "http://a.example"),
        ("http://a.example:443", "http://a.example:443"),
        ("http://localhost:3000", "http://localhost:3000"),
        ("http://[::1]:3000", "http://[::1]:3000"),
        ("http://[::1]", "http://[::1]"),
        ("capacitor://localhost", "capacitor://localhost"),
        ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
        ("*", "*"),
    ],
)
def test_origin_is_kept_as_browsers_write_it(text: str, origin: str) -> None:
    assert checked_origin(text) == origin


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a.example",
        "//a.example",
        "https://",
        "https://a.example/",
        "https://a.example/path",
        "https://a.example?x",
        "https://a.example#x",
        "https://me@a.example",
        "https://*.a.example",
        "https://a.example:99999",
        "https://a.example:",
        "https://a.example:x",
        "https://[::1",
        "https://a.example\n",
        "https://bücher.example",
        "null",
        "https://a.example https://b.example",
    ],
)
def test_what_is_no_origin_is_refused_by_its_text(text: str) -> None:
    with pytest.raises(ValueError, match=re.escape(f"{text!r} is no origin; write scheme://host")):
        checked_origin(text)


def test_setting_is_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plain list, as compose files and shells have it, does not stop the start."""
    for text in ("https://a.example,http://b:3000", '["https://a.example", "http://b:3000"]'):
        monkeypatch.setenv("SAGACITY_CORS_ORIGINS", text)
        assert load_settings().cors_origins == ("https://a.example", "http://b:3000")
    monkeypatch.setenv("SAGACITY_CORS_ORIGINS", "")
    assert load_settings().cors_origins == ()
    monkeypatch.setenv("SAGACITY_CORS_ORIGINS", "https://a.example/app")
    with pytest.raises(
        ConfigError, match=r"^setting SAGACITY_CORS_ORIGINS: 'https://a.example/app' is no origin"
    ):
        load_settings()


def test_any_origin_and_credentials_exclude_each_other() -> None:
    with pytest.raises(ConfigError, match=r"SAGACITY_CORS_CREDENTIALS exclude each other.*list the origins"):
        load_settings(cors_origins=("https://a.example", "*"), cors_credentials=True)
    assert load_settings(cors_origins=("*",)).cors_origins == ("*",)
    assert load_settings(cors_origins=("https://a.example",), cors_credentials=True).cors_credentials
