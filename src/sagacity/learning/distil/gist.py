"""The gist of a rule, without its examples, by which rules of different users are compared."""

import re
from typing import Final

_QUOTED: Final = (
    r"“[^”\n]{1,200}”|„[^“”\n]{1,200}[“”]|«[^»\n]{1,200}»"
    r"|\"[^\"\n]{1,200}\"|`[^`\n]{1,200}`|(?<!\w)'[^'\n]{1,200}'(?!\w)"
)
_SUCH_AS: Final = (
    r"e\.\s?g\.|for example|for instance|such as|z\.\s?B\.|zum Beispiel|par exemple|por ejemplo|por exemplo"
)
_IN_BRACKETS = re.compile(rf"\s?[(\[](?:{_SUCH_AS}|like|say)[^()\[\]\n]{{0,300}}[)\]]", re.IGNORECASE)
_TO_THE_END = re.compile(rf",?\s?\b(?:{_SUCH_AS})[ ,:][^.;!?\n]{{1,200}}(?=[.;!?\n]|$)", re.IGNORECASE)
_QUOTATION = re.compile(rf"(?:,?\s?\b(?:like|say)[ ,:]{{1,2}})?(?:{_QUOTED})")
_PERSON = re.compile(
    r"\b(?P<who>[Uu]ser|[Cc]ustomer|[Cc]lient|Mrs?\.?|Ms\.?|Dr\.?)(?: [A-Z][\w'-]{1,30}){1,3}(?=\W|$)"
)
_NUMBER = re.compile(r"#?\b[A-Z]{0,6}-?\d{3,20}\b")
_SPACES = re.compile(r"\s+(?=[.,;:!?])|(?<=\s)\s+")
_LEAST_WORDS: Final = 6
"""The fewest words of the rest of a line: in a shorter line, such as `Call me "Captain".`, the example is the rule."""


def gist(text: str) -> str:
    """Return *text* without what makes its lines specific: examples, quotations, people's names, long numbers."""
    return "\n".join(map(_gist_of_line, text.split("\n")))


def _gist_of_line(line: str) -> str:
    left = line
    for pattern in (_IN_BRACKETS, _TO_THE_END, _QUOTATION, _NUMBER):
        left = pattern.sub("", left)
    left = _PERSON.sub(lambda person: person["who"], left)
    if left == line:
        return line
    left = _SPACES.sub("", left).strip()
    return left if len(left.split()) >= _LEAST_WORDS else line
