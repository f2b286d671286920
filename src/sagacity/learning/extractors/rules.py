"""Extractors that need no model: patterns over the user's own words."""

from collections.abc import Callable, Sequence
from typing import Final

from sagacity.domain.change import Candidate
from sagacity.domain.cursor import Window
from sagacity.domain.memory import MemoryKind
from sagacity.learning.compute import COMPUTE
from sagacity.learning.extractors.base import Extraction, Known
from sagacity.learning.rules.ended import KnownFact
from sagacity.learning.rules.playbook import playbook_candidates
from sagacity.learning.rules.profile import profile_candidates

METHOD: Final = "rules"


class RuleProfileExtractor:
    """Proposes what users say about themselves: who they are, what they like, use, own and plan."""

    @property
    def kind(self) -> MemoryKind:
        """The kind of its candidates."""
        return MemoryKind.PROFILE

    async def extract(self, window: Window, known: Sequence[Known]) -> Extraction:
        """Propose the profile facts of *window*, and which *known* ones it ends; see `Extractor`."""
        facts = tuple(
            KnownFact(
                content=one.content,
                slot=one.slot,
                memory_id=one.memory_id,
                said_at=one.said_at,
                is_episode=one.is_episode,
            )
            for one in known
            if one.ended_at is None
        )
        return await _extract(profile_candidates, window, facts)


class RuleUserPlaybookExtractor:
    """Proposes how the agent should act: instructions, corrections, what worked, what an expert would say."""

    @property
    def kind(self) -> MemoryKind:
        """The kind of its candidates."""
        return MemoryKind.USER_PLAYBOOK

    async def extract(self, window: Window, known: Sequence[Known]) -> Extraction:
        """Propose the playbook rules of *window*; see `Extractor`."""
        return await _extract(playbook_candidates, window)


async def _extract(
    find: Callable[..., tuple[Candidate, ...]], *told: Window | tuple[KnownFact, ...]
) -> Extraction:
    """Run *find* in the compute process. Known memories are proposed again, so that their evidence grows."""
    return Extraction(candidates=await COMPUTE.run(find, *told), method=METHOD)
