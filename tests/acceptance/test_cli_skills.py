"""Skills leave the program as they are: into a file byte for byte, into a folder of their own each time."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sagacity.client import Sagacity
from support.program import QUIET
from support.server import ServerProcess, clean_environment, running_server

BODY = f"# Release\n\nall:\n\tmake x\n\nمی\u200cخواهم 👩\u200d💻 [bold]no markup[/bold]\n\n{'long ' * 60}end"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with running_server(tmp_path_factory.mktemp("home"), QUIET) as process:
        yield process


def export(server: ServerProcess, home: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run the program as a shell does that redirects what it writes."""
    command = [sys.executable, "-m", "sagacity", "skills", "export", *arguments]
    environment = clean_environment(home, {"SAGACITY_URL": server.url, "FORCE_COLOR": "1"})
    return subprocess.run(command, env=environment, capture_output=True, check=False, timeout=120)


def test_an_export_is_written_as_it_is(server: ServerProcess, tmp_path: Path) -> None:
    """Tabs, joiners and long lines stay, and nothing is added; where there is nothing, the file stays empty."""
    nothing = export(server, tmp_path)
    assert (nothing.returncode, nothing.stdout) == (0, b"")
    assert b"no skills that are approved" in nothing.stderr
    with Sagacity(server.url) as client:
        one = {"description": "Use for releases.", "skill_status": "approved"}
        client.add_skills([one | {"skill_name": "release", "instructions": BODY}])
        markdown = client.export_skills().markdown
        [second] = client.add_skills([one | {"skill_name": "Release", "instructions": "# Other"}]).skill_ids
    assert BODY in markdown
    exported = export(server, tmp_path, "--skill-id", str(second - 1))
    assert (exported.returncode, exported.stdout.decode()) == (0, markdown)
    folders = tmp_path / "skills"
    for arguments in ((), ("--skill-id", str(second))):
        assert export(server, tmp_path, "--dir", str(folders), *arguments).returncode == 0
        assert (folders / "release" / "SKILL.md").read_text(encoding="utf-8") == markdown
        assert "# Other" in (folders / f"release-{second}" / "SKILL.md").read_text(encoding="utf-8")
    assert sorted(path.name for path in folders.iterdir()) == ["release", f"release-{second}"]
