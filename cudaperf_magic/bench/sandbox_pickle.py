"""Values to and from a child process through memory files: pickles, with the arrays' bytes beside them.

What comes back from a child is not trusted: only plain values, NumPy arrays, and this package's records are built
from it. `SharedArrays` are written as their places only; their files have to be sent along.
"""

from __future__ import annotations

import dataclasses
import enum
import io
import mmap
import os
import pickle
import struct
from collections.abc import Sequence
from typing import Any

from .sandbox_shared import SharedArrays

_HEADER = struct.Struct("<8sQ")  # magic, number of parts; then their lengths, then the parts at multiples of 64
_MAGIC = b"cudaperf"
_ALIGN = 64
_MAX_PARTS = 100_000
_COPIED_BYTES = 4 << 20
_BUILTINS = {
    "set",
    "frozenset",
    "complex",
    "slice",
    "range",
    "bytearray",
    "list",
    "dict",
    "tuple",
    "int",
    "float",
    "str",
}
_NUMPY = {"_reconstruct", "ndarray", "dtype", "_frombuffer", "scalar"}


class BrokenPickle(Exception):
    """The child left no whole value, or one that may not be built."""


def write(file: int, value: Any) -> tuple[SharedArrays, ...]:
    """Writes the value to a memory file, and tells which SharedArrays are in it, in the order that `read` expects."""
    buffers: list[pickle.PickleBuffer] = []
    head = io.BytesIO()
    pickler = _Pickler(head, protocol=5, buffer_callback=buffers.append)
    pickler.dump(value)
    parts = [memoryview(head.getbuffer()), *(buffer.raw() for buffer in buffers)]
    lengths = struct.pack(f"<{len(parts)}Q", *(part.nbytes for part in parts))
    position = _aligned(_HEADER.size + len(lengths))
    _write_all(file, memoryview(lengths), _HEADER.size)
    for part in parts:
        _write_all(file, part, position)
        position = _aligned(position + part.nbytes)
    os.ftruncate(file, position)
    os.pwrite(file, _HEADER.pack(_MAGIC, len(parts)), 0)  # last: a file without it is not whole
    return tuple(pickler.shared)


class _Pickler(pickle.Pickler):
    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.shared: list[SharedArrays] = []

    def persistent_id(self, value: Any) -> Any:
        if not isinstance(value, SharedArrays):
            return None
        self.shared.append(value)
        return len(self.shared) - 1, value.places, value.is_writable


def _memory_of(file: int, size: int) -> memoryview:
    """Small files are copied: a map holds a descriptor for as long as one array of it lives."""
    if size > _COPIED_BYTES:
        return memoryview(mmap.mmap(file, size, access=mmap.ACCESS_COPY))
    memory = memoryview(bytearray(size))
    if os.preadv(file, [memory], 0) != size:
        raise BrokenPickle("no whole value was left")
    return memory


class _Trusting(pickle.Unpickler):
    def __init__(self, *arguments: Any, shared: Sequence[int], **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self.shared = shared

    def persistent_load(self, key: Any) -> SharedArrays:
        index, places, is_writable = key
        return SharedArrays(self.shared[index], places, is_writable)


def _write_all(file: int, part: memoryview, position: int) -> None:
    while part.nbytes:
        written = os.pwrite(file, part, position)
        part, position = part[written:], position + written


def read(file: int, *, is_trusted: bool, shared: Sequence[int] = ()) -> Any:
    """The value; its arrays are writable, and in memory of our own or in private pages of the file.

    Args:
        shared: files of the SharedArrays in it, which then own them.

    Raises:
        BrokenPickle: there is none, or it holds what may not be built.
    """
    size = os.fstat(file).st_size
    if size < _HEADER.size:
        raise BrokenPickle("no value was left")
    memory = _memory_of(file, size)
    magic, count = _HEADER.unpack(memory[: _HEADER.size])
    if magic != _MAGIC or count > _MAX_PARTS or _HEADER.size + 8 * count > size:
        raise BrokenPickle("no whole value was left")
    lengths = struct.unpack(f"<{count}Q", memory[_HEADER.size : _HEADER.size + 8 * count])
    position, parts = _aligned(_HEADER.size + 8 * count), []
    for length in lengths:
        parts.append(memory[position : position + length])
        position = _aligned(position + length)
    if not parts or position > size:
        raise BrokenPickle("no whole value was left")
    head = io.BytesIO(parts[0])
    try:
        if is_trusted:
            return _Trusting(head, buffers=parts[1:], shared=shared).load()
        return _Careful(head, buffers=parts[1:]).load()
    except BrokenPickle:
        raise
    except Exception as error:
        if is_trusted:
            raise
        raise BrokenPickle(f"the value cannot be read: {error}") from None


def careful(data: bytes) -> Any:
    """The value of a pickle that holds plain data only.

    Raises:
        BrokenPickle: it is damaged, or holds something else.
    """
    try:
        return _Careful(io.BytesIO(data)).load()
    except BrokenPickle:
        raise
    except Exception as error:
        raise BrokenPickle(f"the value cannot be read: {error}") from None


class _Careful(pickle.Unpickler):
    """A pickle can call anything it names; here it may name data only."""

    def persistent_load(self, key: Any) -> Any:
        raise BrokenPickle("arrays of a child's own files are not taken")

    def find_class(self, module: str, name: str) -> Any:
        if (module == "builtins" and name in _BUILTINS) or (module == "collections" and name == "OrderedDict"):
            return super().find_class(module, name)
        if module.split(".")[0] == "numpy" and (name in _NUMPY or module == "numpy.dtypes"):
            return super().find_class(module, name)
        if module.split(".")[0] == "cudaperf_magic" and "." not in name:
            found = super().find_class(module, name)
            is_record = isinstance(found, type) and (
                dataclasses.is_dataclass(found) or issubclass(found, enum.Enum) or hasattr(found, "_fields")
            )
            if is_record:
                return found
        raise BrokenPickle(f"{module}.{name} is not data")


def _aligned(position: int) -> int:
    return -(-position // _ALIGN) * _ALIGN
