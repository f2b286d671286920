"""Write lines to a file that gets its name only when it is complete."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

from sagacity.domain.base import Value
from sagacity.domain.errors import InvalidInput, StorageError
from sagacity.storage.sqlite.file import new_file, put_in_place, sync
from sagacity.storage.transfer.copy import OnProgress, Step

PARTIAL = ".partial"


class Exported(Value):
    """A file that is complete."""

    path: str
    size_bytes: int
    lines: int


async def write_file(
    lines: AsyncGenerator[bytes], path: Path, on_progress: OnProgress, *, replace: bool = False
) -> Exported:
    """
    Write *lines* into a file that only its owner may read.

    Raises:
        InvalidInput: the file exists already, or its folder does not.
        StorageError: the disk is full, or fails.
    """
    if not path.parent.is_dir() or path.is_dir():
        raise InvalidInput(f"{path} cannot be written: name a file in a folder that exists")
    if path.exists() and not replace:
        raise InvalidInput(f"{path} already exists: name another file, or pass --force to replace it")
    partial, count = path.with_name(path.name + PARTIAL), 0
    try:
        new_file(partial)
        async with aclosing(lines):
            with partial.open("wb") as file:
                async for some in lines:
                    await asyncio.to_thread(file.write, some)
                    count += some.count(b"\n")
                    on_progress(Step(doing="writing lines", done=count, total=count))
        await asyncio.to_thread(sync, partial)
        await asyncio.to_thread(put_in_place, partial, path)
    except OSError as error:
        raise StorageError(f"{path} cannot be written: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)
    return Exported(path=str(path), size_bytes=path.stat().st_size, lines=count)
