"""Subjects that chat leaves out or gives as a pronoun, put back: "moved to Leeds", "My sister? She's a nurse."."""

import re
from typing import Final

from sagacity.learning.rules.fragments import DIET, GREETING, KIN, NAME, OCCUPATION, PET, STANDING

_START: Final = re.compile(
    r"(?:^|[.!?\u2026]\s{1,3}|\n)\s{0,3}(?:(?:btw|by the way|fyi|also|oh|well|yeah|yes|yep|hi|hey|hello|"
    r"actually|so|lol|ok|okay|no)\b[,:!]?\s){0,2}",
    re.IGNORECASE,
)
_GREETING: Final = re.compile(
    rf"{GREETING}(?:\s?[!.,]+|\b)\s+"
    r"(?=(?:i'm|i am|this is|my name)\b|[^\W\d_]{2,20}\shere\b)",
    re.IGNORECASE,
)
"""Before whoever introduces themself: without it, "I'm Irish" and "I'm Iris" look alike."""
_ALREADY = (
    r"(?:(?:currently|now|just|also|still|actually|really|recently|finally|honestly|absolutely|"
    r"already)\s){0,2}"
)
_NO_SUBJECT = (
    r"(?![^.!?\n]*\b(?:is|was|were|are|can|could|will|would|may|might|makes?|takes?|sounds?|seems?|helps?|"
    r"requires?|means|has|should|isn't|feels?|costs?|won't|pays?|beats?|works)\b)"
)
"""What starts like a statement and has a verb further on is the subject of that: "living in Rome is expensive"."""
_ALONE = r"(?=\s*(?:[,.!;]|$)|\s(?:and|but|so|since|for|with|here|btw|by the way|atm|now|at the moment)\b)"
_HERE = r"\shere(?=\s*(?:[,.!;]|$)|\s(?:and|in|from|with|looking|trying|btw)\b)"
_BEINGS = (
    r"(?:kids?|children|sons?|daughters?|dogs?|cats?|kittens?|puppy|puppies|brothers?|sisters?|siblings|"
    r"allergy)"
)

_LEFT_OUT: Final = tuple(
    (subject, re.compile(says, re.IGNORECASE))
    for subject, says in (
        ("I'm ", rf"{DIET}{_HERE}"),
        ("I'm a ", rf"(?:[\w-]+\s){{0,3}}?(?:{OCCUPATION}|{STANDING}|(?:mom|mum|dad) of \w+){_HERE}"),
        (
            "I'm ",
            (
                rf"{_ALREADY}(?:{DIET}|married|divorced|retired|pregnant|diabetic|celiac|lactose "
                rf"intolerant){_ALONE}"
            ),
        ),
        (
            "I'm a ",
            (
                r"(?:(?:big|huge|massive|lifelong)\sfan of|(?:single |proud )?(?:mom|mum|dad|mother|father) "
                r"of)\b"
            ),
        ),
        (
            "I'm ",
            rf"(?:not an? (?:\w+ )?fan of|{_ALREADY}(?:allergic to|based in|originally from)\b){_NO_SUBJECT}",
        ),
        (
            "I'm ",
            (
                rf"{_ALREADY}(?:living (?:in|alone|with)|working (?:as|at|for|in|from)|studying|doing (?:an?|"
                rf"my)|learning|training for|(?:thinking of|thinking about|considering) (?:moving|getting|"
                rf"adopting|quitting|going back)|moving to|new to|expecting (?:a|our|twins))\b{_NO_SUBJECT}"
            ),
        ),
        (
            "I've ",
            (
                r"(?:never been to|(?:recently |just )?been (?:living|working|studying|learning|playing|"
                r"doing|vegan|vegetarian|married|to|diagnosed|a)\b)"
            ),
        ),
        (
            "I ",
            (
                rf"{_ALREADY}(?:moved (?:to|from|here)|relocated to|bought|adopted|got (?:an?|my|married|"
                rf"divorced|engaged|promoted|laid off|two|three|\d|the job at|the job as)|found (?:an?|my) (?:new "
                rf")?job (?:at|as)|"
                rf"joined(?=\s[^.!?\n]{{2,40}} as an? )|started (?:an?|my|working|learning|"
                rf"playing|doing)|graduated|quit my|lost my|broke my|turned \d\d|was (?:born|diagnosed|"
                rf"raised|promoted|laid off)|retired (?:in|last|two|a few|three|from)|switched (?:to|from)|"
                rf"gave up|grew up|dropped out of|used to (?:be|live|work|play|have|smoke)|lived in|never "
                rf"learned|haven't (?:eaten|had|smoked)|(?:can't|cannot) (?:stand|eat|drink|drive|tolerate|"
                rf"have|swim)|don't (?:like|have|own|drive|eat|drink|smoke|enjoy)|work as an?)\s"
            ),
        ),
        ("I ", rf"(?:have|got)\s(?:an?|two|three|four|\d|my)\s(?:[\w-]+\s){{0,3}}?{_BEINGS}\b"),
        (
            "I ",
            rf"{_ALREADY}(?:love|hate|adore)\s(?!it\b|this\b|that\b|you|the\b|to see\b|how\b){_NO_SUBJECT}",
        ),
        ("I ", r"(?-i:l)ive in\s(?-i:[A-Z])"),
    )
)
_SHARED: Final = re.compile(
    r"(?P<before>\bI(?:'m|\sam|'ve|\shave|\slive|\swork|\sstudy|\smoved|\sgrew|"
    r"\swas)\b(?P<first>[^.!?;\n]{2,80}?),?\s(?:and|but)\s)(?P<rest>(?:now |currently |also |really "
    r")?(?:live|work|study|love|hate|enjoy|own|speak|play|teach|moved|grew up|drive|commute|volunteer)\s)",
)
"""One subject of two verbs: "I'm American but live in Spain"."""
_NOT_SHARED: Final = re.compile(
    r"\b(?:to (?!the\b|my\b|an?\b|be\b)[a-z]+|want|need|help|trying|going|planning|would|should|could|can|"
    r"might|people|friends|who|that|they|we|she|he)\b"
)
"""What makes the second verb another's, or one that is only wished for."""


_SOMEONE: Final = re.compile(
    r"\bas someone who(?P<verb>'s|\s(?:is|has|does(?= not|n't)|works|lives|loves|hates|plays|runs|owns|"
    r"speaks|enjoys|prefers|suffers|struggles|studies|teaches|grew up|used to|recently|just|"
    r"never))\b(?P<rest>[^.!?,;\n]{2,80})[,;]?",
    re.IGNORECASE,
)
"""One says of oneself what is said of "someone": "as someone who works nights, I …"."""


_GOES_ON: Final = re.compile(
    r"(?P<before>(?:^|[.!?\n]\s{1,3})(?:(?:hi|hey|hello|ok|so|well)[,!]?\s)?(?:I'm|I am|I've|I have|I|we|we're|"
    r"been|just)\s"
    r"(?![^.!?\n]{0,120}\b(?:my|our|he|she|they|who|which|her|his|someone|everyone|people)\s)[^.!?\n]{2,120}?,\s)"
    r"(?P<rest>(?:got|have)\s(?:an?|two|three|\d)\s|moved (?:to|from)\s|been\s(?:living|working|playing|learning)\s)",
    re.IGNORECASE,
)
"""A second statement of the first person behind a comma: "I'm at Delft, got an exam on Friday"."""
_CALLED_SO: Final = re.compile(
    r"(?P<before>(?:^|[.!?,\n]\s{1,3}|\b(?:and|but|so|because|since)\s))(?P<kin>(?:mum|mom|dad|grandma|grandpa|"
    r"granny|grandad|nana)\b)(?=(?:'s|\sis|\shas|\slives|\sworks|\sloves|\shates|\splays|\swas|\sneeds|\scan't|"
    r"\sdoesn't|"
    r"\sused to|\sturns|\sturned|\spassed|\sdied)\b)",
    re.IGNORECASE,
)
"""A parent who is called so, as by a name: "dad has a beagle"."""
_CHILD: Final = re.compile(
    r"\b(?P<whose>my|our)\s(?P<which>youngest|oldest|eldest|(?:little|older|younger|middle) one)(?=(?:'s|\s(?:is|"
    r"has|just|was|"
    r"loves|hates|can't|doesn't|won't|wakes|goes|started|starts|turned|turns|wants|needs|plays|still|never|always))"
    r"\b)",
    re.IGNORECASE,
)
"""A child who is told from the others by age: "my youngest just started school"."""
_KIN_SHARED: Final = re.compile(
    rf"(?P<being>\b(?:my|our)\s(?:{KIN}|{PET})(?:,?\s(?-i:(?!I\b){NAME}),?)?)"
    r"(?P<first>\s(?:is|has|was|works|lives|loves|hates|likes|plays|studies|turned|speaks|doesn't|can't|won't)\s"
    r"[^.!?;,\n]{1,60}?)(?P<joint>,?\s(?:and|but)\s(?:also\s)?)(?P<rest>(?:is|has|works|lives|loves|hates|likes|plays|"
    r"studies|speaks|doesn't|can't|won't)\s)",
    re.IGNORECASE,
)
"""One relative or pet of two verbs: "my sister is a nurse and lives in Oslo"."""


def _with_goes_on(found: re.Match[str]) -> str:
    subject = "I've" if found["rest"].startswith("been") else "I"
    return f"{found['before']}{subject} {found['rest']}"


def _with_kin_subject(found: re.Match[str]) -> str:
    if _NOT_SHARED.search(found["first"]):
        return found[0]
    being = found["being"]
    return (
        f"{being}{found['first']}{found['joint']}{being[:1].lower()}{being[1:].rstrip(',')} {found['rest']}"
    )


def with_subjects(text: str) -> str:
    """
    Return *text* with "I" where a sentence of chat starts without it, and with the relative that "he" or "she" is.

    Only forms that are said of oneself are completed, never one that could be an order: "moved to Leeds", "allergic to
    nuts", "nurse here". A pronoun is replaced where one person or animal alone was spoken of just before. A greeting is
    joined to the introduction that follows it.
    """
    text = _START.sub(_with_first_person, _GREETING.sub("Hi, ", text))
    text = _CALLED_SO.sub(
        lambda found: f"{found['before']}my {found['kin']}", _GOES_ON.sub(_with_goes_on, text)
    )
    text = _CHILD.sub(lambda found: f"{found['whose']} {found['which'].removesuffix(' one')} child", text)
    text = _with_relatives(_SHARED.sub(_with_second_subject, _SOMEONE.sub(_with_self, text)))
    return _KIN_SHARED.sub(_with_kin_subject, text)


def _with_first_person(start: re.Match[str]) -> str:
    text = start.string
    for subject, pattern in _LEFT_OUT:
        if pattern.match(text, start.end()):
            return start[0] + subject
    return start[0]


def _with_second_subject(found: re.Match[str]) -> str:
    return found[0] if _NOT_SHARED.search(found["first"]) else f"{found['before']}I {found['rest']}"


def _with_self(found: re.Match[str]) -> str:
    verb = found["verb"].strip()
    said = {"'s": "I'm", "is": "I'm", "has": "I have", "does": "I do"}.get(verb) or f"I {_base(verb)}"
    return f"{said}{found['rest']};"


def _base(verb: str) -> str:
    """The first person of a verb of the third."""
    if verb.endswith("ies"):
        return verb[:-3] + "y"
    if verb.endswith("ches"):
        return verb[:-2]
    return verb.removesuffix("s")


_SHE: Final = frozenset(
    "sister mother mom mum wife girlfriend daughter niece aunt grandmother grandma granddaughter mother-in-law "
    "sister-in-law landlady".split()
)
_HE: Final = frozenset(
    "brother father dad husband boyfriend son nephew uncle grandfather grandpa grandson father-in-law "
    "brother-in-law landlord".split()
)
_VERBS = (
    r"(?:is|was|has|works|lives|loves|likes|hates|plays|studies|goes|turns|turned|just|moved|speaks|doesn't|"
    r"does not|can't|cannot|got|also|teaches|died|passed away|recently|still|now|will be|started)"
)
_SPOKEN_OF: Final = re.compile(
    rf"(?P<being>\b(?:(?:my|our)\s|(?:have|got|adopted|is|with)\s(?=an?\s))(?:(?:an?)\s)?(?P<noun>{KIN}|"
    rf"{PET})\b(?P<name>(?:,?\s(?:named |called )?(?-i:(?!I\b){NAME}))?))(?!\sand\sI\b)|(?P<clause>^|\n|"
    rf"[.!?,;]\s+|\s[-\u2013\u2014]+\s|\s(?:and|but)\s)(?:(?P<pronoun>she|he)(?P<verb>'s|\s(?={_VERBS}\b))|"
    rf"(?P<whose>her|his|its)(?=\sname(?:'s|\sis)\s))"
    r"|(?P<end>[.!?](?=\s)|\n)",
    re.IGNORECASE,
)
_PRONOUN: Final = re.compile(r"\b(?:s?he|(?:her|his|its) name)\b", re.IGNORECASE)
_HAS: Final = re.compile(r"\s(?:been|got|had|turned|moved|started|lived|worked|\w+ed)\b")


def _with_relatives(text: str) -> str:
    """Replace "he", "she" and "her name" by the one relative or pet that was spoken of in this sentence or the last."""
    if not _PRONOUN.search(text):
        return text
    written: list[str] = []
    at = 0
    beings: dict[str, tuple[str, str]] = {}
    sentences = 0
    for found in _SPOKEN_OF.finditer(text):
        if found["end"]:
            sentences += 1
            continue
        if found["being"]:
            beings = ({} if sentences else beings) | {found["noun"].lower(): (found["noun"], found["name"])}
            sentences = 0
            continue
        sentences += found["clause"][:1] in {".", "!", "?", "\n"}
        being = _meant(found["pronoun"] or found["whose"], beings) if sentences <= 1 else None
        if being is None:
            continue
        written += (text[at : found.start()], found["clause"], _relative(found, text, being))
        at = found.end()
        sentences = 0
    return "".join((*written, text[at:]))


def _meant(pronoun: str, beings: dict[str, tuple[str, str]]) -> tuple[str, str] | None:
    """The only one of *beings* that *pronoun* can mean."""
    not_meant = {"she": _HE, "her": _HE, "he": _SHE, "his": _SHE}.get(pronoun.lower(), _HE | _SHE)
    fitting = [being for noun, being in beings.items() if noun.rsplit(" ", maxsplit=1)[-1] not in not_meant]
    return fitting[0] if len(fitting) == 1 else None


def _relative(found: re.Match[str], text: str, being: tuple[str, str]) -> str:
    noun, name = being
    mine = "My" if found["clause"][:1] in {"", ".", "!", "?", "\n"} else "my"
    if found["whose"]:
        return f"{mine} {noun}'s"
    verb = found["verb"]
    if verb == "'s":
        verb = " has" if _HAS.match(text, found.end()) else " is"
    return f"{mine} {noun}{name}{verb}"
