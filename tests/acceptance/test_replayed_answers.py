"""What is remembered after a conversation is what a careful reader would have written down."""

import pytest
from learning.careful_reader import load
from learning.replay import ANSWERS, measure

from sagacity.providers.tokens import TokenCounter


@pytest.fixture(scope="module")
def tokens() -> TokenCounter:
    return TokenCounter()


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(path.stem, marks=pytest.mark.full if path.stem.startswith("longmemeval") else ())
        for path in sorted(ANSWERS.glob("*.yaml"))
    ],
)
async def test_nothing_true_is_lost_and_nothing_outdated_stays(name: str, tokens: TokenCounter) -> None:
    """Read by a model that errs nowhere, each fact and rule is current with its turn, and what they ended is not."""
    result = await measure(load(ANSWERS / f"{name}.yaml"), tokens.count)
    assert (result.missed, result.wrong, result.stale, result.doubled, result.misplaced) == (
        (),
        (),
        (),
        (),
        (),
    )
