"""The program where workers learn and none runs: who waits is told, and goes on when one is started."""

from pathlib import Path

from support.forked import start
from support.local_servers import running_valkey
from support.program import sagacity
from support.server import clean_environment, running_server
from support.waiting import until
from support.workers import running_workers

START_ONE = "start one with `sagacity worker`"


async def test_who_waits_without_a_worker_is_told_what_to_start(tmp_path: Path) -> None:
    """The doctor tells, and `users delete`, which ends as soon as a worker is there."""
    with running_valkey(tmp_path) as valkey:
        env = {"SAGACITY_REDIS_URL": valkey.url}
        with running_server(tmp_path, env) as server:

            def run(*arguments: str):
                return sagacity(*arguments, home=tmp_path, url=server.url, env=env)

            said = ("--user-message", "I like tea.", "--agent-response", "Noted.")
            assert run("publish", "--user-id", "ana", *said).code == 0
            [server_check] = [
                one for one in run("doctor", "--json").data["checks"] if one["name"] == "server"
            ]
            assert START_ONE in server_check["found"]
            assert "rolled back" not in server_check["advice"]
            command = ["users", "delete", "ana", "--yes"]
            environment = clean_environment(tmp_path, env | {"SAGACITY_URL": server.url})
            told = tmp_path / "told"
            with told.open("wb") as stream:
                waiting = start(command, env=environment, stdout=stream)

            async def is_told() -> bool:
                return START_ONE in told.read_text()

            await until(is_told)
            assert waiting.poll() is None
            with running_workers(tmp_path, env, count=1):
                assert waiting.wait(60) == 0
                assert "a worker runs" in run("doctor").out
