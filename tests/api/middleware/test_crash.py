"""Errors that nobody foresaw."""

import pytest

from support.api import client_of, running, settings_in


@pytest.mark.parametrize(
    "kind", [ValueError, PermissionError, FileNotFoundError, RuntimeError, TimeoutError, KeyError]
)
async def test_error_of_python_is_answered_without_a_word_of_it(tmp_path, capsys, kind):
    """No kind of it has a status of its own: it is a fault of the server, and its text is for the log."""
    async with running(settings_in(tmp_path)) as app:

        async def crashes() -> None:
            raise kind("secret of the house")

        app.add_api_route("/api/crashes", crashes)
        async with client_of(app) as api:
            reply = await api.get("/api/crashes", headers={"X-Request-ID": "find-me"})
    assert reply.status_code == 500
    text = "Something went wrong on the server. Its log has the details under the correlation id."
    assert reply.json() == {
        "success": False,
        "error": "InternalError",
        "message": text,
        "msg": text,
        "detail": text,
        "request_id": "find-me",
        "correlation_id": "find-me",
    }
    told = "".join(capsys.readouterr())
    assert "secret of the house" in told
    assert "find-me" in told


async def test_reply_that_has_begun_is_cut_off(tmp_path):
    """No second reply is sent behind the first."""

    async def half(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"half", "more_body": True})
        raise ValueError("late")

    sent = []

    async def send(message):
        sent.append(message)

    async with running(settings_in(tmp_path)) as app:
        app.mount("/half", half)
        scope = {
            "type": "http",
            "method": "GET",
            "path": "/half/",
            "headers": [],
            "query_string": b"",
            "app": app,
        }
        with pytest.raises(ValueError, match="late"):
            await app(scope, _no_more, send)
    assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]


async def _no_more():
    return {"type": "http.request", "body": b"", "more_body": False}
