"""Configurations in a folder and in S3: as in the database, whoever else writes, and whatever is killed."""

import asyncio
import stat
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from sagacity.access.configuration import rotate_key
from sagacity.auth.key_ring import KeyRing
from sagacity.config.cached import CachedConfigs
from sagacity.config.check import probe
from sagacity.config.document_place import DocumentPlace
from sagacity.config.documents import ConfigDocument, DocumentConfigs
from sagacity.config.folder import FolderPlace
from sagacity.config.s3 import S3Place
from sagacity.config.tenant_config import TenantConfig
from sagacity.coordination.open import open_shared
from sagacity.domain.audit import AuditFilter
from sagacity.domain.errors import ConfigError, Conflict, NotFound, StorageUnavailable
from sagacity.domain.ids import OrgId
from sagacity.domain.tenant import Tenant
from sagacity.storage.transaction import Storage
from support.parts import ORG, OTHER_ORG, StoppedClock
from support.s3_server import BUCKET, SECRET_KEY, S3Server, choice

pytestmark = pytest.mark.one_database
PLANTED = "sk-planted-7d1c"
OLD, NEW = b"o" * 32, b"n" * 32
FERNET, OTHER_FERNET = Fernet.generate_key().decode(), Fernet.generate_key().decode()


@pytest.fixture(params=["folder", "s3", "encrypted s3"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[], DocumentPlace]:
    """Opens the same place again and again, as each process does."""
    if request.param == "folder":
        return lambda: FolderPlace(tmp_path / "configs of all")
    s3 = request.getfixturevalue("s3")
    keys = (FERNET,) if request.param == "encrypted s3" else ()
    return lambda: S3Place(choice(s3, f"{tmp_path.name} {request.param}/", *keys))


def config_with(secret: str, **fields) -> TenantConfig:
    return TenantConfig.model_validate({"api_key_config": {"anthropic": {"api_key": secret}}} | fields)


def grown(config: TenantConfig) -> TenantConfig:
    return config.model_copy(update={"batch_size": config.batch_size + 1})


def opened(place: DocumentPlace, storage: Storage, clock: StoppedClock, *keys: bytes) -> DocumentConfigs:
    return DocumentConfigs(place, storage, lambda *, make: KeyRing(keys or (OLD,)), clock)


async def test_it_is_kept_with_its_versions(place, storage: Storage, clock: StoppedClock):
    """Sealed, numbered, with its author; former ones come back; the audit log knows; organisations are apart."""
    configs = opened(place(), storage, clock)
    assert await configs.get(ORG) == TenantConfig()
    assert await configs.versions(ORG, limit=9) == []
    first = config_with(PLANTED, batch_size=7, batch_interval=3)
    assert await configs.set(ORG, first, by="token:1") == 1
    assert await configs.set(ORG, TenantConfig(batch_size=8), by="local") == 2
    assert await opened(place(), storage, clock).get(ORG) == TenantConfig(batch_size=8)
    assert [(one.version, one.author, one.fields) for one in await configs.versions(ORG, limit=9)] == [
        (2, "local", ("api_key_config", "batch_interval", "batch_size")),
        (1, "token:1", ("api_key_config", "batch_interval", "batch_size")),
    ]
    assert [one.version for one in await configs.versions(ORG, before=2, limit=9)] == [1]
    assert (await configs.version(ORG, 1))[1] == first
    for number in (0, 3, 2**70):
        with pytest.raises(NotFound):
            await configs.version(ORG, number)
    for org_id in (OTHER_ORG.org_id, "Org-A", "../org-a", "org-a/00000001", "\u00e9" * 400, "."):
        assert await configs.get(Tenant(org_id=OrgId(org_id))) == TenantConfig()
    async with storage.read(ORG) as snapshot:
        last, before = await snapshot.audit.list_newest(AuditFilter(), limit=2)
    assert (last.actor, last.details["version"], before.actor) == ("local", 2, "token:1")
    both, alone = (opened(place(), storage, clock, *keys) for keys in ((NEW, OLD), (NEW,)))
    with pytest.raises(ConfigError, match="SAGACITY_CONFIG_KEY"):
        await alone.version(ORG, 1)
    assert [(await rotate_key(both, (ORG, OTHER_ORG), by="operator")).wrapped for _ in range(2)] == [1, 0]
    assert (await alone.version(ORG, 1))[1] == first


async def test_what_nobody_can_open_is_given_up_on_demand(place, storage: Storage, clock: StoppedClock):
    """As in the database."""
    await opened(place(), storage, clock).set(ORG, config_with(PLANTED, batch_size=7, batch_interval=3))
    with pytest.raises(Conflict, match="all of them can be read"):
        await opened(place(), storage, clock, NEW, OLD).forget_secrets(ORG, by="operator")
    lost = opened(place(), storage, clock, NEW)
    with pytest.raises(ConfigError, match="SAGACITY_CONFIG_KEY"):
        await lost.set(ORG, TenantConfig())
    await lost.forget_secrets(ORG, by="operator")
    assert await lost.get(ORG) == TenantConfig(batch_size=7, batch_interval=3)
    assert await lost.set(ORG, config_with(PLANTED)) == 3


async def test_no_writer_undoes_anothers_change(place, storage: Storage, clock: StoppedClock):
    """Two processes write at once: each change is a version of its own, and what one set the other sees."""
    writers = [opened(place(), storage, clock) for _ in range(2)]
    sizes = range(20, 32)
    numbers = await asyncio.gather(
        *(writers[size % 2].set(ORG, config_with(PLANTED, batch_size=size)) for size in sizes)
    )
    assert sorted(numbers) == list(range(1, len(sizes) + 1))
    for number, size in zip(numbers, sizes, strict=True):
        assert (await writers[0].version(ORG, number))[1] == config_with(PLANTED, batch_size=size)
    await writers[0].set(ORG, TenantConfig(batch_size=20))
    await asyncio.gather(*(writers[turn % 2].change(ORG, grown) for turn in range(8)))
    assert await opened(place(), storage, clock).get(ORG) == TenantConfig(batch_size=28)
    async with open_shared("") as mine, open_shared("") as others:  # no news go from one to the other
        here = CachedConfigs(writers[0], mine.topic, ttl_seconds=1.0, monotonic=lambda: seconds)
        there = CachedConfigs(writers[1], others.topic, ttl_seconds=1.0, monotonic=lambda: seconds)
        seconds = 0.0
        await there.get(ORG)
        await here.set(ORG, TenantConfig(batch_size=99))
        seconds = 1.0
        assert (await there.get(ORG)).batch_size == 99


async def test_a_broken_document_is_refused_and_stays(storage: Storage, clock: StoppedClock, tmp_path: Path):
    """Neither read as the defaults nor written over, with an error that says where it is; files are the owner's."""
    configs = opened(FolderPlace(tmp_path / "c"), storage, clock)
    for size in (7, 8):
        await configs.set(ORG, config_with(PLANTED, batch_size=size))
    files = [one for one in tmp_path.rglob("*") if one.is_file()]
    assert {stat.S_IMODE(one.stat().st_mode) for one in files} == {0o600}
    assert {one.name for one in files} == {".lock", "org-a.json", "00000001.json"}
    assert not any(PLANTED.encode() in one.read_bytes() for one in files)
    path = tmp_path / "c" / "configs" / "org-a.json"
    whole = path.read_text()
    for broken in ("", whole[:-9], '{"config": {}}', "\x00", whole.replace('"org-a"', '"org-b"')):
        path.write_text(broken)
        with pytest.raises(ConfigError, match=r"configs/org-a\.json"):
            await configs.get(ORG)
        with pytest.raises(ConfigError, match=r"configs/org-a\.json"):
            await configs.set(ORG, TenantConfig())
        assert path.read_text() == broken
    path.write_text(whole.replace('"batch_size": 8', '"batch_size": 12'))  # by hand
    assert (await configs.get(ORG)).batch_size == 12
    path.unlink()
    path.mkdir()
    with pytest.raises(ConfigError, match="cannot be read"):
        await configs.get(ORG)


async def test_objects_are_encrypted_and_refusals_are_clear(
    s3: S3Server, storage: Storage, clock: StoppedClock, tmp_path: Path
):
    """Nothing of them is in the clear; keys can be changed; wrong ones, a wrong bucket, a dead server are told."""
    prefix = f"{tmp_path.name}/"
    await opened(S3Place(choice(s3, prefix, FERNET)), storage, clock).set(ORG, config_with(PLANTED))
    listed = s3.client.list_objects_v2(Bucket=BUCKET, Prefix=prefix)["Contents"]
    assert [one["Key"] for one in listed] == [f"{prefix}configs/org-a.json"]
    raw = s3.client.get_object(Bucket=BUCKET, Key=f"{prefix}configs/org-a.json")["Body"].read()
    assert not [word for word in (b"planted", b"config", b"org-a") if word in raw]
    changed = opened(S3Place(choice(s3, prefix, OTHER_FERNET, FERNET)), storage, clock)
    assert await changed.get(ORG) == config_with(PLANTED)
    wrong = {
        "is not encrypted with CONFIG_S3_ENCRYPTION_KEY": choice(s3, prefix, OTHER_FERNET),
        "is broken": choice(s3, prefix),
        "SignatureDoesNotMatch": choice(s3, prefix, FERNET, secret="another"),
        "NoSuchBucket": choice(s3, prefix, FERNET)._replace(bucket="no-such-bucket"),
    }
    for told, bad in wrong.items():
        with pytest.raises(ConfigError, match=told) as error:
            await opened(S3Place(bad), storage, clock).set(ORG, TenantConfig())
        assert SECRET_KEY not in str(error.value)
    gone = choice(s3, prefix)._replace(endpoint="http://127.0.0.1:9")
    with pytest.raises(StorageUnavailable):
        await opened(S3Place(gone), storage, clock).get(ORG)


_WRITES = """
import asyncio, sys
from pathlib import Path
from pydantic import SecretStr
from sagacity.config.folder import FolderPlace
from sagacity.config.s3 import S3Choice, S3Place

async def main(kind, where, endpoint):
    place = FolderPlace(Path(where)) if kind == "folder" else S3Place(
        S3Choice("sagacity-tests", where, "us-east-1", "test-access", SecretStr("test-secret"), endpoint))
    print("ready", flush=True)
    while True:
        found = await place.read("it")
        number = int(found.content.split()[0]) + 1 if found else 1
        content = f"{number} ".encode() * 50_000
        await place.write("it", content, tag=found.tag if found else None)
        print(number, flush=True)

asyncio.run(main(*sys.argv[1:]))
"""


@pytest.mark.parametrize("kind", ["folder", pytest.param("s3", marks=pytest.mark.full)])
async def test_a_killed_writer_leaves_the_old_or_the_new(kind: str, tmp_path: Path, s3: S3Server):
    """Never half of a document, and nothing that was said to be written is lost; the next writer goes on."""
    where = str(tmp_path / "c") if kind == "folder" else f"{tmp_path.name}/"
    place = FolderPlace(Path(where)) if kind == "folder" else S3Place(choice(s3, where))
    for round_number in range(2):
        writer = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(_WRITES), kind, where, s3.endpoint],
            stdout=subprocess.PIPE,
            text=True,
        )
        said = [writer.stdout.readline() for _ in range(3 + round_number)]
        writer.kill()
        said += writer.communicate()[0].split("\n")
        last = max(int(one) for one in said if one.strip().isdecimal())
        found = await place.read("it")
        assert found is not None
        (number,) = set(found.content.split())
        assert int(number) in {last, last + 1}
        assert found.content == number + (b" " + number) * 49_999 + b" "


def test_documents_are_what_is_described():
    """What an operator may correct by hand: the fields of a document, in this order."""
    assert list(ConfigDocument.model_fields) == [
        "org_id",
        "version",
        "at",
        "author",
        "fields",
        "data_key",
        "written",
        "config",
    ]


async def test_a_place_is_probed_without_writing(place, s3: S3Server) -> None:
    """A bucket that refuses says so."""
    await probe(place())
    assert await place().read("configs/probe.json") is None
    with pytest.raises(ConfigError, match="S3 refuses"):
        await probe(S3Place(choice(s3, "p/", secret="wrong" * 8)))
