"""What the steps share: the client, the ids that earlier ones found, and how a reply is told."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import requests
from reflexio import ReflexioClient

WAIT_SECONDS = 30.0


@dataclass
class World:
    """One client, and what is known of the server's data by now."""

    client: ReflexioClient
    request_ids: dict[str, str] = field(default_factory=dict)
    """By session."""
    profile_ids: dict[str, str] = field(default_factory=dict)
    user_playbook_ids: dict[str, int] = field(default_factory=dict)
    agent_playbook_ids: dict[str, int] = field(default_factory=dict)

    def stored_profiles(self, user_id: str) -> list[Any]:
        """The user's profiles, past the client's cache."""
        return self.client.get_profiles(user_id=user_id, force_refresh=True).user_profiles

    def profiles(self, user_id: str) -> list[str]:
        """What the user's profiles say, past the client's cache."""
        return contents(self.stored_profiles(user_id))


Step = Callable[[World], Any]
"""Named after the client's method that it is about; returns what JSON can say of what came back."""


def until(read: Callable[[], Any], holds: Callable[[Any], bool]) -> Any:
    """Read again until what is read *holds*, or the time is up; returns what was read last."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not holds(found := read()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return found


def contents(rows: list[Any]) -> list[str]:
    """What the rows say, in their order."""
    return [row.content for row in rows]


def dumped(model: Any) -> Any:
    """A reply as JSON."""
    return model.model_dump(mode="json")


def refusal(call: Callable[[], Any]) -> dict[str, Any]:
    """What a call raises that the server refuses, with its status and error."""
    try:
        return {"answered": str(call())}
    except requests.HTTPError as error:
        problem = error.response.json()
        return {"raised": "HTTPError", "status": error.response.status_code, "error": problem.get("error")}
