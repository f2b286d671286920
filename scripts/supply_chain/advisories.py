"""Known vulnerabilities in the OSV format, from files that somebody fetched, and which packages they are about."""

import json
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from supply_chain.locked import Locked
from supply_chain.policy import Policy

_ECOSYSTEM = "PyPI"


class UnusableAdvisories(Exception):
    """The advisories cannot be read; an audit that reads none would find nothing."""


@dataclass(frozen=True, order=True)
class Finding:
    """A package with a known vulnerability."""

    package: str
    version: str
    advisory: str
    summary: str
    fixed_in: tuple[str, ...]


def read_advisories(path: Path) -> list[Mapping[str, Any]]:
    """
    Read advisories from a JSON file, a folder of them, or a zip archive such as OSV publishes.

    Raises:
        UnusableAdvisories: there is none, or one is no advisory.
    """
    found: list[Mapping[str, Any]] = []
    try:
        for name, text in _files(path):
            found += _of_file(name, text)
    except (OSError, zipfile.BadZipFile) as error:
        raise UnusableAdvisories(f"{path} cannot be read: {error}") from error
    if not found:
        raise UnusableAdvisories(f"{path} holds no advisory")
    return found


def findings(packages: Iterable[Locked], advisories: Iterable[Mapping[str, Any]]) -> list[Finding]:
    """
    Say which packages have a known vulnerability.

    Raises:
        UnusableAdvisories: a version in an advisory cannot be compared.
    """
    versions: dict[str, set[str]] = {}
    for package in packages:
        versions.setdefault(package.name, set()).add(package.version)
    return sorted({one for advisory in advisories for one in _about(advisory, versions)})


def not_accepted(found: Iterable[Finding], policy: Policy, today: date) -> list[Finding]:
    """Leave out what is lived with, for as long as it is."""
    return [
        one
        for one in found
        if (accepted := policy.accepted.get(one.advisory)) is None or accepted.until < today
    ]


def _files(path: Path) -> Iterator[tuple[str, bytes]]:
    if path.is_dir():
        for one in sorted(path.rglob("*.json")):
            yield one.name, one.read_bytes()
    elif path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            for name in sorted(archive.namelist()):
                if name.endswith(".json"):
                    yield name, archive.read(name)
    else:
        yield path.name, path.read_bytes()


def _of_file(name: str, text: bytes) -> list[Mapping[str, Any]]:
    try:
        read = json.loads(text)
    except ValueError as error:
        raise UnusableAdvisories(f"{name} is no JSON") from error
    many = read.get("vulns", [read]) if isinstance(read, dict) else read
    if not isinstance(many, list) or not all(isinstance(one, dict) and "id" in one for one in many):
        raise UnusableAdvisories(f"{name} holds something that is no advisory in the OSV format")
    return many


def _about(advisory: Mapping[str, Any], versions: Mapping[str, set[str]]) -> Iterator[Finding]:
    if advisory.get("withdrawn"):
        return
    for affected in advisory.get("affected", []):
        package = affected.get("package", {})
        if package.get("ecosystem") != _ECOSYSTEM:
            continue
        name = canonicalize_name(package.get("name", ""))
        ranges = [one for one in affected.get("ranges", []) if one.get("type") == "ECOSYSTEM"]
        fixed = sorted({event["fixed"] for one in ranges for event in one["events"] if "fixed" in event})
        for version in versions.get(name, ()):
            if version in affected.get("versions", ()) or any(
                _is_in(version, one["events"], advisory["id"]) for one in ranges
            ):
                yield Finding(name, version, advisory["id"], advisory.get("summary", ""), tuple(fixed))


def _is_in(version: str, events: list[Mapping[str, str]], advisory: str) -> bool:
    """Walk the events in the order of versions, as the OSV schema says: the last that applies decides."""
    try:
        at = Version(version)
        ordered = sorted((_since(kind, when), kind) for event in events for kind, when in event.items())
    except InvalidVersion as error:
        raise UnusableAdvisories(f"{advisory}: {error}") from error
    is_in = False
    for since, kind in ordered:
        if kind == "introduced" and at >= since:
            is_in = True
        elif (kind == "fixed" and at >= since) or (kind == "last_affected" and at > since):
            is_in = False
    return is_in


def _since(kind: str, version: str) -> Version:
    return Version("0.dev0") if (kind, version) == ("introduced", "0") else Version(version)
