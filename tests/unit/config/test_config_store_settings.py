"""Where configurations are kept: what is chosen by which settings, and what is refused."""

import pytest

from sagacity.config.settings import load_settings
from sagacity.domain.errors import ConfigError

S3 = {
    "CONFIG_S3_PATH": "s3://bucket/a/b/",
    "CONFIG_S3_REGION": "eu-west-1",
    "CONFIG_S3_ACCESS_KEY": "access",
    "CONFIG_S3_SECRET_KEY": "planted-secret",
}
FERNET = "A" * 43 + "="


def load(monkeypatch: pytest.MonkeyPatch, **given: str):
    with monkeypatch.context() as patch:
        for name, value in given.items():
            patch.setenv(name, value)
        return load_settings()


def test_s3_is_chosen_by_all_of_its_settings(monkeypatch: pytest.MonkeyPatch):
    """Under the names of others, or ours, which win; the secret is in no text."""
    assert load(monkeypatch).config_s3 is None
    settings = load(monkeypatch, **S3, SAGACITY_CONFIG_S3_REGION="us-east-1", CONFIG_S3_ENCRYPTION_KEY=FERNET)
    chosen = settings.config_s3
    assert (chosen.bucket, chosen.prefix, chosen.region, chosen.endpoint) == (
        "bucket",
        "a/b/",
        "us-east-1",
        "",
    )
    assert chosen.encryption_keys == (FERNET,)
    assert "planted-secret" not in f"{settings!r} {chosen!r}"
    assert load(monkeypatch, **S3 | {"CONFIG_S3_PATH": "bucket"}).config_s3.prefix == ""


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (S3 | {"CONFIG_S3_REGION": ""}, "need CONFIG_S3_REGION, too"),
        (
            {"CONFIG_S3_PATH": "s3://bucket"},
            "CONFIG_S3_REGION, CONFIG_S3_ACCESS_KEY, CONFIG_S3_SECRET_KEY, too",
        ),
        (S3 | {"CONFIG_S3_PATH": "s3:///a"}, "must name a bucket"),
        (
            S3 | {"CONFIG_S3_ENDPOINT": "file:///etc"},
            "SAGACITY_CONFIG_S3_ENDPOINT: must be an http or https URL",
        ),
        (S3 | {"CONFIG_S3_ENCRYPTION_KEY": "planted"}, "SAGACITY_CONFIG_S3_ENCRYPTION_KEY: must be 32 bytes"),
        ({"SAGACITY_CONFIG_KEY": "planted"}, "SAGACITY_CONFIG_KEY: must"),
        ({"SELF_HOST": "true"}, "SELF_HOST needs a place for configurations: CONFIG_S3_PATH"),
        (S3 | {"SELF_HOST": "true", "SAGACITY_JWT_SECRET": "x" * 32}, "nobody signs in"),
        ({"LOGIN_SUPABASE_URL": "https://planted.supabase.co"}, "set SAGACITY_DATABASE_URL to the project's"),
        ({"LOGIN_SUPABASE_KEY": "planted"}, "LOGIN_SUPABASE_KEY names Supabase's web API"),
        ({"SAGACITY_CONFIG_S3_PTH": "x"}, "did you mean SAGACITY_CONFIG_S3_PATH?"),
    ],
)
def test_what_does_not_fit_is_named(monkeypatch: pytest.MonkeyPatch, given: dict[str, str], told: str):
    """With the setting, and without its value."""
    with pytest.raises(ConfigError) as error:
        load(monkeypatch, **given)
    assert told in str(error.value)
    assert "planted" not in str(error.value)


def test_self_host_mode_keeps_configurations_outside_the_database(monkeypatch: pytest.MonkeyPatch, tmp_path):
    """In S3, or in a folder, which comes first."""
    assert load(monkeypatch, **S3, SELF_HOST="true", LOGIN_SUPABASE_URL="unused").self_host
    assert load(monkeypatch, SELF_HOST="true", SAGACITY_CONFIG_FOLDER=str(tmp_path)).config_folder == tmp_path
