"""How often somebody may try: tries are counted beforehand, per account and per network address."""

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from sagacity.accounts.parts import AccountParts
from sagacity.domain.errors import RateLimited
from sagacity.domain.ids import OrgId, UserId
from sagacity.storage.transaction import Transaction

FORGOTTEN = timedelta(minutes=15)
"""How long without a try until counting starts again, unless a limit says otherwise."""


class Limit(NamedTuple):
    """A number of free tries; after that, each try doubles the wait."""

    free: int
    first_seconds: float
    longest_seconds: float = 300
    forgotten: timedelta = FORGOTTEN

    def wait_seconds(self, tries: int) -> float:
        """Return how long to wait after a number of tries."""
        if tries < self.free:
            return 0
        return min(self.longest_seconds, self.first_seconds * 2 ** min(tries - self.free, 30))


class Tries(NamedTuple):
    """Tries of one action by one subject."""

    action: str
    subject: str
    limit: Limit


PASSWORD_OF_ACCOUNT, PASSWORD_FROM_ADDRESS = Limit(5, 1), Limit(20, 1)
CODE_OF_ACCOUNT = Limit(5, 1, longest_seconds=3_600, forgotten=timedelta(days=1))
"""About 40 tries a day. Three of a million codes are right at a time, so a day of guessing succeeds once in 8,000."""
CODE_FROM_ADDRESS = Limit(20, 1)
MAIL_TO_ACCOUNT, MAIL_FROM_ADDRESS = Limit(3, 30), Limit(20, 5)
INVITATIONS_OF_ORGANISATION = Limit(100, 5)


def password_tries(email: str, address: str) -> tuple[Tries, Tries]:
    """Return what trying a password counts as."""
    return (
        Tries("password for", email, PASSWORD_OF_ACCOUNT),
        Tries("password from", address, PASSWORD_FROM_ADDRESS),
    )


def code_tries(user_id: UserId, address: str) -> tuple[Tries, Tries]:
    """Return what trying a code of an authenticator app counts as."""
    return (
        Tries("code for", user_id, CODE_OF_ACCOUNT),
        Tries("code from", address, CODE_FROM_ADDRESS),
    )


def mail_tries(email: str, address: str) -> tuple[Tries, Tries]:
    """Return the limits that count a call which may send an e-mail."""
    return Tries("mail to", email, MAIL_TO_ACCOUNT), Tries("mail from", address, MAIL_FROM_ADDRESS)


def invitation_tries(email: str, org_id: OrgId) -> tuple[Tries, Tries]:
    """Return the limits that count an invitation: for the address, whoever invites it, and for the organisation."""
    return (
        Tries("invitation to", email, MAIL_TO_ACCOUNT),
        Tries("invitations of", org_id, INVITATIONS_OF_ORGANISATION),
    )


async def count_try(parts: AccountParts, tries: Sequence[Tries]) -> None:
    """
    Count a try before it is made, so that parallel tries cannot evade the limit.

    Raises:
        RateLimited: too many came before; the message says how long to wait.
    """

    async def count() -> None:
        now = parts.clock.now()
        async with parts.storage.begin(parts.tenant) as transaction:
            for subject, limit in sorted(
                (_subject(parts, one), one.limit) for one in tries
            ):  # one order for all

                def wait_until(count: int, limit: Limit = limit) -> datetime | None:
                    seconds = limit.wait_seconds(count)
                    return now + timedelta(seconds=seconds) if seconds else None

                until = await transaction.attempts.count(
                    subject, since=now - limit.forgotten, wait_until=wait_until
                )
                if until is not None:
                    seconds = max(1, math.ceil((until - now).total_seconds()))
                    raise RateLimited(
                        f"too many tries; wait {seconds} seconds before the next one",
                        retry_after_seconds=seconds,
                    )

    await parts.storage.retry(count)


async def write_as_much(parts: AccountParts, transaction: Transaction, tries: Tries) -> None:
    """Write as much as a request for an e-mail does, if none is sent: the time of a call must not reveal that."""
    await transaction.attempts.touch(_subject(parts, tries))


async def forgive(parts: AccountParts, tries: tuple[Tries, Tries]) -> None:
    """After a success, forget the tries for the account, and take one from those of the network address."""
    account, address = tries

    async def take_back() -> None:
        async with parts.storage.begin(parts.tenant) as transaction:
            for subject, count in sorted([(_subject(parts, account), 0), (_subject(parts, address), 1)]):
                await transaction.attempts.forgive(subject, tries=count or None)

    await parts.storage.retry(take_back)


def _subject(parts: AccountParts, tries: Tries) -> str:
    return parts.tokens.digest(f"{tries.action} {tries.subject}")
