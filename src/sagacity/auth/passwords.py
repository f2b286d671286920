"""Hash passwords with Argon2id (RFC 9106), in threads of their own."""

import asyncio
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from sagacity.domain.base import Value
from sagacity.domain.errors import RateLimited

LANES = 4
MOST_WAITING = 64
"""How many hashes may wait: each takes a while, and further callers are told to come later."""
Result = TypeVar("Result")


class PasswordCost(Value):
    """The cost of one hash; by default the second choice of RFC 9106, section 4."""

    passes: int = 3
    memory_kib: int = 65_536


class Passwords:
    """Hashes and verifies passwords, a few at a time and never on the event loop."""

    def __init__(self, cost: PasswordCost, *, at_once: int) -> None:
        """
        Hash passwords.

        Args:
            cost: of one hash.
            at_once: how many hashes are computed at a time; each takes the memory that *cost* says.
        """
        self._hasher = PasswordHasher(time_cost=cost.passes, memory_cost=cost.memory_kib, parallelism=LANES)
        self._pool = ThreadPoolExecutor(at_once, thread_name_prefix="passwords")
        self._nobodys = ""
        self._waiting = 0
        self.computed = 0
        """Number of hashes since the start."""

    async def hash(self, password: str) -> str:
        """
        Return the hash of a password, with its own salt and its parameters.

        Raises:
            RateLimited: too many wait for theirs.
        """
        return await self._run(lambda: self._hasher.hash(password))

    async def is_right(self, password: str, password_hash: str | None) -> bool:
        """
        Return whether a password matches a hash; without a hash, False after the same time.

        Raises:
            RateLimited: too many wait for theirs.
        """
        if password_hash is None and not self._nobodys:
            self._nobodys = await self.hash(secrets.token_hex())
        compared = password_hash or self._nobodys

        def verify() -> bool:
            try:
                return self._hasher.verify(compared, password)
            except (VerificationError, InvalidHashError):
                return False

        return await self._run(verify) and password_hash is not None

    def is_outdated(self, password_hash: str) -> bool:
        """Return whether a hash was made at another cost than the current one."""
        return self._hasher.check_needs_rehash(password_hash)

    async def prepare(self) -> None:
        """Compute the hash that is used for missing accounts, so that the first call takes no longer than others."""
        if not self._nobodys:
            self._nobodys = await self.hash(secrets.token_hex())

    def close(self) -> None:
        """Stop the threads."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    async def _run(self, work: Callable[[], Result]) -> Result:
        if self._waiting >= MOST_WAITING:
            raise RateLimited(
                "too many people are signing in at the moment; try again shortly", retry_after_seconds=2
            )
        self._waiting += 1
        try:
            self.computed += 1
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        finally:
            self._waiting -= 1
