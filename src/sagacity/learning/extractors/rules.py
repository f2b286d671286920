"""Extractors that need no model: patterns over the user's own words."""

import asyncio
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from sagacity.domain.change import Candidate
from sagacity.domain.cursor import Window
from sagacity.domain.memory import MemoryKind
from sagacity.learning.extractors.base import Extraction, Known
from sagacity.learning.rules.playbook import playbook_candidates
from sagacity.learning.rules.profile import profile_candidates

METHOD: Final = "rules"
_SWITCH_SECONDS: Final = 0.0005
"""A tenth of what Python lets a thread go on for; all the time, it would cost a fifth of the publishes a second."""
_thread: Final = ThreadPoolExecutor(1, thread_name_prefix="rules")
"""One: patterns hold the interpreter's lock, and several threads would only keep calls waiting for it, each in turn."""


class RuleProfileExtractor:
    """Proposes what the user says of themself: who they are, what they like, use, own and plan."""

    @property
    def kind(self) -> MemoryKind:
        """The kind that it proposes."""
        return MemoryKind.PROFILE

    async def extract(self, window: Window, known: Sequence[Known]) -> Extraction:
        """Propose the profile facts of *window*; see `Extractor`."""
        return await _extract(profile_candidates, window)


class RuleUserPlaybookExtractor:
    """Proposes how the agent should act: instructions, corrections, what worked, what an expert would say."""

    @property
    def kind(self) -> MemoryKind:
        """The kind that it proposes."""
        return MemoryKind.USER_PLAYBOOK

    async def extract(self, window: Window, known: Sequence[Known]) -> Extraction:
        """Propose the playbook rules of *window*; see `Extractor`."""
        return await _extract(playbook_candidates, window)


async def _extract(find: Callable[[Window], tuple[Candidate, ...]], window: Window) -> Extraction:
    """Run *find* off the event loop. What is known already is proposed again: its evidence grows by it."""
    candidates = await asyncio.get_running_loop().run_in_executor(_thread, giving_way, find, window)
    return Extraction(candidates=candidates, method=METHOD)


def giving_way(find: Callable[[Window], tuple[Candidate, ...]], window: Window) -> tuple[Candidate, ...]:
    """
    Return what *find* finds, while other threads of the process get the interpreter's lock when they ask for it.

    A write to SQLite asks for it with every row, and waited each time as long as Python lets a thread go on: with 16
    callers who publish, single commits took half a second, and p99 was 600 to 740 ms instead of 260 to 380.
    """
    usual = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH_SECONDS)
    try:
        return find(window)
    finally:
        sys.setswitchinterval(usual)
