"""
Calls every method of the published reflexio-client against a server and prints what came of it, as one JSON object.

    .venv-reflexio/bin/python tests/acceptance/reflexio_driver.py http://127.0.0.1:8081 [API_KEY]

It runs with that client's own interpreter and imports nothing of ours. The server has to be without data.
"""

import json
import sys
import traceback
from collections.abc import Iterable
from typing import Any

from reflexio import ReflexioClient
from reflexio_steps import configuration, defects, deletes, edits, log, memories, operations, searches
from reflexio_steps.world import Step, World

BEFORE: tuple[Step, ...] = (
    *log.STEPS,
    *memories.STEPS,
    *searches.STEPS,
    *edits.STEPS,
)
AFTER: tuple[Step, ...] = (*deletes.STEPS, *operations.STEPS)


def results(steps: Iterable[Step], world: World) -> dict[str, Any]:
    """What each step returned, by its name; one that raised says so, and the next goes on."""
    told: dict[str, Any] = {}
    for step in steps:
        try:
            told[step.__name__] = step(world)
        except Exception:  # noqa: BLE001  the test shows it, whatever it is
            told[step.__name__] = {"crashed": traceback.format_exc()}
    return told


def main(url: str, api_key: str = "") -> None:
    """Print one JSON object: the client's methods, what each call gave, and what each defect looks like."""
    world = World(ReflexioClient(api_key, url, timeout=60))
    methods = [name for name in vars(ReflexioClient) if not name.startswith("_")]
    calls = results(BEFORE, world)
    shown = results(defects.DEFECTS, world)
    calls |= results(AFTER, world)
    # The configuration names a model that nothing may be learned with.
    world.client.delete_all_interactions()
    world.client.delete_all_playbooks()
    calls |= results(configuration.STEPS, world)
    print(json.dumps({"methods": methods, "calls": calls, "defects": shown}))


if __name__ == "__main__":
    main(*sys.argv[1:])
