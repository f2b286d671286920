"""The values of deduplication: candidates with their vectors, memories near them, and decisions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from sagacity.domain.base import Value
from sagacity.domain.change import Action, Candidate
from sagacity.domain.ids import MemoryId
from sagacity.domain.memory import Memory, TimeToLive

FORGOTTEN = "the user asked that it is forgotten"
OUTDATED = "a newer turn of the same window says otherwise"
CONTRADICTED = "newer than what it contradicts"


@dataclass(frozen=True, slots=True, eq=False)
class Embedded:
    """A candidate and the vector of its search text: float32 [dimension], unit length; None if there is none."""

    candidate: Candidate
    vector: npt.NDArray[np.float32] | None = None
    agent_version: str = ""
    """Candidates are compared only with those of the same version."""
    threshold: float = 0.0
    """0..1: the least `domain.query.similarity` of a memory that it is compared with and judged by; 0: by default."""
    is_held: bool = False
    """Whether a quarantine will hold it; then it is compared only with held memories."""


class Neighbour(Value):
    """A memory that may say the same as a candidate, and the cosine of their vectors, -1..1."""

    memory: Memory
    cosine: float


class Case(Value):
    """A candidate that words alone cannot settle."""

    index: int
    candidate: Candidate
    memories: tuple[Memory, ...]
    twins: tuple[int, ...] = ()
    """Indices of other cases that resemble it, or fill the same exclusive slot."""


class Verdict(Value):
    """
    The verdict on the candidate with this index.

    ADD, UPDATE, MERGE and SUPERSEDE are as in `Decision`. DISCARD with a *twin* hands the evidence over to
    that candidate; without, a newer turn took the statement back.
    """

    index: int
    action: Action
    targets: tuple[MemoryId, ...] = ()
    twin: int | None = None
    rivals: tuple[int, ...] = ()
    """Candidates that contradict it: of each pair, the one that was said later stays."""
    content: str | None = None
    trigger: str | None = None
    pitfall: str | None = None
    time_to_live: TimeToLive | None = None
    reason: str = ""


class Judge(Protocol):
    """Decides what words alone cannot settle."""

    async def judge(self, cases: Sequence[Case]) -> Sequence[Verdict]:
        """
        Return verdicts, one for each case, from one call.

        Where a verdict is missing, words decide. Duplicate and impossible ones count as ADD, and so does a DISCARD
        without a twin.

        Raises:
            ProviderError: the model failed.
        """
        ...
