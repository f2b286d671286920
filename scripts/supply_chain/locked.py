"""The locked packages: names, versions and hashes, as `make lock` wrote them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.markers import Marker, default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
REQUIREMENTS = ROOT / "requirements"
IMAGE = REQUIREMENTS / "scale.txt"
"""What the image installs."""
OF_OTHERS = (REQUIREMENTS / "reflexio-client.txt", REQUIREMENTS / "reflexio-client-newest.txt")
"""Programs of others, which tests run in an environment of their own."""
_HASH = re.compile(r"--hash=sha256:([0-9a-f]{64})")
_OF_THE_IMAGE: Mapping[str, str] = {
    "implementation_name": "cpython",
    "os_name": "posix",
    "platform_machine": "x86_64",
    "platform_python_implementation": "CPython",
    "platform_system": "Linux",
    "python_full_version": "3.11.0",
    "python_version": "3.11",
    "sys_platform": "linux",
}


@dataclass(frozen=True, order=True)
class Locked:
    """One package at one version."""

    name: str
    version: str
    hashes: tuple[str, ...]
    """SHA-256 of each file that may be installed, in hexadecimal."""
    marker: str = ""

    @property
    def is_in_the_image(self) -> bool:
        """Whether it is installed on the image's platform."""
        return not self.marker or Marker(self.marker).evaluate({**default_environment(), **_OF_THE_IMAGE})


def read_locked(path: Path) -> list[Locked]:
    """
    Read a locked requirements file.

    Raises:
        ValueError: a line is no pinned package with hashes.
    """
    return list(_packages(path))


def _packages(path: Path) -> Iterator[Locked]:
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    for line in filter(None, map(str.strip, text.splitlines())):
        requirement = Requirement(line.partition("--hash")[0].strip())
        [pin] = requirement.specifier
        hashes = tuple(sorted(_HASH.findall(line)))
        if pin.operator != "==" or not hashes:
            raise ValueError(f"{path.name}: {requirement.name} is not pinned with hashes")
        marker = str(requirement.marker or "")
        yield Locked(canonicalize_name(requirement.name), pin.version, hashes, marker)
