"""
Imports Sagacity once, then becomes it in a new process at each call: `python fork_server.py SOCKET`.

A caller sends three open files and then a length and JSON: `argv`, `env`, `cwd`. It is told the process's id and, at
its end, its exit code. A process whose caller hangs up is killed. A call without `argv` keeps this process
there; when the last of those hangs up, all end.
"""

import atexit
import gc
import importlib
import json
import os
import pkgutil
import runpy
import selectors
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path

import sagacity
from sagacity.learning.rules.profile import PROFILE_RULES
from sagacity.providers.embedders.minilm import MiniLM
from sagacity.providers.litellm_seam import OFFLINE, load_litellm
from sagacity.providers.tokens import TokenCounter

OTHERS = ("uvicorn.loops.auto", "uvicorn.protocols.http.auto", "uvicorn.lifespan.on", "uvicorn.server")
"""What is imported by its name, late."""
STREAMS = 3
exit_codes: list[int] = []
"""The one that this process is to end with, once it is known."""


def leave() -> None:
    """End at once, after all else that is done at exit: to take everything imported apart would copy its memory."""
    if exit_codes:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(exit_codes[0])


def load(*, with_models: bool) -> None:
    """Import and load what a server, a worker and every command would; what calls models takes as long again."""
    for module in pkgutil.walk_packages(sagacity.__path__, "sagacity."):
        if "__main__" not in module.name and ".migrations" not in module.name:
            importlib.import_module(module.name)
    for name in OTHERS:
        importlib.import_module(name)
    if with_models:
        load_litellm()
    MiniLM()._loaded()  # these are kept by the process that has loaded them, and by its forks
    TokenCounter()._loaded()
    for rule in PROFILE_RULES:
        assert rule.says
    gc.collect()
    gc.freeze()


def serve(address: str) -> list[str]:
    """Answer calls; returns in each new process, with its arguments, and in this one never."""
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"{address}.new")
    listener.listen(64)
    Path(f"{address}.new").rename(address)
    assert len(list(Path("/proc/self/task").iterdir())) == 1, "a fork would lose the other threads"
    running: dict[int, tuple[int, socket.socket]] = {}
    keepers: set[socket.socket] = set()
    with selectors.DefaultSelector() as events:
        events.register(listener, selectors.EVENT_READ)
        while True:
            for key, _ in events.select():
                if key.fileobj in keepers:
                    events.unregister(key.fileobj)
                    keepers.remove(key.fileobj)
                    key.fileobj.close()
                    if not keepers:
                        end_all(running)
                elif key.fileobj is listener:
                    link, _ = listener.accept()
                    call, streams = received(link)
                    if not call["argv"]:
                        keepers.add(link)
                        events.register(link, selectors.EVENT_READ)
                    elif (pid := os.fork()) == 0:
                        for one in (listener, link, *keepers, *(link for _, link in running.values())):
                            one.close()
                        return become(call, streams)
                    else:
                        running[watched := os.pidfd_open(pid)] = (pid, link)
                        events.register(watched, selectors.EVENT_READ, watched)
                        events.register(link, selectors.EVENT_READ, watched)
                        say(link, pid)
                    for stream in streams:
                        os.close(stream)
                elif key.data in running:
                    pid, link = running[key.data]
                    if key.fileobj is link:  # nobody listens any more
                        events.unregister(link)
                        with suppress(ProcessLookupError):
                            os.kill(pid, signal.SIGKILL)
                        continue
                    _, status = os.waitpid(pid, 0)
                    say(link, os.waitstatus_to_exitcode(status))
                    with suppress(KeyError):
                        events.unregister(link)
                    events.unregister(key.data)
                    os.close(key.data)
                    link.close()
                    del running[key.data]


def received(link: socket.socket) -> tuple[dict[str, object], list[int]]:
    """What is to be run, and its three streams."""
    size, streams, _, _ = socket.recv_fds(link, 4, STREAMS)
    words = b""
    while len(words) < int.from_bytes(size, "big"):
        words += link.recv(1 << 20)
    return json.loads(words), streams


def say(link: socket.socket, number: int) -> None:
    with suppress(OSError):
        link.sendall(b"%d\n" % number)


def end_all(running: dict[int, tuple[int, socket.socket]]) -> None:
    """End every process, and this one."""
    for pid, _ in running.values():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    os._exit(0)


def become(call: dict, streams: list[int]) -> list[str]:
    """Take over streams, folder and environment, as a process that was started with them."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    os.closerange(STREAMS, 256)
    os.chdir(call["cwd"])
    os.environ.clear()
    os.environ.update(call["env"] | OFFLINE)  # as if LiteLLM had been loaded here
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  it stays open
    sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", buffering=1, closefd=False)  # noqa: SIM115
    return call["argv"]


def run(name: str, given: list[str]) -> None:
    """Be `python -m sagacity`, or `python FILE`."""
    if name == "sagacity":
        sys.argv = [name, *given]
        runpy.run_module("sagacity", run_name="__main__", alter_sys=True)
    else:
        sys.argv = given
        sys.path[0] = str(Path(given[0]).resolve().parent)
        runpy.run_path(given[0], run_name="__main__")


if __name__ == "__main__":
    sys.path[0] = ""
    atexit.register(leave)  # the first to be registered is the last to be called
    load(with_models="models" in sys.argv)
    name, *given = serve(sys.argv[1])
    try:
        run(name, given)
        exit_codes.append(0)
    except SystemExit as end:
        if not isinstance(end.code, str):
            exit_codes.append(end.code or 0)
        raise
