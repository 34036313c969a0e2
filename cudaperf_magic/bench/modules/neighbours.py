"""Shapes beside a task's own, other batch sizes above all: how general a candidate is can be told by them.

In the referee's process. A neighbour is made by `get_inputs` itself, with another value of a number that it reads, or,
where its extents are written out, by taking rows from what it makes. Whether the task's own module takes such inputs is
the referee's to try; what a candidate makes of them is a figure and never a refusal.
"""

from __future__ import annotations

import ast
import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any

from .inputs import fresh_inputs
from .layout import put_together, take_apart

if TYPE_CHECKING:
    from torch import Tensor

MOST = 4  # shapes: each costs a call, and a whole child where it fails
INPUTS, CONSTRUCTOR = "get_inputs", "get_init_inputs"


@dataclass(frozen=True)
class Neighbour:
    """One shape, by recipe: a global of the task's module with another value; `name` "" means rows of every tensor."""

    name: str
    value: int

    @property
    def words(self) -> str:
        return f"{self.name} = {self.value}" if self.name else f"{self.value} rows"


def neighbours_of(source: str, module: ModuleType, tensors: Sequence[Tensor]) -> tuple[Neighbour, ...]:
    """What may be tried, the likeliest first.

    Args:
        source: the task's text. module: the same, loaded. tensors: inputs that it has made.
    """
    found = []
    for number, name in enumerate(_settings(source, module)):
        value = getattr(module, name)
        others = (value - 1, value + 1, 1) if number == 0 else (value + 1,)
        found += [Neighbour(name, other) for other in others]
    rows = {tensor.shape[0] for tensor in tensors if tensor.ndim}
    if not found and len(rows) == 1:
        count = rows.pop()
        found = [Neighbour("", other) for other in (count - 1, count + 1, 1)]
        found = [each for each in found if each.value != count]
    return tuple(dict.fromkeys(each for each in found if each.value >= 1))


def inputs_of(module: ModuleType, which: Neighbour, seed: int, device: str) -> Any:
    """What `forward` is given on this shape, from a seed; dense, on the device.

    Raises:
        Exception: whatever `get_inputs` raises with such a number.
    """
    if which.name:
        with _changed(module, which):
            return fresh_inputs(module, seed, device)
    first, nest = take_apart(fresh_inputs(module, seed, device))
    more, _ = take_apart(fresh_inputs(module, seed + 1, device))
    return put_together(nest, [_rows(a, b, which.value) for a, b in zip(first, more, strict=True)])


def _settings(source: str, module: ModuleType) -> list[str]:
    """Whole numbers of the module that `get_inputs` reads, in order, and that say nothing of the module's own shape."""
    read: dict[str, list[str]] = {}
    for node in ast.parse(source).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names = (each for each in ast.walk(node) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load))
            key = node.name if isinstance(node, ast.FunctionDef) else CONSTRUCTOR  # a class reads for the module too
            read.setdefault(key, []).extend(each.id for each in names)
    fixed = set(read.get(CONSTRUCTOR, ()))
    wanted = dict.fromkeys(name for name in read.get(INPUTS, ()) if name not in fixed)
    return [name for name in wanted if type(getattr(module, name, None)) is int and getattr(module, name) > 1]


@contextlib.contextmanager
def _changed(module: ModuleType, which: Neighbour) -> Iterator[None]:
    before = getattr(module, which.name)
    setattr(module, which.name, which.value)
    try:
        yield
    finally:
        setattr(module, which.name, before)


def _rows(tensor: Tensor, more: Tensor, count: int) -> Tensor:
    import torch

    if not tensor.ndim:
        return tensor
    return torch.cat([tensor, more])[:count].contiguous()
