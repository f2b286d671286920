"""`sagacity config forget-keys`, where the key that encrypts API keys is lost."""

from pathlib import Path

from support.program import QUIET, sagacity
from support.server import running_server

WITH_KEY = (
    '{"batch_size": 7, "batch_interval": 3, "api_key_config": {"anthropic": {"api_key": "sk-planted-7d1c"}}}'
)


def test_a_configuration_whose_key_is_lost_is_read_and_changed_again(tmp_path: Path) -> None:
    """Without its API keys; not before somebody agrees, and not while they can be read."""
    with running_server(tmp_path, QUIET) as server:

        def config(*arguments: str) -> tuple[int, str]:
            ran = sagacity("config", *arguments, home=tmp_path, url=server.url)
            return ran.code, ran.out + ran.err

        assert config("set", "--data", WITH_KEY)[0] == 0
        code, told = config("forget-keys", "--yes")
        assert (code != 0, "all of them can be read" in told) == (True, True)
        (tmp_path / "config.key").unlink()
        assert "config.key" in config("set", "--data", '{"batch_size": 8}')[1]
        assert "--yes" in config("forget-keys")[1]
        assert "there is no organisation 'nope'" in config("forget-keys", "--org", "nope", "--yes")[1]
        code, told = config("forget-keys", "--yes")
        assert (code, "set them again" in told) == (0, True)
        assert config("set", "--data", '{"batch_size": 8}')[0] == 0
        shown = config("show")[1]
        assert ('"batch_size": 8' in shown, "anthropic" in shown) == (True, False)
