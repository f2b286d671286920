"""What no database keeps is mended, wherever an answer is cut into pieces."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagacity.chat.sanitizer import StreamSanitizer

HALVES = st.text(st.characters(min_codepoint=0xD7FE, max_codepoint=0xE001) | st.sampled_from("\x00a"))


def read(pieces: list[str]) -> str:
    sanitizer = StreamSanitizer()
    return "".join([*map(sanitizer.read, pieces), sanitizer.finish()])


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (["plain"], "plain"),
        (["\ud83d", "\ude00"], "😀"),
        (["\ud83d\x00", "\ude00"], "😀"),
        (["\ud83d", "", "\ude00"], "😀"),
        (["\ud83d"], "\ufffd"),
        (["\ude00\ud83d"], "\ufffd\ufffd"),
        (["\x00"], ""),
    ],
)
def test_text_is_mended(pieces: list[str], text: str) -> None:
    assert read(pieces) == text


@given(text=HALVES, cuts=st.lists(st.integers(0, 20), max_size=4))
def test_pieces_do_not_matter(text: str, cuts: list[int]) -> None:
    """And what comes out can be stored and sent."""
    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    pieces = [text[start:end] for start, end in pairwise(places)]
    whole = read([text])
    assert read(pieces) == whole
    assert "\x00" not in whole
    assert whole.encode().decode() == whole
