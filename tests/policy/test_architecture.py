"""What ARCHITECTURE.md names is there: each file, and each function that it puts behind a file."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = [
    f"/{path.relative_to(ROOT)}"
    for room in ("src/sagacity", "scripts")
    for path in (ROOT / room).rglob("*.py")
]
NAMED = re.compile(
    r"(?<![\w/.*])(?P<path>(?:\w+/)*\w+\.py)\b`?(?:: (?P<names>[\w.]+(?:, \w+)*)(?=`|\)|  | →|$))?",
    re.MULTILINE,
)
PLACEHOLDERS = {"NOUN.py", "NAME.py"}


def mentions() -> list[tuple[str, str]]:
    """Each file that the page names, with what it says is in it, or ""."""
    found: set[tuple[str, str]] = set()
    for match in NAMED.finditer((ROOT / "ARCHITECTURE.md").read_text()):
        path, names = match["path"], match["names"] or ""
        if path.rpartition("/")[2] not in PLACEHOLDERS and not path.startswith("tests/"):
            found.update((path, name) for name in re.split(r", |\.", names))
    return sorted(found)


def test_the_page_names_files() -> None:
    """The pattern above finds them: more than fifty."""
    assert len(mentions()) > 50


@pytest.mark.parametrize(("path", "name"), mentions())
def test_what_the_architecture_names_is_there(path: str, name: str) -> None:
    """A file is named from the package on, or by its last parts; a function or class stands in it."""
    files = [file for file in FILES if file.endswith(f"/{path}")]
    assert files, f"ARCHITECTURE.md names {path}, and there is none"
    if name:
        defined = re.compile(rf"^\s*(?:async )?(?:def|class) {name}\b|^{name}\b.*=", re.MULTILINE)
        texts = [(ROOT / file.lstrip("/")).read_text() for file in files]
        assert any(defined.search(text) for text in texts), f"{path} has no {name}"
