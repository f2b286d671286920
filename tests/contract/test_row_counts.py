"""What an INSERT that skips existing rows says: whether there is a new row, in the first run of a process and later."""

import pytest

from sagacity.domain.account import Account
from sagacity.domain.chat import Conversation
from sagacity.domain.errors import Conflict
from sagacity.domain.ids import OrgId, SessionId, UserId
from sagacity.domain.tenant import Tenant
from sagacity.storage.transaction import Storage
from support.parts import ANNA, ORG, START, CountingIds, StoppedClock, opened


def account(user_id: str) -> Account:
    return Account(user_id=UserId(user_id), email="ana@example.com", password_hash="x", created_at=START)


async def test_an_address_has_one_account(storage: Storage) -> None:
    """The second one is not made, and whoever asks learns so."""
    async with storage.begin(ORG) as tx:
        assert await tx.accounts.add(account("first"))
    for _ in range(3):
        async with storage.begin(ORG) as tx:
            assert not await tx.accounts.add(account("second"))


async def test_an_organisation_is_made_once(storage: Storage) -> None:
    """Whoever made it is told so, and nobody else."""
    for is_new in (True, False, False):
        async with storage.begin(Tenant(org_id=OrgId("org-new"))) as tx:
            assert await tx.organisation.ensure("org-new") is is_new


async def test_a_conversation_is_made_once(
    storage: Storage, database_url: str, clock: StoppedClock, ids: CountingIds
) -> None:
    """Also by a process whose first conversation it would be."""
    talk = Conversation(session_id=SessionId("s"), user_id=ANNA, created_at=START, updated_at=START)
    async with storage.begin(ORG) as tx:
        await tx.conversations.add(talk)
    async with opened(database_url, clock, ids) as elsewhere:
        for _ in range(3):
            with pytest.raises(Conflict, match="already"):
                async with elsewhere.begin(ORG) as tx:
                    await tx.conversations.add(talk)
