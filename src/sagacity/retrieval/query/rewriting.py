"""Ask a model to rewrite a question that depends on its conversation, so that it stands alone."""

import asyncio
import re
import time
import unicodedata
from collections.abc import Awaitable, Callable, Mapping, Sequence

from sagacity.domain.base import Value
from sagacity.domain.errors import ConfigError, ProviderError
from sagacity.domain.tenant import Tenant
from sagacity.storage.search.keywords import terms_of

LIMIT_SECONDS = 5.0
TURNS = 10
HISTORY_CHARACTERS = 4_000
ANSWER_CHARACTERS = 512
NO_MODEL = "no model is configured"
LATE = "the model gave no answer in time"

_QUOTES = {'"': '"', "'": "'", "“": "”", "«": "»", "„": "“", "`": "`"}
_WORD = re.compile(r"\S+")
_REFUSAL = re.compile(
    r"^(?:unfortunately\W+|sorry\b|i apologi[sz]e|i(?: am|'m) (?:(?:very|so) )?sorry|i (?:can(?:not| not|'t)|won't))"
    r"|\bas an? (?:ai\b|(?:large )?language model)"
    r"|\b(?:can(?:not| not|'t)|unable to|not able to|won't) (?:help|assist|answer|comply|rewrite|provide|fulfil)"
)


class Turn(Value):
    """One turn of the conversation before a question."""

    role: str
    content: str


Rewrite = Callable[[Tenant, Mapping[str, str]], Awaitable[str | None]]
"""Asks a tenant's model with the prompt `query_reformulation`; returns None if there is no model."""


class Reformulated(Value):
    """The text to search for, and how it was obtained."""

    text: str
    """The text to search for: the original question if it was not rewritten."""
    rewritten: str | None = None
    """The model's question; None if it gave none, or the same."""
    problem: str = ""
    """Why rewriting failed; empty if it succeeded or the model kept the question."""
    milliseconds: float = 0.0


class QueryRewriter:
    """Asks the tenant's model; on any failure, the original question is used."""

    def __init__(self, rewrite: Rewrite, *, limit_seconds: float = LIMIT_SECONDS) -> None:
        self._rewrite = rewrite
        self._limit_seconds = limit_seconds

    async def reformulate(self, tenant: Tenant, question: str, history: Sequence[Turn]) -> Reformulated:
        """
        Rewrite *question* so that it can be understood without *history*.

        Args:
            tenant: whose model is asked.
            question: as it was asked.
            history: turns before it, oldest first; only the last ten are used.
        """
        started = time.perf_counter()
        try:
            async with asyncio.timeout(self._limit_seconds):
                variables = {"conversation": spoken(history), "question": question}
                answer = await self._rewrite(tenant, variables)
        except TimeoutError:
            found = Reformulated(text=question, problem=LATE)
        except (ProviderError, ConfigError) as error:
            found = Reformulated(text=question, problem=str(error))
        else:
            found = judged(question, answer)
        return found.model_copy(update={"milliseconds": round((time.perf_counter() - started) * 1000, 3)})


def judged(question: str, answer: str | None) -> Reformulated:
    """Return what to search for, given the model's *answer*; an answer of None means that there is no model."""
    if answer is None:
        return Reformulated(text=question, problem=NO_MODEL)
    if fault := fault_of(answer):
        return Reformulated(text=question, problem=fault)
    rewritten = _bare(answer)
    if rewritten.casefold() == " ".join(question.split()).casefold():
        return Reformulated(text=question)
    return Reformulated(text=with_words_of(question, rewritten), rewritten=rewritten)


def fault_of(answer: str) -> str:
    """Return why a model's answer cannot be searched for; empty if it can."""
    bare = _bare(answer)
    faults = (
        (not bare, "the model gave an empty answer"),
        (len(answer.strip().splitlines()) > 1, "the model's answer has more than one line"),
        (len(bare) > ANSWER_CHARACTERS, f"the model's answer has more than {ANSWER_CHARACTERS} characters"),
        (any(map(_is_control, bare)), "the model's answer holds control characters"),
        ("{" in bare or "}" in bare, "the model's answer holds braces"),
        (_REFUSAL.search(bare.casefold().replace("’", "'")), "the model refused"),
    )
    return next((fault for is_so, fault in faults if is_so), "")


def with_words_of(question: str, rewritten: str) -> str:
    """
    Return *rewritten*, followed by the words of *question* that it lost.

    A model may drop a code or a name that only keyword search can find. The words are appended instead of searched
    separately: every strategy then gets the same question, and a few more words hardly change its vector.
    """
    there = terms_of(rewritten).keys()
    lost = [word for word in _WORD.findall(question) if terms_of(word).keys() - there]
    return " ".join([rewritten, *dict.fromkeys(lost)])


def spoken(history: Sequence[Turn]) -> str:
    """Return the last turns as text, one per line, at most 4,000 characters; the oldest are dropped first."""
    lines: list[str] = []
    room = HISTORY_CHARACTERS
    for turn in reversed(history[-TURNS:]):
        line = f"{' '.join(turn.role.split())}: {' '.join(turn.content.split())}"
        if len(line) > room:
            if not lines:
                lines.append(line[:room])
            break
        lines.append(line)
        room -= len(line) + 1
    return "\n".join(reversed(lines)) or "(nothing)"


def _bare(answer: str) -> str:
    """Return an answer with normalised spaces, and without quotation marks around it."""
    text = " ".join(answer.split())
    if len(text) > 1 and _QUOTES.get(text[0]) == text[-1] and text[0] not in text[1:-1]:
        return text[1:-1].strip()
    return text


def _is_control(character: str) -> bool:
    return unicodedata.category(character) in {"Cc", "Cs"}
