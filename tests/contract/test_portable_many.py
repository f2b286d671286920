"""An organisation of 20,000 turns and what was learned of them, moved into the other database and back."""

import json
import shutil
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from conftest import DATABASES
from sagacity.domain.ids import UserId
from sagacity.domain.kinds import KINDS
from sagacity.domain.principal import Principal
from sagacity.domain.query import Filter, Query, Scored
from sagacity.learning.embedding_backfill import EmbeddingBackfill
from sagacity.memories.acting import Acting
from sagacity.memories.search import search_by_kind
from sagacity.storage.base import Backend
from sagacity.storage.open import open_file, open_storage
from sagacity.storage.portable.arriving import arrive
from sagacity.storage.portable.files import write_file
from sagacity.storage.portable.staging import staged
from sagacity.storage.portable.writing import lines_of
from sagacity.storage.transaction import Storage
from sagacity.storage.transfer.copy import Step
from support.acting import parts_of
from support.learning import WordEmbedder, learning
from support.parts import ORG, START, CountingIds, StoppedClock, said

USERS, TURNS = 100, 200
TOWNS = ("Lisbon", "Oslo", "Quito", "Turin", "Boston", "Austin", "Lyon", "Kyoto", "Graz", "Porto")
FOODS = ("walnuts", "shellfish", "milk", "peanuts", "soy", "wheat", "eggs", "sesame", "celery", "mustard")
Found = tuple[str, str, str, float]
"""A question and whom it is about; the id, content and score of what it found."""
QUESTIONS = (
    "Where do I live?",
    "What am I allergic to?",
    "Which tool do we install packages with?",
    "the train to Kyoto",
    "What did I say of walnuts in Lisbon?",
    "ticket 77",
)
pytestmark = [pytest.mark.full, pytest.mark.longest, pytest.mark.own_database]


def quiet(_: Step) -> None:
    """Tell nobody."""


def turns_of(user: int) -> list[str]:
    """What a user says: where they live, what they must not eat, corrections, and much that teaches nothing."""
    return [
        (
            f"I live in {TOWNS[(user + number) % 10]} now and I'm allergic to {FOODS[(user * 3 + number // 7) % 10]}.",
            f"I just said we use pnpm {number}, not npm.",
            f"The train of ticket {number} to {TOWNS[number % 10]} was late again, by {user + number} minutes.",
            f"What did the mail of {TOWNS[user % 10]} say about ticket {number * 7}?",
        )[number % 4]
        for number in range(TURNS)
    ]


@pytest.fixture
def urls(request: pytest.FixtureRequest, tmp_path: Path, migrated_file: Path) -> list[str]:
    """A database of SQLite, one of PostgreSQL, and another one of SQLite."""
    shutil.copyfile(migrated_file, tmp_path / "back.db")
    return [DATABASES[name](request) for name in ("sqlite", "postgresql")] + [f"sqlite:///{tmp_path}/back.db"]


@pytest.fixture
async def storages(urls: list[str]) -> AsyncIterator[list[Storage]]:
    """All three, with an organisation that has nothing."""
    opened = [
        await open_storage(url, clock=StoppedClock(), ids=CountingIds(name))
        for url, name in zip(urls, "spb", strict=True)
    ]
    for storage in opened:
        async with storage.begin(ORG) as transaction:
            await transaction.organisation.ensure(ORG.org_id)
        await storage.claim_index(WordEmbedder.model, WordEmbedder.dimension)
    yield opened
    for storage in opened:
        await storage.close()


async def _fill(storage: Storage) -> None:
    """Publish all turns, learn from them by the built-in rules, and compute every vector."""
    worker = learning(storage, WordEmbedder(), StoppedClock(), CountingIds("learned"))
    for user in range(USERS):
        turns = turns_of(user)
        for start in range(0, TURNS, 50):
            request = said(
                *turns[start : start + 50], request_id=f"{user}-{start}", user_id=f"user {user:03}"
            )
            await storage.append(ORG, request)
        await worker.run(ORG, request.user_id, force=True)
    await EmbeddingBackfill(storage, WordEmbedder()).run()


async def _found(storage: Storage) -> list[Found]:
    """What questions find, best first, of some users and of all."""
    parts = parts_of(storage, WordEmbedder(), StoppedClock(), CountingIds("search"))
    acting = Acting(parts, Principal(tenant=ORG))
    found: list[Found] = []
    for user_id in (None, *(UserId(f"user {number:03}") for number in range(0, USERS, 9))):
        for text in QUESTIONS:
            wanted = Filter(kinds=tuple(KINDS), interactions=True, user_id=user_id)
            by_kind, _ = await search_by_kind(acting, Query(text=text, wanted=wanted, limit=20))
            found += [
                (f"{user_id} {text} {kind}", *_told(one)) for kind, items in by_kind.items() for one in items
            ]
    return found


def _told(item: Scored) -> tuple[str, str, float]:
    """Its id, its content and its score; numbers are each database's own."""
    if item.memory is not None:
        return item.memory.uid, item.memory.content, item.score
    assert item.interaction is not None
    return f"{item.interaction.user_id} {item.interaction.seq}", item.interaction.content, item.score


def _counts(path: Path) -> Counter[str]:
    """How many rows of each table a file has."""
    with path.open() as file:
        return Counter(line["table"] for line in map(json.loads, file) if "row" in line)


async def _move(storage: Storage, target: Storage, path: Path, migrated_file: Path) -> None:
    """Export the organisation, and import it."""

    async def opens(path: Path) -> Backend:
        shutil.copyfile(migrated_file, path)
        return await open_file(path)

    async with storage.read(ORG) as transaction:
        await write_file(lines_of(transaction.portable, ORG.org_id, None, now=START), path, quiet)
    async with staged(path, ORG.org_id, opens, quiet) as arriving:
        await arrive(target, ORG, arriving, quiet)


async def test_20_000_turns_and_what_was_learned_of_them_are_found_alike_elsewhere_and_back(
    storages: list[Storage], tmp_path: Path, migrated_file: Path
) -> None:
    """The same contents and ids, in the same order; after both ways the scores too, to the last digit."""
    here, there, back = storages
    await _fill(here)
    await _move(here, there, tmp_path / "there.jsonl", migrated_file)
    await _move(there, back, tmp_path / "back.jsonl", migrated_file)
    rows = _counts(tmp_path / "there.jsonl")
    assert rows["interactions"] == USERS * TURNS
    assert rows["memories"] > 5 * USERS
    assert rows == _counts(tmp_path / "back.jsonl")
    first, second, third = [await _found(one) for one in storages]
    assert len(first) > 500
    assert third == first
    assert [one[:-1] for one in second] == [one[:-1] for one in first]
    assert [score for *_, score in second] == pytest.approx([score for *_, score in first], abs=0.001)
