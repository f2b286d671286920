"""Limit numpy to one thread."""

import os

_SET_BY = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS")
"""Read by OpenBLAS, numpy's library, as it is loaded; the first one goes before the second."""


def compute_on_one_thread() -> None:
    """
    Have numpy compute on the thread that calls it, unless the environment says otherwise; before numpy is loaded.

    Its own threads look for more work for some 50 ms after each search by vector, which takes 2 ms, and keep the
    event loop from a core meanwhile. For 10,000 vectors of 384 numbers two threads gain .7 ms on an idle machine, and
    lose 3 ms on a busy one.
    """
    if not any(name in os.environ for name in _SET_BY):  # noqa: TID251  OpenBLAS has no other switch before it is loaded
        os.environ[_SET_BY[0]] = "1"  # noqa: TID251  as above
