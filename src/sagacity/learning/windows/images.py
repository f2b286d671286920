"""Turn the image of a turn into one that the model accepts, if it accepts images."""

import base64
import binascii
from datetime import datetime, timedelta
from typing import Final

from sagacity.domain.clock import Clock

BLIND_AFTER: Final = 3
"""How many images a model must refuse in a row; a single refusal may be due to the image."""
BLIND_FOR: Final = timedelta(minutes=10)

MOST_CHARACTERS: Final = 5 * 2**20
"""The most characters of an image in base64, the smallest limit of the large providers; some 3.9 million bytes."""
_LONGEST_ADDRESS: Final = 8_192
_SEEN = ("image/png", b"\x89PNG\r\n\x1a\n"), ("image/jpeg", b"\xff\xd8\xff"), ("image/gif", b"GIF8")
_RIFF, _WEBP = b"RIFF", b"WEBP"


class Sight:
    """
    Whether a model is shown images, as far as this process knows.

    A model that refused some in a row is shown none for a while, because each costs a failed request.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._refused_count = 0
        self._refused_at: datetime | None = None

    @property
    def is_open(self) -> bool:
        """Whether an image is worth a try."""
        if self._refused_count < BLIND_AFTER or self._refused_at is None:
            return True
        return self._clock.now() - self._refused_at >= BLIND_FOR

    def note(self, *, refused: bool) -> None:
        """Record whether an image was refused."""
        self._refused_count = self._refused_count + 1 if refused else 0
        self._refused_at = self._clock.now()


def shown_image(sent: str) -> str:
    """
    Return what to show of an image.

    Args:
        sent: an http(s) address, a `data:` URL, or base64 alone.

    Returns:
        The address unchanged, or a `data:` URL with the media type of its bytes, whatever its sender called them. Empty
        for an image that is too large, damaged, or not PNG, JPEG, GIF or WebP, the formats that models read.
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
    """Return the media type by the first bytes; empty for one that models do not read."""
    if image[:4] == _RIFF and image[8:12] == _WEBP:
        return "image/webp"
    return next((name for name, start in _SEEN if image.startswith(start)), "")
