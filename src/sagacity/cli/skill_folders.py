"""Unpack an archive of skills into folders; no entry can name a path outside of them."""

import io
import re
import zipfile
import zlib
from pathlib import Path

from sagacity.domain.errors import InvalidInput

_ENTRY = re.compile(r"([a-z0-9]+(?:-[a-z0-9]+)*)/SKILL\.md")
_MOST_NAME = 64
_MOST_BYTES = 2_000_000
"""Of one skill."""


def write_folders(archive: bytes, directory: Path) -> list[Path]:
    """
    Write `NAME/SKILL.md` below *directory* for each skill of a zip archive; files of that name are written over.

    Everything is checked before anything is written, whoever made the archive.

    Returns:
        The files, in the order of the archive.

    Raises:
        InvalidInput: it is no such archive, or a folder of that name leads elsewhere; nothing was written.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as packed:
            texts = {_name_of(entry): _text_of(packed, entry) for entry in packed.infolist()}
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        raise InvalidInput(f"the server did not send an archive of skills: {error}") from error
    root = directory.resolve()
    files = {root / name / "SKILL.md": text for name, text in texts.items()}
    for file in files:
        if file.resolve() != file:
            raise InvalidInput(f"{file} leads to {file.resolve()}; remove the link and export again")
    for file, text in files.items():
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(text)
        except OSError as error:
            raise InvalidInput(f"cannot write {file}: {error.strerror}") from error
    return list(files)


def _name_of(entry: zipfile.ZipInfo) -> str:
    found = _ENTRY.fullmatch(entry.filename)
    if found is None or len(found[1]) > _MOST_NAME:
        raise InvalidInput(f"the archive holds {entry.filename!r}, which is not a skill")
    return found[1]


def _text_of(packed: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    if entry.file_size > _MOST_BYTES:
        raise InvalidInput(f"{entry.filename} has {entry.file_size} bytes, which is not a skill")
    return packed.read(entry)
