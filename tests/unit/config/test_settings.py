"""The settings of one process."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

from sagacity.config.settings import Settings, load_settings, provider_keys
from sagacity.domain.errors import ConfigError

WRONG = {
    "port": "70000",
    "embedder_dimension": "16001",
    "embedding_cache_entries": "many",
    "model_timeout_seconds": "0",
    "model_attempts": "11",
    "learn_concurrency": "0",
    "learn_attempts": "0",
    "retry_base_seconds": "0",
    "quiet_seconds": "-1",
    "sweep_seconds": "inf",
    "lease_seconds": "nan",
    "max_body_bytes": "10",
    "request_timeout_seconds": "soon",
    "wait_timeout_seconds": "0",
    "block_private_urls": "perhaps",
    "rate_limits": "2",
    "log_level": "loud",
    "log_format": "xml",
}


@pytest.mark.parametrize(("name", "value"), WRONG.items())
def test_wrong_setting_stops_with_its_name(name: str, value: str) -> None:
    """Each setting that has a rule says which one was broken."""
    with pytest.raises(ConfigError, match=f"SAGACITY_{name.upper()}"):
        load_settings(**{name: value})


@pytest.mark.parametrize(
    ("variable", "value"), [("SAGACITY_CORS_ORIGINS", "a.example"), ("SAGACITY_PORT", "x")]
)
def test_wrong_variable_stops_with_its_name(variable: str, value: str) -> None:
    """The same when it comes from the environment, as it does for an operator."""
    program = (
        "from sagacity.config.settings import load_settings\n"
        "from sagacity.domain.errors import ConfigError\n"
        "try: load_settings()\nexcept ConfigError as error: print(error)"
    )
    environment = {"PYTHONPATH": ":".join(sys.path), variable: value}
    told = subprocess.run(
        [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
    )
    assert variable.removeprefix("SAGACITY_").lower() in told.stdout.lower(), told.stderr


@pytest.mark.parametrize(
    ("variable", "told"),
    [
        ("SAGACITY_DATABASE_ULR", "SAGACITY_DATABASE_ULR is not known; did you mean SAGACITY_DATABASE_URL?"),
        ("SAGACITY_FROBNICATE", "SAGACITY_FROBNICATE is not known"),
        ("SAGACITY_INTERACTION_LIMIT", "SAGACITY_INTERACTION_LIMIT is not known"),
        ("SAGACITY_PORT_8081_TCP", None),
        ("SAGACITY_WEB_SERVICE_HOST", None),
        ("SAGACITY_URL", None),
        ("SAGACITY_API_KEY", None),
    ],
)
def test_variable_that_is_no_setting_stops_with_the_nearest(
    monkeypatch: pytest.MonkeyPatch, variable: str, told: str | None
) -> None:
    """A typo must not start a server on other data; what Kubernetes and clients set is passed over."""
    monkeypatch.setenv(variable, "x")
    if told is None:
        load_settings()
        return
    with pytest.raises(ConfigError, match=rf"^environment variable {re.escape(told)}$"):
        load_settings()


def test_usage_events_are_turned_off_by_either_name(monkeypatch: pytest.MonkeyPatch) -> None:
    """Our own name wins, and a wrong value stops the server."""
    assert load_settings().usage_events
    monkeypatch.setenv("REFLEXIO_ENABLE_USAGE_EVENT_SINK", "0")
    assert not load_settings().usage_events
    monkeypatch.setenv("SAGACITY_USAGE_EVENTS", "true")
    assert load_settings().usage_events
    monkeypatch.delenv("SAGACITY_USAGE_EVENTS")
    monkeypatch.setenv("REFLEXIO_ENABLE_USAGE_EVENT_SINK", "perhaps")
    with pytest.raises(ConfigError, match="USAGE_EVENTS"):
        load_settings()


def test_place_of_the_data_shows_no_password() -> None:
    """A file, or a server and a database."""
    assert load_settings(home="/data").storage_place == "/data/sagacity.db"
    url = "postgresql://app:secret@db.example:5432/sagacity?sslmode=require"
    assert load_settings(database_url=url).storage_place == "postgresql://db.example:5432/sagacity"


def test_defaults_are_valid_and_local() -> None:
    """With nothing set the server listens to this machine only, and keeps its data at home."""
    settings = load_settings(home="/data")
    assert (settings.host, settings.port, settings.is_loopback) == ("127.0.0.1", 8081, True)
    assert settings.storage_url == "sqlite:////data/sagacity.db"
    assert load_settings(home="/data", database_url="sqlite:////x.db").storage_url == "sqlite:////x.db"


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.8.8", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.2", False),
        ("localhost.example.org", False),
        ("", False),
    ],
)
def test_loopback_is_only_this_machine(host: str, *, loopback: bool) -> None:
    """When in doubt the server counts as reachable, and asks for tokens."""
    assert load_settings(host=host).is_loopback is loopback


def test_settings_are_frozen_and_secrets_are_hidden() -> None:
    """Nothing changes them, and no print shows a key."""
    settings = load_settings(embedder_api_key="my secret")
    assert "my secret" not in repr(settings)
    with pytest.raises(ValueError, match="frozen"):
        settings.port = 1


def test_provider_keys_are_the_set_ones() -> None:
    """Variables that end in _API_KEY and hold something; our own are not among them."""
    found = provider_keys(
        {"OPENAI_API_KEY": " k ", "EMPTY_API_KEY": " ", "SAGACITY_EMBEDDER_API_KEY": "x", "HOME": "/"}
    )
    assert {name: key.get_secret_value() for name, key in found.items()} == {"OPENAI_API_KEY": "k"}


def test_every_setting_is_described() -> None:
    """An operator finds in the reference what each is for."""
    assert [name for name, field in Settings.model_fields.items() if not field.description] == []


@pytest.fixture(autouse=True)
def no_settings_outside() -> Iterator[None]:
    """Tests do not depend on the settings of who runs them."""
    outside = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith("SAGACITY_")}
    yield
    os.environ.update(outside)
