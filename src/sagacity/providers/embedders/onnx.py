"""onnxruntime, which has no type stubs, behind one typed class."""

import importlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sagacity.domain.errors import ConfigError, ProviderError

SILENT = {"ORT_DISABLE_TELEMETRY": "1"}
"""Without it the library starts a thread, as it is loaded, that may report its use to its makers."""
os.environ.update(SILENT)  # noqa: TID251  it is read at import, and there is no other switch
_ort: Any = importlib.import_module("onnxruntime")
_runtime_errors: Any = importlib.import_module("onnxruntime.capi._pybind_state")


def _errors(*names: str) -> tuple[type[Exception], ...]:
    return tuple(getattr(_runtime_errors, name) for name in names)


_LOAD_ERRORS = _errors("Fail", "InvalidGraph", "InvalidProtobuf", "NoSuchFile", "NotImplemented")
_RUN_ERRORS = _errors("Fail", "InvalidArgument", "RuntimeException")


class OnnxModel:
    """
    A loaded model with one float32 output. Calls may come from several threads at once.

    Each call computes on one thread: callers that want two cores call from two threads. For MiniLM on two
    cores, two threads a call made a lone query 1 ms faster, and one beside background work slower: p95 16
    instead of 7 ms. int8 weights become float32 at load, under every optimisation level but "none".
    """

    def __init__(self, path: Path) -> None:
        """
        Load the model of a file, which as bytes would be held in memory a second time.

        Args:
            path: of the file.

        Raises:
            ConfigError: the file is no model that this onnxruntime runs.
        """
        options = _ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        try:
            self._session = _ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        except _LOAD_ERRORS as error:
            raise ConfigError(f"this onnxruntime cannot load the embedding model: {error}") from error

    def run(self, inputs: Mapping[str, npt.NDArray[np.int64]]) -> npt.NDArray[np.float32]:
        """
        Return the model's first output.

        Raises:
            ProviderError: the runtime failed, for want of memory most likely.
        """
        try:
            return self._session.run(None, dict(inputs))[0]
        except _RUN_ERRORS as error:
            raise ProviderError(f"the embedding model failed: {error}") from error
