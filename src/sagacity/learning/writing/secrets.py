"""Keep secrets that people type into a chat out of memories, whatever an extractor proposes."""

import re
from typing import Final

from pydantic import JsonValue

from sagacity.domain.change import Candidate

REMOVED: Final = "[removed]"
_CARD = re.compile(r"(?<![\w.-])[3-6]\d{3}(?:[ -]?\d){9,15}(?![\w-])")
"""13 to 19 digits, perhaps in groups, that begin like a card number (ISO/IEC 7812); the last is a checksum."""
_KEYS = re.compile(
    r"-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z ]{0,40}PRIVATE KEY-----|\Z)"
    r"|\b(?:sk|pk|rk)[-_](?:[a-z]{2,10}[-_]){0,3}[A-Za-z0-9_-]{16,200}"  # OpenAI, Anthropic, Stripe
    r"|\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"  # Amazon
    r"|\bgh[pousr]_[A-Za-z0-9]{30,255}|\bgithub_pat_\w{22,255}"
    r"|\bglpat-[\w-]{20,64}|\bxox[abeoprs]-[\w-]{10,250}|\bAIza[\w-]{35}|\bhf_[A-Za-z0-9]{30,64}|\bnpm_[A-Za-z0-9]{36}"
    r"|\beyJ[\w-]{8,2000}\.eyJ[\w-]{8,4000}\.[\w-]{8,2000}",  # a JSON Web Token
    re.DOTALL,
)
"""Keys and tokens by the prefixes that their issuers document."""
_PASSWORDS = r"pass ?words?|pass ?phrases?|passwort|kennwort|mot de passe|contrase\u00f1a|senha"
_NAMED = rf"{_PASSWORDS}|api[ -]?key|secret key|access token"
_SAID_TO_BE = re.compile(
    rf"\b(?P<name>{_NAMED})\b"
    r"(?P<between>[^.!?\n]{0,40}?(?:\s(?:is|was|ist|lautet|est|es|\u00e9)\s|\s?[:=]\s?)[\"'\u201c`]?)"
    r"(?P<value>[^\s\"'\u201d`]{3,200})",
    re.IGNORECASE,
)
_NEXT_TO_IT = re.compile(
    rf"\b(?P<name>{_NAMED})\b(?P<between>\s[\"'\u201c`]?)(?P<value>(?=\S{{0,100}}\d)[^\s\"'\u201d`]{{4,200}})",
    re.IGNORECASE,
)
_NO_VALUES: Final = frozenset(
    "a an the not no in on at to too very only always never kept stored saved set shared managed required needed "
    "strong weak long short wrong right correct same reset changed expired lost safe hidden encrypted ein eine nicht "
    "un une pas una no um uma n\u00e3o stark schwach falsch".split()
)
"""Words that describe a password but are not one: "the password is stored in a vault"."""


def without_secrets(candidate: Candidate) -> Candidate:
    """
    Return *candidate* with every secret in its texts replaced by `[removed]`.

    Secrets are card numbers (by their checksum), private keys, keys and tokens of known issuers, and anything said to
    be a password. Entities and relationships that contain a secret are left out.
    """
    texts = {
        name: redacted(text)
        for name in ("content", "trigger", "pitfall", "rationale")
        if (text := getattr(candidate, name))
    }
    issue = candidate.blocking_issue
    return candidate.model_copy(
        update={
            **texts,
            "blocking_issue": issue and issue.model_copy(update={"details": redacted(issue.details)}),
            "custom_features": {redacted(key): _in_json(it) for key, it in candidate.custom_features.items()},
            "keywords": tuple(word for word in candidate.keywords if not _has_secret(word)),
            "entities": tuple(
                it for it in candidate.entities if not _has_secret(f"{it.name}\n{it.description}")
            ),
            "relationships": tuple(
                it
                for it in candidate.relationships
                if not _has_secret(f"{it.source}\n{it.target}\n{it.description}")
            ),
        }
    )


def redacted(text: str) -> str:
    """Return *text* with each secret replaced by `[removed]`, in time proportional to its length."""
    text = _KEYS.sub(REMOVED, text)
    text = _CARD.sub(lambda found: REMOVED if _is_card(found[0]) else found[0], text)
    for pattern in (_SAID_TO_BE, _NEXT_TO_IT):
        text = pattern.sub(_without_value, text)
    return text


def _has_secret(text: str) -> bool:
    return redacted(text) != text


def _in_json(value: JsonValue) -> JsonValue:
    match value:
        case str():
            return redacted(value)
        case list():
            return [_in_json(one) for one in value]
        case dict():
            return {redacted(key): _in_json(one) for key, one in value.items()}
        case int() if _is_card(str(value)):
            return REMOVED
        case _:
            return value


def _without_value(found: re.Match[str]) -> str:
    value = found["value"]
    if value.strip(".,;:!?").casefold() in _NO_VALUES or value.startswith(REMOVED):
        return found[0]
    end = value[len(value.rstrip(".,;!?")) :]
    return f"{found['name']}{found['between']}{REMOVED}{end}"


def _is_card(text: str) -> bool:
    """Whether the digits of *text* pass the Luhn check (ISO/IEC 7812-1, annex B)."""
    digits = [int(digit) for digit in text if digit.isdecimal()]
    if not 13 <= len(digits) <= 19 or digits[0] not in {3, 4, 5, 6}:  # noqa: PLR2004  lengths and issuers of cards
        return False
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[::-2]) + sum(doubled)) % 10 == 0
