"""Which memories a session goes without, so that their effect can be measured: drawn with a keyed hash."""

import hashlib
import hmac
from typing import Final

from sagacity.domain.base import Value
from sagacity.domain.caution import caution_of
from sagacity.domain.ids import OrgId, SessionId, UserId
from sagacity.domain.kinds import FACT_KINDS, KINDS
from sagacity.domain.memory import Memory, MemoryKind
from sagacity.domain.query import Scored

MOST_SHARE: Final = 0.2
"""Maximum share of sessions that go without a memory: a measurement is not worth more."""
HELD_OUT_KINDS: Final = FACT_KINDS | {MemoryKind.USER_PLAYBOOK, MemoryKind.AGENT_PLAYBOOK}
"""Kinds whose memories may be held out."""
_USE: Final = b"sagacity holdout"


class Holdout(Value):
    """The draw for one session."""

    share: float
    """The probability that a memory is held out; above 0."""
    org_id: OrgId
    user_id: UserId
    session_id: SessionId

    def leaves_out(self, memory: Memory) -> bool:
        """
        Return whether the session goes without a memory.

        HMAC-SHA256 of user, session and memory, as a number in [0, 1), is compared with the share. So the draw is
        the same in every process, and nothing is stored; lots of different sessions and memories are independent. If
        the share is raised, what was held out stays so.
        """
        told = (self.org_id, self.user_id, self.session_id, str(memory.kind), memory.uid)
        message = "".join(f"{len(part)}:{part}" for part in told).encode("utf-8", "surrogatepass")
        drawn = hmac.new(_USE, message, hashlib.sha256).digest()
        return int.from_bytes(drawn[:8], "big") < self.share * 2**64


class ExtractorVersion(Value):
    """The source of a memory: its extractor, with the version of its prompt and the model."""

    learner: str = ""
    """The extractor's name; empty for what was written through the API."""
    method: str = ""
    """`rules`, `model` or `direct`."""
    prompt_version: str = ""
    model: str = ""


def may_be_held_out(one: Scored) -> bool:
    """
    Return whether a result may be held out.

    Turns may not, for they are evidence; nor may episodes and skills, which are asked for; nor what warns of something,
    such as an allergy, whatever the question is.
    """
    memory = one.memory
    if memory is None or memory.kind not in HELD_OUT_KINDS or one.is_caution:
        return False
    return caution_of(memory.content) is None


def extractor_of(memory: Memory) -> ExtractorVersion:
    """Return the source of a memory."""
    made = memory.provenance
    return ExtractorVersion(
        learner=made.learner, method=made.method, prompt_version=made.prompt_version, model=made.model
    )


def name_of(memory: Memory) -> str:
    """Return a memory's id in the API."""
    return str(KINDS[memory.kind].wire_id(memory))
