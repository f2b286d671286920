"""The announcement that a user was erased, on which every process clears its caches."""

from typing import Final

ERASED: Final = "erased"
"""The subject. It does not say who: nothing that a process keeps is told apart by user."""
