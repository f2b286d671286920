"""The operator's secret: it hashes users, seals what is known of them, and signs reports."""

import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sagacity.auth.erasure_key import ErasureKey, no_key, read_or_make
from sagacity.domain.erasure import BackupFound, ErasureReport, Scan
from sagacity.domain.errors import ConfigError
from sagacity.learning.erasure.report import is_genuine, signed

KEY, OTHER = ErasureKey(b"a" * 32), ErasureKey(b"b" * 32)
AT = datetime(2026, 5, 1, 10, 0, 0, 123_456, tzinfo=UTC)
REPORT = ErasureReport(
    erasure_id="e-1",
    org_id="org",
    user_hash=KEY.hash_user("org", "anna"),
    key_id=KEY.key_id,
    database="sqlite: sagacity.db",
    requested_at=AT,
    gone_at=AT,
    finished_at=AT,
    deleted={"requests": 2, "interactions": 1},
    unnamed={},
    withdrawn=(),
    files="rewritten",
    scan=Scan(tables=34, needles=1),
    backups=(BackupFound(path="/b.db"),),
    beyond_reach=("ünlogged",),
)


def test_a_user_is_hashed_with_organisation_and_key() -> None:
    """Equal for equal names only; no two ways to cut organisation and user apart give the same."""
    assert KEY.hash_user("org", "anna") == KEY.hash_user("org", "anna")
    others = {KEY.hash_user("orga", "nna"), KEY.hash_user("org", "Anna"), OTHER.hash_user("org", "anna")}
    assert len(others | {KEY.hash_user("org", "anna")}) == 4


def test_what_is_sealed_opens_with_the_same_key_only() -> None:
    """Twice sealed it looks different each time."""
    first, second = KEY.seal("änna \ud800"), KEY.seal("änna \ud800")
    assert first != second
    assert KEY.open(first) == KEY.open(second) == "änna \ud800"
    with pytest.raises(ConfigError):
        OTHER.open(first)


def test_a_report_is_genuine_as_it_was_signed_also_after_it_was_written_as_json() -> None:
    """Whatever is changed in it, it is genuine no more; so it is by another key than the one that it names."""
    report = signed(REPORT, KEY)
    assert is_genuine(ErasureReport.model_validate_json(report.model_dump_json(indent=2)))
    assert not is_genuine(REPORT)
    for change in ({"deleted": {"requests": 3}}, {"public_key": OTHER.public_key}, {"signature": "zz"}):
        assert not is_genuine(report.model_copy(update=change))


def test_a_key_is_made_once_and_only_its_owner_may_read_it(tmp_path: Path) -> None:
    """The second process gets that of the first."""
    path = tmp_path / "home" / "erasure.key"
    made = read_or_make(path)
    assert read_or_make(path) == made
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [one.name for one in path.parent.iterdir()] == ["erasure.key"]


@pytest.mark.parametrize("text", ["", "no key", "abcd", "ü"])
def test_a_file_that_holds_no_key_is_refused_and_left_alone(tmp_path: Path, text: str) -> None:
    """It might be the only trace of the key that was there."""
    path = tmp_path / "erasure.key"
    path.write_text(text)
    with pytest.raises(ConfigError, match="SAGACITY_ERASURE_KEY"):
        read_or_make(path)
    assert path.read_text() == text


def test_parts_that_erase_nobody_have_no_key() -> None:
    """Who asks is told."""
    with pytest.raises(ConfigError):
        no_key()
