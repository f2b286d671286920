"""
Run the benchmarks one after the other, and write their results to docs/reference/benchmarks.md.

    python benchmarks/run.py [--quick | --full] [--only NAME ...] [--date 2026-01-31]

Each subject runs in a process of its own. With `--quick` the page is not changed, because such figures are not precise.
"""

import argparse
import json
import platform
import re
import sqlite3
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

from harness import ROOT, report_of

SUBJECTS = (
    "publish",
    "search",
    "processes",
    "usage",
    "holdout",
    "context",
    "chat",
    "bulk",
    "recall",
    "startup",
    "workers",
    "lifecycle",
    "sign_in",
    "copy_rows",
    "postgres_publish",
    "postgres_search",
    "postgres_recall",
    "postgres_size",
    "row_security",
)
PAGE = ROOT / "docs" / "reference" / "benchmarks.md"
PACKAGES = ("sagacity", "fastapi", "uvicorn", "sqlalchemy", "numpy", "onnxruntime")


def measured(subject: str, flags: list[str]) -> str:
    """Run one subject; returns its section."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "figures.json"
        command = [
            sys.executable,
            str(Path(__file__).with_name(f"{subject}.py")),
            "--json",
            str(path),
            *flags,
        ]
        subprocess.run(command, check=True)
        return report_of(json.loads(path.read_text())).markdown()


def machine() -> str:
    """What the figures were taken on."""
    cpu = platform.processor() or platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        names = re.findall(r"model name\s*:\s*(.+)", info.read_text())
        cpu = f"{len(names)} × {names[0]}" if names else cpu
    memory = Path("/proc/meminfo")
    total = int(re.findall(r"MemTotal:\s*(\d+)", memory.read_text())[0]) / 1e6 if memory.exists() else 0
    packages = ", ".join(f"{name} {version(name)}" for name in PACKAGES)
    return (
        f"{cpu}, {total:.0f} GB; {platform.system()} {platform.release()}, Python {platform.python_version()}, "
        f"SQLite {sqlite3.sqlite_version}; {packages}."
    )


def put(page: str, name: str, text: str) -> str:
    """Return *page* with *text* between the markers of *name*."""
    start, end = f"<!-- bench:{name} -->", f"<!-- /bench:{name} -->"
    before, found, rest = page.partition(start)
    _, closed, after = rest.partition(end)
    if not found or not closed:
        raise SystemExit(f"{PAGE.name} has no markers for {name}")
    return f"{before}{start}\n\n{text.strip()}\n\n{end}{after}"


def main() -> None:
    """Measure what is asked for."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="a short try, without the page")
    parser.add_argument("--full", action="store_true", help="also what takes many minutes")
    parser.add_argument("--only", nargs="+", choices=SUBJECTS, default=SUBJECTS, help="these subjects")
    parser.add_argument("--date", default="", help="the day to put on the page")
    arguments = parser.parse_args()
    flags = ["--quick"] if arguments.quick else ["--full"] if arguments.full else []
    day = f"Taken on {arguments.date}" if arguments.date else "Taken"
    command = " ".join(["python benchmarks/run.py", *flags])
    for subject in arguments.only:
        section = measured(subject, flags)
        if not arguments.quick:
            taken = f"{day} with `{command}` on {machine()}"
            PAGE.write_text(put(PAGE.read_text(), subject, f"{section}\n{taken}"))


if __name__ == "__main__":
    main()
