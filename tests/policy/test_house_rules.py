"""Rules of the house that no linter knows: file sizes, where the environment is read, what is not to be found."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
MOST_LINES = 500

LONGER = {
    "src/sagacity/storage/schema/tables.py": 1_100,  # every table in one place reads better than two files of tables
    "src/sagacity/storage/schema/migrations/versions/0001_first.py": 1_200,  # every table once more, never edited after a release
}
"""Files over the limit, with their own."""

READS_ENVIRONMENT = {
    "src/sagacity/config/settings.py",  # this process's settings
    "src/sagacity/client/environment.py",  # the library's two, where no settings are loaded
    "src/sagacity/providers/litellm_seam.py",  # switches of LiteLLM's that keep it from looking outside
    "src/sagacity/providers/embedders/onnx.py",  # which sets what keeps the library from reporting its use
    "src/sagacity/cli/main.py",  # whether a shell asks for completions
    "src/sagacity/cli/processes.py",  # what server processes start with
    "src/sagacity/cli/one_thread.py",  # how many threads numpy computes on, which it reads as it is loaded
}


def lines_of(path: Path) -> int:
    return len(path.read_text().splitlines())


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_files_stay_small() -> None:
    """A file that outgrows the limit holds more than one idea; what a script writes is as long as it comes."""
    written = [path for path in SOURCES if not path.read_text().startswith("# Generated")]
    found = {relative(path): lines_of(path) for path in written}
    assert {name: count for name, count in found.items() if count > LONGER.get(name, MOST_LINES)} == {}
    assert all(found[name] > MOST_LINES for name in LONGER), "take it off the list"


def test_environment_is_read_where_it_is_expected() -> None:
    """Settings come from one place, so that a page can list them all."""
    found = {relative(path) for path in SOURCES if re.search(r"\bos\.(environ|getenv)\b", path.read_text())}
    assert found <= READS_ENVIRONMENT


def test_every_module_says_what_it_is_for() -> None:
    """A module opens with a docstring."""
    silent = [
        relative(path)
        for path in SOURCES
        if path.read_text().strip() and ast.get_docstring(ast.parse(path.read_text())) is None
    ]
    assert silent == []


def test_nothing_is_left_half_done() -> None:
    """No stub, no skipped test, no mock of our own code."""
    words = re.compile(
        r"NotImplementedError|\b(?:TODO|FIXME|XXX)\b|pytest\.(?:mark\.)?(?:skip|xfail)|unittest\.mock|monkeypatch\.setattr\((?!socket\b)"
    )
    files = [*SOURCES, *sorted((ROOT / "tests").rglob("*.py")), *sorted((ROOT / "benchmarks").rglob("*.py"))]
    found = [
        f"{relative(path)}:{number}"
        for path in files
        if path != Path(__file__)
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if words.search(line)
    ]
    assert found == []
