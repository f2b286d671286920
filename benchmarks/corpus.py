"""Texts and questions for the benchmarks: sentences of real conversations, recombined, with vectors that cluster."""

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice, pairwise, product

import numpy as np
from harness import ROOT

from sagacity.domain.change import Candidate
from sagacity.domain.clock import SystemClock
from sagacity.domain.graph import RelationshipMention
from sagacity.domain.ids import InteractionId, MemoryUid, TimeOrderedIds, UserId
from sagacity.domain.memory import Approval, MemoryKind, NewMemory
from sagacity.domain.query import Filter
from sagacity.domain.tenant import LOCAL_ORG, Tenant
from sagacity.providers.base import Embedder, Vectors
from sagacity.storage.transaction import Storage

CONVERSATIONS = ROOT / "examples" / "data" / "longmemeval_sample.json"
TENANT = Tenant(org_id=LOCAL_ORG)
EMBEDDED_SENTENCES = 1_000
TURN_CHARACTERS = 400
NOISE = 0.5
"""Length of the random part beside the two unit vectors that a row's vector is made of."""
SHARED = ""
"""The user of what all users share."""
FIRST_NAMES = (
    "Ana Bela Carl Dunja Emil Fatma Goran Hana Ivo Jana Karim Lena Milan Nora Oskar Petra Ravi Sven Vera"
)
LAST_NAMES = (
    "Brandt Cerny Dietz Engel Farkas Gruber Horvat Ito Jansen Kovacs Lang Moreau Novak Okafor Pohl Rossi Sato"
)
NAMES = tuple(map(" ".join, product(FIRST_NAMES.split(), LAST_NAMES.split())))
"""Of people whom no text of the corpus speaks of."""
MEMORIES_A_TIE = 10
"""How many of a user's memories there are for each that ties two people together."""
MAX_RELATIONSHIPS = 1_000


@cache
def turns() -> tuple[tuple[str, str], ...]:
    """What users said and what they were answered, each cut at 400 characters."""
    found: list[tuple[str, str]] = []
    for question in json.loads(CONVERSATIONS.read_text()):
        for session in question["haystack_sessions"]:
            for one, other in pairwise(session):
                if (one["role"], other["role"]) == ("user", "assistant"):
                    found.append((one["content"][:TURN_CHARACTERS], other["content"][:TURN_CHARACTERS]))
    return tuple(found)


@cache
def sentences() -> tuple[str, ...]:
    """Sentences of 30 to 160 characters, each once, in a fixed disorder."""
    texts = (text for question in json.loads(CONVERSATIONS.read_text()) for text in _contents(question))
    split = (part.strip() for text in texts for part in re.split(r"(?<=[.!?])\s+|\n+", text))
    kept = sorted({part for part in split if 30 <= len(part) <= 160})
    random.Random(3).shuffle(kept)
    return tuple(kept)


def _contents(question: dict) -> Iterator[str]:
    for session in question["haystack_sessions"]:
        yield from (turn["content"] for turn in session)


@dataclass(frozen=True)
class Corpus:
    """Sentences with their vectors, float32 [n, d]."""

    texts: Sequence[str]
    vectors: Vectors

    @classmethod
    async def load(cls, embedder: Embedder) -> "Corpus":
        """Embed the first thousand sentences."""
        texts = sentences()[:EMBEDDED_SENTENCES]
        return cls(texts, await embedder.embed(texts))

    def rows(self, count: int, rng: np.random.Generator) -> tuple[list[str], Vectors]:
        """Texts of two half sentences each, and unit vectors between those of both, float32 [count, d]."""
        first, second = rng.integers(0, len(self.texts), (2, count))
        noise = rng.standard_normal((count, self.vectors.shape[1]), dtype=np.float32)
        noise *= NOISE / np.linalg.norm(noise, axis=1, keepdims=True)
        mixed = self.vectors[first] + self.vectors[second] + noise
        texts = [
            recombined(self.texts[one], self.texts[other]) for one, other in zip(first, second, strict=True)
        ]
        return texts, mixed / np.linalg.norm(mixed, axis=1, keepdims=True)


def recombined(one: str, other: str) -> str:
    """The first half of one sentence and the second half of another."""
    left, right = one.split(), other.split()
    return " ".join(left[: (len(left) + 1) // 2] + right[len(right) // 2 :])


def queries(seed: int) -> Iterator[str]:
    """Questions without end, of six words from two sentences; hardly ever the same twice."""
    rng, texts = random.Random(seed), sentences()
    while True:
        one, other = rng.choice(texts).split(), rng.choice(texts).split()
        start, stop = rng.randrange(len(one)), rng.randrange(len(other))
        yield " ".join(one[start : start + 3] + other[stop : stop + 3])


@dataclass(frozen=True)
class Scope:
    """How many rows of a kind each of some users has."""

    kind: MemoryKind
    users: Sequence[str]
    rows: int

    def memories(self, corpus: Corpus, rng: np.random.Generator) -> Iterator[tuple[NewMemory, Vectors]]:
        """The rows, user by user."""
        ids, now = TimeOrderedIds(), SystemClock().now()
        for user in self.users:
            for text, vector in zip(*corpus.rows(self.rows, rng), strict=True):
                yield (
                    NewMemory(
                        uid=MemoryUid(ids.new()),
                        kind=self.kind,
                        user_id=None if user == SHARED else UserId(user),
                        content=text,
                        approval=Approval.APPROVED if user == SHARED else Approval.PENDING,
                        created_at=now,
                        updated_at=now,
                    ),
                    vector,
                )


async def fill(
    storage: Storage, corpus: Corpus, scopes: Sequence[Scope], *, a_transaction: int = 1_000
) -> int:
    """Store what *scopes* name, so many rows a transaction; returns how many there were."""
    rng = np.random.default_rng(11)
    rows = (row for scope in scopes for row in scope.memories(corpus, rng))
    stored = 0
    while part := list(islice(rows, a_transaction)):
        async with storage.begin(TENANT) as transaction:
            await transaction.memories.add(
                [memory for memory, _ in part], vectors={memory.uid: vector for memory, vector in part}
            )
        stored += len(part)
    return stored


def people_of(memories: int) -> Sequence[str]:
    """The people in the graph of a user who has so many memories of a kind: one for two ties, four at least."""
    return NAMES[: max(4, min(memories // MEMORIES_A_TIE, MAX_RELATIONSHIPS) // 2)]


async def fill_graph(storage: Storage, users: Sequence[str]) -> None:
    """Tie people together in each user's graph, by memories that are there; each person in four ties or so."""
    for user in users:
        wanted = Filter(kinds=(MemoryKind.PROFILE,), user_id=UserId(user))
        async with storage.begin(TENANT) as transaction:
            count = len(await transaction.memories.list_wanted(wanted, MEMORIES_A_TIE * MAX_RELATIONSHIPS))
            people = people_of(count)
            memories = await transaction.memories.list_wanted(wanted, count // MEMORIES_A_TIE)
            for place, memory in enumerate(memories):
                tie = RelationshipMention(
                    source=people[place % len(people)],
                    target=people[(7 * place + 1) % len(people)],
                    relationship_type="knows",
                )
                said = Candidate(
                    kind=memory.kind,
                    content=memory.content,
                    evidence=(InteractionId(1),),
                    relationships=(tie,),
                )
                await transaction.graph.add(memory, said)
