"""Constant response times, so that how long a call takes does not reveal whether an address has an account."""

import asyncio
import functools
from collections.abc import Awaitable, Callable
from typing import Concatenate, ParamSpec, TypeVar

from sagacity.accounts.parts import AccountParts

Rest = ParamSpec("Rest")
Result = TypeVar("Result")


def at_even_times(
    call: Callable[Concatenate[AccountParts, Rest], Awaitable[Result]],
) -> Callable[Concatenate[AccountParts, Rest], Awaitable[Result]]:
    """Make a call take a multiple of the policy's step, whether it succeeds or fails."""

    @functools.wraps(call)
    async def evened(parts: AccountParts, *args: Rest.args, **given: Rest.kwargs) -> Result:
        step, now = parts.policy.answer_step_seconds, asyncio.get_running_loop().time
        began = now()
        try:
            return await call(parts, *args, **given)
        finally:
            if step:
                await asyncio.sleep(step - (now() - began) % step)

    return evened
