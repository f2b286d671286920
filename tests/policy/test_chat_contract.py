"""The page of the chat's promises names tests that exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "reference" / "chat-contract.md"
ROWS = {
    *(f"{number}" for number in range(1, 19)),
    *(f"S{number}" for number in range(1, 12)),
    *(f"C{number}" for number in range(1, 25)),
    *(f"R{number}" for number in range(1, 18)),
}
"""Of the lists by which the chat was attacked."""
NAMED = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE.read_text())))


@pytest.mark.parametrize(("path", "name"), NAMED, ids=[name for _, name in NAMED])
def test_promise_has_its_test(path: str, name: str) -> None:
    """A test that is renamed or deleted takes its promise along, or the page says what proves it now."""
    tree = ast.parse((ROOT / path).read_text())
    assert name in {one.name for one in tree.body if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)}


def test_every_row_of_the_lists_is_there() -> None:
    """No promise is left out because nothing proves it."""
    told = set()
    for line in PAGE.read_text().splitlines():
        if line.startswith("| "):
            told |= set(line.split("|")[1].replace(" ", "").split(","))
    told |= set(
        re.findall(r"\bS\d+\b", PAGE.read_text().splitlines()[-1])
    )  # about what this server does not have
    assert ROWS - told == set()


def test_every_row_names_a_test() -> None:
    """No promise stands there on its own."""
    rows = [line for line in PAGE.read_text().splitlines() if line.startswith("| ")][2:]
    assert len(rows) > 25
    assert [row for row in rows if "::test_" not in row] == []
