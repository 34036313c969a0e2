"""A parameter of what is run, and the NumPy type that its values have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from cudaperf_magic.bench.host.types import (
    BFLOAT,
    VOID,
    Arithmetic,
    ArrayType,
    PointerType,
    StructType,
    Type,
    describe,
)
from cudaperf_magic.errors import UsageError


@dataclass(frozen=True)
class Parameter:
    name: str
    type: Type
    aliases: tuple[str, ...] = ()  # the kernel's own names for it, which options may use as well

    @property
    def is_pointer(self) -> bool:
        return isinstance(self.type, PointerType)

    @property
    def is_const(self) -> bool:
        return isinstance(self.type, PointerType) and self.type.is_const

    @property
    def is_integer(self) -> bool:
        return isinstance(self.type, Arithmetic) and self.type.kind in ("signed", "unsigned")

    @property
    def element(self) -> Type:
        """What a pointer points to, bytes where nothing is said."""
        assert isinstance(self.type, PointerType)
        return self.type.target

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.aliases)


def dtype_of(type_: Type, name: str) -> np.dtype[Any]:
    """The NumPy type of an array's elements, laid out as C does. bfloat16, which NumPy lacks, as its 16 bits.

    Raises:
        UsageError: no array can be made of it; the sentence names the parameter.
    """
    if type_ == VOID:
        return np.dtype(np.uint8)
    if isinstance(type_, Arithmetic):
        return _number(type_)
    if isinstance(type_, ArrayType) and type_.length:
        return np.dtype((dtype_of(type_.element, name), (type_.length,)))
    if isinstance(type_, StructType) and type_.fields:
        return np.dtype(
            {
                "names": [f.name for f in type_.fields],
                "formats": [dtype_of(f.type, name) for f in type_.fields],
                "offsets": [type_.offset(f.name) for f in type_.fields],
                "itemsize": type_.size,
            }
        )
    raise UsageError(f"{name} holds elements of type {describe(type_)}, of which no array can be made up")


def _number(type_: Arithmetic) -> np.dtype[Any]:
    if type_ is BFLOAT:
        return np.dtype(np.uint16)
    letter = {"bool": "?", "signed": f"i{type_.size}", "unsigned": f"u{type_.size}", "float": f"f{type_.size}"}
    return np.dtype(letter[type_.kind])


def element_words(type_: Type) -> str:
    """What an element is called: "float32", "bfloat16", or a struct's own name."""
    if type_ is BFLOAT:
        return "bfloat16"
    return str(_number(type_)) if isinstance(type_, Arithmetic) else describe(type_) if type_ != VOID else "uint8"
