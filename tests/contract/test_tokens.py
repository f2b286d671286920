"""API tokens and the audit log in the database: many processes, ends and secrets, and a chain that nobody forks."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from sagacity.access.token_store import DatabaseTokens
from sagacity.access.token_uses import TokenUses
from sagacity.access.tokens import create_token, list_tokens, principal_of, revoke_token, rotate_token
from sagacity.auth.tokens import hash_token
from sagacity.domain.api_token import MOST_LIVE, NewToken, TokenScope
from sagacity.domain.audit import AuditAction, AuditFilter, ChainCheck, NewAuditEntry
from sagacity.domain.errors import Conflict, Forbidden, InvalidInput, NotFound, SagacityError, Unauthorized
from sagacity.domain.principal import OF_END_USERS, CallerKind, Permission, Principal
from sagacity.domain.tenant import Tenant
from sagacity.storage.schema.tables import api_tokens
from sagacity.storage.transaction import Storage
from support.faults import Faulty
from support.parts import ANNA, BEN, ORG, OTHER_ORG, START, CountingIds, StoppedClock, opened
from support.tokens import with_token

ADMIN = Principal(tenant=ORG, audited_as="token:x")
OPERATOR = Principal(tenant=ORG, kind=CallerKind.OPERATOR, audited_as="operator")
DAY = timedelta(days=1)


def wanted(*scopes: TokenScope, **given: Any) -> NewToken:
    return NewToken(scopes=frozenset(scopes or {TokenScope.ADMIN}), **given)


def kept_in(storage: Storage, uses: TokenUses | None = None) -> DatabaseTokens:
    return DatabaseTokens(storage, uses or TokenUses(storage, StoppedClock()), {})


async def is_live(storage: Storage, secret: str) -> bool:
    try:
        await storage.find_token(hash_token(secret))
    except Unauthorized:
        return False
    return True


async def actions(storage: Storage, tenant: Tenant = ORG) -> list[str]:
    """What the log says, oldest first; its chain holds."""
    async with storage.read(tenant) as snapshot:
        rows = await snapshot.audit.list_oldest(AuditFilter(), after=0, limit=999)
    check = ChainCheck(tenant.org_id)
    check.see(rows)
    assert check.result.broken is None
    return [f"{row.action} {row.actor}" for row in rows]


async def test_every_process_refuses_a_token_from_its_next_call_on(
    storage: Storage, database_url: str, clock: StoppedClock
) -> None:
    """Revoked, expired or with another secret: two processes over one database say the same, without a wait."""
    made = await create_token(kept_in(storage), ADMIN, wanted(lasts=DAY))
    lasting = await create_token(kept_in(storage), ADMIN, wanted(TokenScope.READ))
    async with opened(database_url, clock, CountingIds("other")) as elsewhere:
        for one in (storage, elsewhere):
            assert await is_live(one, made.secret)
            assert await is_live(one, lasting.secret)
        token_id = lasting.token.token_id
        second = await rotate_token(kept_in(elsewhere), OPERATOR, token_id, grace=DAY)
        assert [await is_live(storage, one.secret) for one in (lasting, second)] == [True, True]
        third = await rotate_token(kept_in(storage), OPERATOR, token_id, grace=DAY / 2)
        secrets = [lasting.secret, second.secret, third.secret]
        assert [await is_live(elsewhere, one) for one in secrets] == [False, True, True]
        clock.advance(DAY.total_seconds() / 2)
        assert [await is_live(elsewhere, one) for one in secrets] == [False, False, True]
        fourth = await rotate_token(kept_in(storage), OPERATOR, token_id, grace=timedelta())
        assert [await is_live(elsewhere, one.secret) for one in (third, fourth)] == [False, True]
        clock.advance(DAY.total_seconds() / 2)
        assert [await is_live(one, made.secret) for one in (storage, elsewhere)] == [False, False]
        with pytest.raises(Conflict):
            await rotate_token(kept_in(storage), ADMIN, made.token.token_id, grace=DAY)
        revoked = await revoke_token(kept_in(storage), OPERATOR, token_id)
        assert not await is_live(elsewhere, fourth.secret)
        clock.advance(60)
        assert await revoke_token(kept_in(elsewhere), OPERATOR, token_id) == revoked
    assert await actions(storage) == [
        *["token.created token:x"] * 2,
        *["token.rotated operator"] * 3,
        "token.revoked operator",
    ]


async def test_only_those_who_administer_the_whole_organisation_change_tokens(storage: Storage) -> None:
    """Decided below the doors; another organisation's token is not there, and nothing is recorded of what failed."""
    async with storage.begin(ORG) as tx:
        token = await with_token(tx, "t", secret="s")
    reviewer = ADMIN.model_copy(update={"permissions": frozenset(Permission) - {Permission.ADMIN}})
    one_user = ADMIN.model_copy(update={"user_id": ANNA})
    for principal, error in ((reviewer, Forbidden), (one_user, Forbidden)):
        with pytest.raises(error):
            await create_token(kept_in(storage), principal, wanted(TokenScope.READ))
        with pytest.raises(error):
            await list_tokens(kept_in(storage), principal, limit=9)
        with pytest.raises(error):
            await revoke_token(kept_in(storage), principal, token.token_id)
        with pytest.raises(error):
            await rotate_token(kept_in(storage), principal, token.token_id, grace=DAY)
    theirs = ADMIN.model_copy(update={"tenant": OTHER_ORG})
    with pytest.raises(NotFound):
        await revoke_token(kept_in(storage), theirs, token.token_id)
    with pytest.raises(NotFound):
        await rotate_token(kept_in(storage), theirs, token.token_id, grace=DAY)
    for grace in (-DAY, 31 * DAY):
        with pytest.raises(InvalidInput):
            await rotate_token(kept_in(storage), ADMIN, token.token_id, grace=grace)
    assert await list_tokens(kept_in(storage), theirs, limit=9) == []
    assert await actions(storage) == ["token.created system"]
    assert await actions(storage, OTHER_ORG) == []


async def test_an_organisation_keeps_one_token_that_administers(
    storage: Storage, clock: StoppedClock
) -> None:
    """Two who revoke each other's at the same moment: one is refused. The operator may revoke the last one."""
    made = [await create_token(kept_in(storage), ADMIN, wanted()) for _ in range(2)]
    await create_token(kept_in(storage), ADMIN, wanted(TokenScope.MANAGE))
    await create_token(kept_in(storage), ADMIN, wanted(lasts=timedelta(seconds=1)))
    clock.advance(1)
    ended = await asyncio.gather(
        *(revoke_token(kept_in(storage), ADMIN, one.token.token_id) for one in made), return_exceptions=True
    )
    assert sorted(isinstance(one, Conflict) for one in ended) == [False, True]
    [left] = [one for one in made if await is_live(storage, one.secret)]
    await revoke_token(kept_in(storage), OPERATOR, left.token.token_id)
    assert not await is_live(storage, left.secret)


async def test_a_token_of_a_user_is_that_user(storage: Storage) -> None:
    """It reaches that user's rows; once the user is erased it is of no use, and names nobody."""
    made = await create_token(
        kept_in(storage), ADMIN, wanted(TokenScope.PUBLISH, user_id=ANNA, name="anna's phone")
    )
    principal = await principal_of(kept_in(storage), made.secret)
    assert (principal.user_id, principal.permissions, principal.kind) == (ANNA, OF_END_USERS, CallerKind.USER)
    with pytest.raises(Forbidden):
        principal.acting_for(BEN)
    async with storage.begin(ORG) as tx:
        await tx.erased_rows.all(ANNA)
    [token] = await list_tokens(kept_in(storage), ADMIN, limit=9)
    assert (token.user_id, token.name, token.revoked_at) == ("", "", START)
    async with storage.backend.write(ORG.org_id) as connection:  # by hand
        await connection.execute(sa.update(api_tokens).values(revoked_at=None))
    assert not await is_live(storage, made.secret)
    with pytest.raises(Conflict):
        await rotate_token(kept_in(storage), ADMIN, token.token_id, grace=DAY)
    assert await actions(storage) == ["token.created token:x", "token.revoked system"]


async def test_last_use_is_written_once_a_minute_and_never_in_a_call(
    storage: Storage, clock: StoppedClock
) -> None:
    """By whichever process has it first; a database that fails is tried again, and no call hears of it."""
    made = await create_token(kept_in(storage), ADMIN, wanted())
    writes = 0
    fails = True

    async def when(_connection: object) -> bool:
        nonlocal writes
        writes += 1
        return fails

    broken = Storage(Faulty(storage.backend, when, after_commit=False), clock=clock, ids=CountingIds("b"))
    here, there = TokenUses(broken, clock), TokenUses(storage, clock)

    async def used() -> object:
        return (await list_tokens(kept_in(storage), ADMIN, limit=1))[0].last_used_at

    for _ in range(10):
        await principal_of(kept_in(broken, here), made.secret)
        await principal_of(kept_in(storage, there), made.secret)
    assert (writes, await used()) == (0, None)
    await here.flush()
    assert (writes, await used()) == (1, None)
    fails = False
    await here.flush()
    assert (writes, await used()) == (2, START)
    clock.advance(59)
    await principal_of(kept_in(storage, there), made.secret)
    await there.flush()  # what it noted at first, and nothing since
    await principal_of(kept_in(broken, here), made.secret)
    await here.flush()
    assert (writes, await used()) == (2, START)
    clock.advance(1)
    await principal_of(kept_in(broken, here), made.secret)
    await here.flush()
    assert (writes, await used()) == (3, START + timedelta(minutes=1))


async def test_an_organisation_has_only_so_many_live_tokens(storage: Storage) -> None:
    """Those that were revoked do not count."""
    async with storage.begin(ORG) as tx:
        first = await with_token(tx, "", secret="first")
        row = (await tx.audit._scope.all(sa.select(api_tokens)))[0]._mapping
        many = [
            dict(row) | {"token_id": f"many {number}", "token_hash": f"many {number}"}
            for number in range(MOST_LIVE - 1)
        ]
        await tx.audit._scope.run(api_tokens.insert(), many)
    with pytest.raises(Conflict):
        await create_token(kept_in(storage), ADMIN, wanted())
    await revoke_token(kept_in(storage), ADMIN, first.token_id)
    assert (await create_token(kept_in(storage), ADMIN, wanted())).token.is_live(START)


async def test_writers_at_the_same_moment_do_not_fork_the_chain(storage: Storage, database_url: str) -> None:
    """From two processes; what is rolled back leaves no gap; each organisation has a chain of its own."""
    async with opened(database_url, StoppedClock(), CountingIds("other")) as elsewhere:

        async def add(one: Storage, number: int, tenant: Tenant) -> None:
            async with one.begin(tenant) as tx:
                await tx.audit.add(
                    NewAuditEntry(action=AuditAction.CONFIG_CHANGED, actor=f"{number}", details={"n": number})
                )
                if number % 5 == 0:
                    raise Conflict("taken back")

        work = [add(one, number, ORG) for number in range(10) for one in (storage, elsewhere)]
        await asyncio.gather(*work, add(storage, 1, OTHER_ORG), return_exceptions=True)
    assert len(await actions(storage)) == 16
    assert await actions(storage, OTHER_ORG) == ["config.changed 1"]


async def test_rows_are_never_changed_by_the_program(storage: Storage) -> None:
    """Not by any statement; pages come in both orders, narrowed by what is asked for."""
    async with storage.begin(ORG) as tx:
        for number in range(5):
            action = AuditAction.CONFIG_CHANGED if number % 2 else AuditAction.TOKEN_CREATED
            await tx.audit.add(NewAuditEntry(action=action, actor=f"a{number}", target="t"))
    for statement in ("UPDATE audit_log SET actor = 'x'", "DELETE FROM audit_log WHERE seq = 5"):
        with pytest.raises((SagacityError, DBAPIError)):
            async with storage.backend.write(ORG.org_id) as connection:
                await connection.exec_driver_sql(statement)
    async with storage.read(ORG) as snapshot:

        async def seqs(**given: Any) -> list[int]:
            return [row.seq for row in await snapshot.audit.list_newest(AuditFilter(**given), limit=3)]

        assert await seqs() == [5, 4, 3]
        assert await seqs(action=AuditAction.CONFIG_CHANGED) == [4, 2]
        assert await seqs(actor="a0") == [1]
        assert await seqs(target="none") == await seqs(end=START) == []
        assert await seqs(start=START, end=START + DAY) == [5, 4, 3]
        assert [r.seq for r in await snapshot.audit.list_newest(AuditFilter(), before=3, limit=9)] == [2, 1]
        assert [r.seq for r in await snapshot.audit.list_oldest(AuditFilter(), after=3, limit=1)] == [4]
