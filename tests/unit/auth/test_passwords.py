"""Passwords are hashed with Argon2id, a few at once."""

import asyncio

import pytest

from sagacity.auth import passwords
from sagacity.auth.passwords import PasswordCost, Passwords
from sagacity.config.settings import Settings
from sagacity.domain.errors import RateLimited

CHEAP = PasswordCost(passes=1, memory_kib=64)


async def test_the_usual_cost_is_that_of_rfc_9106() -> None:
    """Its second choice: 64 MiB, three passes, four lanes; the settings have the same."""
    settings = Settings()
    hashed = await Passwords(PasswordCost(), at_once=1).hash("Two-Lions-4")
    assert hashed.startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    assert (settings.password_memory_kib, settings.password_passes) == (65_536, 3)


async def test_a_password_has_its_own_hash_and_no_other() -> None:
    """Nobody's password is compared too; a hash at another cost is known, and still compared."""
    cheap, dearer = Passwords(CHEAP, at_once=1), Passwords(CHEAP.model_copy(update={"passes": 2}), at_once=1)
    one, other = await cheap.hash("Two-Lions-4"), await cheap.hash("Two-Lions-4")
    assert one != other
    assert await cheap.is_right("Two-Lions-4", one)
    assert not await cheap.is_right("Two-Lions-5", one)
    assert not await cheap.is_right("Two-Lions-4", "no hash")
    await cheap.prepare()
    before = cheap.computed
    assert not await cheap.is_right("Two-Lions-4", None)
    assert cheap.computed - before == 1
    assert dearer.is_outdated(one)
    assert not cheap.is_outdated(one)
    assert await dearer.is_right("Two-Lions-4", one)


async def test_too_many_at_once_are_told_to_come_later() -> None:
    """So that a flood of sign-ins takes a bounded time from those that wait."""
    cheap = Passwords(CHEAP, at_once=1)
    tries = [cheap.hash("Two-Lions-4") for _ in range(passwords.MOST_WAITING + 5)]
    ended = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(one, RateLimited) for one in ended) == 5
    with pytest.raises(RateLimited, match="try again"):
        raise next(one for one in ended if isinstance(one, RateLimited))
