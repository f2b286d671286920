"""What a file is recognised by."""

from pathlib import Path

import pytest

from sagacity.cli.import_exported import is_exported
from sagacity.domain.errors import InvalidInput


def test_a_file_of_export_is_known_by_its_beginning(tmp_path: Path) -> None:
    """Whatever follows."""
    for name, begins, known in (("a", b'{"manifest":{"format":"sagacity-export"', True), ("b", b"[]", False)):
        (tmp_path / name).write_bytes(begins)
        assert is_exported(tmp_path / name) is known


def test_a_file_that_is_not_there_is_not_taken_for_another_programs(tmp_path: Path) -> None:
    """Nobody has to look for the program that wrote it."""
    with pytest.raises(InvalidInput, match="missing cannot be read: No such file"):
        is_exported(tmp_path / "missing")
