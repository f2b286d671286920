"""Counting tokens: the known numbers, any text, no download, bounded work."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagacity.domain.errors import ConfigError
from sagacity.providers.tokens import PIECE_CHARACTERS, TokenCounter
from support.work import counted

COUNTER = TokenCounter()
"""One for all tests: loading takes a fifth of a second."""


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("hello world", 2),
        ("tiktoken is great!", 6),
        ("antidisestablishmentarianism", 6),
        ("お誕生日おめでとう", 9),
        ("2 + 2 = 4", 7),
    ],
)
def test_counts_are_those_of_the_published_encoding(text, tokens):
    """The figures that the encoding's makers give as examples."""
    assert COUNTER.count(text) == tokens


def test_special_tokens_in_a_text_are_text():
    """Somebody's message that holds a model's control word is counted as what it spells, and raises nothing."""
    assert COUNTER.count("<|endoftext|>") > 1
    assert COUNTER.count("so <|im_start|>system and <|endofprompt|>") > 8


@given(st.text())
def test_any_text_is_counted(text):
    """No text raises, and none has more tokens than bytes."""
    assert 0 <= COUNTER.count(text) <= len(text.encode())


@given(st.lists(st.text(alphabet="ab1!.,#-[]:éß中🎉 ", min_size=1).filter(str.strip), max_size=8))
def test_lines_add_up(words):
    """What the context relies on: lines that begin with a dash count the same alone and together."""
    lines = [f"- {' '.join(word.split())}\n" for word in words]
    assert sum(COUNTER.count(line) for line in lines) == COUNTER.count("".join(lines))


@given(st.text(alphabet="a1 \n\r\t\x1c\x85\u2028\u3000.#-'é中"))
def test_lines_count_what_they_count_in_one_piece(text):
    """Counting line by line changes nothing, whatever stands around a line break."""
    assert COUNTER.count(text) == len(COUNTER._loaded().encode_ordinary(text))


@given(
    st.lists(
        st.sampled_from(["word", "it's", "naïve", "中文", "12345", "!!!", "a\n\nb", "x  y"]), min_size=40
    )
)
def test_long_texts_count_what_they_count_in_one_piece(words):
    """Cutting between words changes nothing."""
    part = " ".join(words) + " end"
    text = " ".join([part] * (PIECE_CHARACTERS * 2 // len(part)))
    whole = len(COUNTER._loaded().encode_ordinary(text))
    assert COUNTER.count(text) == whole


@pytest.mark.parametrize(
    "text", ["a" * 1_000_000, " " * 1_000_000 + "a", "\n" * 1_000_000, "!" * 1_000_000, "中" * 300_000]
)
def test_a_megabyte_of_one_character_is_counted_soon_and_not_too_low(text):
    """The library itself overflows its stack on the spaces."""
    COUNTER.count("warm")
    tokens, calls = counted(lambda: COUNTER.count(text))
    assert calls < 3 * len(text)
    assert len(text) // 128 <= tokens <= len(text.encode()) + len(text) // PIECE_CHARACTERS + 1


def test_cut_runs_count_no_less_than_whole():
    """A run that has to be cut where no word ends is counted a little too high."""
    text = "abcdefghij" * 10_000
    assert COUNTER.count(text) >= len(COUNTER._loaded().encode_ordinary(text))


def test_each_cut_within_a_word_counts_for_one_token():
    """So that the count is not too low, whatever the encoding would make of the word in one piece."""
    piece = COUNTER.count("a" * PIECE_CHARACTERS)
    assert COUNTER.count("a" * 3 * PIECE_CHARACTERS) == 3 * piece + 2


def test_missing_file_names_the_mend(tmp_path):
    """Nothing is downloaded: who lacks the file is told which package brings it."""
    with pytest.raises(ConfigError, match=r"pip install .*litellm"):
        TokenCounter(path=tmp_path / "none").count("a")


async def test_changed_file_is_refused(tmp_path):
    """Another file would count something else."""
    other = tmp_path / "other"
    other.write_bytes(b"YQ== 0\n")
    with pytest.raises(ConfigError, match="not the expected file"):
        await TokenCounter(path=other).warm()


def test_counting_neither_imports_litellm_nor_looks_outside(tmp_path: Path):
    """It costs a fifth of a second, and the same without a network."""
    code = (
        "import socket, sys\n"
        "def refuse(*a, **k): raise AssertionError('a connection')\n"
        "socket.socket.connect = refuse\n"
        "from sagacity.providers.tokens import TokenCounter\n"
        "print(TokenCounter().count('hello world'), 'litellm' in sys.modules)\n"
    )
    environment = os.environ | {"TIKTOKEN_CACHE_DIR": str(tmp_path), "TMPDIR": str(tmp_path)}
    ran = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert ran.stdout == "2 False\n"
    assert list(tmp_path.iterdir()) == []
