"""Where tensors lie in memory that two processes share, and nested values taken apart into tensors and the rest.

Offsets and strides only: it maps and allocates nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import Tensor

ALIGN_BYTES = 256  # what vectorised loads, and cudaMalloc's users, take for granted
_LEAF = "tensor"


@dataclass(frozen=True)
class TensorPlace:
    """A dense tensor: dtype by torch's name ("float32"), strides in elements, offset from the start of its memory."""

    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    size_bytes: int
    offset_bytes: int = 0
    name: str = ""

    @property
    def words(self) -> str:
        return f"{self.dtype}[{', '.join(map(str, self.shape))}]"


Shape = tuple[tuple[TensorPlace, ...], tuple[TensorPlace, ...]]  # of one call: its inputs, its outputs


@dataclass(frozen=True)
class Slot:
    """The buffers of one call."""

    inputs: tuple[TensorPlace, ...]
    outputs: tuple[TensorPlace, ...]


@dataclass(frozen=True)
class Layout:
    """`state` lies in host memory; the slots lie in memory of the device, or behind the state where that is the CPU."""

    state: tuple[TensorPlace, ...]
    slots: tuple[Slot, ...]
    host_bytes: int
    device_bytes: int


def place_of(tensor: Tensor, name: str = "") -> TensorPlace:
    """The tensor's own strides where it is dense; otherwise as if contiguous."""
    import torch

    is_dense = torch.ops.aten.is_non_overlapping_and_dense(tensor)
    stride = tensor.stride() if is_dense else torch.empty(tensor.shape, device="meta").stride()
    dtype = str(tensor.dtype).removeprefix("torch.")
    return TensorPlace(dtype, tuple(tensor.shape), tuple(stride), tensor.numel() * tensor.element_size(), name=name)


def lay_out(
    state: Sequence[TensorPlace],
    calls: Sequence[Shape],
    *,
    start_bytes: int,
    is_on_host: bool,
) -> Layout:
    """Every tensor gets an offset: the state from `start_bytes` on, the slots behind it or from 0 on the device.

    Args:
        calls: (inputs, outputs) of each slot.
    """
    placed, end = _placed(state, start_bytes)
    host_bytes = end
    found, position = [], end if is_on_host else 0
    for inputs, outputs in calls:
        ins, position = _placed(inputs, position)
        outs, position = _placed([contiguous(place) for place in outputs], position)
        found.append(Slot(ins, outs))
    return Layout(placed, tuple(found), position if is_on_host else host_bytes, 0 if is_on_host else position)


def contiguous(place: TensorPlace) -> TensorPlace:
    stride, step = [], 1
    for extent in reversed(place.shape):
        stride.append(step)
        step *= max(extent, 1)
    return replace(place, stride=tuple(reversed(stride)))


def _placed(places: Sequence[TensorPlace], position: int) -> tuple[tuple[TensorPlace, ...], int]:
    found = []
    for place in places:
        found.append(replace(place, offset_bytes=position))
        position += -(-max(place.size_bytes, 1) // ALIGN_BYTES) * ALIGN_BYTES
    return tuple(found), position


def view(memory: Tensor, place: TensorPlace) -> Tensor:
    """The tensor that lies at its place in `memory`, a flat uint8 tensor."""
    import torch

    flat = memory[place.offset_bytes : place.offset_bytes + place.size_bytes].view(getattr(torch, place.dtype))
    return flat.as_strided(place.shape, place.stride)


# ------------------------------------------------------------------ nested values


def take_apart(value: Any) -> tuple[list[Tensor], Any]:
    """The tensors in a nest of lists, tuples and dicts, and the nest with their numbers in their places."""
    tensors: list[Tensor] = []
    return tensors, _without(value, tensors)


def _without(value: Any, tensors: list[Tensor]) -> Any:
    import torch

    if isinstance(value, torch.Tensor):
        tensors.append(value.detach())
        return (_LEAF, len(tensors) - 1)
    if isinstance(value, (list, tuple)):
        kind = "list" if type(value) is list else "tuple"
        return (kind, [_without(part, tensors) for part in value])
    if isinstance(value, Mapping):
        return ("dict", [(key, _without(part, tensors)) for key, part in value.items()])
    return ("value", value)


def put_together(nest: Any, tensors: Sequence[Any]) -> Any:
    """The inverse of `take_apart`, with other tensors in the places."""
    kind, content = nest
    if kind == _LEAF:
        return tensors[content]
    if kind == "list":
        return [put_together(part, tensors) for part in content]
    if kind == "tuple":
        return tuple(put_together(part, tensors) for part in content)
    if kind == "dict":
        return {key: put_together(part, tensors) for key, part in content}
    return content


def plain_values(nest: Any) -> Iterator[Any]:
    """What in a nest is no tensor."""
    kind, content = nest
    if kind == "value":
        yield content
    elif kind != _LEAF:
        for part in content:
            yield from plain_values(part[1] if kind == "dict" else part)


def packed(value: Any) -> Any:
    """A nest whose tensors have become (place, bytes): plain data, which a message may hold.

    Raises:
        TypeError: something in it is neither plain data nor a tensor.
    """
    tensors, nest = take_apart(value)
    for part in plain_values(nest):
        if not isinstance(part, (bool, int, float, complex, str, bytes, type(None))):
            raise TypeError(f"{type(part).__name__} is no number, text, list or tensor")
    dense = [tensor.cpu().contiguous() for tensor in tensors]
    return nest, [(place_of(tensor), _bytes_of(tensor)) for tensor in dense]


def unpacked(value: Any) -> Any:
    """The inverse of `packed`."""
    import torch

    nest, parts = value
    memories = [torch.frombuffer(bytearray(data or b"\0"), dtype=torch.uint8) for _, data in parts]
    return put_together(nest, [view(memory, place) for memory, (place, _) in zip(memories, parts, strict=True)])


def _bytes_of(tensor: Tensor) -> bytes:
    import torch

    return bytes(tensor.reshape(-1).view(torch.uint8).numpy()) if tensor.numel() else b""
