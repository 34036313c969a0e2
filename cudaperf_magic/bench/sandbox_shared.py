"""Arrays in one memory file that several processes map: handed to a child as a descriptor, never copied.

A `SharedArrays` may stand anywhere in a message to a session. Inputs are sealed: no process can change them or make
their file smaller. Room for outputs can be written by every process that has it. It knows nothing of what they mean.
"""

from __future__ import annotations

import fcntl
import math
import mmap
import os
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

_PAGE = 4096  # each array begins on a page of its own, so that a driver can register it alone
FIXED_SIZE = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW if hasattr(fcntl, "F_SEAL_SHRINK") else 0x6
FIXED_CONTENT = FIXED_SIZE | getattr(fcntl, "F_SEAL_WRITE", 0x8)


@dataclass(frozen=True)
class Place:
    """Where one array lies in the file."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    offset: int

    @property
    def nbytes(self) -> int:
        return self.dtype.itemsize * math.prod(self.shape)


class SharedArrays:
    """Made by `share` or `room`; the process that made it closes it when no child is to be given it any more.

    Arrays that were taken from it stay valid after `close`, here and in children.
    """

    def __init__(self, file: int, places: tuple[Place, ...], is_writable: bool) -> None:
        self.file = file
        self.places = places
        self.is_writable = is_writable
        self._arrays: dict[str, NDArray[Any]] | None = None

    @classmethod
    def share(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        """A sealed copy of these arrays (any shapes and plain dtypes), one copy for all children. Read-only everywhere.

        Raises:
            OSError: no memory for it.
        """
        places = _places({name: (array.shape, array.dtype) for name, array in arrays.items()})
        file = _memory_file(places)
        try:
            for place in places:
                _write(file, np.ascontiguousarray(arrays[place.name]), place.offset)
            fcntl.fcntl(file, _ADD_SEALS, FIXED_CONTENT)
            # Kernels before 6.7 map a sealed file as shared only through a descriptor that cannot write.
            return cls(os.open(f"/proc/self/fd/{file}", os.O_RDONLY | os.O_CLOEXEC), places, False)
        finally:
            os.close(file)

    @classmethod
    def room(cls, shapes: Mapping[str, tuple[tuple[int, ...], Any]]) -> Self:
        """Zeroed arrays by name -> (shape, dtype) that this process and its children write and read.

        Whatever a child that has it leaves behind, or writes later, is what is read here: copy before judging.

        Raises:
            OSError: no memory for it.
        """
        places = _places(shapes)
        file = _memory_file(places)
        fcntl.fcntl(file, _ADD_SEALS, FIXED_SIZE | _SEAL_SEAL)
        return cls(file, places, True)

    @property
    def nbytes(self) -> int:
        """Of the file."""
        return _file_bytes(self.places)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Views of the file by name: the same objects at each call."""
        if self._arrays is None:
            protection = mmap.PROT_READ | (mmap.PROT_WRITE if self.is_writable else 0)
            memory = mmap.mmap(self.file, self.nbytes, flags=mmap.MAP_SHARED, prot=protection)
            self._arrays = {
                place.name: np.ndarray(place.shape, place.dtype, buffer=memory, offset=place.offset)
                for place in self.places
            }
        return self._arrays

    def close(self) -> None:
        """Closes this process's descriptor."""
        self._arrays = None
        if self.file >= 0:
            os.close(self.file)
            self.file = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()


_ADD_SEALS = getattr(fcntl, "F_ADD_SEALS", 1033)
_SEAL_SEAL = getattr(fcntl, "F_SEAL_SEAL", 0x1)


def _places(shapes: Mapping[str, tuple[tuple[int, ...], Any]]) -> tuple[Place, ...]:
    places: list[Place] = []
    offset = 0
    for name, (shape, dtype) in shapes.items():
        places.append(Place(name, np.dtype(dtype), tuple(shape), offset))
        offset = -(-(offset + max(places[-1].nbytes, 1)) // _PAGE) * _PAGE
    return tuple(places)


def _file_bytes(places: tuple[Place, ...]) -> int:
    end = places[-1].offset + places[-1].nbytes if places else 0
    return max(-(-end // _PAGE), 1) * _PAGE


def _memory_file(places: tuple[Place, ...]) -> int:
    file = os.memfd_create("arrays", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        os.ftruncate(file, _file_bytes(places))
    except OSError:
        os.close(file)
        raise
    return file


def _write(file: int, array: NDArray[Any], offset: int) -> None:
    data = memoryview(array.reshape(-1).view(np.uint8).data)
    while data.nbytes:
        written = os.pwrite(file, data, offset)
        data, offset = data[written:], offset + written
