"""What a skill is made of, and what one says before it is stored."""

from sagacity.domain.base import Value
from sagacity.domain.interaction import Interaction
from sagacity.domain.memory import BlockingIssue, Memory, Provenance


class Material(Value):
    """User playbooks that belong together, and the turns that taught them."""

    playbooks: tuple[Memory, ...]
    """Newest first."""
    conversations: tuple[tuple[Interaction, ...], ...] = ()
    """Turns of one conversation each, in the order of the log."""
    former: Memory | None = None
    """The skill that is written anew."""


class Draft(Value):
    """A skill before it is stored."""

    name: str
    description: str
    """What it is for and when to use it."""
    instructions: str
    tools: tuple[str, ...] = ()
    blocking_issues: tuple[BlockingIssue, ...] = ()
    provenance: Provenance
