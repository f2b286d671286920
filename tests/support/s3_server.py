"""A real S3 server that tests start from an installed package: SeaweedFS, which supports conditional puts."""

import atexit
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import boto3
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from pydantic import SecretStr

from sagacity.config.s3 import S3Choice
from support.local_servers import START_SECONDS, free_port

ACCESS_KEY, SECRET_KEY, BUCKET = "test-access", "test-secret", "sagacity-tests"
_PORTS = ("s3", "master", "volume", "filer")


class S3Server:
    """One server on a port of 127.0.0.1, with one bucket; its files go when it is closed."""

    def __init__(self) -> None:
        """Make its data folder."""
        self._folder = Path(tempfile.mkdtemp(prefix="sagacity-s3-"))
        self._process: subprocess.Popen[bytes] | None = None
        self._ports = {name: free_port() for one in _PORTS for name in (f"{one}.port", f"{one}.port.grpc")}
        self.endpoint = f"http://127.0.0.1:{self._ports['s3.port']}"
        atexit.register(self.close)

    @property
    def client(self) -> Any:
        """Return a client of the bucket, as other programs use it."""
        return boto3.client(
            "s3",
            endpoint_url=self.endpoint,
            aws_access_key_id=ACCESS_KEY,
            aws_secret_access_key=SECRET_KEY,
            region_name="us-east-1",
            config=Config(connect_timeout=5, read_timeout=60, retries={"total_max_attempts": 1}),
        )

    def start(self) -> None:
        """Start it, again after `kill`; it answers when this returns."""
        identity = {
            "name": "tests",
            "credentials": [{"accessKey": ACCESS_KEY, "secretKey": SECRET_KEY}],
            "actions": ["Admin", "Read", "Write", "List"],
        }
        (self._folder / "s3.json").write_text(json.dumps({"identities": [identity]}))
        (self._folder / "data").mkdir(exist_ok=True)
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [
                    *(Path(sys.executable).with_name("weed"), "server", f"-dir={self._folder / 'data'}"),
                    *("-ip=127.0.0.1", "-ip.bind=127.0.0.1", "-filer", "-s3"),
                    *(
                        f"-s3.config={self._folder / 's3.json'}",
                        "-master.volumeSizeLimitMB=64",
                        "-volume.max=5",
                    ),
                    *(
                        "-s3.port.iceberg=0",
                        "-s3.port.lance=0",
                    ),  # their fixed ports would be taken by the next server
                    *(f"-{name}={port}" for name, port in self._ports.items()),
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=self._folder,
            )
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            assert time.monotonic() < deadline, self.logs
            assert self._process.poll() is None, self.logs
            time.sleep(0.1)

    @property
    def logs(self) -> str:
        return (self._folder / "log").read_text(errors="replace")

    def _answers(self) -> bool:
        client = self.client
        with suppress(BotoCoreError, ClientError):
            with suppress(client.exceptions.BucketAlreadyOwnedByYou, client.exceptions.BucketAlreadyExists):
                client.create_bucket(Bucket=BUCKET)
            client.put_object(
                Bucket=BUCKET, Key="ready", Body=b"yes"
            )  # there may be no volume yet to write to
            return True
        return False

    def kill(self) -> None:
        """End it at once: asked to end, it takes twenty seconds."""
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait(START_SECONDS)

    def close(self) -> None:
        """End it, and remove its files."""
        self.kill()
        shutil.rmtree(self._folder, ignore_errors=True)
        for port in self._ports.values():  # killed, it leaves its sockets where it always has them
            for left in Path("/tmp").glob(f"seaweedfs-*-{port}.sock"):  # noqa: S108
                left.unlink()
        atexit.unregister(self.close)


def choice(s3: S3Server, prefix: str, *keys: str, secret: str = SECRET_KEY) -> S3Choice:
    """Return the settings for the server's bucket."""
    return S3Choice(BUCKET, prefix, "us-east-1", ACCESS_KEY, SecretStr(secret), s3.endpoint, keys)


@contextmanager
def running_s3() -> Iterator[S3Server]:
    """Run a server during the block."""
    server = S3Server()
    try:
        server.start()
        yield server
    finally:
        server.close()
