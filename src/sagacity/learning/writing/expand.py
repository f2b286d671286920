"""Ask a model for other words for new memories, so that keyword search finds them by synonyms."""

import re
from collections.abc import Iterator, Sequence

import structlog

from sagacity.domain.change import Candidate
from sagacity.domain.errors import ProviderError
from sagacity.learning.extractors.outputs import DocumentExpansion
from sagacity.learning.prompt_runner import PromptRunner
from sagacity.learning.windows.render import shorten
from sagacity.storage.search.keywords import terms_of

_log = structlog.get_logger(__name__)
_PROMPT = "document_expansion"
_WORDS_EACH = 12
_WORD_CHARACTERS = 60
_TEXT_CHARACTERS = 800
_LABEL = re.compile(r"N(\d+)")


async def expand(prompt_runner: PromptRunner, candidates: Sequence[Candidate]) -> Sequence[Candidate]:
    """
    Add search keywords to *candidates*, in one call for all of them.

    Args:
        prompt_runner: the model.
        candidates: the candidates, which are shown with their keywords.

    Returns:
        The same candidates in the same order, unchanged if the model failed or had nothing to add.
    """
    if not candidates:
        return candidates
    shown = "\n".join(f"N{n}: {_shown(one)}" for n, one in enumerate(candidates, start=1))
    variables = {"limit": str(_WORDS_EACH), "memories": shown}
    try:
        answer = await prompt_runner.ask(_PROMPT, variables, DocumentExpansion)
    except ProviderError as error:
        _log.warning("expand.failed", kind=type(error).__name__, candidates=len(candidates))
        return candidates
    words: dict[int, list[str]] = {}
    for one in answer.value.memories:
        label = _LABEL.search(one.item.upper())
        if label is not None:
            words.setdefault(int(label[1]), []).extend(one.words)
    return [
        one.model_copy(update={"keywords": (*one.keywords, *_new(words.get(n, ()), one))})
        for n, one in enumerate(candidates, start=1)
    ]


def _shown(candidate: Candidate) -> str:
    return shorten(" ".join(_said(candidate).split()), _TEXT_CHARACTERS)


def _said(candidate: Candidate) -> str:
    parts = (candidate.trigger, candidate.content, candidate.pitfall, *candidate.keywords)
    return "; ".join(part for part in parts if part)


def _new(words: Sequence[str], candidate: Candidate) -> list[str]:
    """Return those *words* that are short enough and add terms that the candidate's own words lack."""
    known = set(terms_of(_said(candidate)))

    def fitting() -> Iterator[str]:
        for word in words:
            plain = " ".join(word.lower().split())
            terms = terms_of(plain).keys()
            if len(plain) <= _WORD_CHARACTERS and terms - known:
                known.update(terms)
                yield plain

    return list(fitting())[:_WORDS_EACH]
