"""Limits by table, as people write them into the environment."""

import pytest

from sagacity.config.settings import Settings
from sagacity.domain.errors import ConfigError

DEFAULT = {"usage_events": 365, "request_analytics": 90}


@pytest.mark.parametrize(
    ("text", "limits"),
    [
        ("", DEFAULT),
        ("model_calls=400", {**DEFAULT, "model_calls": 400}),
        (" interactions = 730 , usage_events=0,", {**DEFAULT, "usage_events": 0, "interactions": 730}),
    ],
)
def test_limits_are_added_to_the_usual_ones(monkeypatch: pytest.MonkeyPatch, text: str, limits: dict) -> None:
    """A table that is named has its own limit, also none."""
    monkeypatch.setenv("SAGACITY_RETENTION_DAYS", text)
    assert Settings().retention_days == limits


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("memories=3", "no table with a limit"),
        ("model_calls", "names no limit"),
        ("model_calls=-1", "names no limit"),
        ("model_calls=1e3", "names no limit"),
        ("model_calls=٣", "names no limit"),
        (f"model_calls={'9' * 4_500}", "names no limit"),
        ("model_calls=1,model_calls=2", "named twice"),
        ("{}", "no table with a limit"),
    ],
)
def test_what_is_no_limit_is_refused(monkeypatch: pytest.MonkeyPatch, text: str, says: str) -> None:
    """The message says how it is written."""
    monkeypatch.setenv("SAGACITY_RETENTION_ROWS", text)
    with pytest.raises((ConfigError, ValueError), match=says):
        Settings()
