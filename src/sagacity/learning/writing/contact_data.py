"""Drop contact data of users unless the tenant allows it."""

import re

from sagacity.domain.change import Candidate
from sagacity.domain.extraction import Rejection
from sagacity.domain.kinds import FACT_KINDS
from sagacity.learning.extractors.base import Extraction
from sagacity.learning.writing.secrets import REMOVED

_MAIL = r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}"
_NUMBER = r"\(?\d(?:[ ()/.-]{0,2}\d){6,14}"
_CONTACT = re.compile(
    rf"(?<![\w.+-]){_MAIL}|(?<![\w.,/-])(?:\+|0(?=\d)){_NUMBER}(?![\w-])"
    rf"|\b(?:phone|mobile|cell|telephone|whatsapp)\b[^.!?\n]{{0,30}}\s\+?{_NUMBER}"
    r"|\baddress\b[^.!?\n]{0,40}\sis\s[^.!?\n]{0,60}\d|\blives at\s\d{1,5}\s[A-Z]",
    re.IGNORECASE,
)


_SLOT = "contact."
_PARTICULARS = re.compile(r"@|\d{3}")
"""Tells how to reach somebody from how they want to be reached: "prefers e-mail", "call after 18:00"."""


def without_contact_data(extraction: Extraction) -> Extraction:
    """Return *extraction* without facts that contain a phone number, an e-mail address or a postal address."""
    kept = tuple(
        one for one in extraction.candidates if one.kind not in FACT_KINDS or not _is_contact_data(one)
    )
    count = len(extraction.candidates) - len(kept)
    if not count:
        return extraction
    dropped = extraction.dropped | {Rejection.CONTACT_DATA: count}
    return extraction.model_copy(update={"candidates": kept, "dropped": dropped})


def contact_data_removed(text: str) -> str:
    """Return *text* with contact data replaced by `[removed]`."""
    return _CONTACT.sub(REMOVED, text)


def _is_contact_data(candidate: Candidate) -> bool:
    slot = candidate.slot or ""
    is_named = slot.startswith(_SLOT) and ("address" in slot or bool(_PARTICULARS.search(candidate.content)))
    return is_named or bool(_CONTACT.search(candidate.content))
