"""Qdrant's engine in this process: collections on disk, and the client's models in the engine's own form."""

import json
from pathlib import Path
from typing import Any

import qdrant_edge as edge
from qdrant_client.http import models


class Refused(Exception):
    """What the caller gets in place of an answer."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class Collection:
    """One shard of the engine, with the description it was made from."""

    def __init__(self, folder: Path, body: dict[str, Any] | None) -> None:
        self.folder = folder
        described = folder / "collection.json"
        if body is not None:
            folder.mkdir(parents=True)
            described.write_text(json.dumps(body))
        self.made_from = models.CreateCollection.model_validate_json(described.read_bytes())
        vectors, graph = self.made_from.vectors, self.made_from.hnsw_config or models.HnswConfigDiff()
        config = edge.EdgeConfig(
            vectors=edge.EdgeVectorParams(
                size=vectors.size,
                distance=getattr(edge.Distance, vectors.distance.value),
                datatype=getattr(
                    edge.VectorStorageDatatype, (vectors.datatype or models.Datatype.FLOAT32).value.title()
                ),
            ),
            hnsw_config=edge.HnswIndexConfig(
                m=16 if graph.m is None else graph.m,
                ef_construct=100,
                full_scan_threshold=graph.full_scan_threshold or 10_000,
                payload_m=graph.payload_m,
            ),
            wal_enabled=False,  # a server has a log; here `stop` writes everything out, which is quicker
        )
        shard = str(folder / "shard")
        self.shard = edge.EdgeShard.create(shard, config) if body is not None else edge.EdgeShard.load(shard)


def query_of(request: models.QueryRequest) -> Any:
    params = request.params or models.SearchParams()
    nearest = request.query.nearest if isinstance(request.query, models.NearestQuery) else request.query
    return edge.QueryRequest(
        limit=request.limit or 10,
        query=None if nearest is None else edge.Query.Nearest(nearest),
        filter=filter_of(request.filter),
        params=edge.SearchParams(hnsw_ef=params.hnsw_ef, exact=bool(params.exact)),
    )


def filter_of(given: models.Filter | None) -> Any:
    if given is None:
        return None
    parts = {name: getattr(given, name) for name in ("must", "should", "must_not")}
    return edge.Filter(**{name: [_condition(one) for one in part] for name, part in parts.items() if part})


def _condition(given: models.Condition) -> Any:
    match given:
        case models.Filter():
            return filter_of(given)
        case models.HasIdCondition():
            return edge.HasIdCondition(set(given.has_id))
        case models.IsEmptyCondition():
            return edge.IsEmptyCondition(given.is_empty.key)
        case models.FieldCondition(match=models.MatchValue(value=value)):
            return edge.FieldCondition(given.key, match=edge.MatchValue(value))
        case models.FieldCondition(match=models.MatchAny(any=values)):
            return edge.FieldCondition(given.key, match=edge.MatchAny(values))
        case models.FieldCondition(range=models.Range() as bounds):
            limits = bounds.model_dump(exclude_none=True)
            return edge.FieldCondition(given.key, range=edge.RangeFloat(**limits))
    raise Refused(400, f"this server knows no {type(given).__name__}")
