"""The systemd units in deploy/ start the program with no more rights than it needs."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from sagacity.cli.serve import DRAIN_SECONDS
from sagacity.config.settings import Settings
from support.deployment import DEPLOY, settings_of
from support.documents import ROOT

UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
SHUT = {
    **dict.fromkeys(
        "DynamicUser LockPersonality MemoryDenyWriteExecute NoNewPrivileges PrivateDevices PrivateIPC PrivateTmp "
        "PrivateUsers ProtectClock ProtectControlGroups ProtectHome ProtectHostname ProtectKernelLogs "
        "ProtectKernelModules ProtectKernelTunables RemoveIPC RestrictNamespaces RestrictRealtime "
        "RestrictSUIDSGID".split(),
        "yes",
    ),
    "AmbientCapabilities": "",
    "CapabilityBoundingSet": "",
    "ProtectSystem": "strict",
    "StateDirectoryMode": "0700",
    "SystemCallArchitectures": "native",
    "UMask": "0077",
}


def service_of(unit: Path) -> dict[str, list[str]]:
    """The lines of `[Service]`, by name."""
    [section] = re.findall(r"^\[Service\]\n(.*?)^\[", unit.read_text(), re.MULTILINE | re.DOTALL)
    lines: dict[str, list[str]] = {}
    for line in section.splitlines():
        if line and not line.startswith("#"):
            name, equals, value = line.partition("=")
            assert equals, line
            lines.setdefault(name, []).append(value)
    return lines


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.stem)
def test_a_unit_is_shut_off(unit: Path) -> None:
    """One folder to write to, no rights to gain, no more of the machine than it needs, and a command that is ours."""
    service = service_of(unit)
    assert {name: service.get(name) for name in SHUT} == {name: [value] for name, value in SHUT.items()}
    assert service["SystemCallFilter"] == ["@system-service", "~@privileged @resources"]
    assert "User" not in service
    assert "ReadWritePaths" not in service
    environment = dict(word.split("=", 1) for line in service["Environment"] for word in line.split())
    assert settings_of(environment).home == Path("/var/lib") / service["StateDirectory"][0]
    assert not {name for name in environment if re.search(r"KEY|SECRET|PASSWORD|TOKEN", name)}
    known = {f"SAGACITY_{name.upper()}" for name in Settings.model_fields}
    assert {name for name in environment if name.startswith("SAGACITY_")} <= known
    [[program, command]] = [line.split() for line in service["ExecStart"]]
    stops_in = int(service["TimeoutStopSec"][0])
    assert program == "/opt/sagacity/bin/sagacity"
    assert command == ("worker" if unit.stem.endswith("worker") else "serve")
    assert stops_in > (settings_of(environment).drain_seconds if command == "worker" else DRAIN_SECONDS)


def test_systemd_understands_the_units(tmp_path: Path) -> None:
    """Where it is installed; every directive is one that it knows either way."""
    program = shutil.which("systemd-analyze")
    copies = [tmp_path / unit.name for unit in UNITS]
    for unit, copy in zip(UNITS, copies, strict=True):
        copy.write_text(unit.read_text().replace("/opt/sagacity/bin/sagacity", "/bin/true"))
        page = (ROOT / "docs/howto/run-with-systemd.md").read_text()
        assert unit.name in page
    if program is not None:
        checked = subprocess.run(
            [program, "verify", *map(str, copies)], capture_output=True, text=True, check=False
        )
        assert (checked.returncode, checked.stderr) == (0, "")
