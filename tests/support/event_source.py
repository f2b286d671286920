"""Reads a stream of events as a browser does, by section 9.2.6 of the HTML standard."""

import codecs
import json

from support.chatting import Told


class Reader:
    """Takes bytes as they come; `events` are those that a page would be told."""

    def __init__(self) -> None:
        self.events: list[Told] = []
        self.last_event_id = ""
        self.retry_milliseconds: int | None = None
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")("replace")
        self._text = ""
        self._after_return = False
        self._clear()

    def feed(self, piece: bytes) -> None:
        """Read on."""
        for character in self._decoder.decode(piece):
            if character == "\n" and self._after_return:
                self._after_return = False
                continue
            self._after_return = character == "\r"
            if character in "\r\n":
                line, self._text = self._text, ""
                self._line(line)
            else:
                self._text += character

    def _clear(self) -> None:
        self._name = ""
        self._data: list[str] = []

    def _line(self, line: str) -> None:
        if not line:
            data = "\n".join(self._data)
            if data:  # without data nothing is told, whatever its name
                self.events.append(Told(self._name or "message", self.last_event_id, json.loads(data)))
            self._clear()
            return
        field, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if field == "event":
            self._name = value
        elif field == "data":
            self._data.append(value)
        elif field == "id" and "\0" not in value:
            self.last_event_id = value
        elif field == "retry" and value.isascii() and value.isdigit():
            self.retry_milliseconds = int(value)
