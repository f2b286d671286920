"""The words that the glossary rules out are in no page and in no source."""

import re

import pytest

from support.documents import ROOT, documents

ROW = re.compile(r"^\| (?P<say>[^|]+) \| (?P<avoided>[^|]+) \| (?P<place>everywhere|pages) \|$", re.MULTILINE)
FENCE = re.compile(r"^(?P<indent> *)```.*?^(?P=indent)```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`]*`|\]\([^)]*\)")
GLOSSARY = "docs/glossary.md"
READS_USERS_WORDS = {"src/sagacity/learning/evaluate/rules.py"}
"""Patterns of what users write, who choose their own words."""


def _rules() -> list[tuple[str, str, str]]:
    """Return each word to avoid, the word to use, and where it must not be."""
    text = (ROOT / GLOSSARY).read_text(encoding="utf-8").partition("## Words to avoid")[2]
    return [
        (avoided.strip(), row["say"], row["place"])
        for row in ROW.finditer(text)
        for avoided in row["avoided"].split(",")
    ]


def _prose(text: str) -> str:
    """Return a page without code and the targets of links; each line keeps its place."""

    def blank(found: re.Match[str]) -> str:
        return "\n" * found[0].count("\n")

    return CODE.sub(blank, FENCE.sub(blank, text))


def _pages() -> dict[str, str]:
    return {
        name: _prose((ROOT / name).read_text(encoding="utf-8"))
        for name in documents()
        if name != GLOSSARY and not name.startswith("docs/decisions/")
    }


def _sources() -> dict[str, str]:
    paths = {str(path.relative_to(ROOT)): path for path in (ROOT / "src").rglob("*.py")}
    return {
        name: path.read_text(encoding="utf-8")
        for name, path in paths.items()
        if name not in READS_USERS_WORDS
    }


def _places(avoided: str, texts: dict[str, str]) -> list[str]:
    words = r"\s+".join(map(re.escape, avoided.split()))
    return [
        f"{name}:{text[: found.start()].count(chr(10)) + 1}"
        for name, text in texts.items()
        for found in re.finditer(rf"\b{words}\b", text)
    ]


@pytest.mark.parametrize(("avoided", "say", "place"), _rules())
def test_words_to_avoid_are_nowhere(avoided: str, say: str, place: str) -> None:
    texts = _pages() | (_sources() if place == "everywhere" else {})
    assert _places(avoided, texts) == [], f"say {say!r}"


def test_the_list_is_read_and_words_are_found() -> None:
    """Else the test above would pass whatever is written."""
    assert ("can not", "cannot", "everywhere") in _rules()
    assert _places("can not", {"page": _prose("It can\nnot.\n`can not`\nIt can not.")}) == [
        "page:1",
        "page:4",
    ]
    assert len(_pages()) > 30
