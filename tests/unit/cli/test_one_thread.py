"""numpy computes on the calling thread in a server and a worker, unless the environment says otherwise."""

import os
import subprocess
import sys

import pytest

_PROGRAM = """
import os
from sagacity.cli.one_thread import compute_on_one_thread
compute_on_one_thread()
import numpy as np
matrix = np.ones((10_000, 384), np.float32)
matrix @ matrix[0]
print(os.environ.get("OPENBLAS_NUM_THREADS"), os.environ.get("OMP_NUM_THREADS"), len(os.listdir("/proc/self/task")))
"""


def _ran(**env: str) -> list[str]:
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], env=kept | env, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout.split()


def test_computes_on_the_calling_thread() -> None:
    assert _ran() == ["1", "None", "1"]


@pytest.mark.parametrize("name", ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"])
def test_heeds_the_environment(name: str) -> None:
    given = _ran(**{name: "2"})[:2]
    assert given == (["2", "None"] if name.startswith("OPENBLAS") else ["None", "2"])
