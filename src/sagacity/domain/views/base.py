"""The parts that the wire shapes of all memories share."""

from pydantic import ConfigDict

from sagacity.domain.base import Value
from sagacity.domain.clock import to_epoch
from sagacity.domain.memory import Memory, Status

NEVER_EXPIRES = 4_102_444_800
"""The wire's word for a thing that never expires: 1 January 2100 in seconds since 1970."""


class View(Value):
    """A wire shape. Fields that it does not know are ignored: a newer server may send more."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class ProvenanceView(View):
    """Where a memory comes from."""

    learner: str = ""
    method: str = ""
    """`rules`, `model` or `direct`."""
    model: str = ""
    prompt_version: str = ""
    run_id: str | None = None


def provenance_view(memory: Memory) -> ProvenanceView:
    """Show how *memory* came to be."""
    made = memory.provenance
    return ProvenanceView(
        learner=made.learner,
        method=made.method,
        model=made.model,
        prompt_version=made.prompt_version,
        run_id=made.run_id,
    )


def status_view(status: Status) -> Status | None:
    """Return a status as shown; a current memory shows none."""
    return None if status is Status.CURRENT else status


def expiry_view(memory: Memory) -> int:
    """Show when *memory* expires, in seconds since 1970."""
    return NEVER_EXPIRES if memory.expires_at is None else to_epoch(memory.expires_at)
