"""The vocabulary: which names of a host function are torch's, and who reads them. What is not here is not fast."""

from __future__ import annotations

from collections.abc import Callable

from tree_sitter import Node

from ..host.calls import BUILTINS, arguments_of, callee
from ..host.containers import vector_of
from ..host.declared import type_of
from ..host.math import REAL_FUNCTIONS, TESTS, TO_INTEGER
from ..host.scope import Expr, Scope, constant, refuse, shorten
from ..host.source import text
from ..host.types import BFLOAT, HALF, STREAM, Arithmetic, Field, StructType, Type
from .types import (
    DEVICE,
    DEVICE_TYPE,
    GUARD,
    NOTHING,
    NULLOPT,
    OPTIONS,
    SCALAR_NAMES,
    SCALAR_TYPE,
    SIZES,
    TENSOR,
    optional_of,
    tuple_of,
)  # fmt: skip

Call = Callable[[Node, list[Node], Scope], Expr]
CALLS: dict[str, Call] = {}  # of free functions and macros, by last name
METHOD: list[Callable[[Node, Node, Scope], Expr]] = []  # filled by methods.py, which needs this module

NAMESPACES = {
    "torch", "at", "c10", "std", "caffe2", "at::cuda", "c10::cuda", "torch::cuda", "at::indexing", "c10::impl",
}  # fmt: skip
FRAMEWORK = ("torch::", "at::", "c10::", "caffe2::")


def _pair(name: str, of: Arithmetic) -> StructType:
    return StructType(name, (Field("x", of), Field("y", of)), 2 * of.size)


TYPES: dict[str, Type] = {
    "Tensor": TENSOR, "TensorOptions": OPTIONS, "ScalarType": SCALAR_TYPE, "Dtype": SCALAR_TYPE, "Device": DEVICE,
    "DeviceType": DEVICE_TYPE, "IntArrayRef": SIZES, "OptionalCUDAGuard": GUARD, "CUDAGuard": GUARD,
    "DeviceGuard": GUARD, "OptionalDeviceGuard": GUARD, "CUDAStream": STREAM,
    "Half": HALF, "BFloat16": BFLOAT, "__half2": _pair("__half2", HALF), "half2": _pair("__half2", HALF),
    "__nv_bfloat162": _pair("__nv_bfloat162", BFLOAT), "nv_bfloat162": _pair("__nv_bfloat162", BFLOAT),
}  # fmt: skip
# Plain C and CUDA that means the same whether a plan is read or a call is made.
PLAIN = frozenset({
    "min", "max", "abs", "labs", "llabs", "swap", "printf", "fprintf", "puts", "fflush", "perror",
    "cudaGetErrorString", "cudaGetErrorName", "cudaFuncSetAttribute", "cudaFuncSetCacheConfig", "cudaLaunchKernel",
    "cudaLaunchCooperativeKernel", "cudaLaunchKernelEx", "cudaMemset", "cudaMemsetAsync", "cudaGetLastError",
    "cudaPeekAtLastError", "__float2half", "__float2half_rn", "__float2bfloat16", "__half2float", "__bfloat162float",
    *REAL_FUNCTIONS, *TESTS, *TO_INTEGER, *(f"{name}f" for name in (*REAL_FUNCTIONS, *TO_INTEGER)),
})  # fmt: skip
_K_NAMES = {
    "Float": "float32", "Double": "float64", "Half": "float16", "Int": "int32", "Long": "int64", "Short": "int16",
    "Char": "int8", "Byte": "uint8", "Bool": "bool", "BFloat16": "bfloat16", "Float32": "float32",
    "Float64": "float64", "Float16": "float16", "Int32": "int32", "Int64": "int64", "Int16": "int16", "Int8": "int8",
    "UInt8": "uint8",
}  # fmt: skip
_SCALARS = {scalar: name for name, scalar in SCALAR_NAMES.items()}


def word(*names: str) -> Callable[[Call], Call]:
    """Registers who reads the call of a free function or macro."""

    def register(handler: Call) -> Call:
        CALLS.update(dict.fromkeys(names, handler))
        return handler

    return register


class TorchWords:
    """The Vocabulary of scope.py."""

    def type_of(self, node: Node, scope: Scope) -> Type | None:
        whole = text(node).removeprefix("::")
        space, _, last = whole.partition("<")[0].rpartition("::")
        if space and space not in NAMESPACES:
            return None
        arguments = _template_arguments(node)
        if arguments is None:
            is_own = not space and scope.find_type(last) is not None
            return None if is_own else TYPES.get(last)
        if last in ("vector", "ArrayRef", "optional") and len(arguments) >= 1:
            inner = type_of(arguments[0], scope)
            return optional_of(inner) if last == "optional" else vector_of(inner)
        if last == "tuple":
            return tuple_of(tuple(type_of(each, scope) for each in arguments))
        return None

    def named(self, name: str, node: Node, scope: Scope) -> Expr | None:
        space, _, last = name.removeprefix("::").rpartition("::")
        owner, _, kind = space.rpartition("::")
        if kind == "ScalarType" and (not owner or owner in NAMESPACES):
            return constant(SCALAR_TYPE, _SCALARS[last]) if last in _SCALARS else None
        if kind == "DeviceType" and last in ("CUDA", "CPU"):
            return constant(DEVICE_TYPE, last.lower())
        if space and space not in NAMESPACES:
            return None
        if last == "nullopt":
            return constant(NULLOPT, NOTHING)
        if last in ("kCUDA", "kCPU"):
            return constant(DEVICE_TYPE, last[1:].lower())
        return constant(SCALAR_TYPE, _K_NAMES[last[1:]]) if last[:1] == "k" and last[1:] in _K_NAMES else None

    def call(self, node: Node, function: Node, scope: Scope) -> Expr | None:
        if function.type == "field_expression":
            return METHOD[0](node, function, scope)
        name, _ = callee(function)
        whole = text(function).removeprefix("::")
        space = whole.partition("<")[0].rpartition("::")[0]
        if not space and (scope.find(name) is not None or scope.functions(name)):
            return None
        if name in CALLS and (not space or space in NAMESPACES):
            return CALLS[name](node, arguments_of(node), scope)
        if whole.startswith(FRAMEWORK) and self.type_of(function, scope) is None:
            refuse(node, f"{shorten(function)} is the framework's own work")
        if name in BUILTINS and name not in PLAIN:
            refuse(node, f"{name} is called")
        return None


def _template_arguments(node: Node) -> list[Node] | None:
    while node.type == "qualified_identifier":
        inner = node.child_by_field_name("name")
        if inner is None:
            return None
        node = inner
    listed = node.child_by_field_name("arguments") if node.type == "template_type" else None
    return None if listed is None else [child for child in listed.named_children if child.type != "comment"]
