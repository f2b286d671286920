"""Real server processes over one database and one Valkey, which then goes away."""

import itertools
import time

import httpx

from support.local_servers import running_valkey
from support.server import running_server

PATH = "/api/add_user_playbook"


def test_two_servers_share_a_limit_and_outlive_what_counts_it(tmp_path):
    """Sixty calls a minute over both; without Valkey each counts alone, answers all the same, and says so once."""
    with running_valkey(tmp_path) as valkey:
        settings = {"SAGACITY_REDIS_URL": valkey.url}
        home = tmp_path / "home"
        with (
            running_server(home, settings) as one,
            running_server(home, settings) as other,
            httpx.Client() as http,
        ):
            began = time.monotonic()
            urls = itertools.islice(itertools.cycle((one.url, other.url)), 100)
            statuses = [http.post(url + PATH, json={}).status_code for url in urls]
            assert set(statuses) == {422, 429}
            # on a busy machine Valkey may be silent for so long that a server counts alone for a while
            lost = [server.logs.count("shared.lost") for server in (one, other)]
            assert 60 <= statuses.count(422) <= 61 + 60 * sum(lost) + (time.monotonic() - began)
            valkey.kill()
            for server in (one, other):
                assert [http.post(server.url + PATH, json={}).status_code for _ in range(10)] == [422] * 10
                assert http.get(server.url + "/health/ready").status_code == 200
        for server, before in zip((one, other), lost, strict=True):
            assert server.process.returncode == 0
            assert server.logs.count("shared.lost") == before + 1
