"""What the client does wrong whatever the server answers, each shown once."""

import inspect
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from reflexio import ReflexioClient, Status

from reflexio_steps.world import Step, World, contents

MOMENT = datetime(2026, 1, 1, tzinfo=UTC)
ABSENT = (
    "update_user_profile",
    "get_profile_statistics",
    "get_dashboard_stats",
    "get_playbook_aggregation_change_logs",
    "get_operation_status",
    "cancel_operation",
    "downgrade_profiles",
    "downgrade_user_playbooks",
)


def datetime_filters(world: World) -> Any:
    """Times are put into JSON as they are, which raises before anything is sent."""
    client = world.client
    calls = {
        "get_interactions": lambda: client.get_interactions(user_id="ada", start_time=MOMENT),
        "get_profiles": lambda: client.get_profiles(user_id="ada", end_time=MOMENT),
        "get_requests": lambda: client.get_requests(user_id="ada", start_time=MOMENT),
        "search_interactions": lambda: client.search_interactions(user_id="ada", start_time=MOMENT),
        "search_profiles": lambda: client.search_profiles(user_id="ada", start_time=MOMENT),
        "search_user_playbooks": lambda: client.search_user_playbooks(start_time=MOMENT),
        "search_agent_playbooks": lambda: client.search_agent_playbooks(end_time=MOMENT),
        "rerun_profile_generation": lambda: client.rerun_profile_generation(None, True, start_time=MOMENT),
        "rerun_playbook_generation": lambda: client.rerun_playbook_generation(None, True, start_time=MOMENT),
    }
    return {name: _raised(call) for name, call in calls.items()}


def profile_cache(world: World) -> Any:
    """What it read stays in its cache for ten minutes, whatever it writes itself."""
    world.client.add_user_profile([{"user_id": "dora", "content": "Owns a kiln.", "profile_id": "p-kiln"}])
    world.client.get_profiles(user_id="dora")
    world.client.delete_profiles_by_ids(["p-kiln"])
    cached = world.client.get_profiles(user_id="dora").user_profiles
    return {"cached": contents(cached), "fresh": world.profiles("dora")}


def agent_playbook_cache(world: World) -> Any:
    """Its cache does not tell agent versions apart."""
    world.client.add_agent_playbooks(
        [{"agent_version": "v7", "content": "Be kind.", "playbook_name": "cache", "playbook_metadata": ""}]
    )
    wanted = {"playbook_name": "cache", "agent_version": "v8"}
    world.client.get_agent_playbooks(playbook_name="cache", agent_version="v7")
    cached = world.client.get_agent_playbooks(**wanted).agent_playbooks
    fresh = world.client.get_agent_playbooks(**wanted, force_refresh=True).agent_playbooks
    everything = world.client.get_agent_playbooks(playbook_name="cache", force_refresh=True).agent_playbooks
    world.client.delete_agent_playbooks_by_ids([one.agent_playbook_id for one in everything])
    return {"cached": contents(cached), "fresh": contents(fresh)}


def lost_failures(world: World) -> Any:
    """Without waiting, nobody is told that a call was refused."""
    return {"returned": world.client.delete_request("r-never-was")}


def current_status(world: World) -> Any:
    """Its name for what is current goes out as the text "None"."""
    return {"sent": json.loads(json.dumps([Status.CURRENT]))}


def repeated_publish(world: World) -> Any:
    """It cannot name a request, so that sending again after a lost reply stores twice."""
    for _ in range(2):
        world.client.publish_interaction("dora", [{"content": "Once."}])
    stored = contents(world.client.get_interactions(user_id="dora").interactions)
    parameters = inspect.signature(world.client.publish_interaction).parameters
    return {"stored": stored, "takes_request_id": "request_id" in parameters}


def request_paging(world: World) -> Any:
    """Session and offset can be given as a dict, and not by keyword."""
    return {"offset": _raised(lambda: world.client.get_requests(offset=1))}


def config_as_dict(world: World) -> Any:
    """A configuration without a storage is refused before it is sent."""
    return {"raised": _raised(lambda: world.client.set_config({"batch_size": 9}))}


def config_with_address(world: World) -> Any:
    """A configuration that holds a URL is refused before it is sent."""
    endpoint = {"model": "openai/any", "api_key": "key", "api_base": "http://127.0.0.1:9/v1"}
    config = {"storage_config": None, "api_key_config": {"custom_endpoint": endpoint}}
    return {"raised": _raised(lambda: world.client.set_config(config))}


def playbook_rerun_polling(world: World) -> Any:
    """Waiting for playbooks asks for the state of an operation by a name that no server uses any more."""
    with _finished_long_ago() as (url, asked):
        reply = ReflexioClient("key", url).rerun_playbook_generation(wait_for_response=True)
    return {"asked": asked, "said": reply.msg, "playbooks_generated": reply.playbooks_generated}


def profile_rerun_polling(world: World) -> Any:
    """It takes an earlier run's end for this one's, and the number of users for that of profiles."""
    with _finished_long_ago() as (url, asked):
        reply = ReflexioClient("key", url).rerun_profile_generation(wait_for_response=True)
    return {"asked": asked, "said": reply.msg, "profiles_generated": reply.profiles_generated}


def default_address(world: World) -> Any:
    """Without an address it talks to its makers' site, not to this machine."""
    return {"is_loopback": urlsplit(ReflexioClient("key").base_url).hostname in {"127.0.0.1", "localhost"}}


def absent_methods(world: World) -> Any:
    """Routes for which it has no method."""
    return [name for name in ABSENT if not hasattr(world.client, name)]


def _raised(call: Any) -> str:
    try:
        return f"answered {call()}"
    except (TypeError, ValueError) as error:
        return type(error).__name__


@contextmanager
def _finished_long_ago() -> Iterator[tuple[str, list[str]]]:
    """A server that accepts a rerun and tells of one that ended in 2001, after 3 users; what it was asked is noted."""
    asked: list[str] = []
    operation = {
        "service_name": "any",
        "status": "completed",
        "started_at": 1_000_000_000,
        "processed_users": 3,
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self._answer({"success": True, "operation_status": operation})

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self._answer({"success": True, "msg": "started"})

        def log_message(self, *_: object) -> None:
            """Say nothing: what was asked is in the list."""

        def _answer(self, body: dict[str, Any]) -> None:
            text = json.dumps(body).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        server.shutdown()
        server.server_close()


DEFECTS: tuple[Step, ...] = (
    datetime_filters,
    profile_cache,
    agent_playbook_cache,
    lost_failures,
    current_status,
    repeated_publish,
    request_paging,
    config_as_dict,
    config_with_address,
    playbook_rerun_polling,
    profile_rerun_polling,
    default_address,
    absent_methods,
)
