"""Text of skills keeps what is seen and loses what is not."""

import pytest

from sagacity.learning.distil.skills.text import clean, one_line


@pytest.mark.parametrize(
    "seen",
    [
        "می\u200cخواهم",
        "👩\u200d💻",
        "क्\u200dष",
        "a\ufe0fb",
        "e\u0301",
        "日本",
        "\u0600١٢",
        "\U0001fae8",
        "a\u3000b",
    ],
)
def test_what_is_seen_stays(seen):
    assert clean(seen) == seen


@pytest.mark.parametrize(
    "unseen",
    [
        *"\x00\x1b\x7f\x80\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2060\u2064\ufeff\ud800\udfff",
        *map(chr, (*range(0x202A, 0x202F), *range(0x2066, 0x2070), 0xE0000, 0xE0001, 0xE0041, 0xE007F)),
    ],
)
def test_what_is_not_seen_goes(unseen):
    """In a body and on one line alike, and without a trace of where it was."""
    assert (clean(f"a{unseen}b\n\tc"), one_line(f"a{unseen}b\n\tc")) == ("ab\n\tc", "ab c")


@pytest.mark.parametrize(
    "end", ["\r\n", "\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]
)
def test_every_end_of_a_line_is_one(end):
    assert clean(f"\n a{end}b {end}") == "a\nb"
    assert one_line(f"# a{end}{end}# b\u200d") == "# a # b"
