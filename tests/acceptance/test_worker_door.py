"""A worker's own port: whether it works for everyone, its figures for who runs the installation."""

import re

import httpx

from support.program import sagacity
from support.workers import running_workers


def test_a_worker_tells_of_its_health_and_its_metrics(tmp_path, redis_url):
    """Open to probes; figures as the server's: for this machine until there is a token, then for the operator's."""
    home, env = tmp_path / "home", {"SAGACITY_REDIS_URL": redis_url, "SAGACITY_WORKER_PORT": "0"}
    with running_workers(home, env, count=1) as [worker]:
        [url] = re.findall(r"worker is ready; .* on (http://127\.0\.0\.1:\d+)\s", worker.logs)
        with httpx.Client(base_url=url, timeout=60) as door:
            assert door.get("/health").json()["services"] == {"worker": {"status": "healthy"}}
            ready = door.get("/health/ready")
            assert ready.status_code == 200
            assert {"storage", "embedder", "worker", "shared"} <= {
                one["name"] for one in ready.json()["checks"]
            }
            assert "sagacity_database_up 1.0" in door.get("/metrics").text
            assert door.get("/metrics", headers={"Host": "rebound.example"}).status_code == 401
            assert door.get("/metrics", headers={"Origin": "https://evil.example"}).status_code == 401
            for path in ("/", "/docs", "/openapi.json", "/api/whoami", "/metrics/"):
                assert door.get(path, follow_redirects=False).status_code in {404, 307}
            assert door.post("/metrics", content=b"x").status_code == 405

            made = [
                sagacity("--json", "token", "create", "--name", org, "--org", org, home=home, env=env)
                for org in ("self-host-org", "acme")
            ]
            tokens = [re.search(r'"token": ?"([^"]+)"', one.out)[1] for one in made]
            found = [
                door.get("/metrics", headers=headers).status_code
                for headers in ({}, *({"Authorization": f"Bearer {one}"} for one in (*tokens, "wrong")))
            ]
            assert found == [401, 200, 403, 401]
            assert door.get("/health/ready").status_code == 200
        assert worker.stop() == 0
        assert "Traceback" not in worker.logs
