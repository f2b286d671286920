"""Site variables on every database: what one process sets, another one sees within two seconds."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import pytest

from sagacity.config.model_choice import Role
from sagacity.config.site import HOLDOUT, TTL_SECONDS, Site
from sagacity.coordination.open import open_shared
from sagacity.domain.audit import AuditAction, AuditFilter
from sagacity.domain.errors import NotFound, StorageUnavailable
from sagacity.domain.ids import OrgId
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from sagacity.storage.transaction import Storage

ACME = OrgId("acme")
OPERATOR = Tenant(org_id=LOCAL_ORG)


class Seconds:
    """Seconds that pass when they are told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class Away:
    """A backend whose database is away."""

    visits = 0

    @asynccontextmanager
    async def read(self, *_args: object, **_named: object) -> AsyncGenerator[object]:
        self.visits += 1
        await asyncio.sleep(0)
        raise StorageUnavailable("it is away")
        yield


async def test_what_one_process_sets_another_sees_within_two_seconds(storage: Storage):
    """Even if its news are lost; a database that is away leaves the last values; the audit log has names alone."""
    async with storage.begin(OPERATOR) as transaction:
        await transaction.organisation.ensure()
    clock = Seconds()
    async with open_shared("") as here, open_shared("") as there:  # no news from one to the other
        ours, theirs = (Site(storage, one.topic, monotonic=clock) for one in (here, there))
        assert await theirs.is_on(HOLDOUT, ACME)
        assert (await ours.set(HOLDOUT, {"enabled": False}, by="token:1")).version == 1
        assert not await ours.is_on(HOLDOUT, ACME)
        clock.now += TTL_SECONDS
        assert not await theirs.is_on(HOLDOUT, ACME)

        again = await theirs.set(HOLDOUT, {"share": 0.0, "organisations": [ACME]}, by="token:2")
        assert (again.version, again.author) == (2, "token:2")
        await theirs.set("model.chat", "openai/gpt-site", by="token:2")
        await theirs.refresh()
        assert theirs.models() == {Role.CHAT: "openai/gpt-site"}
        assert [one.name for one in await ours.list_set()] == [HOLDOUT, "model.chat"]

        backend = storage.backend
        away = Away()
        storage.backend = away  # pyright: ignore[reportAttributeAccessIssue]  as the class says that it may be
        try:
            clock.now += TTL_SECONDS
            told = await asyncio.gather(*(theirs.is_on(HOLDOUT, org) for org in (ACME, OrgId("other")) * 20))
            assert told == [True, False] * 20
            assert away.visits == 1  # those who ask at once share the look
        finally:
            storage.backend = backend

        await ours.unset(HOLDOUT, by="token:1")
        clock.now += TTL_SECONDS
        assert await theirs.is_on(HOLDOUT, OrgId("other"))
        with pytest.raises(NotFound, match=HOLDOUT):
            await ours.unset(HOLDOUT, by="token:1")
    async with storage.read(OPERATOR) as snapshot:
        rows = await snapshot.audit.list_oldest(AuditFilter(), after=0, limit=9)
    put, gone = AuditAction.SITE_VARIABLE_SET, AuditAction.SITE_VARIABLE_UNSET
    assert [(row.action, row.target, row.actor, row.details) for row in rows] == [
        (put, HOLDOUT, "token:1", {}),
        (put, HOLDOUT, "token:2", {}),
        (put, "model.chat", "token:2", {}),
        (gone, HOLDOUT, "token:1", {}),
    ]
