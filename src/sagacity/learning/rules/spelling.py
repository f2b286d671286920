"""Chat English as it would be written with care: apostrophes, frequent typos, capitals of well-known names."""

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Final

from sagacity.learning.rules.fragments import GREETING, KIN
from sagacity.learning.rules.given_names import GIVEN
from sagacity.learning.rules.places import CAPITALISED, COUNTRIES_AND_CITIES

_APOSTROPHES: Final = {
    "dont": "don't", "doesnt": "doesn't", "didnt": "didn't", "cant": "can't", "couldnt": "couldn't",
    "wont": "won't", "wouldnt": "wouldn't", "shouldnt": "shouldn't", "isnt": "isn't", "arent": "aren't",
    "wasnt": "wasn't", "werent": "weren't", "havent": "haven't", "hasnt": "hasn't", "hadnt": "hadn't",
    "ive": "I've", "im": "I'm", "weve": "we've", "youve": "you've", "theyre": "they're", "theyve": "they've",
    "youre": "you're", "thats": "that's", "whats": "what's", "shes": "she's", "hes": "he's", "mustnt": "mustn't",
    "neednt": "needn't",
}  # fmt: skip
_TYPOS: Final = {
    "alergic": "allergic", "allergc": "allergic", "alergy": "allergy", "allergie": "allergy",
    "vegitarian": "vegetarian", "vegatarian": "vegetarian", "vegeterian": "vegetarian", "vegeterain": "vegetarian",
    "vegitarien": "vegetarian", "prefere": "prefer", "preffer": "prefer", "perfer": "prefer", "prefr": "prefer",
    "favorit": "favorite", "favourit": "favourite", "favrite": "favorite", "faviourite": "favourite",
    "fav": "favorite", "fave": "favorite", "favs": "favorites", "becuase": "because", "becasue": "because",
    "cuz": "because", "realy": "really", "rly": "really",
    "usualy": "usually", "curently": "currently", "currenty": "currently", "definately": "definitely",
    "definitly": "definitely", "birtday": "birthday", "birthdya": "birthday", "bday": "birthday",
    "b-day": "birthday", "pregant": "pregnant", "pregnent": "pregnant", "diabetis": "diabetes",
    "appartment": "apartment", "apartement": "apartment", "adress": "address", "tommorow": "tomorrow",
    "tomorow": "tomorrow", "tommorrow": "tomorrow", "tmrw": "tomorrow", "tmr": "tomorrow",
    "collegue": "colleague", "freind": "friend", "girlfreind": "girlfriend", "boyfreind": "boyfriend",
    "brohter": "brother", "husbend": "husband", "dauther": "daughter", "daugther": "daughter",
    "engeneer": "engineer", "enginer": "engineer", "devloper": "developer", "develper": "developer",
    "techer": "teacher", "teh": "the", "hte": "the", "lenguages": "languages", "swiched": "switched",
    "swithced": "switched", "switchd": "switched", "liscense": "license", "lisence": "licence",
    "licens": "license", "vacaton": "vacation", "vaccation": "vacation", "holliday": "holiday",
    "dealine": "deadline", "deadlien": "deadline", "dedline": "deadline", "apointment": "appointment",
    "appoinment": "appointment", "appointement": "appointment", "wensday": "Wednesday",
    "wednsday": "Wednesday", "febuary": "February", "intolerent": "intolerant", "moveing": "moving",
    "liveing": "living", "pyhton": "Python", "nevoim": "neovim", "lactos": "lactose", "devorced": "divorced",
    "divorsed": "divorced", "maried": "married", "marryed": "married", "hubby": "husband",
    "gf": "girlfriend", "bf": "boyfriend", "anymroe": "anymore", "enlgish": "English",
    "ur": "your", "pls": "please", "plz": "please", "wanna": "want to", "gonna": "going to",
    "hav": "have", "liek": "like", "lvie": "live", "wokr": "work", "alot": "a lot",
}  # fmt: skip
_WORDS: Final = _APOSTROPHES | _TYPOS

_CHAT = re.compile(r"(?<![\w'@./-])(?:[A-Za-z][a-z'-]*[a-z])(?![\w'@/-]|\.\w)")
_LOWER_I = re.compile(r"(?<![\w'.@/-])i(?=(?:'(?:m|ve|d|ll))?(?:[\s,;!?]|$))")
_WERE = re.compile(
    r"(?P<before>(?:^|[.!?\n]\s{0,3}|\b(?:btw|and|but|because|so|also|actually|fyi|yeah|,)\s)\s{0,3})"
    r"were(?=\s(?:(?:also|not|just|still|actually|finally|both|all|currently)\s)?(?:moving|expecting|going "
    r"to|"
    r"getting|"
    r"planning|having|living|using|based|vegan|vegetarian)\b)",
    re.IGNORECASE,
)
_IS = re.compile(
    r"(?<=\w)'s(?=\s(?:(?:also|now|severely|badly|very)\s)?(?:allergic to|(?:vegan|vegetarian|pescatarian|diabetic|"
    r"celiac|coeliac|lactose[- ]intolerant|gluten[- ]free|gluten[- ]intolerant|asthmatic|pregnant|retired|deaf|blind)"
    r"(?=\s*(?:[.,;!)]|$)|\s(?:and|but|so|now|too|since|because)\b)))",
    re.IGNORECASE,
)
"""What is a verb, and no possessive: "Leo's allergic to eggs"."""
_KIN_IS = re.compile(
    rf"(?P<kin>\b(?:my|our)\s{KIN})'s(?=\s(?:(?:also|now|really|very|so|pretty|quite|always|still|just|both|super|"
    r"only|already|currently|totally|kind of|turning|into|obsessed|retired|afraid|scared|an?|not|going to|"
    r"in (?:hospital|"
    r"college|school|his|her))\b|\d))",
    re.IGNORECASE,
)
"""The same of a relative, before what cannot be possessed: "my dad's turning 70"."""
_WILL = re.compile(
    r"(?P<before>(?:^|[.!?,\n]\s{0,3}|\b(?:and|but|so|btw)\s))ill(?=\s(?:be|have|move|need)\b)", re.IGNORECASE
)
_NO_NAMES: Final = frozenset(
    "a an the not on in at to too back later when if maybe crazy old old-fashioned paranoid weird lazy mad "
    "stupid silly "
    "naive cynical tomorrow today tonight names out up by your you this that these those it them and or but because "
    "whatever anytime asap sir for after before from with of spelled misspelled wrong correct no yes also now "
    "as is was "
    "both old young small big black white brown grey gray orange happy healthy loud quiet sick tall short school work "
    "irrelevant unimportant important private secret long short common rare on, all any every here there so "
    "very just "
    "away his her my our their him off every something anything nothing someone sick again once twice daily only "
    "train bus car bike plane foot boat subway".split()
)
_INTRODUCED = re.compile(
    r"(?P<before>\b(?:my (?:full |first |real |last )?name(?:'s| is| s)|calls? me|i go by|i'm known as|"
    r"(?:dog|cat|puppy|kitten|hamster|horse|rabbit|bunny|parrot|son|daughter|wife|husband|brother|sister|"
    r"partner|"
    r"boyfriend|girlfriend|friend|boss|manager|baby|kid|niece|nephew)(?: is|'s| was)?(?:'s name is| named|"
    r" called| name is))\s)"
    r"(?P<name>[a-z][a-z-]{1,20})(?![\w'@.-]*[@/\d])(?=[\s,.;!?)']|$)",
    re.IGNORECASE,
)
_GREETED = re.compile(
    rf"(?P<before>{GREETING}[\s!.,]{{1,4}}"
    rf"(?:(?:i'?m|i am|(?:it|this)(?:'s| is)|its)\s)?)(?P<name>(?-i:{GIVEN}))(?=[\s,.;!?)]|$)",
    re.IGNORECASE,
)
"""A name in small letters behind a greeting: "hi im walter"."""
_TWO_NAMES = re.compile(
    r"(?P<before>\b(?:my|our|two|three|2|3)\s(?:cats|dogs|kids|children|sons|daughters|boys|girls|kittens|"
    r"puppies)"
    r"(?:,|:| named| called)\s)(?P<name>[a-z][a-z-]{1,20})(?P<between>\s(?:and|"
    r"&)\s)(?P<other>[a-z][a-z-]{1,20})"
    r"(?=\s*(?:[.,;!)\n]|$))",
)
_MONTH = re.compile(
    r"(?P<before>\b(?:in|since|until|till|by|of|on|next|last|early|late|mid|this|through|end of|and|"
    r"\d{1,2}(?:st|nd|rd|th)?|(?:january|february|april|june|july|august) (?:to|and|or))\s)(?P<name>march|"
    r"may)"
    r"(?=\s?(?:[,.;!?)]|$|\d|\d{4}|and\b|to\b|for\b|with\b|so\b|because\b|but\b|or\b|at\b|btw\b|we\b|i\b))"
    r"|(?P<first>\b(?:march|may))(?=\s(?:the\s)?\d{1,2}(?:st|nd|rd|th)?\b)",
    re.IGNORECASE,
)


def spelled(text: str) -> str:
    """
    Return *text* with the apostrophes and capitals that chat leaves out, and without its most frequent typos.

    Only what has one reading is changed: "im" and "dont" everywhere, "were" and "ill" where a verb shows that they are
    "we're" and "I'll", a name where it is introduced, and places, languages, days and months that are no other words.
    """
    text = text.replace("\u2019", "'").replace("\u2018", "'")
    text = _CHAT.sub(lambda found: _written(found[0]), text)
    text = _WERE.sub(lambda found: f"{found['before']}we're", text)
    text = _WILL.sub(lambda found: f"{found['before']}I'll", text)
    text = _KIN_IS.sub(r"\g<kin> is", _IS.sub(" is", text))
    text = _LOWER_I.sub("I", text)
    text = _proper().sub(lambda found: CAPITALISED.get(found[0]) or found[0].title(), text)
    text = _MONTH.sub(_month, text)
    text = _GREETED.sub(lambda found: found["before"] + found["name"].title(), text)
    return _TWO_NAMES.sub(_two_names, _INTRODUCED.sub(_introduced, text))


def with_apostrophes(text: str) -> str:
    """Return *text* with the apostrophes that chat leaves out, and with straight ones."""
    text = text.replace("\u2019", "'").replace("\u2018", "'")
    return _CHAT.sub(lambda found: _written(found[0], _APOSTROPHES), text)


def _written(word: str, forms: Mapping[str, str] = _WORDS) -> str:
    """The careful form of one word, of *forms*; a capital in front stays."""
    careful = forms.get(word.lower())
    if careful is None or word.isupper():
        return word
    return careful[0].upper() + careful[1:] if word[0].isupper() else careful


def _introduced(found: re.Match[str]) -> str:
    name = found["name"]
    if name.lower() in _NO_NAMES or name[0].isupper():
        return found[0]
    return found["before"] + name.title()


def _two_names(found: re.Match[str]) -> str:
    if {found["name"], found["other"]} & _NO_NAMES:
        return found[0]
    return f"{found['before']}{found['name'].title()}{found['between']}{found['other'].title()}"


def _month(found: re.Match[str]) -> str:
    if found["first"]:
        return found["first"].title()
    return found["before"] + found["name"].title()


@cache
def _proper() -> re.Pattern[str]:
    """Names that are capitalised wherever they stand in lower case; longer ones first."""
    names: Iterable[str] = sorted({*COUNTRIES_AND_CITIES, *CAPITALISED}, key=len, reverse=True)
    return re.compile(rf"(?<![\w'@./#-])(?:{'|'.join(names)})(?![\w@/-]|\.\w)")
