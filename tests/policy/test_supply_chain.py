"""Packages: locked, under licences that are allowed, audited by files of advisories, listed in a bill of materials."""

import hashlib
import json
import re
import subprocess
import sys
import tomllib
import zipfile
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from support.documents import ROOT

sys.path.insert(0, str(ROOT / "scripts"))
from supply_chain.advisories import (
    Finding,
    UnusableAdvisories,
    findings,
    not_accepted,
    read_advisories,
)
from supply_chain.bill import bill_of_materials
from supply_chain.licences import is_allowed, licence_faults, licence_of
from supply_chain.locked import IMAGE, OF_OTHERS, REQUIREMENTS, Locked, read_locked
from supply_chain.policy import Accepted, read_policy

POLICY = read_policy()
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
PACKAGE = Locked("green-tea", "1.5", ("0" * 64,))


def advisory(**affected: Any) -> dict[str, Any]:
    about = {"package": {"ecosystem": "PyPI", "name": "Green_Tea"}, **affected}
    return {"id": "PYSEC-2026-1", "summary": "It spills.", "affected": [about]}


def ranges(*events: dict[str, str]) -> dict[str, Any]:
    return {"ranges": [{"type": "ECOSYSTEM", "events": list(events)}]}


def test_every_package_is_locked_under_a_licence_that_is_allowed() -> None:
    """In every file that is installed from; what is on the list by hand is still there."""
    files = sorted(REQUIREMENTS.glob("*.txt"))
    packages = {path.name: read_locked(path) for path in files}
    assert {path.name for path in files} >= {"runtime.txt", "scale.txt", "dev.txt", "bootstrap.txt"}
    of_others = {path.name for path in OF_OTHERS}
    ours = [one for name, locked in packages.items() if name not in of_others for one in locked]
    assert licence_faults(ours, POLICY) == []
    assert set(POLICY.packages) <= {one.name for one in ours}


@pytest.mark.parametrize(
    ("expression", "allowed"),
    [
        ("MIT", True),
        ("MIT AND BSD-3-Clause", True),
        ("MIT OR GPL-3.0-only", True),
        ("MIT AND GPL-3.0-only", False),
        ("(MIT OR AGPL-3.0-only) AND Apache-2.0", True),
        ("AGPL-3.0-only", False),
    ],
)
def test_of_a_choice_one_licence_is_enough(expression: str, *, allowed: bool) -> None:
    """And of those that all hold, each must be allowed."""
    assert is_allowed(expression, POLICY) is allowed


def test_an_unknown_licence_is_told() -> None:
    """Whoever adds the package has to look."""
    assert licence_of(PACKAGE, POLICY) == ""
    [fault] = licence_faults([PACKAGE], POLICY)
    assert "green-tea 1.5: its licence is not known" in fault


@pytest.mark.parametrize(
    ("affected", "is_found"),
    [
        (ranges({"introduced": "0"}), True),
        (ranges({"introduced": "0"}, {"fixed": "1.5"}), False),
        (ranges({"introduced": "1.5"}, {"fixed": "1.10"}), True),
        (ranges({"fixed": "1.10"}, {"introduced": "1.6"}), False),
        (ranges({"introduced": "0"}, {"last_affected": "1.5"}), True),
        (ranges({"introduced": "0"}, {"last_affected": "1.4"}), False),
        (ranges({"introduced": "0"}, {"fixed": "1"}, {"introduced": "1.4"}, {"fixed": "2"}), True),
        ({"versions": ["1.4", "1.5"]}, True),
        ({"versions": ["1.4"]}, False),
        ({"package": {"ecosystem": "npm", "name": "green-tea"}, "versions": ["1.5"]}, False),
        ({"package": {"ecosystem": "PyPI", "name": "tea"}, "versions": ["1.5"]}, False),
    ],
)
def test_advisories_are_about_versions(affected: dict[str, Any], *, is_found: bool) -> None:
    """As the OSV schema says; names are compared as Python compares them."""
    assert bool(findings([PACKAGE], [advisory(**affected)])) is is_found
    assert findings([PACKAGE], [{**advisory(**affected), "withdrawn": "2026-01-02T00:00:00Z"}]) == []


def test_what_is_accepted_ends() -> None:
    """On the day that was written down with the reason."""
    found = findings([PACKAGE], [advisory(**ranges({"introduced": "0"}, {"fixed": "2"}))])
    assert found == [Finding("green-tea", "1.5", "PYSEC-2026-1", "It spills.", ("2",))]
    assert not_accepted(found, POLICY, date(2026, 5, 4)) == found
    until = Accepted(reason="only cold tea is served", until=date(2026, 5, 4))
    policy = type(POLICY)(**{**vars(POLICY), "accepted": {"PYSEC-2026-1": until}})
    assert not_accepted(found, policy, date(2026, 5, 4)) == []
    assert not_accepted(found, policy, date(2026, 5, 5)) == found


def test_advisories_come_in_files(tmp_path: Path) -> None:
    """One, many, a folder or an archive; what holds none is told, and never taken for a clean bill."""
    one, many, folder, archive = (tmp_path / name for name in ("a.json", "b.json", "c", "all.zip"))
    one.write_text(json.dumps(advisory()))
    many.write_text(json.dumps([advisory(), advisory()]))
    folder.mkdir()
    (folder / "x.json").write_text(json.dumps({"vulns": [advisory()]}))
    with zipfile.ZipFile(archive, "w") as packed:
        packed.writestr("PYSEC-2026-1.json", json.dumps(advisory()))
    assert [len(read_advisories(path)) for path in (one, many, folder, archive)] == [1, 2, 1, 1]
    broken = {"d.json": b"{", "e.json": b"[1]", "f.json": b"[]", "g.zip": b"none", "h.json": b'{"vulns": 3}'}
    for name, content in broken.items():
        (tmp_path / name).write_bytes(content)
    (tmp_path / "empty").mkdir()
    for name in (*broken, "empty", "away.json"):
        with pytest.raises(UnusableAdvisories):
            read_advisories(tmp_path / name)
    with pytest.raises(UnusableAdvisories, match="PYSEC-2026-1"):
        findings([PACKAGE], [advisory(**ranges({"introduced": "yesterday"}))])


def audit(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "scripts/audit", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def test_an_audit_says_what_it_found(tmp_path: Path) -> None:
    """A planted advisory about a package that is installed; without any, it fails and says what to do."""
    [package] = [one for one in read_locked(IMAGE) if one.name == "litellm"]
    about = {"package": {"ecosystem": "PyPI", "name": "litellm"}, **ranges({"introduced": "0"})}
    (tmp_path / "a.json").write_text(json.dumps(advisory(**about)))
    found = audit("--advisories", str(tmp_path / "a.json"))
    assert found.returncode == 1
    assert f"litellm {package.version}: PYSEC-2026-1 It spills." in found.stdout
    nothing = audit("--advisories", "")
    assert (nothing.returncode, "make audit ADVISORIES=" in nothing.stderr) == (2, True)


def test_the_bill_lists_what_the_image_installs() -> None:
    """Each package with its licence and every hash; twice the same bytes, with no date and nobody's path."""
    bill = bill_of_materials()
    assert bill == bill_of_materials()
    read = json.loads(bill)
    assert (read["bomFormat"], read["specVersion"]) == ("CycloneDX", "1.6")
    assert read["metadata"] == {
        "component": {
            "bom-ref": "sagacity",
            "licenses": [{"expression": "Apache-2.0"}],
            "name": "sagacity",
            "type": "application",
            "version": VERSION,
        }
    }
    locked = {one.name: one for one in read_locked(IMAGE) if one.is_in_the_image}
    listed = {one["name"]: one for one in read["components"]}
    assert set(listed) == set(locked)
    assert "litellm" in locked
    assert "pywin32" not in locked
    for name, one in listed.items():
        assert one["purl"] == f"pkg:pypi/{name}@{locked[name].version}"
        assert one["licenses"][0]["expression"] == licence_of(locked[name], POLICY)
        [files] = one["externalReferences"]
        assert sorted(file["content"] for file in files["hashes"]) == list(locked[name].hashes)
    [dependencies] = [one["dependsOn"] for one in read["dependencies"] if one["ref"] == "sagacity"]
    assert len(dependencies) == len(listed)
    assert str(ROOT) not in bill


def test_security_names_tests_that_exist() -> None:
    """A promise without a test is none; the changelog's newest section is this version's."""
    promised = re.findall(r"`(tests/[\w/]+\.py)`", (ROOT / "SECURITY.md").read_text())
    assert len(promised) > 20
    assert [path for path in promised if not (ROOT / path).exists()] == []
    sections = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert sections[0] == "Unreleased"
    assert re.fullmatch(rf"{re.escape(VERSION)} - \d{{4}}-\d\d-\d\d", sections[1])


@pytest.mark.full
def test_a_release_is_the_same_each_time(tmp_path: Path) -> None:
    """Packages, bill and hashes: whoever builds the commit again can compare."""
    for name in ("one", "two"):
        command = [sys.executable, "scripts/release", "--out", str(tmp_path / name)]
        subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    sums = (tmp_path / "one" / "SHA256SUMS").read_text()
    assert sums == (tmp_path / "two" / "SHA256SUMS").read_text()
    for line in sums.splitlines():
        told, name = line.split("  ")
        assert hashlib.sha256((tmp_path / "one" / name).read_bytes()).hexdigest() == told
    with zipfile.ZipFile(tmp_path / "one" / f"sagacity-{VERSION}-py3-none-any.whl") as wheel:
        assert "sagacity/mail/templates/languages/en.toml" in wheel.namelist()
        assert "sagacity/py.typed" in wheel.namelist()  # else type checkers take all of the SDK for Any
