"""What of an image goes to a model: its bytes say what it is, and what models do not read stays here."""

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sagacity.learning.windows.images import MOST_CHARACTERS, shown_image
from support.pictures import PNG, encoded

KINDS = {
    "image/png": PNG,
    "image/jpeg": b"\xff\xd8\xff\xe0" + bytes(20),
    "image/gif": b"GIF89a" + bytes(20),
    "image/webp": b"RIFF\x24\x00\x00\x00WEBPVP8 " + bytes(20),
}


@pytest.mark.parametrize(("media_type", "image"), KINDS.items(), ids=KINDS.keys())
def test_bytes_say_what_an_image_is(media_type, image):
    """Whatever the sender called it, and also where the sender said nothing."""
    shown = f"data:{media_type};base64,{encoded(image)}"
    assert shown_image(encoded(image)) == shown
    assert shown_image(f"data:image/tiff;name=x;base64,{encoded(image)}") == shown
    assert shown_image(f"DATA:;BASE64,{encoded(image)}") == shown


def test_base64_with_line_breaks_or_without_padding_is_read():
    """As mail programs and browsers write it; the model gets the plain form."""
    wrapped = base64.encodebytes(PNG * 9).decode()
    assert "\n" in wrapped.strip()
    assert shown_image(wrapped) == f"data:image/png;base64,{encoded(PNG * 9)}"
    unpadded = encoded(PNG + b"x").rstrip("=")
    assert len(unpadded) % 4
    assert shown_image(unpadded) == f"data:image/png;base64,{encoded(PNG + b'x')}"


@pytest.mark.parametrize("address", ["https://example.org/a.png?x=1,2", "HTTP://example.org/a"])
def test_an_address_goes_as_it_is(address):
    assert shown_image(address) == address


NOT_SHOWN = {
    "nothing": "",
    "no image": encoded(b"hello"),
    "a vector image": encoded(b"<svg xmlns='http://www.w3.org/2000/svg'/>"),
    "a program": encoded(b"MZ\x90\x00"),
    "sound in a RIFF file": encoded(b"RIFF\x24\x00\x00\x00WAVEfmt "),
    "no base64": "data:image/png,%89PNG",
    "damaged base64": encoded(PNG)[:-4] + "*===",
    "not ASCII": "ø" + encoded(PNG),
    "too large": encoded(PNG + bytes(MOST_CHARACTERS)),
    "too long an address": "https://example.org/" + "a" * 10_000,
    "a file": "file:///etc/passwd",
}


@pytest.mark.parametrize("sent", NOT_SHOWN.values(), ids=NOT_SHOWN.keys())
def test_what_models_do_not_read_is_not_shown(sent):
    assert shown_image(sent) == ""


@given(st.text() | st.binary().map(lambda data: "data:image/png;base64," + encoded(data)))
def test_any_text_gives_an_image_or_nothing(sent):
    shown = shown_image(sent)
    assert shown in {"", sent} or base64.b64decode(shown.partition(";base64,")[2]).startswith(
        (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"RIFF")
    )
