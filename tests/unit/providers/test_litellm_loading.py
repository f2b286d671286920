"""LiteLLM is loaded once, however many need it first."""

import subprocess
import sys
from pathlib import Path

_PROGRAM = """
import asyncio, threading
from sagacity.providers import litellm_seam
from sagacity.providers.llm.prices import price_list

async def load():
    loaded = await asyncio.gather(*(litellm_seam.loaded_litellm() for _ in range(8)))
    waiting = [one.name for one in threading.enumerate() if one.name.startswith("asyncio_")]
    print(len({id(one) for one in loaded}), price_list.cache_info().misses, len(waiting))

asyncio.run(load())
"""


def test_those_who_come_meanwhile_wait_without_a_thread() -> None:
    """Each would load it once more beside the first, and keep a thread from everybody else meanwhile."""
    ran = subprocess.run([sys.executable, "-c", _PROGRAM], stdout=subprocess.PIPE, text=True, check=True)
    assert ran.stdout.split() == ["1", "1", "0"]


_ENDING = """
import asyncio, sys
sys.path.insert(0, sys.argv[1])
from sagacity.providers import litellm_seam

async def end_meanwhile():
    waiting = [asyncio.create_task(litellm_seam.loaded_litellm()) for _ in range(2)]
    done, _ = await asyncio.wait(waiting, timeout=0.1)
    waiting[0].cancel()
    await asyncio.wait(waiting, timeout=0.1)
    print(len(done), waiting[1].done())

asyncio.run(end_meanwhile())
"""


def test_a_process_ends_while_it_is_loaded(tmp_path: Path) -> None:
    """A server that is told to stop soon after its first call of a model does not wait for seconds of imports."""
    (tmp_path / "litellm.py").write_text("import threading; threading.Event().wait()")
    command = [sys.executable, "-c", _ENDING, tmp_path]
    ran = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, timeout=60)
    assert ran.stdout.split() == ["0", "False"]


_LOOKING = """
import gc
from sagacity.providers.litellm_seam import load_litellm

gc.freeze()
kept, looks = gc.get_freeze_count(), []
gc.callbacks.append(lambda phase, info: looks.append(phase))
load_litellm()
print(len(looks), gc.isenabled(), gc.get_freeze_count() > kept + 100_000)
"""


def test_a_server_never_looks_for_garbage_in_it() -> None:
    """It is as much as all else together: a look at it would stop all calls for 150 ms."""
    ran = subprocess.run([sys.executable, "-c", _LOOKING], stdout=subprocess.PIPE, text=True, check=True)
    assert ran.stdout.split() == ["0", "True", "True"]
