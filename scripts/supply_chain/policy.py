"""What `requirements/audit.toml` allows."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from supply_chain.locked import REQUIREMENTS

POLICY = REQUIREMENTS / "audit.toml"


@dataclass(frozen=True)
class Accepted:
    """A known vulnerability that is lived with for a time."""

    reason: str
    until: date


@dataclass(frozen=True)
class Policy:
    """Which licences may be used, and which vulnerabilities are lived with."""

    allowed: frozenset[str]
    """SPDX identifiers."""
    words: Mapping[str, str]
    """What packages say instead of an SPDX expression."""
    packages: Mapping[str, str]
    """The licence of a package that says nothing clear, or that is not installed on every platform."""
    accepted: Mapping[str, Accepted]


def read_policy(path: Path = POLICY) -> Policy:
    """Read the file."""
    read: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    licences = read["licences"]
    return Policy(
        allowed=frozenset(licences["allowed"]),
        words=licences["words"],
        packages=licences["packages"],
        accepted={name: Accepted(**one) for name, one in read.get("accepted", {}).items()},
    )
