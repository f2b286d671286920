"""The intent of a message, whose words it asks for, and which kinds of memory are likely to answer it."""

import re
from collections.abc import Sequence

from sagacity.domain.analysis import Intent, Speaker
from sagacity.domain.courtesy import is_courtesy
from sagacity.domain.memory import MemoryKind

PROCEDURAL = (MemoryKind.USER_PLAYBOOK, MemoryKind.AGENT_PLAYBOOK, MemoryKind.SKILL)
"""The kinds that the chat contract calls procedural."""

_RECALL = re.compile(
    r"\b(?:remember|recall|told|said|mentioned|discussed|talked about|last time|before|previously|earlier|when did"
    r"|what (?:was|were|did)|(?:my|our) (?:favou?rite|preference|choice)s?"
    r"|remind me (?:of|about|what|which|who|whose|how|where|when|why)"
    r"|erinnerst|erinnere|gesagt|erzählt|erwähnt|besprochen|letztes mal|vorher|früher|mein\w{0,2} lieblings\w{1,30})\b"
)
_VERBS = (
    "add|build|change|configure|create|delete|fix|generate|help|make|modify|remove|set|solve|update|write"
)
_COMMAND = re.compile(
    rf"(?:(?:please )?(?:{_VERBS})|(?:can|could|would) you (?:please )?(?:create|help|make|write))\b"
)
_QUESTION = re.compile(
    r"(?:are|can|could|do|does|how|is|should|what|when|where|which|who|why|would"
    r"|wer|wen|wem|wessen|wo|wohin|woher|wann|warum|wieso|weshalb|wie|welche[mnrs]?"
    r"|qué|quién(?:es)?|cuándo|dónde|cómo|cuál(?:es)?|cuánt[oa]s?|qui|quoi|quand|où|comment|pourquoi|combien|quel(?:le)?s?"
    r"|est-ce|quem|quando|onde|qual|quais|quant[oa]s?)\b"
    r"|(?:am|was|were|did|will|have|has|had|(?:is|are|do|does|did|was|were|can|could|wo|would|should|have|has)n't)"
    r" (?:i|we|you|he|she|it|they|my|our|the|there|this|that)\b"
)
_ASKING = re.compile(r"\b(?:define|describe|explain|tell me about)\b")
_SENTENCE_END = re.compile(r"(?<=[.!?？؟])\s+|\n+")
_STATES = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|im|ive|we|we're|we've|he|she|they|it's|am|is|are|was|were|has|have|had|got|went|will"
    r"|helps|helped|works|worked|started|wants|bought|hilft|ich|wir|bin|ist|war|habe|haben|hat|wurde|je|nous|suis|est|était|soy|estoy|tengo|fue|era|hay|eu|sou|estou|tenho|foi"
    r")\b|\bj'\w|\b(?:heißt|wohnt|lebt|arbeitet|studiert|spielt)\s\w"
)
"""
Words of a statement: a subject such as "I", or a verb such as "is".

A German verb at the end belongs to a clause, as in "die Stadt, in der Anna wohnt", which may ask for that city.
"""
_WANTS = re.compile(
    r"\b(?:want|need|like to|love to|looking|should|could|can|help|plan|planning|going to|ideas?|suggest\w*"
    r"|recommend\w*|advice|tips?|please|pls|wonder\w*|know|tell|remind|show|list"
    r"|brauche|möchte|ich will|soll|hilf|bitte|zeig|kannst"
    r"|voudrais|veux|besoin|devrais|aide|quiero|necesito|debería|ayuda|quero|preciso|ajuda)\b"
)
"""Words of a request in the form of a statement: "I want to cook something tonight"."""
_ASKED = re.compile(r"[?？؟]\W{0,10}$")
_FACT = re.compile(
    r"(?:(?:and|so|ok|hey|hi|und|et|y|e)[, ]+)?(?:what(?:'s|s)?|which|where(?:'s)?|when(?:'s)?|who(?:'s)?|whose"
    r"|was|welche[mnrs]?|wo|wann|wer|wie|quel(?:le)?s?|où|quand|qui|qué|cuál(?:es)?|dónde|cuándo|quién|qual|quais|onde"
    r"|quando|quem)\b"
)
_HOW_MUCH = re.compile(
    r"(?:how (?:much|many|old|long|often|tall|far|big)|wie (?:viele?|alt|lange|oft|groß)|combien"
    r"|cuánt[oa]s?|quant[oa]s?)\b"
)
_ADVISES = re.compile(
    r"\b(?:should|can|can't|cannot|could|would|may|might|must|safe|recommend|suggest|ideas?|need"
    r"|soll(?:te)?|kann|darf|könnte|muss|empfiehl\w*|puis|peux|dois|devrais|puedo|debo|debería|posso|devo|deveria"
    r")\b"
)
_CONSUMES = re.compile(
    r"\b(?:eat\w*|drink\w*|cook\w*|bak(?:e|ing)|order|serve|bring|buy|tonight|tomorrow|dinner|lunch|breakfast|supper|snack"
    r"|recipe\w*|menu|restaurant\w*|essen|esse|trinke\w*|koche\w*|abendessen|mittagessen|rezept\w*|mange\w*|boire|cuisine\w*"
    r"|dîner|recette\w*|com(?:er|o|emos)|beb\w+|cocin\w+|cena\w*|almuerzo|receta\w*|cozinh\w+|jantar|almoço|receita\w*)\b"
)
"""What the user is about to eat, drink or do, for which cautions matter."""
_ALL_KNOWN = re.compile(
    r"\b(?:what|everything|all)(?: that| things?)?(?: do| did| else do)? you (?:\w+ly )?(?:know|remember|have stored"
    r"|learned|learnt)(?: so far)?(?: about (?:me|us))(?: so far| by now| actually| already)?\s*[?.!]*$"
    r"|\bwas weißt du (?:alles )?über mich\b|\bque sais-tu (?:de|sur) moi\b|\bqué sabes (?:de|sobre) mí\b"
    r"|\bo que (?:você|vc) sabe (?:de|sobre) mim\b"
)
_UNKNOWN = re.compile(
    r"\bwhat (?:(?:do|did) you not|don't you|dont you|didn't you) (?:know|remember)\b|\bwas weißt du (?:alles )?nicht\b"
    r"|\bque ne sais-tu pas\b|\bqu'est-ce que tu ne sais pas\b|\bqué no sabes\b|\bo que (?:você|vc) não sabe\b"
)
_MANNER = re.compile(
    r"\b(?:how(?! (?:many|much|long|often|old|far|big|tall|large|late|soon|are you)\b)|process|steps?)\b"
)

_KINDS = {
    Intent.RECALL: (MemoryKind.EPISODIC, MemoryKind.SEMANTIC, MemoryKind.PROFILE, *PROCEDURAL),
    Intent.QUESTION: (MemoryKind.SEMANTIC, MemoryKind.PROFILE),
    Intent.COMMAND: (*PROCEDURAL, MemoryKind.PROFILE),
    Intent.CONVERSATION: (MemoryKind.EPISODIC, MemoryKind.SEMANTIC, MemoryKind.PROFILE),
}
_INTENT_CONFIDENCE = {
    Intent.RECALL: 0.2,
    Intent.QUESTION: 0.15,
    Intent.COMMAND: 0.15,
    Intent.CONVERSATION: 0.0,
}
_SOME_KEYWORDS, _MANY_KEYWORDS = 3, 5
_FEW_WORDS, _MANY_WORDS = 5, 30

_TELL = "say|tell|ask|mention|recommend|suggest|advise|propose|explain|describe|write|give|promise"
_TOLD = (
    "said|told|asked|mentioned|recommended|suggested|advised|proposed|explained|described|wrote|gave|promised|made"
    "|listed|provided|offered|came up with"
)
_AGENT = re.compile(
    rf"\b(?:did you (?:{_TELL})|you (?:just |also |had |have |once |already |previously )?(?:{_TOLD})"
    r"|your (?:suggestion|recommendation|advice|answer|reply|response|proposal|explanation)s?)\b"
)
_USER = re.compile(
    rf"\b(?:did i (?:{_TELL})|i (?:just |also |had |have |once |already |previously )?"
    r"(?:said|told|asked|mentioned|recommended|suggested|explained|described|promised)|my (?:question|message|words))\b"
)
_ASKS_WHO = re.compile(rf"\bdid (?P<who>you|i) (?:{_TELL})\b")


def intent_of(lower: str) -> Intent:
    """Return the intent of a lower-case, trimmed text; recall is tried first, then command, then question."""
    if _RECALL.search(lower):
        return Intent.RECALL
    if _COMMAND.match(lower):
        return Intent.COMMAND
    if _asks(lower):
        return Intent.QUESTION
    return Intent.CONVERSATION


def asks_nothing(message: str) -> bool:
    """Whether a message only states something, or is a courtesy, without asking for anything."""
    lower = message.strip().lower()
    if is_courtesy(lower):
        return True
    if _STATES.search(lower) is None or _WANTS.search(lower) is not None:
        return False
    return not any(_asks(sentence) or _COMMAND.match(sentence) for sentence in _SENTENCE_END.split(lower))


def asks_for_a_fact(message: str) -> bool:
    """
    Whether a message asks what somebody is or has, and not what to do: "when is my exam", "how much do I drink".

    Such a message wants or plans nothing, so it needs no cautions.
    """
    lower = message.strip().lower()
    if _ADVISES.search(lower) is not None:
        return False
    return _HOW_MUCH.match(lower) is not None or (
        _FACT.match(lower) is not None and not _CONSUMES.search(lower)
    )


def asks_all_that_is_known(message: str) -> bool:
    """Whether a message asks for everything that is remembered: "what do you know about me?"."""
    return _ALL_KNOWN.search(message.strip().lower()) is not None


def asks_what_is_unknown(message: str) -> bool:
    """Whether a message asks what is not remembered: "what don't you know about me?"."""
    return _UNKNOWN.search(message.strip().lower()) is not None


def only_asks(text: str) -> bool:
    """Whether a turn contains only questions, and so cannot answer one."""
    sentences = list(filter(None, (one.strip() for one in _SENTENCE_END.split(text.strip().lower()))))
    return bool(sentences) and all(map(_asks, sentences))


def _asks(sentence: str) -> bool:
    return bool(_QUESTION.match(sentence) or _ASKED.search(sentence[-12:]) or _ASKING.search(sentence))


def confidence_of(intent: Intent, *, keyword_count: int, word_count: int) -> float:
    """
    Return the confidence in an intent, in [0, 1].

    Source: the chat contract. It starts at 0.5. Recall adds 0.2, a question or a command 0.15. Three keywords add 0.1,
    five another 0.1. A text of 5 to 30 words adds 0.1, a longer one subtracts 0.1.
    """
    confidence = 0.5 + _INTENT_CONFIDENCE[intent]
    confidence += 0.1 * ((keyword_count >= _SOME_KEYWORDS) + (keyword_count >= _MANY_KEYWORDS))
    if word_count > _MANY_WORDS:
        confidence -= 0.1
    elif word_count >= _FEW_WORDS:
        confidence += 0.1
    return round(min(max(confidence, 0.0), 1.0), 2)


def kinds_for(intent: Intent, lower: str) -> tuple[MemoryKind, ...]:
    """Return the kinds most likely to answer, most likely first; a "how" question also asks for procedures."""
    extra = PROCEDURAL if intent is Intent.QUESTION and _MANNER.search(lower) else ()
    return _KINDS[intent] + extra


def speaker_of(lower: str) -> Speaker | None:
    """
    Return whose words a lower-case text asks for; None if it asks for nobody's.

    "What did you say" takes precedence over a plain "you said". Among several of the same form, the last one decides.
    """
    asked = [match["who"] for match in _ASKS_WHO.finditer(lower)]
    if asked:
        return Speaker.AGENT if asked[-1] == "you" else Speaker.USER
    agent, user = _last(_AGENT, lower), _last(_USER, lower)
    if agent == user:
        return None
    return Speaker.AGENT if agent > user else Speaker.USER


def _last(pattern: re.Pattern[str], text: str) -> int:
    return max((match.start() for match in pattern.finditer(text)), default=-1)


_ARITHMETIC_LEAD = re.compile(
    r"(?:what is|what's|whats|calculate|compute|how much is|was ist|wie viel ist)\s"
)
_ARITHMETIC = re.compile(
    r"\d+(?:[.,]\d+)*|[-+*/×÷^%()=]|x|of|plus|minus|times|divided|by|squared|mal|geteilt|durch"
)
_OPERATORS = re.compile(r"[+*×÷^%]|\s[-/]\s|\b(?:x|of|plus|minus|times|divided|squared|mal|geteilt)\b")
_ON_TEXT = re.compile(
    r"(?:please )?(?:translate|summari[sz]e|proofread|paraphrase|rephrase|rewrite|shorten|spell-?check|fix|correct"
    r"|format|convert|count)\b[^:\n]{0,80}[:\n]\s*\S"
)
_LANGUAGES = frozenset(
    """arabic bengali chinese dutch english french german greek hebrew hindi italian japanese korean latin mandarin
    polish portuguese russian spanish swedish turkish ukrainian vietnamese json xml yaml csv markdown html""".split()
)
_PERSONAL = re.compile(
    r"\b(?:i|i'm|i've|i'd|me|my|mine|myself|we|us|our|ours|you|your|he|him|his|she|her|they|them|their|name|names"
    r"|usual|usually|always|never|like|prefer|preferred|same|again|last|style|tone|format)\b"
)


def is_memoryless(lower: str, *, names: Sequence[str], has_time: bool, intent: Intent) -> bool:
    """
    Whether no memory can matter to a lower-case, trimmed text.

    This holds for an empty text, for greetings and thanks, for plain arithmetic, and for a command that comes with the
    text to work on ("translate: …") and mentions no person and no time.
    """
    if not lower or is_courtesy(lower):
        return True
    if not has_time and _is_arithmetic(lower):
        return True
    speaks_of = (
        set(map(str.lower, names)) - _LANGUAGES
        or has_time
        or intent is Intent.RECALL
        or _PERSONAL.search(lower)
    )
    return bool(_ON_TEXT.match(lower)) and not speaks_of


def _is_arithmetic(lower: str) -> bool:
    lead = _ARITHMETIC_LEAD.match(lower)
    sum_ = lower[lead.end() :] if lead else lower
    rest = _ARITHMETIC.sub("", sum_).strip(" ?=.!")
    return not rest.split() and bool(_OPERATORS.search(sum_)) and any(one.isdecimal() for one in sum_)
