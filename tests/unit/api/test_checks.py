"""Parts of the server that do not work, and what is told of them."""

import pytest

from sagacity.api.checks import check
from sagacity.domain.errors import StorageUnavailable


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ValueError("secret of the house"), "it failed; the log has the details"),
        (StorageUnavailable("secret of the house"), "StorageUnavailable"),
        (TimeoutError("secret of the house"), "no answer within 5 s"),
    ],
)
async def test_failure_is_told_without_its_text(error: Exception, told: str) -> None:
    """Whatever it is; a part that the server can do without says what does its work."""

    async def fails() -> None:
        raise error

    found = await check("part", fails)
    assert (found.ok, found.detail, found.required) == (False, told, True)
    spared = await check("part", fails, instead="another does it")
    assert (spared.ok, spared.detail, spared.required) == (False, "another does it", False)


async def test_part_that_works_has_nothing_to_tell() -> None:
    async def works() -> None:
        return None

    found = await check("part", works, instead="another does it")
    assert (found.ok, found.detail, found.required) == (True, "", False)
    assert found.milliseconds >= 0
