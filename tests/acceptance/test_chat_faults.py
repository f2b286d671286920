"""Models that die, fall silent, refuse or send garbage: what came is stored, and the stream ends once."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from sagacity.chat.writer import MOST_CHARACTERS
from support.api import listening, settings_in
from support.chatting import ending_of, said_in, sent, text_of
from support.promises import choose
from support.scripted_llm import Answer, ScriptedLLM, dropped, not_http, scripted_llm, slow, status

pytestmark = pytest.mark.usefixtures("closed_clients")
IMPATIENT = {"model_attempts": 1, "model_first_piece_seconds": 0.5, "model_piece_seconds": 0.5}
PATIENT = {"model_attempts": 1}
STORY = "Once upon a time."


@pytest.fixture
def model():
    with scripted_llm() as model:
        yield model


@pytest.fixture
async def http(
    request: pytest.FixtureRequest, tmp_path: Path, database_url: str, model: ScriptedLLM
) -> AsyncIterator[httpx.AsyncClient]:
    """A server over a real connection, with the settings that the test names."""
    given = getattr(request, "param", PATIENT)
    with listening(settings_in(tmp_path, database_url=database_url, **given)) as url:
        async with httpx.AsyncClient(base_url=url, timeout=60) as http:
            await choose(http, model)
            yield http


@pytest.mark.parametrize(
    ("http", "answer", "text", "kind"),
    [
        (PATIENT, dropped(), "", "ProviderError"),
        (PATIENT, dropped(after_pieces=3), "x" * 15, "ProviderError"),
        (IMPATIENT, Answer(never=True), "", "ProviderTimeout"),
        (IMPATIENT, Answer(text=STORY, stall_after_pieces=0), "", "ProviderTimeout"),
        (IMPATIENT, Answer(text=STORY, stall_after_pieces=2), "Once upon ", "ProviderTimeout"),
        (PATIENT, not_http(), "", "ProviderError"),
        (PATIENT, Answer(text=""), "", "ProviderError"),
        (PATIENT, status(400, error_code="content_filter"), "", "ProviderRefused"),
        (PATIENT, Answer(text="", finish_reason="content_filter"), "", "ProviderRefused"),
        (PATIENT, Answer(text=STORY, finish_reason="content_filter"), STORY, "ProviderRefused"),
        (PATIENT, Answer(pieces=(" ", "\n")), " \n", "ProviderError"),
        (PATIENT, status(500), "", "ProviderError"),
    ],
    ids=[
        "dies at once",
        "dies within",
        "is silent",
        "is silent after the headers",
        "falls silent",
        "sends a page",
        "answers nothing",
        "refuses",
        "filters all",
        "filters the rest",
        "sends blanks",
        "fails",
    ],
    indirect=["http"],
)
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_failing_model_ends_the_stream_once(
    http: httpx.AsyncClient, model: ScriptedLLM, answer: Answer, text: str, kind: str
) -> None:
    """By an error; the question and what came of the answer are stored, and the conversation goes on (rows R2, R3)."""
    model.answer_with(lambda _request: answer)
    events = await sent(http, "Tell me a story.")
    last = ending_of(events)
    assert (last.name, last.data["status"], last.data["error_kind"]) == ("error", "failed", kind)
    assert text_of(events) == text
    assert "scripted" not in last.data["error"].replace("openai/scripted", "")
    conversation_id = events[0].data["conversation_id"]
    kept = ["Tell me a story.", *([text] if text.strip() else [])]
    assert await said_in(http, conversation_id) == kept

    model.answer_with(lambda _request: "Here I am.")
    again = await sent(http, "Are you there?", conversation_id=conversation_id)
    assert ending_of(again).name == "done"
    assert await said_in(http, conversation_id) == [*kept, "Are you there?", "Here I am."]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_answer_has_a_largest_length(http: httpx.AsyncClient, model: ScriptedLLM) -> None:
    """Also where an endpoint takes no notice of `max_tokens`; what came by then is the answer."""
    piece = "plum " * 1_000
    count = MOST_CHARACTERS // len(piece) + 2
    model.answer_with(lambda _request: Answer(pieces=[piece] * count, stall_after_pieces=count - 1))
    events = await sent(http, "Tell me a story.")
    assert (ending_of(events).name, ending_of(events).data["status"]) == ("done", "done")
    assert len(text_of(events)) == MOST_CHARACTERS
    assert await said_in(http, events[0].data["conversation_id"]) == ["Tell me a story.", text_of(events)]


@pytest.mark.parametrize(
    "http",
    [{"model_attempts": 1, "model_first_piece_seconds": 60, "model_piece_seconds": 0.5}],
    indirect=True,
    ids=["patient at first"],
)
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
async def test_model_may_think_longer_than_it_may_pause(http: httpx.AsyncClient, model: ScriptedLLM) -> None:
    """The first piece has a limit of its own."""
    model.answer_with(lambda _request: slow(STORY, 1.5))
    events = await sent(http, "Tell me a story.")
    assert ending_of(events).name == "done"
    assert text_of(events) == STORY


@pytest.mark.parametrize(
    ("pieces", "text"),
    [
        (("a\x00b", "c"), "abc"),
        (("so ", "\ud83d", "\ude00", " it is"), "so 😀 it is"),
        (("lone \ude00", " and \ud83d"), "lone \ufffd and \ufffd"),
        (("\ud83d", "\ud83d\ude00"), "\ufffd😀"),
        (("ok\r\n\r\nevent: done\r\ndata: {}\r\n\r\n",), "ok\r\n\r\nevent: done\r\ndata: {}\r\n\r\n"),
        (("line\u2028sep\u2029\x85\x0b\x1b[31m",), "line\u2028sep\u2029\x85\x0b\x1b[31m"),
        (("[p:", "9" * 500, "]"), "[p:" + "9" * 500 + "]"),
    ],
    ids=[
        "NUL",
        "split pair",
        "lone halves",
        "half and whole",
        "forged event",
        "odd lines",
        "endless citation",
    ],
)
@pytest.mark.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)
async def test_garbage_is_streamed_and_stored_alike(
    http: httpx.AsyncClient, model: ScriptedLLM, pieces: tuple[str, ...], text: str
) -> None:
    """What no database keeps is mended on its way, so that the stream and the log agree."""
    model.answer_with(lambda _request: Answer(pieces=pieces))
    events = await sent(http, "Say something odd.")
    assert ending_of(events).name == "done"
    assert text_of(events) == text
    assert await said_in(http, events[0].data["conversation_id"]) == ["Say something odd.", text]


@pytest.mark.parametrize("database_url", ["sqlite", "postgresql"], indirect=True)
async def test_long_answer_is_whole(http: httpx.AsyncClient, model: ScriptedLLM) -> None:
    """Of as much as an answer may have, in pieces of five kilobytes: streamed, stored and read again as it came."""
    pieces = [f"{number:04d} {'word ' * 1_000}" for number in range(19)]
    model.answer_with(lambda _request: Answer(pieces=pieces))
    events = await sent(http, "Tell me everything.")
    assert ending_of(events).name == "done"
    assert text_of(events) == "".join(pieces)
    assert (await said_in(http, events[0].data["conversation_id"]))[1] == "".join(pieces)
