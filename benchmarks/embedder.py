"""
The embedders of this process side by side: latency of a query, texts a second, memory.

    python benchmarks/embedder.py [--seconds 2]

Each embedder runs in a process of its own, one after the other, so that its memory is its own.
"""

import argparse
import asyncio
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from sagacity.providers.base import Embedder
from sagacity.providers.embedders.open import EmbedderChoice, open_embedder

NAMES = ("minilm", "multilingual")
QUERY = "Where does Anna live now and what does she do for work?"
FACT = (
    "the user moved to Lisbon last spring because her company opened an office there and she prefers "
    "mild winters and short commutes by tram every day"
)
WORDS = FACT.split()
MEBIBYTE = 1 << 20


async def measure(embedder: Embedder, seconds: float) -> dict[str, float]:
    """Every figure of one embedder, by its row in the table."""
    rng = random.Random(7)
    figures: dict[str, float] = {}
    begun = time.perf_counter()
    await embedder.warm()
    figures["load and first run, s"] = time.perf_counter() - begun
    figures["memory when warm, MiB"] = resident_mebibytes()
    times = await timed(lambda: embedder.embed([QUERY]), seconds)
    figures["query p50, ms"] = statistics.median(times) * 1000
    figures["query p95, ms"] = sorted(times)[int(len(times) * 0.95)] * 1000
    for words, label in ((26, "~30"), (185, "~200")):
        for size in (1, 8, 32):
            texts = [" ".join(rng.choices(WORDS, k=words)) for _ in range(size)]
            best = min(await timed(lambda texts=texts: embedder.embed(texts), seconds))
            figures[f"{label} tokens, {size} a call, texts/s"] = size / best
    (
        figures["query p50 beside indexing, ms"],
        figures["query p95 beside indexing, ms"],
    ) = await beside_indexing(embedder, seconds)
    figures["memory at the end, MiB"] = resident_mebibytes()
    figures["memory at most, MiB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return figures


async def timed(call: Callable[[], Awaitable[object]], seconds: float) -> list[float]:
    """How long each of the calls took that fit into *seconds*; at least three."""
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < 3 or time.perf_counter() < end:
        begun = time.perf_counter()
        await call()
        times.append(time.perf_counter() - begun)
    return times


async def beside_indexing(embedder: Embedder, seconds: float) -> tuple[float, float]:
    """p50 and p95 of a query, in ms, while background texts are embedded without a pause."""

    async def index() -> None:
        while True:
            await embedder.embed([FACT] * 8, background=True)

    indexing = asyncio.create_task(index())
    times = sorted(await timed(lambda: embedder.embed([QUERY]), seconds))
    indexing.cancel()
    await asyncio.gather(indexing, return_exceptions=True)
    return statistics.median(times) * 1000, times[int(len(times) * 0.95)] * 1000


def resident_mebibytes() -> float:
    """Memory of this process now (Linux)."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / MEBIBYTE


def report(results: dict[str, dict[str, float]]) -> None:
    """Print the figures with the ratio of each embedder to the first."""
    first, *others = results
    heads = [first, *(column for name in others for column in (name, f"{name} / {first}"))]
    print(f"{'':36}" + "".join(f"{head:>24}" for head in heads))
    for row, base in results[first].items():
        cells = [f"{base:.2f}"]
        for name in others:
            cells += [f"{results[name][row]:.2f}", f"{results[name][row] / base:.2f}x"]
        print(f"{row:36}" + "".join(f"{cell:>24}" for cell in cells))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument("--seconds", type=float, default=2.0, help="for each figure")
    parser.add_argument("--only", choices=NAMES, help="measure one in this process and print JSON")
    arguments = parser.parse_args()
    if arguments.only:
        embedder = open_embedder(EmbedderChoice(name=arguments.only, cache_entries=0))
        print(json.dumps(asyncio.run(measure(embedder, arguments.seconds))))
        return
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    results = {}
    for name in NAMES:
        command = [sys.executable, __file__, "--only", name, "--seconds", str(arguments.seconds)]
        done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, text=True, check=True)
        results[name] = json.loads(done.stdout)
    report(results)


if __name__ == "__main__":
    main()
