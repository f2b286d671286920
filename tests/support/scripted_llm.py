"""
A model server that answers by script, over real HTTP, in OpenAI's protocol.

    with scripted_llm() as server:                 # `async with` does the same
        server.answer_with(["first", as_json({"facts": []}), status(429, retry_after=0), "after the retry"])
        ... call the model at server.base_url ...  # ModelChoice(model="openai/scripted", api_base=server.base_url)
        assert "likes tea" in server.requests[0].prompt

`answer_with` takes one answer for every call, a list that is used up in order (a call after its end is refused with
400), or a function of the request. An answer is a text or an `Answer`; the functions below make the usual ones.
It runs in threads, so that a test may call it from any loop, from none, or from another process.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

PROMPT_TOKENS, COMPLETION_TOKENS = 11, 7
PIECE_CHARACTERS = 5
GARBAGE = "<<< \x07 this is ; no JSON at all ]] {"


@dataclass(frozen=True)
class ChatRequest:
    """One call as it arrived."""

    body: Mapping[str, Any]
    headers: Mapping[str, str]
    """By names in lower case, however they were sent."""

    @property
    def model(self) -> str:
        return self.body["model"]

    @property
    def messages(self) -> list[dict[str, str]]:
        return self.body["messages"]

    @property
    def prompt(self) -> str:
        """All messages as one text."""
        return "\n".join(f"{message['role']}: {message['content']}" for message in self.messages)

    @property
    def schema(self) -> dict[str, Any] | None:
        """The JSON schema asked for, if one was."""
        return (self.body.get("response_format") or {}).get("json_schema", {}).get("schema")

    @property
    def is_stream(self) -> bool:
        return bool(self.body.get("stream"))


def _usage() -> dict[str, int]:
    total = PROMPT_TOKENS + COMPLETION_TOKENS
    return {"prompt_tokens": PROMPT_TOKENS, "completion_tokens": COMPLETION_TOKENS, "total_tokens": total}


@dataclass(frozen=True)
class Answer:
    """What one call gets."""

    text: str = ""
    finish_reason: str = "stop"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    error_code: str | None = None
    raw_body: bytes | None = None
    """Sent as it is in place of a completion."""
    delay_seconds: float = 0
    never: bool = False
    """Nothing is sent until the server stops."""
    drop: bool = False
    """The connection is closed: at once, or in a stream after `pieces_before_drop` pieces."""
    pieces_before_drop: int = 0
    stall_after_pieces: int | None = None
    """A stream falls silent after so many pieces."""
    pieces: Sequence[str] | None = None
    """What a stream carries in place of the text's pieces; each is sent as it is, in ASCII with escapes."""
    last_event: str | None = None
    """What a stream sends after its pieces, in place of its end."""
    gate: threading.Event | None = None
    """A stream waits for it before the piece numbered `gate_before`, from 0 on."""
    gate_before: int = 0
    usage: Mapping[str, Any] | None = field(default_factory=_usage)
    """What the answer says of its tokens; None says nothing."""


def as_json(value: Any) -> Answer:
    """A valid JSON answer."""
    return Answer(text=json.dumps(value))


def extracted(request: ChatRequest, *, profiles: Sequence[Any] = (), playbooks: Sequence[Any] = ()) -> Answer:
    """What an extraction asks for, of these: facts, rules, or both in one answer."""
    found = {"profiles": profiles, "playbooks": playbooks}
    asked_for = (request.schema or {}).get("properties", {})
    return as_json({name: list(found[name]) for name in asked_for if name in found})


def status(
    code: int, *, retry_after: float | None = None, error_code: str | None = None, says: str = "scripted"
) -> Answer:
    """An HTTP error, with `Retry-After` where given."""
    headers = {} if retry_after is None else {"Retry-After": str(retry_after)}
    return Answer(status=code, text=says, headers=headers, error_code=error_code)


def slow(text: str, seconds: float) -> Answer:
    """A good answer after a while."""
    return Answer(text=text, delay_seconds=seconds)


def never() -> Answer:
    """No answer at all."""
    return Answer(never=True)


def dropped(*, after_pieces: int = 0) -> Answer:
    """The connection closed without an answer, or within a stream."""
    return Answer(text="x" * 100, drop=True, pieces_before_drop=after_pieces)


def garbage() -> Answer:
    """A completion that is not JSON."""
    return Answer(text=GARBAGE)


def half_json(value: Any) -> Answer:
    """JSON cut in the middle, as by a limit of tokens."""
    text = json.dumps(value)
    return Answer(text=text[: len(text) // 2])


def cut_off(value: Any, *, at: int) -> Answer:
    """The first *at* characters of a JSON answer that met the limit of tokens."""
    return Answer(text=json.dumps(value)[:at], finish_reason="length")


def not_http() -> Answer:
    """A 200 whose body is not a completion."""
    return Answer(raw_body=b"<html>a proxy's page</html>")


Script = str | Answer | Sequence[str | Answer] | Callable[[ChatRequest], str | Answer]


class ScriptedLLM(AbstractContextManager["ScriptedLLM"], AbstractAsyncContextManager["ScriptedLLM"]):
    """The server. Open it with `scripted_llm()`."""

    def __init__(self) -> None:
        self.requests: list[ChatRequest] = []
        self.cut_off = threading.Event()
        """Set when a caller disconnected before its answer was complete."""
        self._script: Script = []
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._server.block_on_close = False
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def answer_with(self, script: Script) -> None:
        """Answer the calls from now on by *script*."""
        with self._lock:
            self._script = script if isinstance(script, str | Answer) or callable(script) else list(script)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    async def __aenter__(self) -> Self:
        return self.__enter__()

    async def __aexit__(self, *_: object) -> None:
        self.__exit__()

    def wait(self, seconds: float | None = None) -> None:
        """Wait, but no longer than the server runs."""
        self._stopped.wait(seconds)

    def wait_for(self, gate: threading.Event) -> None:
        """Wait until the test opens *gate*, but no longer than the server runs."""
        while not gate.wait(0.01) and not self._stopped.is_set():
            pass

    def next_answer(self, request: ChatRequest) -> Answer:
        with self._lock:
            self.requests.append(request)
            script = self._script
            if isinstance(script, list):
                script = script.pop(0) if script else status(400, says="the script has no more answers")
        answer = script(request) if callable(script) else script
        return Answer(text=answer) if isinstance(answer, str) else answer


def scripted_llm() -> ScriptedLLM:
    """Start a server on a free port of 127.0.0.1; it stops at the end of the `with` block."""
    return ScriptedLLM()


def _handler(server: ScriptedLLM) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.close_connection = True  # one call a connection, so that none is left open after a test
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            request = ChatRequest(
                body=body, headers={name.lower(): value for name, value in self.headers.items()}
            )
            if self.path != "/v1/chat/completions":
                self._send(404, _error("no such path", None))
                return
            answer = server.next_answer(request)
            # The caller may give up first, as tests of timeouts do.
            try:
                self._answer(request, answer)
            except (BrokenPipeError, ConnectionResetError):
                server.cut_off.set()

        def _answer(self, request: ChatRequest, answer: Answer) -> None:
            server.wait(answer.delay_seconds)
            if answer.never:
                server.wait()
            elif answer.status != 200:
                self._send(answer.status, _error(answer.text, answer.error_code), answer.headers)
            elif answer.raw_body is not None:
                self._send(200, answer.raw_body, {"Content-Type": "text/html"})
            elif request.is_stream:
                self._stream(request, answer)
            elif not answer.drop:
                self._send(200, json.dumps(_completion(request, answer)).encode())

        def _stream(self, request: ChatRequest, answer: Answer) -> None:
            if answer.drop and not answer.pieces_before_drop:
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Transfer-Encoding", "chunked")
            self.send_header("Connection", "close")
            self.end_headers()
            for count, piece in enumerate(answer.pieces or _pieces(answer.text)):
                if answer.drop and count == answer.pieces_before_drop:
                    return
                if count == answer.stall_after_pieces:
                    server.wait()
                    return
                if answer.gate is not None and count == answer.gate_before:
                    server.wait_for(answer.gate)
                self._event(json.dumps(_chunk(request, piece)))
            if answer.last_event is not None:
                self._event(answer.last_event)
                self.wfile.write(b"0\r\n\r\n")
                return
            self._event(json.dumps(_chunk(request, None, answer.finish_reason)))
            if answer.usage is not None:
                self._event(json.dumps({**_chunk(request, None), "choices": [], "usage": answer.usage}))
            self._event("[DONE]")
            self.wfile.write(b"0\r\n\r\n")

        def _event(self, text: str) -> None:
            line = f"data: {text}\n\n".encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(line), line))
            self.wfile.flush()

        def _send(self, code: int, body: bytes, headers: Mapping[str, str] | None = None) -> None:
            self.send_response(code)
            for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Connection", "close")
            self.end_headers()
            self.wfile.write(body)

        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Say nothing: tests read `requests`."""

    return Handler


def _pieces(text: str) -> Iterator[str]:
    for start in range(0, len(text), PIECE_CHARACTERS):
        yield text[start : start + PIECE_CHARACTERS]


def _completion(request: ChatRequest, answer: Answer) -> dict[str, Any]:
    message = {"role": "assistant", "content": answer.text}
    usage = {} if answer.usage is None else {"usage": answer.usage}
    return usage | {
        "id": "scripted",
        "object": "chat.completion",
        "created": 0,
        "model": request.model,
        "choices": [{"index": 0, "message": message, "finish_reason": answer.finish_reason}],
    }


def _chunk(request: ChatRequest, piece: str | None, finish_reason: str = "stop") -> dict[str, Any]:
    delta = {} if piece is None else {"role": "assistant", "content": piece}
    return {
        "id": "scripted",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": request.model,
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason if piece is None else None}],
    }


def _error(message: str, code: str | None) -> bytes:
    return json.dumps({"error": {"message": message, "type": "scripted", "code": code}}).encode()
