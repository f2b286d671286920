"""Just enough of the ONNX file format, which is a protobuf, to write small models without the library for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

FLOAT, INT64 = 1, 7
IR_VERSION, OPSET = 7, 11
_VARINT, _BYTES = 0, 2
_INT, _INTS = 2, 7
_TYPE_OF = {np.dtype(np.float32): FLOAT, np.dtype(np.int64): INT64}


@dataclass(frozen=True)
class Node:
    """One operation: which, from what, to what."""

    operation: str
    inputs: Sequence[str]
    output: str
    attributes: Mapping[str, int | Sequence[int]] = field(default_factory=dict)


@dataclass(frozen=True)
class Port:
    """A named tensor that goes in or out; a length given as a word may be any."""

    name: str
    kind: int
    shape: Sequence[str | int]


def model_bytes(
    nodes: Sequence[Node],
    *,
    inputs: Sequence[Port],
    outputs: Sequence[Port],
    constants: Mapping[str, npt.NDArray[np.float32]],
) -> bytes:
    """Return the content of a .onnx file. Field numbers are those of onnx.proto."""
    graph = b"".join(
        [
            *(_part(1, _node(node)) for node in nodes),
            _part(2, b"graph"),
            *(_part(5, _tensor(name, array)) for name, array in constants.items()),
            *(_part(11, _port(port)) for port in inputs),
            *(_part(12, _port(port)) for port in outputs),
        ]
    )
    opset = _part(1, b"") + _number(2, OPSET)
    return _number(1, IR_VERSION) + _part(7, graph) + _part(8, opset)


def _node(node: Node) -> bytes:
    return b"".join(
        [
            *(_part(1, name.encode()) for name in node.inputs),
            _part(2, node.output.encode()),
            _part(4, node.operation.encode()),
            *(_part(5, _attribute(name, value)) for name, value in node.attributes.items()),
        ]
    )


def _attribute(name: str, value: int | Sequence[int]) -> bytes:
    if isinstance(value, int):
        return _part(1, name.encode()) + _number(3, value) + _number(20, _INT)
    return _part(1, name.encode()) + b"".join(_number(8, one) for one in value) + _number(20, _INTS)


def _tensor(name: str, array: npt.NDArray[np.float32]) -> bytes:
    dimensions = b"".join(_number(1, length) for length in array.shape)
    return (
        dimensions + _number(2, _TYPE_OF[array.dtype]) + _part(8, name.encode()) + _part(9, array.tobytes())
    )


def _port(port: Port) -> bytes:
    lengths = (
        _number(1, length) if isinstance(length, int) else _part(2, length.encode()) for length in port.shape
    )
    shape = b"".join(_part(1, length) for length in lengths)
    tensor = _number(1, port.kind) + _part(2, shape)
    return _part(1, port.name.encode()) + _part(2, _part(1, tensor))


def _number(number: int, value: int) -> bytes:
    return _varint(number << 3 | _VARINT) + _varint(value)


def _part(number: int, content: bytes) -> bytes:
    return _varint(number << 3 | _BYTES) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    """Seven bits a byte, lowest first, the eighth bit set on all but the last."""
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])
