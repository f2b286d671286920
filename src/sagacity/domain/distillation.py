"""How far user playbooks have been distilled: the state that one run keeps for the next."""

from datetime import datetime

from sagacity.domain.base import Value

BEFORE_ALL = -1
"""Value of `Distillation.last_read` after deletions: clusters may rest on deleted playbooks, so all are looked at."""


class Distillation(Value):
    """How far the user playbooks of one name and agent version were distilled into one thing."""

    learner: str
    """The name of what distils them: `aggregation` or `skills`."""
    name: str
    agent_version: str
    last_read: int = 0
    """The number of the newest user playbook that was read, or `BEFORE_ALL`."""
    attempts: int = 0
    """Runs in a row that left something over."""
    error: str = ""
    """Why the last run left something over; empty if it did not."""
    cooldown_from: datetime | None = None
    """When the cooldown began: with the last run that nobody asked for. None: none counts."""
