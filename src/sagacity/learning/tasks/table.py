"""
The table of background tasks: to add one, write its file and add its row.

Embedding is not a task: `learning/embedding_backfill.py` does it, in a loop of the dispatcher. A task has one subject
with its configuration, and writes under a lease. Embedding needs neither: one model embeds batches of all organisations
in turn, embedding a text twice does no harm, and an organisation with an unusable configuration is embedded like any
other.
"""

from collections.abc import Callable

from sagacity.learning.analytics_upkeep import AnalyticsUpkeep
from sagacity.learning.distil.organisation import Distil
from sagacity.learning.duplicates import FindDuplicates
from sagacity.learning.episodes.pipeline import Summarize
from sagacity.learning.erasure.task import Erase
from sagacity.learning.evaluate.pipeline import Evaluate
from sagacity.learning.forgetting import Forget
from sagacity.learning.retention import PlanRetention, Retain
from sagacity.learning.tasks.base import Task
from sagacity.learning.tasks.parts import TaskParts
from sagacity.learning.windows.pipeline import Learn
from sagacity.learning.windows.regenerate import Regenerate

TASKS: tuple[Callable[[TaskParts], Task], ...] = (
    Learn,
    Regenerate,
    Evaluate,
    Summarize,
    Forget,
    PlanRetention,
    Erase,
    Distil,
    Retain,
    AnalyticsUpkeep,
    FindDuplicates,
)
"""The tasks, in the order in which those of one scope run."""


def open_tasks(parts: TaskParts) -> list[Task]:
    """Build every task of the table."""
    return [task(parts) for task in TASKS]
