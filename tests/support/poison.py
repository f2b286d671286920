"""Texts of tools and web pages that ask to be remembered as rules, in many languages and by many techniques."""

import json
from pathlib import Path
from typing import Any

_TEXTS = json.loads((Path(__file__).parent / "poison_texts.json").read_text(encoding="utf-8"))
POISON: list[str] = [one["text"] for one in _TEXTS]
"""Fifty of them, one line each."""
TURNS: list[dict[str, Any]] = [
    {"role": ("User", one["origin"])[place % 2], "origin": one["origin"], "content": one["text"]}
    for place, one in enumerate(_TEXTS)
]
"""The same as an agent publishes them: under a role of their own, or pasted by the user and said to be so."""


def told_in(text: str) -> list[str]:
    """The texts that *text* tells, also as the value of a JSON document."""
    return [one for one in POISON if any(form in text for form in (one, json.dumps(one)[1:-1]))]
