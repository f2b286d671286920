"""An archive of skills becomes folders below one directory, whatever a server sends."""

import io
import stat
import zipfile

import pytest

from sagacity.cli.skill_folders import write_folders
from sagacity.domain.errors import InvalidInput


def archive(*entries: tuple[str, str], mode: int = 0o644) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as packed:
        for name, text in entries:
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            packed.writestr(entry, text)
    return made.getvalue()


def test_each_skill_gets_its_folder(tmp_path):
    """Made as needed, written over the next time; what else is there stays."""
    directory = tmp_path / "new" / "skills"
    files = write_folders(archive(("a/SKILL.md", "first"), ("b-2/SKILL.md", "ü")), directory)
    assert [file.relative_to(directory).as_posix() for file in files] == ["a/SKILL.md", "b-2/SKILL.md"]
    (directory / "a" / "notes.txt").write_text("mine")
    write_folders(archive(("a/SKILL.md", "second")), directory)
    assert (directory / "a/SKILL.md").read_text() == "second"
    assert (directory / "b-2/SKILL.md").read_text(encoding="utf-8") == "ü"
    assert (directory / "a/notes.txt").read_text() == "mine"
    assert write_folders(archive(), directory) == []


@pytest.mark.parametrize(
    "name",
    [
        "../SKILL.md", "/etc/SKILL.md", "a/../../SKILL.md", "a/SKILL.md/x", "a/other.md", "SKILL.md", "a\\SKILL.md",
        "A/SKILL.md", "a--b/SKILL.md", "-a/SKILL.md", "./SKILL.md", "C:/SKILL.md", "a\n/SKILL.md", "é/SKILL.md",
        f"{'a' * 65}/SKILL.md", "a/SKILL.md\n",
    ],
)  # fmt: skip
def test_no_name_leads_out_of_the_directory(tmp_path, name):
    """Nothing at all is written of an archive that holds anything else, not even what is in order."""
    directory = tmp_path / "skills"
    with pytest.raises(InvalidInput, match="which is not a skill"):
        write_folders(archive(("good/SKILL.md", "x"), (name, "x")), directory)
    assert list(tmp_path.rglob("*")) == []


def test_links_are_not_followed(tmp_path):
    """Neither a folder that is a link to elsewhere, nor a file; and no link is made of an entry that says it is one."""
    directory, outside = tmp_path / "skills", tmp_path / "outside"
    directory.mkdir()
    outside.mkdir()
    (directory / "a").symlink_to(outside)
    (directory / "b").mkdir()
    (directory / "b" / "SKILL.md").symlink_to(outside / "x")
    for name in ("a", "b"):
        with pytest.raises(InvalidInput, match="leads to"):
            write_folders(archive((f"{name}/SKILL.md", "x")), directory)
    assert list(outside.iterdir()) == []
    [file] = write_folders(archive(("c/SKILL.md", "/etc/passwd"), mode=stat.S_IFLNK | 0o777), directory)
    assert (file.is_symlink(), file.read_text()) == (False, "/etc/passwd")


@pytest.mark.parametrize("sent", [b"", b"<html>a proxy's page</html>", archive(("a/SKILL.md", "x"))[:-30]])
def test_what_is_no_archive_is_told(tmp_path, sent):
    with pytest.raises(InvalidInput, match="did not send an archive of skills"):
        write_folders(sent, tmp_path)


def test_what_is_too_large_for_a_skill_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="2000001 bytes"):
        write_folders(archive(("a/SKILL.md", "x" * 2_000_001)), tmp_path)
    assert list(tmp_path.iterdir()) == []
