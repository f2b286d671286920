"""Statements that exclude others: a table."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """
    A value, and what a user with this value no longer does.

    All fields are English words separated by spaces; each stands for all forms with its stem.
    """

    value: str
    beside: str
    """Words that may accompany the value. A statement with any other word is about something else."""
    verbs: str
    """First words of an excluded statement."""
    objects: str
    """Last words of an excluded statement."""


_MEAT = (
    "meat beef steak ribeye sirloin brisket veal pork ham bacon salami sausage lamb mutton venison chicken turkey "
    "duck poultry burger ribs kebab chop barbecue"
)
_FISH = "fish salmon tuna cod trout sushi sashimi seafood shrimp prawn crab lobster oyster anchovy"
_OF_ANIMALS = "cheese milk butter cream yogurt yoghurt egg eggs honey"


def _diet(name: str, foods: str) -> Exclusion:
    return Exclusion(
        value=name,
        beside="fully strictly strict completely entirely follow keep diet",
        verbs="eat like crave enjoy favorite favourite",
        objects=foods,
    )


EXCLUSIONS: Final = (
    _diet("vegetarian", f"{_MEAT} {_FISH}"),
    _diet("vegan", f"{_MEAT} {_FISH} {_OF_ANIMALS}"),
    _diet("pescatarian", _MEAT),
)
"""All rows, one per value."""
