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
    """The candidate's version; it is compared only with others of the same version."""
    threshold: float = 0.0
    """0..1: the least `domain.query.similarity` of the memories that it is compared with; 0: the default."""
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
    """Indices of other cases that resemble this one, or fill the same exclusive slot."""


class Verdict(Value):
    """
    The verdict on the candidate with this index.

    ADD, UPDATE, MERGE and SUPERSEDE are as in `Decision`. DISCARD with a *twin* passes the evidence on to that
    candidate; without one, a newer turn retracted the statement.
    """

    index: int
    action: Action
    targets: tuple[MemoryId, ...] = ()
    twin: int | None = None
    rivals: tuple[int, ...] = ()
    """Candidates that contradict this one; of each pair, the one said later stays."""
    content: str | None = None
    trigger: str | None = None
    pitfall: str | None = None
    time_to_live: TimeToLive | None = None
    reason: str = ""


class Judge(Protocol):
    """Decides what words alone cannot settle."""

    async def judge(self, cases: Sequence[Case]) -> Sequence[Verdict]:
        """
        Return one verdict for each case, from one call.

        Words decide cases without a verdict. Duplicate and impossible verdicts count as ADD, and so does a DISCARD
        without a twin.

        Raises:
            ProviderError: the model failed.
        """
        ...
