"""Keys of configurations that KMS wraps: Amazon's own client against an endpoint that checks its signatures."""

import asyncio
import base64
from collections.abc import Iterator
from pathlib import Path

import pytest

from sagacity.auth.key_ring import add_key, keep_first_key, new_data_key
from sagacity.config.choices import config_keys, key_service
from sagacity.config.settings import Settings, load_settings
from sagacity.domain.errors import ConfigError
from sagacity.maintenance import rotate_config_key
from support.aws import ENVIRONMENT
from support.kms import ARN, OTHER_ARN, KmsEndpoint, kms_endpoint


@pytest.fixture
def kms(monkeypatch: pytest.MonkeyPatch) -> Iterator[KmsEndpoint]:
    """Where Amazon's client asks, with the credentials that are good there."""
    with kms_endpoint() as endpoint:
        for name, value in (ENVIRONMENT | {"AWS_ENDPOINT_URL_KMS": endpoint.url}).items():
            monkeypatch.setenv(name, value)
        yield endpoint


def settings_with(home: Path, arn: str = ARN, **given: str) -> Settings:
    return load_settings(home=home, config_key_kms=arn, **given)


@pytest.mark.usefixtures("all_logs")
def test_the_key_is_unwrapped_once_and_is_in_no_file(
    kms: KmsEndpoint, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is made when a secret is first stored; a process asks for it at its start, and never again."""
    making = config_keys(settings_with(tmp_path))
    with pytest.raises(ConfigError, match="there is no key"):
        making(make=False)
    assert kms.asked == []
    wrapped = making(make=True).wrap(new_data_key("org-a"))
    opening = config_keys(settings_with(tmp_path))
    assert kms.asked == ["GenerateDataKey first", "Decrypt first"]
    for _ in range(3):
        assert opening(make=False).unwrap(wrapped, "org-a").org_id == "org-a"
    assert len(kms.asked) == 2
    stored = (tmp_path / "config.key").read_text()
    assert stored.startswith(f"kms:{ARN}:")
    told = stored + "".join(capsys.readouterr())
    for plain in kms.plain:
        assert plain.hex() not in told
        assert base64.b64encode(plain).decode() not in told
    given = settings_with(tmp_path / "other", config_key=stored.strip())
    assert config_keys(given)(make=False) == opening(make=False)


def test_keys_are_rotated_from_the_clear_and_to_another_key_of_kms(kms: KmsEndpoint, tmp_path: Path) -> None:
    """By the same command: a key in the clear, then one that KMS wraps, then one that another key of KMS wraps."""
    clear = config_keys(load_settings(home=tmp_path))(make=True)
    data_key = new_data_key("org-a")
    wrapped = clear.wrap(data_key)
    path = tmp_path / "config.key"
    add_key(path, key_service(settings_with(tmp_path)))
    for arn in (ARN, OTHER_ARN):
        both = config_keys(settings_with(tmp_path, arn))(make=False)
        wrapped = both.wrap(both.unwrap(wrapped, "org-a"))
        keep_first_key(path, key_service(settings_with(tmp_path, arn)))
        assert path.read_text().startswith(f"kms:{arn}:")
        if arn == ARN:
            asyncio.run(rotate_config_key(settings_with(tmp_path, OTHER_ARN), is_new=True, drops_old=False))
    assert config_keys(settings_with(tmp_path, OTHER_ARN))(make=False).unwrap(wrapped, "org-a") == data_key
    assert len(path.read_text().split()) == 1


def test_a_service_that_does_not_unwrap_stops_the_start(
    kms: KmsEndpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With what to do; a process that has the key goes on."""
    settings = settings_with(tmp_path)
    running = config_keys(settings)
    running(make=True)
    kms.disabled = {ARN}
    with pytest.raises(ConfigError, match=r"\(DisabledException\).*must be enabled"):
        config_keys(settings)
    kms.disabled = set()
    path = tmp_path / "config.key"
    whole = path.read_text()
    for broken, told in ((whole[:-9] + "AAAAAAA=", "InvalidCiphertext"), (f"kms:{ARN}:#", "was changed")):
        path.write_text(broken)
        with pytest.raises(ConfigError, match=told):
            config_keys(settings)
    path.write_text(whole)
    with pytest.raises(ConfigError, match="set SAGACITY_CONFIG_KEY_KMS"):
        config_keys(load_settings(home=tmp_path))(make=False)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "another")
    with pytest.raises(ConfigError, match=r"\(AccessDeniedException\).*kms:Decrypt"):
        config_keys(settings)
    monkeypatch.setenv("AWS_ENDPOINT_URL_KMS", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_MAX_ATTEMPTS", "1")
    with pytest.raises(ConfigError, match=r"KMS cannot be reached.*\(EndpointConnectionError\)"):
        config_keys(settings)
    assert running(make=False).keys


def test_what_is_no_key_of_kms_is_refused(tmp_path: Path) -> None:
    """As a setting."""
    for arn in ("alias/mine", "arn:aws:s3:::bucket", "arn:aws:kms:eu-central-1:1:key/a"):
        with pytest.raises(ConfigError, match="SAGACITY_CONFIG_KEY_KMS: must be the ARN"):
            settings_with(tmp_path, arn)
    with pytest.raises(ConfigError, match="set SAGACITY_CONFIG_KEY_KMS, too"):
        settings_with(tmp_path, "", config_key=f"kms:{ARN}:AAAA")
