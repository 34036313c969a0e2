"""C's types as a host function meets them: sizes, promotions, conversions, rounding and wrapping.

Sizes are those of a 64-bit Linux machine with nvcc (int 4, long 8, char signed). Values are plain Python: an int for
every integer type, a float for every floating type (a `float` is always one that single precision can hold), a list
for a struct or an array. Nothing here knows syntax or the device.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Convert = Callable[[Any], Any]


@dataclass(frozen=True)
class Arithmetic:
    name: str  # canonical: "unsigned int", never "unsigned"
    size: int
    kind: Literal["bool", "signed", "unsigned", "float"]
    rank: int  # C's conversion rank; a floating type ranks above every integer

    @property
    def is_float(self) -> bool:
        return self.kind == "float"


@dataclass(frozen=True)
class PointerType:
    target: Type
    is_const: bool = False  # what it points to must not be written

    @property
    def size(self) -> int:
        return 8


@dataclass(frozen=True)
class ReferenceType:
    target: Type

    @property
    def size(self) -> int:
        return self.target.size


@dataclass(frozen=True)
class ArrayType:
    element: Type
    length: int | None  # None until an initialiser says it

    @property
    def size(self) -> int:
        return self.element.size * (self.length or 0)


@dataclass(frozen=True)
class OpaqueType:
    """A type of which only the size matters: void, a stream, a kernel's address, a lambda."""

    name: str
    size: int = 8


@dataclass(frozen=True)
class LibraryType(OpaqueType):
    """A class of a library, which says itself what may be done with its values (Expr); None where that is nothing."""

    def taken(self, expr: Any, node: Any) -> Any:
        """A value of another type as one of this."""
        return None

    def given(self, expr: Any, target: Type, node: Any) -> Any:
        """A value of this type as one of another."""
        return None

    def listed(self, nodes: Any, scope: Any) -> Any:
        """What braces, or a constructor's arguments, make."""
        return None

    def element(self, base: Any, index: Any, node: Any) -> Any:
        """`base[index]`."""
        return None

    def operated(self, symbol: str, left: Any, right: Any) -> Any:
        """`left symbol right`, one of which is of this type."""
        return None

    def blank(self) -> Any:
        """What a variable without an initialiser holds; None: nothing that may be read."""
        return None


@dataclass(frozen=True)
class Field:
    name: str
    type: Type
    default: int | float | None = None


@dataclass(frozen=True)
class StructType:
    name: str
    fields: tuple[Field, ...]
    alignment: int | None = None  # when more than the fields ask for

    @property
    def align(self) -> int:
        return max([self.alignment or 1, *(alignment(field.type) for field in self.fields)])

    @property
    def size(self) -> int:
        end = 0
        for field in self.fields:
            end = _round_up(end, alignment(field.type)) + field.type.size
        return max(_round_up(end, self.align), 1)

    def offset(self, name: str) -> int:
        """Where a field begins, in bytes."""
        at = 0
        for field in self.fields:
            at = _round_up(at, alignment(field.type))
            if field.name == name:
                return at
            at += field.type.size
        raise KeyError(name)

    def index(self, name: str) -> int | None:
        return next((i for i, field in enumerate(self.fields) if field.name == name), None)


Type = Arithmetic | PointerType | ReferenceType | ArrayType | OpaqueType | StructType

BOOL = Arithmetic("bool", 1, "bool", 0)
CHAR = Arithmetic("char", 1, "signed", 1)
SCHAR = Arithmetic("signed char", 1, "signed", 1)
UCHAR = Arithmetic("unsigned char", 1, "unsigned", 1)
SHORT = Arithmetic("short", 2, "signed", 2)
USHORT = Arithmetic("unsigned short", 2, "unsigned", 2)
INT = Arithmetic("int", 4, "signed", 3)
UINT = Arithmetic("unsigned int", 4, "unsigned", 3)
LONG = Arithmetic("long", 8, "signed", 4)
ULONG = Arithmetic("unsigned long", 8, "unsigned", 4)
LLONG = Arithmetic("long long", 8, "signed", 5)
ULLONG = Arithmetic("unsigned long long", 8, "unsigned", 5)
HALF = Arithmetic("__half", 2, "float", 10)
BFLOAT = Arithmetic("__nv_bfloat16", 2, "float", 10)
FLOAT = Arithmetic("float", 4, "float", 11)
DOUBLE = Arithmetic("double", 8, "float", 12)

VOID = OpaqueType("void", 1)
STREAM = OpaqueType("cudaStream_t")
KERNEL = OpaqueType("kernel")
TEXT = OpaqueType("string")

_ARITHMETIC = (
    BOOL,
    CHAR,
    SCHAR,
    UCHAR,
    SHORT,
    USHORT,
    INT,
    UINT,
    LONG,
    ULONG,
    LLONG,
    ULLONG,
    HALF,
    BFLOAT,
    FLOAT,
    DOUBLE,
)

# How a by-value kernel argument of each type lies in memory. NumPy has no bfloat16: see `scalar_bytes`.
C_SCALARS: dict[str, str] = {
    t.name: {"bool": "?", "signed": f"<i{t.size}", "unsigned": f"<u{t.size}", "float": f"<f{t.size}"}[t.kind]
    for t in _ARITHMETIC
    if t is not BFLOAT
}


def _round_up(value: int, step: int) -> int:
    return -(-value // step) * step


def alignment(type_: Type) -> int:
    if isinstance(type_, StructType):
        return type_.align
    if isinstance(type_, ArrayType):
        return alignment(type_.element)
    return type_.size


def _vectors() -> dict[str, Type]:
    """CUDA's float2, uchar4, double4 and their kin."""
    found: dict[str, Type] = {}
    bases: tuple[tuple[str, Arithmetic], ...] = (
        ("char", SCHAR), ("uchar", UCHAR), ("short", SHORT), ("ushort", USHORT), ("int", INT), ("uint", UINT),
        ("long", LONG), ("ulong", ULONG), ("longlong", LLONG), ("ulonglong", ULLONG), ("float", FLOAT),
        ("double", DOUBLE),
    )  # fmt: skip
    for word, base in bases:
        for count in (1, 2, 3, 4):
            fields = tuple(Field(name, base) for name in "xyzw"[:count])
            aligned = None if count == 3 else min(base.size * count, 16)
            found[f"{word}{count}"] = StructType(f"{word}{count}", fields, aligned)
    return found


DIM3 = StructType("dim3", tuple(Field(name, UINT, 1) for name in "xyz"))
_CLUSTER = StructType("cluster dimensions", tuple(Field(name, UINT, 1) for name in "xyz"))
_LAUNCH_VALUE = StructType("cudaLaunchAttributeValue", (Field("clusterDim", _CLUSTER), Field("cooperative", INT, 0)))
LAUNCH_ATTRIBUTE = StructType("cudaLaunchAttribute", (Field("id", INT, 0), Field("val", _LAUNCH_VALUE)))
LAUNCH_CONFIG = StructType(
    "cudaLaunchConfig_t",
    (
        Field("gridDim", DIM3), Field("blockDim", DIM3), Field("dynamicSmemBytes", ULONG, 0),
        Field("stream", STREAM, 0),        Field("attrs", PointerType(LAUNCH_ATTRIBUTE), 0), Field("numAttrs", UINT, 0),
    ),
)  # fmt: skip
DEVICE_PROPERTIES = StructType(
    "cudaDeviceProp",
    tuple(
        Field(name, type_, value)
        for name, type_, value in (
            # NVIDIA H100 SXM, the machine that a plan is read for.
            ("multiProcessorCount", INT, 132), ("maxThreadsPerBlock", INT, 1024), ("warpSize", INT, 32),
            ("sharedMemPerBlock", ULONG, 49152), ("sharedMemPerBlockOptin", ULONG, 232448),
            ("sharedMemPerMultiprocessor", ULONG, 233472), ("maxThreadsPerMultiProcessor", INT, 2048),
            ("regsPerBlock", INT, 65536), ("regsPerMultiprocessor", INT, 65536), ("l2CacheSize", INT, 52428800),
            ("major", INT, 9), ("minor", INT, 0), ("cooperativeLaunch", INT, 1), ("totalGlobalMem", ULONG, 85899345920),
            ("maxBlocksPerMultiProcessor", INT, 32),
        )
    ),
)  # fmt: skip

KERNEL_ATTRIBUTES = StructType(
    "cudaFuncAttributes",
    (Field("maxThreadsPerBlock", INT, 256), Field("numRegs", INT), Field("binaryVersion", INT, 90)),
)  # 256 threads: with all 255 registers they can still be launched

NAMED_TYPES: dict[str, Type] = {
    **{t.name: t for t in _ARITHMETIC},
    "void": VOID, "half": HALF, "nv_bfloat16": BFLOAT, "__nv_half": HALF,
    "size_t": ULONG, "ssize_t": LONG, "ptrdiff_t": LONG, "intptr_t": LONG, "uintptr_t": ULONG, "uint": UINT,
    "ushort": USHORT, "ulong": ULONG, "int8_t": SCHAR, "uint8_t": UCHAR, "int16_t": SHORT, "uint16_t": USHORT,
    "int32_t": INT, "uint32_t": UINT, "int64_t": LONG, "uint64_t": ULONG, "_Bool": BOOL,
    "cudaError_t": INT, "cudaError": INT, "cudaMemcpyKind": INT, "cudaFuncAttribute": INT, "cudaDeviceAttr": INT,
    "cudaLaunchAttributeID": INT, "cudaStream_t": STREAM, "cudaEvent_t": STREAM,
    "dim3": DIM3, "cudaLaunchConfig_t": LAUNCH_CONFIG, "cudaLaunchAttribute": LAUNCH_ATTRIBUTE,
    "cudaDeviceProp": DEVICE_PROPERTIES, "cudaFuncAttributes": KERNEL_ATTRIBUTES, "cudaMemPool_t": STREAM,
    "cudaGraph_t": STREAM, "cudaGraphExec_t": STREAM, "cudaGraphNode_t": STREAM, **_vectors(),
}  # fmt: skip


def enumeration(name: str) -> Arithmetic:
    """An enum's own type: an int that promotes to int, and is spelled with a cast where a template asks for it."""
    return Arithmetic(name, 4, "signed", SHORT.rank)


def sized_type(words: list[str]) -> Type | None:
    """The type of `unsigned long long int` and other runs of words, in any order; None when they make no type."""
    rest = sorted(word for word in words if word not in ("int", "signed", "unsigned"))
    base = {(): INT, ("char",): CHAR, ("short",): SHORT, ("long",): LONG, ("long", "long"): LLONG}.get(tuple(rest))
    if base is None:
        return DOUBLE if rest == ["double", "long"] else NAMED_TYPES.get(" ".join(words))
    if "unsigned" in words:
        return {INT: UINT, CHAR: UCHAR, SHORT: USHORT, LONG: ULONG, LLONG: ULLONG}[base]
    return SCHAR if base is CHAR and "signed" in words else base


def describe(type_: Type) -> str:
    """As a person would write it."""
    if isinstance(type_, PointerType):
        return f"{'const ' if type_.is_const else ''}{describe(type_.target)} *"
    if isinstance(type_, ReferenceType):
        return f"{describe(type_.target)} &"
    if isinstance(type_, ArrayType):
        return f"{describe(type_.element)}[{type_.length or ''}]"
    return type_.name


def promote(type_: Arithmetic) -> Arithmetic:
    """C's integer promotion."""
    return INT if not type_.is_float and type_.rank < INT.rank else type_


def common(left: Arithmetic, right: Arithmetic) -> Arithmetic:
    """C's usual arithmetic conversions: the type in which `left op right` is computed."""
    if left.is_float or right.is_float:
        best = max(left, right, key=lambda t: t.rank)
        return FLOAT if best in (HALF, BFLOAT) else best
    left, right = promote(left), promote(right)
    if left.kind == right.kind:
        return left if left.rank >= right.rank else right
    signed, unsigned = (left, right) if left.kind == "signed" else (right, left)
    if unsigned.rank >= signed.rank:
        return unsigned
    if signed.size > unsigned.size:
        return signed
    return {LONG: ULONG, LLONG: ULLONG}[signed]


def wrapper(type_: Arithmetic) -> Convert:
    """Brings any int into an integer type (modulo 2**bits), or any float into a floating type (rounded)."""
    if type_.kind == "bool":
        return bool
    if type_.is_float:
        return _ROUNDING[type_.name]
    bits = type_.size * 8
    mask = (1 << bits) - 1
    if type_.kind == "unsigned":
        return lambda value: value & mask
    top = 1 << (bits - 1)
    return lambda value: value if -top <= value < top else ((value + top) & mask) - top


def round_single(value: float) -> float:
    return ctypes.c_float(value).value


def _round_half(value: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float16(value))


def _round_bfloat(value: float) -> float:
    single = round_single(value)
    if not math.isfinite(single):
        return single
    bits = ctypes.c_uint32.from_buffer_copy(ctypes.c_float(single)).value
    bits = (bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000
    return ctypes.c_float.from_buffer_copy(ctypes.c_uint32(bits)).value


_ROUNDING: dict[str, Convert] = {
    "double": float, "float": round_single, "__half": _round_half, "__nv_bfloat16": _round_bfloat,
}  # fmt: skip


def _single_from_int(value: int) -> float:
    """One rounding, as the hardware does: through double, an integer above 2**53 would be rounded twice."""
    if -(1 << 53) <= value <= 1 << 53:
        return ctypes.c_float(value).value
    return float((np.int64(value) if value < 1 << 63 else np.uint64(value)).astype(np.float32))


def _whole(value: float) -> int:
    """The integer part. C leaves NaN and infinities undefined; the machine gives the most negative number."""
    return int(value) if math.isfinite(value) else -(1 << 63)


def arithmetic_converter(source: Arithmetic, target: Arithmetic) -> Convert | None:
    """What turns a value of one arithmetic type into another, or None when nothing is to be done."""
    if source == target or (source.kind == target.kind and not source.is_float and source.size <= target.size):
        return None
    fit = wrapper(target)
    if target.kind == "bool":
        return lambda value: value != 0
    if target.is_float:
        if source.is_float:
            return None if source.size < target.size else fit
        return _single_from_int if target is FLOAT else (lambda value: fit(float(value)))
    if source.is_float:
        return lambda value: fit(_whole(value))
    if source.kind == "bool":
        return int
    if source.kind == "unsigned" and source.size < target.size:
        return None
    return fit


def scalar_bytes(c_type: str, value: int | float | bool) -> bytes:
    """A by-value kernel argument as it lies in memory, little endian."""
    if c_type == BFLOAT.name:
        return bytes(ctypes.c_float(value))[2:]
    return np.array(value, dtype=C_SCALARS[c_type]).tobytes()
