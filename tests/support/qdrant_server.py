"""
Qdrant's REST interface, as far as our code uses it, over Qdrant's own engine in this process.

    with qdrant_server(folder) as server:         # `server.url` answers by now
        ... AsyncQdrantClient(url=server.url) ...
        server.stop()                             # connections are refused
        server.start()                            # at the same address, with what it had; start(empty=True) without
        server.slow_down(2.0)                     # each answer takes two seconds longer
        with server.hold("PUT .*/points") as held:    # the next such call waits until the block ends
            held.wait(10)                         # it is there

What it is: `qdrant-edge`, the shard of a Qdrant server as a library, so points, filters, indexes, graphs and scores are
Qdrant's. What it is not: a Qdrant server, of which no package can be had. The HTTP part is ours: it reads what it gets
with the models of qdrant-client, which refuse unknown fields, and answers in their form. Replicas, shards, keys,
snapshots and whatever is not in `_ROUTES` are not there.
"""

import json
import re
import shutil
import socket
import threading
import urllib.parse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pydantic
import qdrant_edge as edge
from qdrant_client.http import models

from support.qdrant_engine import Collection, Refused, filter_of, query_of


class QdrantServer:
    """The server. Open it with `qdrant_server()`."""

    def __init__(self, folder: Path, api_key: str = "") -> None:
        self.folder = folder
        self.api_key = api_key
        self.paths: list[str] = []
        self.collections: dict[str, Collection] = {}
        self.delay_seconds = 0.0
        self.holds: list[tuple[str, threading.Event, threading.Event]] = []
        self.lock = threading.Lock()
        self.ended = threading.Event()
        with socket.socket() as one:  # a port that stays the same over restarts
            one.bind(("127.0.0.1", 0))
            self.port: int = one.getsockname()[1]
        self._http: ThreadingHTTPServer | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self, *, empty: bool = False) -> None:
        """Listen, with what is in the folder."""
        if empty:
            shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.collections = {one.name: Collection(one, None) for one in sorted(self.folder.iterdir())}
        self.ended = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", self.port), _handler(self))
        self._http.daemon_threads = True
        self._http.block_on_close = False
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Refuse connections; what was stored stays in the folder."""
        if self._http is None or self._thread is None:
            return
        self.ended.set()
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()
        self._http = None
        with self.lock:
            for collection in self.collections.values():
                collection.shard.flush()
                collection.shard.close()
            self.collections = {}

    def slow_down(self, seconds: float) -> None:
        """Let each answer take so much longer."""
        self.delay_seconds = seconds

    @contextmanager
    def hold(self, pattern: str) -> Iterator[threading.Event]:
        """Let the next call that matches wait until the block ends; gives what is set when it has come."""
        came, go = threading.Event(), threading.Event()
        self.holds.append((pattern, came, go))
        try:
            yield came
        finally:
            go.set()

    def wait_if_held(self, call: str) -> None:
        for one in self.holds:
            pattern, came, go = one
            if re.fullmatch(pattern, call):
                self.holds.remove(one)
                came.set()
                go.wait(30)
                return

    def numbers(self) -> set[int]:
        """The points of all collections, other than the marker."""
        with self.lock:
            found = [
                one.shard.scroll(edge.ScrollRequest(limit=100_000))[0] for one in self.collections.values()
            ]
        return {point.id for points in found for point in points} - {0}

    def collection(self, name: str) -> Collection:
        if name not in self.collections:
            raise Refused(404, f"Not found: Collection `{name}` doesn't exist!")
        return self.collections[name]


@contextmanager
def qdrant_server(folder: Path, api_key: str = "") -> Iterator[QdrantServer]:
    """Start a server on a free port of 127.0.0.1; it stops at the end of the `with` block."""
    server = QdrantServer(folder, api_key)
    server.start()
    try:
        yield server
    finally:
        server.stop()


# --- what the paths do -----------------------------------------------------------------------------------------------


def _create(server: QdrantServer, name: str, body: dict[str, Any]) -> Any:
    models.CreateCollection.model_validate(body)
    if name in server.collections:
        raise Refused(409, f"Wrong input: Collection `{name}` already exists!")
    server.collections[name] = Collection(server.folder / name, body)
    return True


def _describe(server: QdrantServer, name: str, _: object) -> Any:
    collection = server.collection(name)
    made_from = collection.made_from
    return {
        "status": "green",
        "optimizer_status": "ok",
        "points_count": collection.shard.info().points_count,
        "segments_count": collection.shard.info().segments_count,
        "payload_schema": {},
        "config": {
            "params": {"vectors": made_from.vectors.model_dump(mode="json", exclude_none=True)},
            "hnsw_config": {"m": 0, "ef_construct": 100, "full_scan_threshold": 10_000},
            "optimizer_config": {
                "deleted_threshold": 0.2,
                "vacuum_min_vector_number": 1000,
                "default_segment_number": 0,
                "flush_interval_sec": 5,
            },
        },
    }


def _drop(server: QdrantServer, name: str, _: object) -> Any:
    collection = server.collections.pop(name, None)
    if collection is not None:
        collection.shard.close()
        shutil.rmtree(collection.folder)
    return collection is not None


def _index(server: QdrantServer, name: str, body: dict[str, Any]) -> Any:
    request = models.CreateFieldIndex.model_validate(body)
    schema = request.field_schema.model_dump(exclude_none=True, mode="json")
    kinds = {"keyword": edge.KeywordIndexParams, "integer": edge.IntegerIndexParams}
    params = kinds[schema.pop("type")](**schema)
    _update(server, name, edge.UpdateOperation.create_field_index(request.field_name, params))
    return _DONE


def _upsert(server: QdrantServer, name: str, body: dict[str, Any]) -> Any:
    points = models.PointsList.model_validate(body).points
    _update(
        server,
        name,
        edge.UpdateOperation.upsert_points([edge.Point(one.id, one.vector, one.payload) for one in points]),
    )
    return _DONE


def _delete(server: QdrantServer, name: str, body: dict[str, Any]) -> Any:
    if "filter" in body:
        selected = filter_of(models.FilterSelector.model_validate(body).filter)
        _update(server, name, edge.UpdateOperation.delete_points_by_filter(selected))
    else:
        ids = models.PointIdsList.model_validate(body).points
        _update(server, name, edge.UpdateOperation.delete_points(ids))
    return _DONE


def _update(server: QdrantServer, name: str, operation: Any) -> None:
    shard = server.collection(name).shard
    try:
        shard.update(operation)
    except Exception as error:  # the engine raises nothing more exact
        raise Refused(400, f"Wrong input: {error}") from error


def _retrieve(server: QdrantServer, name: str, body: dict[str, Any]) -> Any:
    request = models.PointRequest.model_validate(body)
    found = server.collection(name).shard.retrieve(request.ids, with_payload=True, with_vector=False)
    return [{"id": one.id, "payload": one.payload} for one in found]


def _scroll(server: QdrantServer, name: str, body: dict[str, Any]) -> Any:
    request = models.ScrollRequest.model_validate(body)
    found, following = server.collection(name).shard.scroll(
        edge.ScrollRequest(offset=request.offset, limit=request.limit, filter=filter_of(request.filter))
    )
    payloads = bool(request.with_payload)
    points = [{"id": one.id, "payload": one.payload if payloads else None} for one in found]
    return {"points": points, "next_page_offset": following}


def _count(server: QdrantServer, name: str, body: dict[str, Any]) -> Any:
    request = models.CountRequest.model_validate(body)
    wanted = edge.CountRequest(exact=bool(request.exact), filter=filter_of(request.filter))
    return {"count": server.collection(name).shard.count(wanted)}


def _facet(server: QdrantServer, name: str, body: dict[str, Any]) -> Any:
    request = models.FacetRequest.model_validate(body)
    wanted = edge.FacetRequest(
        request.key, limit=request.limit or 10, exact=bool(request.exact), filter=filter_of(request.filter)
    )
    hits = server.collection(name).shard.facet(wanted)
    return {"hits": [{"value": hit.value, "count": hit.count} for hit in hits]}


def _query_batch(server: QdrantServer, name: str, body: dict[str, Any]) -> Any:
    searches = models.QueryRequestBatch.model_validate(body).searches
    shard = server.collection(name).shard
    try:
        found = shard.query_batch(edge.QueryBatchRequest([query_of(one) for one in searches]))
    except Exception as error:  # the engine raises nothing more exact
        raise Refused(400, f"Wrong input: {error}") from error
    return [
        {"points": [{"id": one.id, "version": one.version, "score": one.score} for one in points]}
        for points in found
    ]


def _exists(server: QdrantServer, name: str, _: object) -> Any:
    return {"exists": name in server.collections}


_DONE = {"operation_id": 0, "status": "completed"}
_NAME = r"/collections/(?P<name>[^/]+)"
_ROUTES: list[tuple[str, str, Callable[[QdrantServer, str, dict[str, Any]], Any]]] = [
    ("PUT", _NAME, _create),
    ("GET", _NAME, _describe),
    ("DELETE", _NAME, _drop),
    ("GET", _NAME + "/exists", _exists),
    ("PUT", _NAME + "/index", _index),
    ("PUT", _NAME + "/points", _upsert),
    ("POST", _NAME + "/points", _retrieve),
    ("POST", _NAME + "/points/delete", _delete),
    ("POST", _NAME + "/points/scroll", _scroll),
    ("POST", _NAME + "/points/count", _count),
    ("POST", _NAME + "/points/query/batch", _query_batch),
    ("POST", _NAME + "/facet", _facet),
]


# --- HTTP ------------------------------------------------------------------------------------------------------------


def _handler(server: QdrantServer) -> type[BaseHTTPRequestHandler]:
    ended = server.ended

    class Handler(BaseHTTPRequestHandler):
        def _answer(self) -> None:
            size = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(size)) if size else {}
            path = urllib.parse.urlsplit(self.path).path
            server.paths.append(f"{self.command} {path}")
            server.wait_if_held(f"{self.command} {path}")
            ended.wait(server.delay_seconds)
            if ended.is_set():
                return
            try:
                status, reply = 200, {"result": self._result(path, body), "status": "ok", "time": 0.0}
            except Refused as refused:
                status, reply = refused.status, {"status": {"error": str(refused)}, "time": 0.0}
            except pydantic.ValidationError as error:
                status, reply = 422, {"status": {"error": f"Format error: {error}"}, "time": 0.0}
            if path == "/" and status == 200:
                reply = reply["result"]
            self._send(status, json.dumps(reply).encode())

        def _result(self, path: str, body: dict[str, Any]) -> Any:
            if server.api_key and self.headers["api-key"] != server.api_key:
                raise Refused(401, "Must provide an API key or an Authorization bearer token")
            if path == "/":
                return {"title": "qdrant - vector search engine", "version": "1.20.0"}
            for method, pattern, action in _ROUTES:
                found = re.fullmatch(pattern, path)
                if found and method == self.command:
                    with server.lock:
                        return action(server, found["name"], body)
            raise Refused(404, f"this server has no {self.command} {path}")

        def _send(self, status: int, body: bytes) -> None:
            try:
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Connection", "close")  # no connection is left open after a test
                self.end_headers()
                self.wfile.write(body)
            except (BrokenPipeError, ConnectionResetError):
                pass  # the caller gave up first, as tests of timeouts do

        do_GET = do_POST = do_PUT = do_DELETE = _answer  # noqa: N815  the base class's names

        def log_message(self, *_: object) -> None:
            """Say nothing: tests read `paths`."""

    return Handler
