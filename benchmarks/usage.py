"""
What recording usage events costs a search: two servers that differ only in this, asked in turn.

    python benchmarks/usage.py [--quick]
"""

import asyncio
from contextlib import ExitStack

from harness import Budget, Effort, Place, Report, Table, folder, median, number, percentile, run, server
from search import Client, Size, load, sizes
from steps import asking

WARM = 20


def ask_both(found: list[Size], places: list[Place], effort: Effort) -> None:
    """Ask both servers the same questions; who is asked first changes each time."""
    with ExitStack() as stack:
        clients = [
            Client(stack.enter_context(server(place.home, {"SAGACITY_USAGE_EVENTS": size.name})).url)
            for size, place in zip(found, places, strict=True)
        ]
        question = asking(23, found[0].users, found[0].profiles)
        for _ in range(WARM):
            text, user = question()
            for client in clients:
                client.ask(text, user)
        for _ in range(effort.pick(3, 9)):
            for size in found:
                size.rounds.append([])
            for turn in range(effort.pick(60, 300)):
                text, user = question()
                pairs = list(zip(found, clients, strict=True))
                for size, client in pairs if turn % 2 else reversed(pairs):
                    size.rounds[-1].append(client.ask(text, user))


def measure(effort: Effort) -> Report:
    """Fill two databases alike, and ask."""
    model = sizes(effort)[0]
    found = [Size(name, model.users, model.profiles, model.playbooks) for name in ("true", "false")]
    recording, silent = found
    with folder() as homes:
        places = [Place(homes / size.name) for size in found]
        asyncio.run(load(found, places))
        ask_both(found, places, effort)
    ratio = recording.ratio(silent)
    times = {size.name: [one for each in size.rounds for one in each] for size in found}
    return Report(
        "Usage events",
        "`POST /api/search` over 3,000 rows of one user, as in *Search*, by two servers: one records usage events (one "
        "for the search, and one for each memory that it returns), the other does not. Both are asked the same "
        "questions in turn; the ratio is the median over rounds of the medians.",
        [Budget("p50 with usage events against without", ratio, 1.05, "×")],
        [
            Table(
                "Figures",
                ("usage events", "p50, ms", "p95, ms"),
                [
                    (told, number(median(times[name])), number(percentile(times[name], 0.95)))
                    for name, told in (("true", "recorded"), ("false", "not recorded"))
                ],
            )
        ],
    )


if __name__ == "__main__":
    run(measure)
