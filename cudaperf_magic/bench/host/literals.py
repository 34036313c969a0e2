"""Literals of host code, and the names of constants that C's and CUDA's headers define."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator

from tree_sitter import Node

from cudaperf_magic.bench.host.declared import is_type_name, type_of
from cudaperf_magic.bench.host.runtime import NULL
from cudaperf_magic.bench.host.scope import Expr, Scope, compile_expression, constant, expression, refuse, shorten
from cudaperf_magic.bench.host.source import text
from cudaperf_magic.bench.host.types import (
    BOOL,
    CHAR,
    DOUBLE,
    FLOAT,
    INT,
    LLONG,
    LONG,
    TEXT,
    UINT,
    ULLONG,
    ULONG,
    VOID,
    Arithmetic,
    PointerType,
    round_single,
    wrapper,
)  # fmt: skip

_FLOAT_MAX = 3.4028234663852886e38
# Names that C's and CUDA's headers define.
CONSTANTS: dict[str, Expr] = {
    name: constant(type_, value)
    for type_, values in (
        (INT, {"INT_MAX": 2**31 - 1, "INT_MIN": -(2**31), "CHAR_BIT": 8, "SHRT_MAX": 32767, "SHRT_MIN": -32768,
               "UCHAR_MAX": 255, "USHRT_MAX": 65535, "INT32_MAX": 2**31 - 1, "FLT_DIG": 6, "NULL": 0, "cudaSuccess": 0,
               "cudaMemcpyHostToHost": 0, "cudaMemcpyHostToDevice": 1, "cudaMemcpyDeviceToHost": 2,
               "cudaMemcpyDeviceToDevice": 3, "cudaMemcpyDefault": 4, "cudaFuncAttributeMaxDynamicSharedMemorySize": 8,
               "cudaFuncAttributePreferredSharedMemoryCarveout": 9,
               "cudaFuncAttributeNonPortableClusterSizeAllowed": 11,
               "cudaSharedmemCarveoutMaxShared": 100, "cudaFuncCachePreferShared": 1, "cudaFuncCachePreferL1": 2,
               "cudaFuncCachePreferNone": 0, "cudaFuncCachePreferEqual": 3, "cudaLimitStackSize": 0,
               "cudaLimitPrintfFifoSize": 1, "cudaLimitMallocHeapSize": 2, "cudaLimitMaxL2FetchGranularity": 5,
               "cudaLimitPersistingL2CacheSize": 6,
               "cudaStreamDefault": 0, "cudaStreamNonBlocking": 1, "cudaEventDisableTiming": 2, "EXIT_FAILURE": 1,
               "cudaLaunchAttributeCooperative": 2, "cudaLaunchAttributeClusterDimension": 4,
               "cudaDevAttrMultiProcessorCount": 16, "cudaDevAttrMaxSharedMemoryPerBlockOptin": 97,
               "cudaDevAttrMaxSharedMemoryPerBlock": 8, "cudaDevAttrMaxThreadsPerBlock": 1, "cudaDevAttrWarpSize": 10,
               "cudaDevAttrMaxBlockDimX": 2, "cudaDevAttrMaxBlockDimY": 3, "cudaDevAttrMaxBlockDimZ": 4,
               "cudaDevAttrMaxGridDimX": 5, "cudaDevAttrMaxGridDimY": 6, "cudaDevAttrMaxGridDimZ": 7,
               "cudaDevAttrMaxRegistersPerBlock": 12, "cudaDevAttrL2CacheSize": 38,
               "cudaDevAttrMaxThreadsPerMultiProcessor": 39, "cudaDevAttrComputeCapabilityMajor": 75,
               "cudaDevAttrComputeCapabilityMinor": 76, "cudaDevAttrMaxSharedMemoryPerMultiprocessor": 81,
               "cudaDevAttrMaxRegistersPerMultiprocessor": 82, "cudaDevAttrCooperativeLaunch": 95,
               "cudaDevAttrMaxBlocksPerMultiprocessor": 106, "cudaMemPoolAttrReleaseThreshold": 4,
               "cudaStreamCaptureModeGlobal": 0, "cudaStreamCaptureModeThreadLocal": 1,
               "cudaStreamCaptureModeRelaxed": 2, "cudaHostAllocDefault": 0, "cudaHostAllocMapped": 2,
               "cudaMemAttachGlobal": 1, "cudaEventDefault": 0, "cudaEventBlockingSync": 1}),
        (UINT, {"UINT_MAX": 2**32 - 1, "UINT32_MAX": 2**32 - 1}),
        (LONG, {"LONG_MAX": 2**63 - 1, "LONG_MIN": -(2**63), "INT64_MAX": 2**63 - 1, "INT64_MIN": -(2**63)}),
        (ULONG, {"SIZE_MAX": 2**64 - 1, "ULONG_MAX": 2**64 - 1, "UINT64_MAX": 2**64 - 1}),
        (LLONG, {"LLONG_MAX": 2**63 - 1, "LLONG_MIN": -(2**63)}),
        (ULLONG, {"ULLONG_MAX": 2**64 - 1}),
        (FLOAT, {"FLT_MAX": _FLOAT_MAX, "FLT_MIN": 2.0**-126, "FLT_EPSILON": 2.0**-23, "INFINITY": math.inf,
                 "HUGE_VALF": math.inf, "NAN": math.nan, "CUDART_INF_F": math.inf, "CUDART_NAN_F": math.nan}),
        (DOUBLE, {"DBL_MAX": 1.7976931348623157e308, "DBL_MIN": 2.0**-1022, "DBL_EPSILON": 2.0**-52, "M_PI": math.pi,
                  "M_E": math.e, "M_PI_2": math.pi / 2, "M_PI_4": math.pi / 4, "M_SQRT2": math.sqrt(2),
                  "M_LN2": math.log(2),
                  "HUGE_VAL": math.inf, "CUDART_INF": math.inf, "CUDART_PI": math.pi}),
        (TEXT, {"stderr": "", "stdout": "", "__FILE__": "", "__func__": ""}),
    )
    for name, value in values.items()
}  # fmt: skip
_PREFIXES = {"0x": 16, "0X": 16, "0b": 2, "0B": 2}


@expression("number_literal")
def number(node: Node, scope: Scope) -> Expr:
    digits = text(node).replace("'", "")
    base = _PREFIXES.get(digits[:2], 10)
    lowered = digits.lower()
    if (base == 10 and any(c in lowered for c in ".e")) or (base == 16 and any(c in lowered for c in ".p")):
        return _float_literal(node, digits)
    body = digits.rstrip("uUlLzZ")
    suffix = lowered[len(body) :]
    if base == 10 and body[:1] == "0" and len(body) > 1:
        base = 8
    try:
        value = int(body, base) if base != 8 else int(body, 8)
    except ValueError:
        return refuse(node, f"{shorten(node)} is not a number")
    order: list[Arithmetic] = (
        [ULLONG if "u" in suffix else LLONG] if "ll" in suffix else [ULONG if "u" in suffix else LONG]
    )
    if "l" not in suffix and "z" not in suffix:
        order.insert(0, UINT if "u" in suffix else INT)
        if base != 10 and "u" not in suffix:
            order.insert(1, UINT)
    order.append(ULONG)
    for type_ in order:
        if wrapper(type_)(value) == value:
            return constant(type_, value)
    return refuse(node, f"{shorten(node)} does not fit in 64 bits")


def _float_literal(node: Node, digits: str) -> Expr:
    is_single = digits[-1] in "fF"
    body = digits.rstrip("fFlL")
    try:
        value = float.fromhex(body) if body[:2].lower() == "0x" else float(body)
    except (ValueError, OverflowError):
        refuse(node, f"{shorten(node)} is not a number")
    return constant(FLOAT, round_single(value)) if is_single else constant(DOUBLE, value)


@expression("true", "false")
def truth_value(node: Node, scope: Scope) -> Expr:
    return constant(BOOL, node.type == "true")


@expression("null", "nullptr")
def null(node: Node, scope: Scope) -> Expr:
    return constant(INT, 0) if text(node) == "NULL" else constant(PointerType(VOID), NULL)


@expression("char_literal")
def character(node: Node, scope: Scope) -> Expr:
    body = text(node)[1:-1]
    value = {"\\n": "\n", "\\t": "\t", "\\0": "\0", "\\\\": "\\", "\\'": "'"}.get(body, body)
    return (
        constant(CHAR, wrapper(CHAR)(ord(value))) if len(value) == 1 else refuse(node, f"{body} is not one character")
    )


@expression("string_literal", "raw_string_literal", "concatenated_string")
def string(node: Node, scope: Scope) -> Expr:
    return constant(TEXT, text(node))


@expression("sizeof_expression", "alignof_expression")
def sizeof(node: Node, scope: Scope) -> Expr:
    written = node.child_by_field_name("type")
    if written is not None:
        return constant(ULONG, type_of(written, scope).size)
    inner = node.child_by_field_name("value")
    if inner is None:
        refuse(node, f"`{shorten(node)}` is incomplete")
    while inner.type == "parenthesized_expression" and inner.named_children:
        inner = inner.named_children[0]
    if inner.type in ("identifier", "type_identifier") and is_type_name(text(inner), scope):
        return constant(ULONG, type_of(inner, scope).size)
    return constant(ULONG, compile_expression(inner, scope).type.size)


def number_limits(node: Node, name: str, scope: Scope) -> Expr:
    """`std::numeric_limits<T>::max()` and its like."""
    templates = [child for child in _descend(node) if child.type == "template_type"]
    arguments = templates[0].child_by_field_name("arguments") if templates else None
    type_ = type_of(arguments.named_children[0], scope) if arguments is not None and arguments.named_children else None
    if not isinstance(type_, Arithmetic):
        refuse(node, f"{shorten(node)}: numeric_limits of a type that is not a number")
    if type_.is_float:
        largest = _FLOAT_MAX if type_ is FLOAT else sys.float_info.max
        values = {
            "max": largest,
            "lowest": -largest,
            "infinity": math.inf,
            "quiet_NaN": math.nan,
            "min": 2.0**-126 if type_ is FLOAT else 2.0**-1022,
            "epsilon": 2.0**-23 if type_ is FLOAT else 2.0**-52,
        }
    else:
        bits = type_.size * 8 - (type_.kind == "signed")
        values = {"max": 2**bits - 1, "min": -(2**bits) if type_.kind == "signed" else 0}
        values["lowest"] = values["min"]
    return (
        constant(type_, values[name])
        if name in values
        else refuse(node, f"numeric_limits has no {name} for {type_.name}")
    )


def _descend(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        yield child
        yield from _descend(child)
