"""What cannot hold beside what: a table of statements that end others."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Exclusion:
    """
    A value that the user has, and what they do not do any more since they have it.

    All are English words with spaces between them; each stands for every form that has its stem.
    """

    value: str
    beside: str
    """What may be said with the value without changing it; a statement with any other word is about something else."""
    verbs: str
    """What an excluded statement begins with."""
    objects: str
    """What an excluded statement ends with."""


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
"""All rows; each value has one."""
