"""What the benchmarks share: reports, their Markdown, and a real server process to measure."""

import argparse
import json
import math
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.append(str(ROOT / "tests"))

from sagacity.config.settings import Settings  # noqa: E402
from support.server import ServerProcess, running_server  # noqa: E402  it lies with the tests

UNLIMITED = {"SAGACITY_RATE_LIMITS": "false", "SAGACITY_LOG_LEVEL": "warning"}
"""Settings of a measured server: a benchmark calls more often than any client may."""


@dataclass(frozen=True)
class Place:
    """Where one database lies: a home for SQLite, and urls too for PostgreSQL."""

    home: Path
    url: str = ""
    owner: str = ""

    @property
    def settings(self) -> Settings:
        """What opens it in this process."""
        return Settings(home=self.home, database_url=self.url, migration_url=self.owner)

    @property
    def env(self) -> Mapping[str, str]:
        """What a server's environment says of it."""
        return {"SAGACITY_DATABASE_URL": self.url, "SAGACITY_MIGRATION_URL": self.owner} if self.url else {}


class Effort(StrEnum):
    """How much to measure: a try, what is quoted, or all there is."""

    QUICK = "quick"
    NORMAL = "normal"
    FULL = "full"

    def pick(self, quick: int, normal: int, full: int | None = None) -> int:
        """The number that belongs to this effort."""
        return {"quick": quick, "normal": normal, "full": normal if full is None else full}[self.value]


@dataclass(frozen=True)
class Table:
    """Figures side by side; cells are ready to print."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    note: str = ""


@dataclass(frozen=True)
class Budget:
    """A figure and what it may be."""

    what: str
    measured: float
    limit: float
    unit: str
    at_least: bool = False

    @property
    def holds(self) -> bool:
        """Whether the figure is within its budget."""
        return self.measured >= self.limit if self.at_least else self.measured <= self.limit


@dataclass
class Report:
    """What one subject gave."""

    subject: str
    about: str
    budgets: list[Budget] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)

    def markdown(self) -> str:
        """The report as a section of the page."""
        parts = [f"## {self.subject}", self.about]
        if self.budgets:
            rows = [
                (
                    budget.what,
                    f"{'≥' if budget.at_least else '≤'} {number(budget.limit)} {budget.unit}".strip(),
                    f"{number(budget.measured)} {budget.unit}".strip(),
                    "yes" if budget.holds else "**no**",
                )
                for budget in self.budgets
            ]
            parts.append(grid(("budget", "allowed", "measured", "met"), rows))
        for table in self.tables:
            parts.append(f"### {table.title}")
            parts.append(grid(table.columns, table.rows))
            if table.note:
                parts.append(table.note)
        return "\n\n".join(parts) + "\n"


def run(measure: Callable[[Effort], Report]) -> None:
    """Be the program of one subject: measure, print the section, and keep the figures if asked."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--quick", action="store_true", help="a short try; not for quoting")
    parser.add_argument("--full", action="store_true", help="also what takes many minutes")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    arguments = parser.parse_args()
    effort = Effort.QUICK if arguments.quick else Effort.FULL if arguments.full else Effort.NORMAL
    report = measure(effort)
    print(report.markdown())
    if arguments.json:
        arguments.json.write_text(json.dumps(asdict(report), indent=1))


def report_of(figures: Mapping[str, object]) -> Report:
    """Read a report back from its JSON."""
    given = dict(figures)
    budgets = [Budget(**budget) for budget in given.pop("budgets")]
    tables = [Table(**table) for table in given.pop("tables")]
    return Report(**given, budgets=budgets, tables=tables)


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that *share* of the values do not exceed."""
    return sorted(values)[max(0, math.ceil(share * len(values)) - 1)]


def median(values: Sequence[float]) -> float:
    """The middle of the values."""
    return statistics.median(values)


def number(value: float) -> str:
    """A figure as it is read: three digits that count, and thousands apart."""
    if abs(value) >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.{max(0, 2 - math.floor(math.log10(abs(value))))}f}"


def grid(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown, figures to the right."""
    lines = [columns, ["---"] + ["---:"] * (len(columns) - 1), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


async def unheard(*_news: object) -> None:
    """Tell nobody what changed: a benchmark has no other process that has to know, and no tokens that end."""


@contextmanager
def folder() -> Iterator[Path]:
    """A folder for databases that goes with the block."""
    with tempfile.TemporaryDirectory(prefix="sagacity-bench-") as name:
        yield Path(name)


@contextmanager
def server(home: Path, env: Mapping[str, str] | None = None) -> Iterator[ServerProcess]:
    """A server over *home* that counts no calls."""
    with running_server(home, UNLIMITED | dict(env or {})) as process:
        yield process
