"""Qdrant over HTTP: collection, points and filters; the only file that uses qdrant-client."""

import asyncio
import time
from collections.abc import AsyncGenerator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import NoReturn
from urllib.parse import urlsplit

import httpx
import numpy as np
from qdrant_client import AsyncQdrantClient, models
from qdrant_client.common.client_exceptions import QdrantException
from qdrant_client.http.exceptions import ApiException, ResponseHandlingException, UnexpectedResponse

from sagacity.domain.errors import ConfigError, VectorStoreError
from sagacity.domain.ids import OrgId
from sagacity.domain.kinds import REVIEWED_KINDS, VERSIONED_KINDS
from sagacity.domain.memory import Approval
from sagacity.domain.query import Filter
from sagacity.storage.base import Vectors
from sagacity.storage.replica.copied import Copied
from sagacity.storage.search.filters import values_of

SEARCH_SECONDS = 1.0
REST_SECONDS = 5.0
"""The pause after a failure, so that not every search waits for a store that hangs."""
_JOB_SECONDS = 30.0
_PAGE = 10_000
_MARKER = 0
"""The number of the marker point, which no document has: it is written when the collection is ready to be filled."""
_NEIGHBOURS = 16
_CANDIDATES = 512
"""
Candidates that the graph search keeps. On 15,000 vectors that vary in some 40 directions, with a filter on the kind, it
finds 0.97 of the ten best with Qdrant's default, 0.995 with 256 and all with 512.
"""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_KEYWORDS = (
    *("kind", "status", "approval", "visibility", "held", "agent_version", "name", "source", "request_id"),
)
_TIMES = ("changed_at", "expires_at")
_ASKED = frozenset(
    {
        "statuses",
        "approvals",
        "visibility",
        "is_held",
        "agent_versions",
        "names",
        "source",
        "request_id",
        "start",
        "end",
        "valid_at",
    }
)
"""Fields of `values_of` that `filter_of` knows."""


@dataclass(frozen=True, slots=True)
class Question:
    """The organisation, kind and scopes of the documents to search, and how many to return."""

    org_id: OrgId
    kind: str
    scope_ids: tuple[int, ...] | None
    """None for all scopes of the organisation."""
    wanted: Filter
    limit: int
    exact: bool
    """Whether every admitted document is compared, without the graph."""


class QdrantStore:
    """One Qdrant server; every method takes the collection, and raises VectorStoreError if there is no answer."""

    def __init__(
        self,
        url: str,
        api_key: str = "",
        *,
        search_seconds: float = SEARCH_SECONDS,
        rest_seconds: float = REST_SECONDS,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname or "@" in parts.netloc:
            raise ConfigError(
                "setting SAGACITY_VECTOR_URL: write it like http://127.0.0.1:6333, without a key"
            )
        self._client = AsyncQdrantClient(
            url=url,
            # As a header, because the client warns about a key over HTTP, which is common within a cluster.
            headers={"api-key": api_key} if api_key else None,
            timeout=int(_JOB_SECONDS),
            check_compatibility=False,
        )
        self._search_seconds = search_seconds
        self._rest_seconds = rest_seconds
        self._rest_until = 0.0
        self._why = ""

    async def nearest(
        self, collection: str, questions: Sequence[Question], vector: Vectors
    ) -> list[list[int]]:
        """
        Return the numbers of the documents nearest to *vector* (float32 [d]) for each question, best first.

        Raises:
            VectorStoreError: there was no answer in time, or the collection is missing or was never made ready.
        """
        requests = [_request(question, vector) for question in questions]
        requests.append(models.QueryRequest(filter=_only([_MARKER]), limit=1))
        async with self._asking(self._search_seconds):
            *found, marker = await self._client.query_batch_points(collection, requests)
        if not marker.points:
            raise VectorStoreError("the vector store lost the copy; it is being rebuilt")
        return [[_number(point.id) for point in one.points] for one in found]

    async def generation(self, collection: str) -> str | None:
        """Return the generation that the collection got when it was made ready; None if it is missing or not ready."""
        async with self._asking(_JOB_SECONDS):
            if not await self._client.collection_exists(collection):
                return None
            found = await self._client.retrieve(collection, [_MARKER])
        return str((found[0].payload or {})["generation"]) if found else None

    async def create(self, collection: str, dimension: int) -> None:
        """
        Create the collection with its indexes, unless it exists.

        There is no graph over all organisations (`m` = 0), which no search would use. Each organisation and each scope
        has its own graph; below Qdrant's threshold, all its vectors are compared. The other fields have indexes for
        filters but no graphs. Vectors are kept in half precision, as in the database.
        """
        async with self._asking(_JOB_SECONDS):
            try:
                await self._client.create_collection(
                    collection,
                    vectors_config=models.VectorParams(
                        size=dimension, distance=models.Distance.COSINE, datatype=models.Datatype.FLOAT16
                    ),
                    hnsw_config=models.HnswConfigDiff(m=0, payload_m=_NEIGHBOURS),
                )
            except UnexpectedResponse as error:
                if error.status_code != HTTPStatus.CONFLICT:  # it exists, perhaps since this moment
                    raise
            for name, schema in _indexes().items():
                await self._client.create_payload_index(collection, name, schema)

    async def make_ready(self, collection: str, dimension: int, generation: str) -> None:
        """Write the marker point; from now on searches are answered."""
        point = models.PointStruct(
            id=_MARKER, vector=[1.0] + [0.0] * (dimension - 1), payload={"generation": generation}
        )
        async with self._asking(_JOB_SECONDS):
            await self._client.upsert(collection, [point])

    async def put(self, collection: str, org_id: OrgId, documents: Sequence[Copied]) -> None:
        """Write documents, replacing those with the same numbers."""
        points = [
            models.PointStruct(
                id=one.document_id,
                vector=np.frombuffer(one.vector, "<f2").astype(np.float32).tolist(),
                payload=payload_of(org_id, one),
            )
            for one in documents
        ]
        if points:
            async with self._asking(_JOB_SECONDS):
                await self._client.upsert(collection, points)

    async def remove(self, collection: str, document_ids: Iterable[int]) -> None:
        """Remove documents by their numbers."""
        ids = sorted(document_ids)
        for start in range(0, len(ids), _PAGE):
            async with self._asking(_JOB_SECONDS):
                await self._client.delete(
                    collection, models.PointIdsList(points=list(ids[start : start + _PAGE]))
                )

    async def remove_organisation(self, collection: str, org_id: str) -> None:
        """Remove all documents of an organisation."""
        async with self._asking(_JOB_SECONDS):
            await self._client.delete(
                collection,
                models.FilterSelector(filter=models.Filter(must=[_equals("organisation", org_id)])),
            )

    async def numbers(self, collection: str, scope_id: int) -> set[int]:
        """Return the numbers of all documents of a scope in the collection."""
        numbers: set[int] = set()
        offset: int | None = None
        while True:
            async with self._asking(_JOB_SECONDS):
                points, following = await self._client.scroll(
                    collection,
                    models.Filter(must=[_equals("scope", scope_id)]),
                    limit=_PAGE,
                    offset=offset,
                    with_payload=False,
                )
            numbers.update(_number(point.id) for point in points)
            if following is None:
                return numbers
            offset = int(str(following))

    async def organisations(self, collection: str) -> set[str]:
        """Return the organisations that have documents in the collection."""
        return set(map(str, await self._values(collection, "organisation")))

    async def scopes(self, collection: str) -> set[int]:
        """Return the numbers of all scopes that have documents in the collection."""
        return set(map(int, await self._values(collection, "scope")))

    async def _values(self, collection: str, field: str) -> list[bool | int | str]:
        limit = _PAGE
        while True:
            async with self._asking(_JOB_SECONDS):
                found = await self._client.facet(collection, field, limit=limit, exact=True)
            if len(found.hits) < limit:
                return [hit.value for hit in found.hits]
            limit *= 10

    async def document_count(self, collection: str) -> int:
        """Return how many documents the collection has."""
        async with self._asking(_JOB_SECONDS):
            found = await self._client.count(
                collection, models.Filter(must_not=[models.HasIdCondition(has_id=[_MARKER])])
            )
        return found.count

    async def dimension(self, collection: str) -> int:
        """Return the dimension of the collection's vectors."""
        async with self._asking(_JOB_SECONDS):
            described = await self._client.get_collection(collection)
        vectors = described.config.params.vectors
        return vectors.size if isinstance(vectors, models.VectorParams) else 0

    async def drop(self, collection: str) -> None:
        """Remove the collection, if it exists."""
        async with self._asking(_JOB_SECONDS):
            await self._client.delete_collection(collection)

    async def check(self) -> None:
        """Make one call; raises VectorStoreError if it fails."""
        async with self._asking(self._search_seconds):
            await self._client.info()

    async def close(self) -> None:
        """Close every connection."""
        await self._client.close()

    @asynccontextmanager
    async def _asking(self, seconds: float) -> AsyncGenerator[None]:
        """Limit the time of the calls in the block, and turn their failures into our error."""
        if time.monotonic() < self._rest_until:
            raise VectorStoreError(self._why)
        if self._why:  # one call tries; the others fail until that one has succeeded
            self._rest_until = time.monotonic() + self._rest_seconds
        try:
            async with asyncio.timeout(seconds):
                yield
        except (TimeoutError, ApiException, QdrantException) as error:
            self._failed(error)
        else:
            self._why, self._rest_until = "", 0.0

    def _failed(self, error: Exception) -> NoReturn:
        what, is_down = _what_failed(error)
        if is_down:
            self._why, self._rest_until = what, time.monotonic() + self._rest_seconds
        else:
            self._why, self._rest_until = "", 0.0
        raise VectorStoreError(what) from error


def _what_failed(error: Exception) -> tuple[str, bool]:
    """Describe a failure without the server's own words, which may quote data; and say whether the server is down."""
    match error:
        case TimeoutError() | ResponseHandlingException(source=httpx.TimeoutException()):
            return "the vector store gave no answer in time", True
        case ResponseHandlingException(source=httpx.TransportError()):
            return "the vector store cannot be reached", True
        case UnexpectedResponse(status_code=401 | 403):
            return "the vector store refuses the key; set SAGACITY_VECTOR_API_KEY", True
        case UnexpectedResponse(status_code=404):
            return "the vector store lost the copy; it is being rebuilt", False
        case UnexpectedResponse(status_code=int(status)):
            return (
                f"the vector store answered {status}; `sagacity doctor` says more",
                status >= HTTPStatus.INTERNAL_SERVER_ERROR,
            )
        case _:
            return "the vector store gave an answer that cannot be read", True


def payload_of(org_id: OrgId, document: Copied) -> dict[str, str | int]:
    """Return the fields to filter a document by: times in microseconds since 1970, empty fields left out."""
    payload: dict[str, str | int | None] = {
        "organisation": org_id,
        "scope": document.scope_id,
        "kind": document.kind,
        "status": document.status,
        "approval": document.approval,
        "visibility": document.visibility,
        "held": "yes" if document.is_held else "no",
        "agent_version": document.agent_version,
        "name": document.name,
        "source": document.source,
        "request_id": document.request_id,
        "changed_at": _microseconds(document.changed_at),
        "expires_at": None if document.expires_at is None else _microseconds(document.expires_at),
    }
    return {name: value for name, value in payload.items() if value is not None}


def is_expressible(wanted: Filter) -> bool:
    """Whether points have all the fields that *wanted* filters by."""
    return values_of(wanted).keys() <= _ASKED


def filter_of(question: Question) -> models.Filter:
    """Return the conditions of a question, which admit the same rows as `storage/search/filters.py: admitted`."""
    wanted = question.wanted
    must: list[models.Condition] = [_equals("organisation", question.org_id), _equals("kind", question.kind)]
    if question.scope_ids is not None:
        must.append(models.FieldCondition(key="scope", match=models.MatchAny(any=list(question.scope_ids))))
    versioned = question.kind in VERSIONED_KINDS
    for name, values in (
        ("status", wanted.statuses),
        ("visibility", wanted.visibility),
        ("approval", _approvals(question)),
        ("agent_version", wanted.agent_versions if versioned else ()),
        ("name", wanted.names if versioned else ()),
    ):
        if values:
            must.append(
                models.FieldCondition(key=name, match=models.MatchAny(any=[str(one) for one in values]))
            )
    held = None if wanted.is_held is None else "yes" if wanted.is_held else "no"
    for name, value in (("held", held), ("source", wanted.source), ("request_id", wanted.request_id)):
        if value is not None:
            must.append(_equals(name, value))
    return models.Filter(must=[*must, *_times(wanted)])


def _approvals(question: Question) -> Sequence[Approval]:
    """Return the approvals to admit; for kinds without review, all except rejected."""
    asked = question.wanted.approvals
    if question.kind in REVIEWED_KINDS or not asked:
        return asked
    return (Approval.APPROVED, Approval.PENDING)


def _times(wanted: Filter) -> list[models.Condition]:
    conditions: list[models.Condition] = []
    if wanted.start is not None:
        since = models.Range(gte=_microseconds(wanted.start))
        conditions.append(models.FieldCondition(key="changed_at", range=since))
    if wanted.end is not None:
        until = models.Range(lte=_microseconds(wanted.end))
        conditions.append(models.FieldCondition(key="changed_at", range=until))
    if wanted.valid_at is not None:
        never = models.IsEmptyCondition(is_empty=models.PayloadField(key="expires_at"))
        later = models.FieldCondition(key="expires_at", range=models.Range(gt=_microseconds(wanted.valid_at)))
        conditions.append(models.Filter(should=[never, later]))
    return conditions


def _request(question: Question, vector: Vectors) -> models.QueryRequest:
    return models.QueryRequest(
        query=vector.tolist(),
        filter=filter_of(question),
        limit=question.limit,
        params=models.SearchParams(
            exact=question.exact, hnsw_ef=None if question.exact else max(_CANDIDATES, 2 * question.limit)
        ),
    )


def _indexes() -> dict[str, models.PayloadSchemaType | models.KeywordIndexParams | models.IntegerIndexParams]:
    keyword, integer = models.KeywordIndexType.KEYWORD, models.IntegerIndexType.INTEGER
    return {
        "organisation": models.KeywordIndexParams(type=keyword, is_tenant=True),
        "scope": models.IntegerIndexParams(type=integer, lookup=True, range=False),
        **{name: models.KeywordIndexParams(type=keyword, enable_hnsw=False) for name in _KEYWORDS},
        **{
            name: models.IntegerIndexParams(type=integer, lookup=False, range=True, enable_hnsw=False)
            for name in _TIMES
        },
    }


def _equals(name: str, value: str | int) -> models.FieldCondition:
    return models.FieldCondition(key=name, match=models.MatchValue(value=value))


def _only(document_ids: Sequence[int]) -> models.Filter:
    return models.Filter(must=[models.HasIdCondition(has_id=list(document_ids))])


def _microseconds(moment: datetime) -> int:
    """Return microseconds since 1970: below 2**53, so that Qdrant's ranges of doubles compare them exactly."""
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _number(point_id: models.ExtendedPointId) -> int:
    return int(str(point_id))
