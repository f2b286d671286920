"""A typed class around onnxruntime, which has no type stubs."""

import importlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sagacity.domain.errors import ConfigError, ProviderError

SILENT = {"ORT_DISABLE_TELEMETRY": "1"}
"""Without this, loading the library starts a thread that may report its use to its makers."""
os.environ.update(SILENT)  # noqa: TID251  it is read at import, and there is no other switch
_ort: Any = importlib.import_module("onnxruntime")
_runtime_errors: Any = importlib.import_module("onnxruntime.capi._pybind_state")


def _errors(*names: str) -> tuple[type[Exception], ...]:
    return tuple(getattr(_runtime_errors, name) for name in names)


_LOAD_ERRORS = _errors(
    "Fail", "InvalidGraph", "InvalidProtobuf", "NoSuchFile", "NotImplemented", "RuntimeException"
)
_WEIGHTS_FOLDER = "session.model_external_initializers_file_folder_path"
_UNSIGNED_WEIGHTS = "session.x64quantprecision"
_RUN_ERRORS = _errors("Fail", "InvalidArgument", "RuntimeException")


class OnnxModel:
    """
    A loaded model with one float32 output. Calls may come from several threads at once.

    Each call computes on one thread; to use two cores, call from two threads. For MiniLM on two cores, two threads per
    call made a lone query 1 ms faster, but a query beside background work slower: p95 16 instead of 7 ms.
    """

    def __init__(self, path: Path, *, weights: Path | None = None, unsigned: bool = False) -> None:
        """
        Load a model.

        Args:
            path: the model's file.
            weights: the folder of the files that hold its weights, if they are not in the model's file.
            unsigned: whether, on x86, to convert int8 weights to uint8. Products are then exact on every processor, but
                slower.

        Raises:
            ConfigError: this onnxruntime cannot run the file.
        """
        options = _ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        model: str | bytes = str(path)  # bytes would hold the model in memory a second time
        if unsigned:
            options.add_session_config_entry(_UNSIGNED_WEIGHTS, "1")
        try:
            if weights is not None:  # onnxruntime takes a folder only with bytes, few without the weights
                options.add_session_config_entry(_WEIGHTS_FOLDER, str(weights))
                model = path.read_bytes()
            self._session = _ort.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        except (OSError, *_LOAD_ERRORS) as error:
            raise ConfigError(f"this onnxruntime cannot load the embedding model: {error}") from error
        self._output: str = self._session.get_outputs()[0].name

    def run(
        self, inputs: Mapping[str, npt.NDArray[np.uint8 | np.int32 | np.int64]]
    ) -> npt.NDArray[np.float32]:
        """
        Return the model's output.

        Raises:
            ProviderError: the runtime failed, most likely for lack of memory.
        """
        try:
            return self._session.run([self._output], dict(inputs))[0]
        except _RUN_ERRORS as error:
            raise ProviderError(f"the embedding model failed: {error}") from error
