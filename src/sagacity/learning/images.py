"""An image as it came with a turn becomes one that a model can be shown; pure."""

import base64
import binascii
from typing import Final

MOST_CHARACTERS: Final = 5 * 2**20
"""Of an image in base64: the least that the large providers take; some 3.9 million bytes."""
_LONGEST_ADDRESS: Final = 8_192
_SEEN = ("image/png", b"\x89PNG\r\n\x1a\n"), ("image/jpeg", b"\xff\xd8\xff"), ("image/gif", b"GIF8")
_RIFF, _WEBP = b"RIFF", b"WEBP"


def shown_image(sent: str) -> str:
    """
    Return what to show of an image.

    Args:
        sent: an http(s) address, a `data:` URL, or base64 alone.

    Returns:
        The address as it is, or a `data:` URL that names what its bytes are, whatever its sender called them. Empty
        for what is too large, damaged, or neither PNG, JPEG, GIF nor WebP, which are what models read.
    """
    if sent[:8].lower().startswith(("http://", "https://")):
        return sent if len(sent) <= _LONGEST_ADDRESS else ""
    if len(sent) > MOST_CHARACTERS:
        return ""
    head, comma, after = sent.partition(",")
    if comma and not head.lower().endswith(";base64"):
        return ""
    text = "".join((after if comma else sent).split())
    try:
        image = base64.b64decode(text + "=" * (-len(text) % 4), validate=True)
    except (ValueError, binascii.Error):
        return ""
    media_type = _media_type(image)
    return f"data:{media_type};base64,{base64.b64encode(image).decode()}" if media_type else ""


def _media_type(image: bytes) -> str:
    """Read the media type off the first bytes; empty for one that models do not read."""
    if image[:4] == _RIFF and image[8:12] == _WEBP:
        return "image/webp"
    return next((name for name, start in _SEEN if image.startswith(start)), "")
