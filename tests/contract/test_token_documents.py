"""API tokens in a document, in S3 and in a folder: many writers, servers with fresh disks, and places that fail."""

import asyncio
import subprocess
import sys
import textwrap
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet

from sagacity.access.document_tokens import LONGEST_SECONDS, DocumentTokens
from sagacity.access.token_document import MOST_ENDED, NAME, KeptToken, read_document, with_added
from sagacity.access.tokens import create_token, list_tokens, principal_of, revoke_token, rotate_token
from sagacity.auth.tokens import hash_token
from sagacity.config.document_place import DocumentPlace, Found
from sagacity.config.folder import FolderPlace
from sagacity.config.s3 import S3Place
from sagacity.domain.api_token import MOST_LIVE, ApiToken, NewToken, TokenScope
from sagacity.domain.audit import AuditFilter, ChainCheck
from sagacity.domain.errors import (
    ConfigError,
    Conflict,
    Forbidden,
    NotFound,
    StorageUnavailable,
    Unauthorized,
)
from sagacity.domain.ids import UserId
from sagacity.domain.principal import CallerKind, Permission, Principal
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from sagacity.providers.embedders.minilm import MiniLM
from sagacity.storage.transaction import Storage
from support.erasing import WHO, Erasing
from support.parts import ANNA, BEN, ORG, OTHER_ORG, START, CountingIds, StoppedClock, opened
from support.s3_server import BUCKET, S3Server, choice

pytestmark = pytest.mark.one_database
FERNET = Fernet.generate_key().decode()
LOCAL = Tenant(org_id=LOCAL_ORG)
ADMIN = Principal(tenant=LOCAL, audited_as="token:x")
OPERATOR = Principal(tenant=LOCAL, kind=CallerKind.OPERATOR, audited_as="operator")
DAY = timedelta(days=1)


@pytest.fixture(params=["folder", "encrypted s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], DocumentPlace]:
    """Opens the same place again and again, as each process does."""
    if request.param == "folder":
        return lambda: FolderPlace(tmp_path / "documents")
    s3 = request.getfixturevalue("s3")
    return lambda: S3Place(choice(s3, f"{tmp_path.name}/", FERNET))


def kept_in(place: DocumentPlace, storage: Storage, clock: StoppedClock, ids: str = "t") -> DocumentTokens:
    return DocumentTokens(place, storage, clock=clock, ids=CountingIds(ids))


def wanted(*scopes: TokenScope, **given: Any) -> NewToken:
    return NewToken(scopes=frozenset(scopes or {TokenScope.ADMIN}), **given)


async def is_live(tokens: DocumentTokens, secret: str) -> bool:
    try:
        await tokens.find(hash_token(secret))
    except Unauthorized:
        return False
    return True


async def actions(storage: Storage) -> list[str]:
    """What the log says, oldest first; its chain holds."""
    async with storage.read(LOCAL) as snapshot:
        rows = await snapshot.audit.list_oldest(AuditFilter(), after=0, limit=999)
    check = ChainCheck(LOCAL_ORG)
    check.see(rows)
    assert check.result.broken is None
    return [f"{row.action} {row.actor}" for row in rows]


async def test_a_server_with_a_fresh_disk_knows_the_tokens(
    place: Callable[[], DocumentPlace],
    storage: Storage,
    new_database: Callable[[], Any],
    clock: StoppedClock,
) -> None:
    """And what others revoke, replace or add it sees within two seconds; of secrets only hashes are kept."""
    here = kept_in(place(), storage, clock)
    assert not await here.any_made()
    made = await create_token(here, ADMIN, wanted(lasts=DAY, name="laptop"))
    lasting = await create_token(here, ADMIN, wanted())
    async with opened(new_database("sqlite"), clock, CountingIds("other")) as fresh_disk:
        there = kept_in(place(), fresh_disk, clock, "u")
        assert await there.any_made()
        assert await there.find(hash_token(made.secret)) == made.token
        assert [one.name for one in await list_tokens(there, ADMIN, limit=1)] == ["laptop"]
        assert await list_tokens(there, ADMIN, after=made.token.token_id, limit=9) == [lasting.token]
        second = await rotate_token(there, ADMIN, lasting.token.token_id, grace=DAY / 2)
        await revoke_token(there, OPERATOR, made.token.token_id)
        assert not await is_live(there, made.secret)
        clock.advance(1.01)
        assert [await is_live(here, one.secret) for one in (made, lasting, second)] == [False, True, True]
        clock.advance(DAY.total_seconds() / 2)
        assert [await is_live(here, one.secret) for one in (lasting, second)] == [False, True]
        with pytest.raises(Conflict, match="last token with the scope admin"):
            await revoke_token(here, ADMIN, lasting.token.token_id)
        third = await create_token(there, ADMIN, wanted(TokenScope.PUBLISH, user_id=ANNA, name="anna's"))
        clock.advance(2)
        assert (await principal_of(here, third.secret)).user_id == ANNA
        await here.forget_user(LOCAL, ANNA)
        assert not await is_live(here, third.secret)
        assert await actions(fresh_disk) == [
            *("token.rotated token:x", "token.revoked operator", "token.created token:x"),
        ]
    assert await actions(storage) == ["token.created token:x"] * 2 + ["token.revoked system"]
    found = await place().read(NAME)
    assert found is not None
    for text in ("anna", *(one.secret for one in (made, lasting, second, third))):
        assert text not in found.content.decode()
    with pytest.raises(NotFound):
        await revoke_token(here, ADMIN.model_copy(update={"tenant": OTHER_ORG}), lasting.token.token_id)
    less = ADMIN.model_copy(update={"permissions": frozenset({Permission.ADMIN})})
    with pytest.raises(Forbidden):
        await rotate_token(here, less, lasting.token.token_id, grace=DAY)


async def test_no_writer_undoes_anothers_change(
    place: Callable[[], DocumentPlace], storage: Storage, clock: StoppedClock
) -> None:
    """Processes that add and revoke at once: all of it is there, and each change is on record once."""
    writers = [kept_in(place(), storage, clock, name) for name in "ab"]
    first, _ = [await create_token(writers[0], ADMIN, wanted()) for _ in range(2)]
    made = await asyncio.gather(
        *(create_token(writers[number % 2], ADMIN, wanted()) for number in range(6)),
        *(revoke_token(one, ADMIN, first.token.token_id) for one in writers),
    )
    fresh = kept_in(place(), storage, clock)
    assert not await is_live(fresh, first.secret)
    assert all([await is_live(fresh, one.secret) for one in made[:6]])
    assert sorted(await actions(storage)) == ["token.created token:x"] * 8 + ["token.revoked token:x"]


class Failing:
    """A place that is away, or silent, when a test says so."""

    def __init__(self, place: DocumentPlace) -> None:
        self._place = place
        self.error: Exception | None = None
        self.answers = asyncio.Event()
        self.answers.set()
        self.reads = 0

    async def read(self, name: str) -> Found | None:
        self.reads += 1
        if self.error is not None:
            raise self.error
        found = await self._place.read(name)
        await self.answers.wait()
        return found

    async def write(self, name: str, content: bytes, *, tag: str | None) -> bool:
        return await self._place.write(name, content, tag=tag)


async def test_known_tokens_go_on_for_a_while_when_the_place_is_away(
    storage: Storage, clock: StoppedClock, tmp_path: Path
) -> None:
    """Whether it refuses or is silent. After half a minute nobody gets in, and once it is back all is as before."""
    place = Failing(FolderPlace(tmp_path))
    tokens = kept_in(place, storage, clock)
    made = await create_token(tokens, ADMIN, wanted())
    place.error = StorageUnavailable("away")
    clock.advance(1.01)
    before = place.reads
    assert all([await is_live(tokens, made.secret) for _ in range(9)])
    assert place.reads == before + 1  # one look a second, however many calls come
    assert not await is_live(tokens, "unknown")
    clock.advance(LONGEST_SECONDS)
    for _ in range(2):
        with pytest.raises(StorageUnavailable):
            await tokens.find(hash_token(made.secret))
    place.error = None
    clock.advance(1.01)
    assert await is_live(tokens, made.secret)
    silent = place.answers = asyncio.Event()
    clock.advance(1.01)
    assert await is_live(tokens, made.secret)  # waits for a moment
    place.answers = asyncio.Event()
    place.answers.set()
    newer = await create_token(tokens, ADMIN, wanted())
    silent.set()  # what was read before is answered now
    for _ in range(3):
        await asyncio.sleep(0)
        assert await is_live(tokens, newer.secret)
    place.error, new = StorageUnavailable("away"), kept_in(place, storage, clock)
    await new.start()  # holds up nothing
    with pytest.raises(StorageUnavailable):
        await new.any_made()
    for one in (tokens, new):
        await one.stop()


async def test_what_is_broken_stops_the_start_and_stays(
    storage: Storage, clock: StoppedClock, tmp_path: Path
) -> None:
    """Neither taken for empty nor written over. Without the document nobody gets in, as a token was made once."""
    place = FolderPlace(tmp_path)
    tokens = kept_in(place, storage, clock)
    made = await create_token(tokens, ADMIN, wanted())
    path = tmp_path / NAME
    whole = path.read_text()
    other = whole.replace('"org_id": "self-host-org"', '"org_id": "other"')
    for broken in ("", whole[:-9], "[]", '{"organisations": {}}', other):
        path.write_text(broken)
        with pytest.raises(ConfigError, match=r"auth/organizations\.json is broken"):
            await kept_in(place, storage, clock).start()
        with pytest.raises(ConfigError, match=r"auth/organizations\.json is broken"):
            await create_token(tokens, ADMIN, wanted())
        assert path.read_text() == broken
    assert await is_live(tokens, made.secret)
    clock.advance(LONGEST_SECONDS + 1)
    with pytest.raises(StorageUnavailable) as told:
        await tokens.find(hash_token(made.secret))
    assert "auth" not in str(told.value)
    path.unlink()
    new = kept_in(place, storage, clock)
    await new.start()
    assert not await is_live(new, made.secret)
    assert await new.any_made()
    path.write_text(whole)
    clock.advance(1.01)
    assert await is_live(tokens, made.secret)


async def test_an_erasure_ends_the_tokens_of_its_user(
    storage: Storage, embedder: MiniLM, clock: StoppedClock, ids: CountingIds, tmp_path: Path
) -> None:
    """They are revoked, and the document does not name the user; a place that is away holds the erasure up."""
    place = Failing(FolderPlace(tmp_path))
    tokens, admin = kept_in(place, storage, clock), ADMIN.model_copy(update={"tenant": ORG})
    await create_token(tokens, admin, wanted(TokenScope.READ, user_id=UserId(WHO), name=WHO))
    await create_token(tokens, admin, wanted(TokenScope.READ, user_id=BEN, name="ben"))
    erasing = Erasing(storage, embedder, clock, ids, forget_tokens=tokens.forget_user)
    place.error = StorageUnavailable("away")
    operation = await erasing.ask()
    await erasing.work()
    assert (await erasing.look(operation)).gone_at is None
    place.error = None
    clock.advance(3_600)
    await erasing.work()
    assert (await erasing.look(operation)).gone_at is not None
    first, second = await list_tokens(tokens, admin, limit=9)
    assert (first.user_id, first.name, first.is_live(clock.now())) == ("", "", False)
    assert (second.user_id, second.name, second.is_live(clock.now())) == (BEN, "ben", True)
    assert WHO not in (tmp_path / NAME).read_text()


async def test_another_key_or_none_does_not_open_it(
    s3: S3Server, storage: Storage, clock: StoppedClock, tmp_path: Path
) -> None:
    """The object is encrypted as a whole, and a server with a wrong key does not start."""
    prefix = f"{tmp_path.name}/"
    place = S3Place(choice(s3, prefix, FERNET))
    await create_token(kept_in(place, storage, clock), ADMIN, wanted(name="planted"))
    raw = s3.client.get_object(Bucket=BUCKET, Key=prefix + NAME)["Body"].read()
    assert not [word for word in (b"planted", b"token", b"self-host") if word in raw]
    wrong = S3Place(choice(s3, prefix, Fernet.generate_key().decode()))
    with pytest.raises(ConfigError, match="is not encrypted with CONFIG_S3_ENCRYPTION_KEY"):
        await kept_in(wrong, storage, clock).start()


def test_a_document_does_not_grow_without_end() -> None:
    """Of tokens that no longer work the newest are kept; of those that work there is a limit."""

    def token(number: int, **given: Any) -> ApiToken:
        made = wanted().to_token(token_id=f"{number:05}", org_id=LOCAL_ORG, prefix="", at=START, by="x")
        return made.model_copy(update=given)

    revoked = tuple(
        KeptToken(**token(number, revoked_at=START).model_dump(), token_hash=str(number))
        for number in range(MOST_ENDED + 3)
    )
    kept = with_added(revoked, token(9_999), "h", START)
    assert [kept[0].token_id, kept[-1].token_id, len(kept)] == ["00003", "09999", MOST_ENDED + 1]
    assert with_added(kept, token(9_999), "h", START) == kept
    live = tuple(one.model_copy(update={"revoked_at": None}) for one in revoked[:MOST_LIVE])
    with pytest.raises(Conflict):
        with_added(live, token(9_999), "h", START)
    assert not kept[0].model_copy(update={"user_id": UserId(""), "revoked_at": None}).opens_with("3", START)


_ADDS = """
import asyncio, sys
from pathlib import Path
from pydantic import SecretStr
from sagacity.access.document_tokens import DocumentTokens
from sagacity.access.tokens import create_token
from sagacity.bootstrap import open_database
from sagacity.config.s3 import S3Choice, S3Place
from sagacity.config.settings import Settings
from sagacity.domain.api_token import NewToken
from sagacity.domain.clock import SystemClock
from sagacity.domain.ids import TimeOrderedIds
from sagacity.domain.principal import Principal
from sagacity.domain.tenant import LOCAL_ORG, Tenant

async def main(home, prefix, endpoint):
    place = S3Place(S3Choice("sagacity-tests", prefix, "us-east-1", "test-access", SecretStr("test-secret"), endpoint))
    async with open_database(Settings(home=Path(home))) as storage:
        tokens = DocumentTokens(place, storage, clock=SystemClock(), ids=TimeOrderedIds())
        principal = Principal(tenant=Tenant(org_id=LOCAL_ORG), audited_as="x")
        while True:
            made = await create_token(tokens, principal, NewToken(scopes=frozenset({"admin"})))
            print(made.token.token_id, flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.full
async def test_killed_writers_lose_nothing_that_was_said(tmp_path: Path, s3: S3Server) -> None:
    """Two processes add tokens until they are killed: the document reads, and has each that they printed."""
    prefix = f"{tmp_path.name}/"
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(_ADDS), str(tmp_path / name), prefix, s3.endpoint],
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in "ab"
    ]
    said = [writer.stdout.readline() for _ in range(3) for writer in writers]
    for writer in writers:
        writer.kill()
    said += [line for writer in writers for line in writer.communicate()[0].splitlines()]
    found = await S3Place(choice(s3, prefix)).read(NAME)
    assert found is not None
    kept = {one.token_id for one in read_document(found.content).organizations[LOCAL_ORG].tokens}
    assert {line.strip() for line in said} <= kept
