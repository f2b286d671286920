"""What a statement of the table of exclusions ends, and what it leaves: here the diets."""

import pytest

from sagacity.learning.deduplication.exclusion import rules_out


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("Is vegetarian.", "Favorite protein is Beef."),
        ("Is fully vegetarian.", "Loves steak and lamb."),
        ("Follows a vegetarian diet.", "The user eats red meat"),
        ("Is vegan.", "Likes cheese."),
        ("Is pescatarian.", "Enjoys fried chicken."),
    ],
)
def test_diet_rules_out_what_it_excludes(newer, older):
    """Who keeps to it does not eat that any more."""
    assert rules_out(newer, older)


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("Is vegetarian.", "Likes cheese."),
        ("Is pescatarian.", "Likes salmon."),
        ("Is vegetarian.", "Does not eat meat."),
        ("Is vegetarian.", "Is allergic to fish."),
        ("Is vegetarian.", "Likes the film Chicken Run."),
        ("Is vegetarian.", "Sister likes beef."),
        ("Sister is vegetarian.", "Likes beef."),
        ("Is not vegetarian.", "Likes beef."),
        ("Likes vegetarian restaurants.", "Likes beef."),
        ("Likes beef.", "Is vegetarian."),
        ("", ""),
        ("Is vegetarian.", ""),
    ],
)
def test_what_is_eaten_by_others_or_goes_with_it_stays(newer, older):
    """Only the user's own eating counts, and only what the diet excludes."""
    assert not rules_out(newer, older)
