"""Remove invisible characters from skills, because models read hidden text; pure."""

import re

_JOINERS = "\u200c\u200d"
"""Invisible characters that are part of emoji, and of Persian and Indic words."""
_BREAK = re.compile("\r\n|[\r\v\f\x1c-\x1e\x85\u2028\u2029]")
_UNSEEN = re.compile(
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f"  # controls
    "\xad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"  # marks of width and direction
    "\U000e0000-\U000e00ff\ud800-\udfff]"  # tags, and halves of characters
)


def clean(text: str) -> str:
    """Return *text* with plain line ends, without invisible characters, and without blank lines around it."""
    return _UNSEEN.sub("", _BREAK.sub("\n", text)).strip()


def one_line(text: str) -> str:
    """Return *text*, clean, on one line, so that it cannot become a heading or an item."""
    return " ".join(clean(text).split()).strip(_JOINERS)
