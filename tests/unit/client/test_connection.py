"""How a client behaves towards a server that is slow, broken, moved, newer, or not there."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone

import httpx
import pytest

from sagacity.client import AsyncSagacity, Sagacity
from sagacity.client.errors import ServerError, Unreachable, WaitedTooLong
from sagacity.domain.errors import (
    Conflict,
    Forbidden,
    IndexMismatch,
    InvalidInput,
    NotFound,
    ProviderTimeout,
    RateLimited,
    SagacityError,
    StorageError,
    TooLarge,
    Unauthorized,
)
from sagacity.domain.memory import Status
from sagacity.domain.views.receipt import ReceiptState

Answer = httpx.Response | Exception


class Script:
    """A server that answers by a list, the last answer for ever, and remembers what came."""

    def __init__(self, *answers: Answer) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer

    @property
    def bodies(self) -> list[dict]:
        return [json.loads(request.content) for request in self.requests]


def ok(**body: object) -> httpx.Response:
    return httpx.Response(200, json={"success": True} | body)


def problem(status: int, name: str, message: str = "no", **headers: str) -> httpx.Response:
    body = {"success": False, "error": name, "message": message, "msg": message, "detail": None}
    return httpx.Response(status, json=body, headers=headers)


def client(script: Callable[[httpx.Request], httpx.Response], **options: object) -> Sagacity:
    return Sagacity("http://127.0.0.1:1", transport=httpx.MockTransport(script), **options)


def _every(kind: type[SagacityError]) -> list[type[SagacityError]]:
    """All below it that the server may name."""
    below = [one for one in kind.__subclasses__() if one.__module__ == kind.__module__]
    return below + [further for one in below for further in _every(one)]


BUSY = problem(503, "StorageError", **{"Retry-After": "0"})


def test_key_is_sent_as_bearer_token() -> None:
    """The key goes into the Authorization header, and nowhere else."""
    script = Script(ok(org_id="o"))
    client(script, api_key="sgc_abc").whoami()
    assert script.requests[0].headers["Authorization"] == "Bearer sgc_abc"
    assert "sgc_abc" not in str(script.requests[0].url)


def test_environment_names_server_and_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """SAGACITY_URL and SAGACITY_API_KEY are the defaults; arguments go before them."""
    monkeypatch.setenv("SAGACITY_URL", "https://memory.example")
    monkeypatch.setenv("SAGACITY_API_KEY", "sgc_env")
    script = Script(ok(org_id="o"))
    with Sagacity(transport=httpx.MockTransport(script)) as sagacity:
        sagacity.whoami()
        assert sagacity.url == "https://memory.example"
    assert script.requests[0].headers["Authorization"] == "Bearer sgc_env"
    with Sagacity("http://localhost:9", "other") as sagacity:
        assert sagacity.url == "http://localhost:9"


def test_default_server_is_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a word, the client talks to the address that `sagacity serve` uses."""
    monkeypatch.delenv("SAGACITY_URL", raising=False)
    with Sagacity() as sagacity:
        assert sagacity.url == "http://127.0.0.1:8081"


@pytest.mark.parametrize("url", ["http://memory.example", "http://10.0.0.7:8081", "http://[2001:db8::1]"])
def test_key_over_plain_http_to_another_machine_is_refused(url: str) -> None:
    """A key never travels unencrypted over a network, unless one asks for it."""
    with pytest.raises(InvalidInput, match="unencrypted"):
        Sagacity(url, "sgc_abc")
    with Sagacity(url, "sgc_abc", allow_insecure=True), Sagacity(url):
        pass


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1", "http://localhost", "http://[::1]:8081", "https://memory.example"]
)
def test_key_over_loopback_or_https_is_fine(url: str) -> None:
    """Loopback and https are safe for a key."""
    with Sagacity(url, "sgc_abc") as sagacity:
        assert sagacity.url == url


@pytest.mark.parametrize("url", ["memory.example", "ftp://memory.example", "http://", "http://[::1"])
def test_what_is_no_address_is_refused(url: str) -> None:
    """A wrong URL is the user's mistake and says so."""
    with pytest.raises(InvalidInput):
        Sagacity(url)


@pytest.mark.parametrize("key", ["sgc_abc\n", "schlüssel", "a\x00b"])
def test_key_that_is_no_key_is_refused(key: str) -> None:
    """A key with a line break cannot smuggle in a header."""
    with pytest.raises(InvalidInput, match="API key"):
        Sagacity("http://127.0.0.1:1", key)


def test_redirects_are_not_followed() -> None:
    """Another address never gets the call or its key."""
    script = Script(httpx.Response(307, headers={"Location": "https://evil.example/api/whoami"}))
    with pytest.raises(ServerError, match="307"):
        client(script, api_key="sgc_abc").whoami()
    assert len(script.requests) == 1


@pytest.mark.parametrize(
    "failure",
    [
        BUSY,
        problem(502, "x", **{"Retry-After": "0"}),
        httpx.ConnectError("refused"),
        httpx.RemoteProtocolError("cut"),
        httpx.ReadTimeout("slow"),
    ],
)
def test_reading_is_tried_again(failure: Answer) -> None:
    """A hiccup of the network or the server is not seen by who reads."""
    script = Script(failure, ok(interactions=[]))
    assert client(script).get_interactions("ana").interactions == ()
    assert len(script.requests) == 2


def test_tries_have_an_end() -> None:
    """When the time is over, the error comes through; a server that asks for more time than there is is left alone."""
    script = Script(BUSY)
    with pytest.raises(StorageError):
        client(script, retry_seconds=0.5).get_all_interactions()
    assert len(script.requests) > 1
    script = Script(problem(429, "RateLimited", **{"Retry-After": "60"}))
    with pytest.raises(RateLimited):
        client(script).get_all_interactions()
    assert len(script.requests) == 1
    script = Script(httpx.ReadTimeout("slow"))
    with pytest.raises(Unreachable, match="in time"):
        client(script, retry_seconds=0).get_all_interactions()
    assert len(script.requests) == 1


@pytest.mark.parametrize(
    "call",
    [
        lambda sagacity: sagacity.add_user_profile([{"user_id": "ana", "content": "x"}]),
        lambda sagacity: sagacity.delete_request("r"),
        lambda sagacity: sagacity.replay_dead_letter(1),
    ],
)
def test_what_may_not_happen_twice_is_sent_once(call: Callable[[Sagacity], object]) -> None:
    """A write that is not idempotent is never repeated by itself, whether it was cut off or is late."""
    for failure in (httpx.RemoteProtocolError("cut"), httpx.ReadTimeout("slow")):
        script = Script(failure)
        with pytest.raises(Unreachable):
            call(client(script))
        assert len(script.requests) == 1


@pytest.mark.parametrize("failure", [httpx.ConnectError("refused"), httpx.ConnectTimeout("slow")])
def test_what_was_never_sent_is_sent_again(failure: Answer) -> None:
    """Where no server took the connection, as while it restarts, any call may be made again, a chat's message, too."""
    script = Script(failure, ok(deleted_count=1))
    client(script).delete_request("r")
    assert len(script.requests) == 2
    told = 'event: done\nid: 9\ndata: {"status": "done"}\n\n'
    stream = httpx.Response(200, text=told, headers={"Content-Type": "text/event-stream"})
    script = Script(failure, stream)
    assert [one.event for one in client(script).send_message("hello", user_id="ana")] == ["done"]
    assert len(script.requests) == 2


def test_publish_is_repeated_under_one_request_id() -> None:
    """A retried publish names itself, so that the server stores it once."""
    script = Script(httpx.ReadError("cut"), BUSY, ok(message="queued"))
    reply = client(script).publish_interaction("ana", [{"content": "hello"}])
    ids = [body["request_id"] for body in script.bodies]
    assert len(ids) == 3
    assert len(set(ids)) == 1
    assert reply.request_id == ids[0]


def test_publishes_have_different_request_ids() -> None:
    """Two publishes are never taken for one."""
    script = Script(ok(message="queued"))
    sagacity = client(script)
    for _ in range(2):
        sagacity.publish_interaction("ana", [{"content": "hello"}])
    first, second = (body["request_id"] for body in script.bodies)
    assert first != second


def test_publish_waits_only_when_asked() -> None:
    """`wait_for_response` goes into the query, where the server's longer time limit looks for it."""
    script = Script(ok(message="done", request_id="r", profiles_added=2))
    reply = client(script).publish_interaction(
        "ana", [{"content": "hi"}], request_id="r", wait_for_response=True
    )
    assert script.requests[0].url.query == b"wait_for_response=true"
    assert (reply.request_id, reply.profiles_added) == ("r", 2)


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (problem(400, "InvalidInput"), InvalidInput),
        (problem(401, "Unauthorized"), Unauthorized),
        (problem(403, "Forbidden"), Forbidden),
        (problem(404, "NotFound"), NotFound),
        (problem(409, "Conflict"), Conflict),
        (problem(413, "TooLarge"), TooLarge),
        (problem(422, "InvalidInput"), InvalidInput),
        (problem(429, "RateLimited"), RateLimited),
        (problem(504, "ProviderTimeout"), ProviderTimeout),
        (problem(500, "IndexMismatch"), IndexMismatch),
        (problem(500, "Unheard"), ServerError),
        (httpx.Response(404, text="<html>"), NotFound),
        (httpx.Response(500, text="<html>"), ServerError),
    ],
)
def test_error_bodies_raise_the_names_of_the_domain(
    answer: httpx.Response, kind: type[SagacityError]
) -> None:
    """What the server raised is raised here, also when only the status tells."""
    with pytest.raises(SagacityError) as raised:
        client(Script(answer), retry_seconds=0).get_receipt("r")
    assert type(raised.value) is kind


@pytest.mark.parametrize("kind", _every(SagacityError), ids=lambda kind: kind.__name__)
def test_every_error_of_the_server_keeps_its_name(kind: type[SagacityError]) -> None:
    """Whoever catches `StorageUnavailable` of a database that is away gets it from the SDK, too."""
    with pytest.raises(SagacityError) as raised:
        client(Script(problem(500, kind.__name__)), retry_seconds=0).get_receipt("r")
    assert type(raised.value) is kind


def test_error_carries_message_and_correlation_id() -> None:
    """The server's text is the error's text; the id that finds the log lines is its note."""
    answer = problem(404, "NotFound", "no request 'r'", **{"X-Correlation-ID": "ab12cd34"})
    with pytest.raises(NotFound, match="no request 'r'") as raised:
        client(Script(answer)).get_receipt("r")
    assert raised.value.__notes__ == ["correlation id: ab12cd34"]


def test_newer_server_is_understood() -> None:
    """Fields that this release does not know are passed over, at any depth."""
    turn = {"user_id": "ana", "request_id": "r", "created_at": 1, "content": "hi", "mood": "new"}
    page = client(Script(ok(interactions=[turn], cursor="new"))).get_interactions("ana")
    assert [one.content for one in page.interactions] == ["hi"]


@pytest.mark.parametrize(
    "answer", [httpx.Response(200, text="<html>"), httpx.Response(200, json={"interactions": 3})]
)
def test_reply_that_is_not_ours_is_an_error(answer: httpx.Response) -> None:
    """Another program's 200 is not taken for a result."""
    with pytest.raises(ServerError, match="/api/get_interactions"):
        client(Script(answer)).get_interactions("ana")


def test_times_travel_as_utc() -> None:
    """Times with any zone, or none, reach the server as the moments that they are."""
    script = Script(ok(interactions=[]))
    start = datetime(2026, 5, 1, 12, tzinfo=timezone(timedelta(hours=2)))
    client(script).get_interactions("ana", start_time=start, end_time=datetime(2026, 5, 1, 11))  # noqa: DTZ001
    sent = script.bodies[0]
    assert datetime.fromisoformat(sent["start_time"]) == datetime(2026, 5, 1, 10, tzinfo=UTC)
    assert datetime.fromisoformat(sent["end_time"]) == datetime(2026, 5, 1, 11, tzinfo=UTC)


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda sagacity: sagacity.search(""), "query"),
        (lambda sagacity: sagacity.search("x", top_k=0), "top_k"),
        (lambda sagacity: sagacity.publish_interaction("ana", []), "interaction_data_list"),
        (lambda sagacity: sagacity.publish_interaction(" ", [{"content": "x"}]), "user_id"),
        (lambda sagacity: sagacity.publish_interaction("ana", [{"content": "\ud800"}]), "surrogate"),
        (lambda sagacity: sagacity.search_profiles("ana", "x", search_mode="psychic"), "search_mode"),
        (
            lambda sagacity: sagacity.get_interactions(
                "ana", start_time=datetime(2026, 2, 2, tzinfo=UTC), end_time=datetime(2026, 1, 1, tzinfo=UTC)
            ),
            "end_time",
        ),
    ],
)
def test_wrong_input_is_refused_before_it_is_sent(call: Callable[[Sagacity], object], field: str) -> None:
    """The message names the field, and nothing reaches the server."""
    script = Script(ok())
    with pytest.raises(InvalidInput, match=field):
        call(client(script))
    assert script.requests == []


def test_what_is_not_given_is_not_sent() -> None:
    """The server's defaults hold, not those of this release of the client."""
    script = Script(ok(profiles=[]))
    client(script).search("dinner")
    assert script.bodies[0].keys() == {"query"}


def test_current_status_travels_as_null() -> None:
    """What is current has no status on the wire."""
    script = Script(ok(user_profiles=[]))
    client(script).get_profiles("ana", status_filter=[Status.CURRENT, "archived"])
    assert script.bodies[0]["status_filter"] == [None, "archived"]


def test_ids_are_quoted_in_paths() -> None:
    """A request id with a slash does not lead to another route."""
    script = Script(problem(404, "NotFound"))
    with pytest.raises(NotFound):
        client(script).get_receipt("../whoami?x")
    assert script.requests[0].url.raw_path == b"/api/receipts/..%2Fwhoami%3Fx"


def receipt(state: str) -> httpx.Response:
    return ok(
        request_id="r",
        user_id="ana",
        accepted_at="2026-05-01T10:00:00Z",
        interactions=1,
        state=state,
        indexed={},
    )


def test_waiting_for_a_receipt_reports_each_step() -> None:
    """It ends when all is learned, and tells of the way there."""
    seen: list[ReceiptState] = []
    script = Script(receipt("accepted"), receipt("indexed"), receipt("learned"))
    last = client(script).wait_for_receipt("r", on_progress=lambda one: seen.append(one.state))
    assert seen == ["accepted", "indexed", "learned"]
    assert last.state is ReceiptState.LEARNED


def test_waiting_for_a_receipt_ends_with_a_failure() -> None:
    """A learner that failed is not waited for."""
    assert client(Script(receipt("failed"))).wait_for_receipt("r").state is ReceiptState.FAILED


def test_waiting_for_a_receipt_ends_in_time() -> None:
    """After the time limit it says how far things are."""
    with pytest.raises(WaitedTooLong, match="only indexed"):
        client(Script(receipt("indexed"))).wait_for_receipt("r", timeout_seconds=0.01)


async def test_async_client_does_the_same() -> None:
    """Retries, errors and ids hold for the asynchronous client that the other is made from."""
    script = Script(httpx.ReadError("cut"), ok(message="queued"), problem(404, "NotFound"))
    async with AsyncSagacity("http://127.0.0.1:1", transport=httpx.MockTransport(script)) as sagacity:
        reply = await sagacity.publish_interaction("ana", [{"content": "hello"}])
        assert [body["request_id"] for body in script.bodies] == [reply.request_id] * 2
        with pytest.raises(NotFound):
            await sagacity.get_receipt("r")


async def test_unreachable_server_is_named() -> None:
    """Nothing listens there: the message names the address."""
    async with AsyncSagacity("http://127.0.0.1:1", retry_seconds=0) as sagacity:
        with pytest.raises(Unreachable, match=r"127\.0\.0\.1:1"):
            await sagacity.health()


@pytest.mark.parametrize(
    ("call", "method", "path"),
    [
        ("list_messages", "GET", "/api/chat/conversations/..%2F..%2Fprofile%3Fx%23y/messages"),
        ("get_conversation", "GET", "/api/chat/conversations/..%2F..%2Fprofile%3Fx%23y"),
        ("delete_conversation", "DELETE", "/api/chat/conversations/..%2F..%2Fprofile%3Fx%23y"),
        ("delete_memory", "DELETE", "/api/memories/..%2F..%2Fprofile%3Fx%23y"),
    ],
)
def test_id_is_one_part_of_the_path(call: str, method: str, path: str) -> None:
    """Whatever is in it: an id that somebody made up reaches no other address."""
    script = Script(problem(404, "NotFound"))
    with pytest.raises(NotFound):
        getattr(client(script), call)("../../profile?x#y")
    request = script.requests[0]
    assert (request.method, request.url.raw_path.decode().partition("?")[0]) == (method, path)


def test_two_dots_are_an_id_like_any_other() -> None:
    """In a path they would mean the part above."""
    script = Script(problem(404, "NotFound"))
    with pytest.raises(NotFound):
        client(script).delete_conversation("..")
    assert script.requests[0].url.raw_path.decode().partition("?")[0] == "/api/chat/conversations/%2E%2E"


def test_what_a_publish_warns_of_is_logged(caplog: pytest.LogCaptureFixture):
    """Few look at a reply that says success."""
    with client(Script(ok(request_id="r-1", warnings=["turn 1: text is not known here"]))) as sagacity:
        sagacity.publish_interaction("ana", [{"text": "Hello"}], request_id="r-1")
    assert caplog.messages == ["publish r-1: turn 1: text is not known here"]


@pytest.mark.parametrize(
    ("turns", "told"),
    [
        ([], "interaction_data_list: needs at least one turn"),
        ("Hello", "interaction_data_list.0: must be an object"),
        (
            [{"content": "Hello", "created_at": "today"}],
            "interaction_data_list.0.created_at: must be a whole number",
        ),
    ],
)
def test_what_cannot_be_sent_is_told_in_the_servers_words(turns: object, told: str):
    with client(Script(ok())) as sagacity, pytest.raises(InvalidInput) as refused:
        sagacity.publish_interaction("ana", turns)
    assert str(refused.value) == told
