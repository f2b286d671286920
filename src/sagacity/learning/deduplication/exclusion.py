"""What who keeps to a diet does not eat any more; judged by words."""

from sagacity.learning.deduplication.text_equivalence import read

_MEAT = (
    "meat beef steak ribeye sirloin brisket veal pork ham bacon salami sausage lamb mutton venison chicken turkey "
    "duck poultry burger ribs kebab chop barbecue"
)
_FISH = "fish salmon tuna cod trout sushi sashimi seafood shrimp prawn crab lobster oyster anchovy"
_OF_ANIMALS = "cheese milk butter cream yogurt yoghurt egg eggs honey"
_DIETS = {
    "vegetarian": f"{_MEAT} {_FISH}",
    "vegan": f"{_MEAT} {_FISH} {_OF_ANIMALS}",
    "pescatarian": _MEAT,
}
_STRICTLY = "fully strictly strict completely entirely follow keep diet"
_EATS = "eat like crave enjoy favorite favourite"


def _words(text: str) -> frozenset[str]:
    return frozenset(word for one in text.split() for word in read(one).words)


_EXCLUDED = {word: _words(foods) for diet, foods in _DIETS.items() for word in _words(diet)}
_BESIDE = _words(_STRICTLY)
_VERBS = _words(_EATS)


def rules_out(newer: str, older: str) -> bool:
    """
    Tell whether *newer* says that the user keeps to a diet, and *older* that they eat or like what it excludes.

    Both have to speak of the user; *older* has to begin with eating or liking, and to end with the food.
    """
    diet, eaten = read(newer), read(older)
    if diet.denials or eaten.denials or len(eaten.words) < 2:  # noqa: PLR2004  a verb and a food
        return False
    named = [word for word in diet.words if word not in _BESIDE]
    if len(named) != 1 or named[0] not in _EXCLUDED:
        return False
    return eaten.words[0] in _VERBS and eaten.words[-1] in _EXCLUDED[named[0]]
