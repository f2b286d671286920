"""Wording: turn the first person into the third, conjugate verbs, pick distinctive words."""

import re

_THIRD_PERSON = {
    "i'm": "they are", "i am": "they are", "i've": "they have", "i'd": "they would", "i'll": "they will",
    "i was": "they were", "we're": "they are", "we've": "they have", "we'll": "they will",
    "i": "they", "we": "they", "me": "them", "us": "them", "my": "their", "our": "their", "mine": "theirs",
    "myself": "themselves",
}  # fmt: skip
_FIRST_PERSON = re.compile(
    r"(?<![\w./@-])(i'm|i am|i've|i'd|i'll|i was|we're|we've|we'll|i|we|me|us|my|our|mine|"
    r"myself)(?![\w'/@-]|\.\w)",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"[A-Z]\w+\s$")
_ARTICLE = re.compile(r"^(Has|Is|Works as) a (?=[aeio](?!ne\b)|u(?!s|ni))", re.IGNORECASE)
_TAIL = re.compile(
    r"(?:[\s,;:.!-]|\s(?:by the way|btw|though|too|as well|anyway|anyways|atm|please|right now|at the moment|"
    r"lately|recently|now|any ?more|any longer|honestly|actually|for now|again|already|and|or|but|so|of course|"
    r"thanks|tbh|tho|imo|imho|ngl|"
    r"lol|sadly|unfortunately))+$",
    re.IGNORECASE,
)
_IRREGULAR = {"have": "has", "do": "does", "go": "goes", "be": "is", "don't": "does not", "can't": "cannot"}
_WORD = re.compile(r"[^\W_][\w.+#'-]*[^\W_]|[^\W_]")
_COMMON = frozenset({
    "a", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "do", "does",
    "for", "from", "had", "has", "have", "in", "into", "is", "it", "its", "not", "of", "on", "or",
    "our", "over", "so", "some", "than", "that", "the", "their", "them", "then", "they", "this",
    "to", "up", "us", "was", "we", "were", "when", "which", "who", "will", "with", "you", "your",
    "user", "name", "named", "lives", "works", "prefers", "likes", "dislikes", "uses",
    "called", "always", "never", "usually", "use", "before", "after", "all", "more", "new", "years",
    "months", "weeks", "days", "only", "about", "also", "every", "each", "out",
})  # fmt: skip
MAX_KEYWORDS = 6
_NEXT_VERB = re.compile(
    r"(\band (?:then |also )?)(go|make|take|read|write|meditate|do|eat|have|get|listen|prepare|feed|see|bake)(?= \w)",
    re.IGNORECASE,
)


def third_person(text: str, *, also_we: bool = True) -> str:
    """Replace "I" (and "we", with *also_we*) by "they" in *text*; everything else stays as it is."""
    return _FIRST_PERSON.sub(lambda match: _third(match, also_we=also_we), text)


def _third(match: re.Match[str], *, also_we: bool) -> str:
    said = match.group(0)
    if not also_we and said.lower().startswith(("we", "us", "our")):
        return said
    # "US" is a country, "ME" a state, "Tiger I" a tank: only pronouns are replaced.
    if said in {"US", "ME"} or (said == "I" and _NUMBERED.search(match.string, 0, match.start())):
        return said
    return _THIRD_PERSON[said.lower()]


def trim(text: str) -> str:
    """Remove trailing asides and punctuation from a captured phrase."""
    return _TAIL.sub("", " ".join(text.split()))


def conjugate(verb: str) -> str:
    """Return the third person singular of a base verb: "goes" for "go". Words after the first stay as they are."""
    head, space, rest = verb.lower().partition(" ")
    if head in _IRREGULAR:
        changed = _IRREGULAR[head]
    elif head.endswith(("s", "sh", "ch", "x", "z", "o")):
        changed = head + "es"
    elif head.endswith("y") and head[-2:-1] not in "aeiou":
        changed = head[:-1] + "ies"
    else:
        changed = head + "s"
    return changed + space + rest


def conjugate_next(text: str) -> str:
    """Conjugate verbs after "and": "up at 5 and goes for a run". Only verbs that are hardly ever nouns."""
    return _NEXT_VERB.sub(lambda match: match[1] + conjugate(match[2]), text)


def finish(text: str) -> str:
    """Make *text* a sentence, with a capital letter and a full stop."""
    body = trim(text).replace(" ,", ",").replace(" :", ":")
    return _ARTICLE.sub(r"\1 an ", f"{body[:1].upper()}{body[1:]}.") if body else ""


def shorten(text: str, limit: int) -> str:
    """Cut *text* between words to at most *limit* characters, including an ellipsis."""
    flat = " ".join(text.split())
    if len(flat) <= limit:
        return flat
    return flat[: limit - 1].rsplit(" ", 1)[0].rstrip(",;:") + "\u2026"


def words(text: str) -> list[str]:
    """Return the content words of *text*, case-folded, in order, with repetitions."""
    return [word for word in (w.casefold() for w in _WORD.findall(text)) if word not in _COMMON]


def keywords(text: str) -> tuple[str, ...]:
    """Return a few distinctive words of *text*, in order."""
    distinct = dict.fromkeys(word for word in words(text) if len(word) > 1)
    return tuple(distinct)[:MAX_KEYWORDS]


def slug(text: str) -> str:
    """Return the content words of *text* as a name: "red wine" becomes `red_wine`."""
    return "_".join(words(text))[:60]
