"""The texts of a load_inline call -> HostCode: the kernels' text, the host functions as they are read, and the exports.

Nothing is compiled or run here. Whatever is not surely understood makes it NotFast, with the reason.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tree_sitter import Node

from ..host.device_text import device_source
from ..host.functions import Instance, compile_function
from ..host.macros import expand
from ..host.runtime import PlanError
from ..host.scope import Unit
from ..host.source import Function, Program, line_of, nested_launch, read_program, text
from ..host.types import describe
from ..launcher import file_scope, find_host
from . import checks, factories, methods  # noqa: F401  their words are registered
from .live import is_exchanged
from .words import TorchWords

# Of compilers: what changes nothing that a kernel computes, or what NVRTC is told anyway.
_HARMLESS = re.compile(
    r"-O[0-3]?|-std=c\+\+\d\w|--std=c\+\+\d\w|-W\w*|-w|-g|-lineinfo|--generate-line-info|--expt-relaxed-constexpr"
    r"|--expt-extended-lambda|--extended-lambda|-Xptxas=?\S*|--ptxas-options=\S+|-U__CUDA_NO_\w+|-fPIC|-march=native"
    r"|-DNDEBUG|--threads=?\d*|-arch=\S+|-gencode=?\S*|arch=compute_\w+,code=\w+|-v|-O3,-v"
)
_FAST_MATH = ("--use_fast_math", "-use_fast_math")
_VERSIONED = re.compile(r"\b(?:TORCH_VERSION\w*|CUDA_VERSION|CUDART_VERSION|__CUDACC_VER\w*)\b")
_OF_TORCH = re.compile(
    r'^[ \t]*(?:#[ \t]*include[ \t]*[<"](?:torch|ATen|c10|pybind11|Python|THC)[^\n]*'
    r"|using\s+namespace\s+(?:at|torch|c10)\s*;|namespace\s+py\s*=[^;\n]*;)",
    re.MULTILINE,
)
_HALVES = (
    (re.compile(r"\b(?:at|c10|torch)::Half\b"), "__half"),
    (re.compile(r"\b(?:at|c10|torch)::BFloat16\b"), "__nv_bfloat16"),
)
_STRINGS = ("string_literal", "concatenated_string", "raw_string_literal")
# What torch's headers, or nvcc's own, bring along.
_HEADERS = "".join(f"#include <{name}>\n" for name in ("cstdint", "cfloat", "climits", "cmath"))
_LIMITS = "#include <limits>\n"  # takes NVRTC a second, so only where it is used
_HALF_HEADERS = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"


@dataclass(frozen=True)
class NotFast:
    """Why the sources need nvcc."""

    reason: str


@dataclass(frozen=True)
class HostCode:
    """`exports` are names in Python and in C++; `kernels` as NVRTC is asked for them; `options` are NVRTC's."""

    host_text: str
    device_text: str
    exports: tuple[tuple[str, str], ...]
    kernels: tuple[str, ...]
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Prepared:
    """Host functions that can be evaluated, by their name in Python."""

    unit: Unit
    functions: tuple[tuple[str, Instance], ...]


def read_sources(
    cpp_sources: Sequence[str],
    cuda_sources: Sequence[str],
    functions: Mapping[str, str] | Sequence[str] | None,
    *,
    cflags: Sequence[str] = (),
    cuda_cflags: Sequence[str] = (),
    ldflags: Sequence[str] = (),
) -> HostCode | NotFast:
    """What load_inline is called with, as lists of texts; without `functions` the sources export by themselves."""
    if not cuda_sources:
        return NotFast("it has no CUDA sources")
    odd = [flag for flag in (*cflags, *cuda_cflags, *ldflags) if not _is_known_flag(flag)]
    if odd:
        return NotFast(f"the compiler is told {odd[0]}")
    versioned = next((m for source in (*cpp_sources, *cuda_sources) if (m := _VERSIONED.search(source))), None)
    if versioned:
        return NotFast(f"it depends on {versioned[0]}")
    options = [flag for flag in cuda_cflags if flag.startswith("-D")]
    options += ["--use_fast_math"] if set(cuda_cflags) & set(_FAST_MATH) else []
    try:
        host_text = "\n".join([
            *(expand(source, [flag[2:] for flag in cflags if flag.startswith("-D")]) for source in cpp_sources),
            *(expand(source, [flag[2:] for flag in options if flag.startswith("-D")]) for source in cuda_sources),
        ])  # fmt: skip
        exports = _exports(read_program(host_text), functions)
        prepared = prepare(host_text, exports)
        device_text = _device_text(cuda_sources)
    except PlanError as error:
        return NotFast(error.message)
    except RecursionError:
        return NotFast("its host code is nested too deeply")
    if not prepared.unit.kernels:
        return NotFast("its host functions launch no kernel")
    if nested_launch(device_text) is not None:
        return NotFast("a kernel launches kernels")
    return HostCode(host_text, device_text, exports, tuple(prepared.unit.kernels), tuple(options))


def prepare(host_text: str, exports: Sequence[tuple[str, str]]) -> Prepared:
    """Compiles the exported functions, and those that they call, into closures.

    Raises:
        PlanError: something in them is not understood.
    """
    program = read_program(host_text)
    _refuse_overloads(program)
    unit = Unit(program, vocabulary=TorchWords())
    scope = file_scope(unit)
    made: list[tuple[str, Instance]] = []
    for python_name, name in exports:
        function = find_host(program, name)
        instance = compile_function(function, "", scope.inner(), function.node)
        for _, type_ in instance.parameters:
            if not is_exchanged(type_):
                raise PlanError(f"{name} takes a {describe(type_)}", function.line)
        if not is_exchanged(instance.result, is_result=True):
            raise PlanError(f"{name} returns a {describe(instance.result)}", function.line)
        made.append((python_name, instance))
    return Prepared(unit, tuple(made))


def _is_known_flag(flag: str) -> bool:
    return bool(_HARMLESS.fullmatch(flag)) or flag in _FAST_MATH or bool(re.fullmatch(r"-D\w+(=\w+)?", flag))


def _refuse_overloads(program: Program) -> None:
    """The reader tells functions apart by their number of parameters only."""
    for name, functions in program.functions.items():
        counts = Counter((f.is_kernel, len(f.parameters)) for f in functions if f.body is not None and _is_read(f))
        if counts and max(counts.values()) > 1:
            raise PlanError(f"{name} is overloaded", functions[-1].line)


def _is_read(function: Function) -> bool:
    return function.is_kernel or function.is_host


def _device_text(cuda_sources: Sequence[str]) -> str:
    whole = "\n".join(_OF_TORCH.sub("", source) for source in cuda_sources)
    found = device_source(whole)
    needs_halves = False
    for pattern, name in _HALVES:
        found, count = pattern.subn(name, found)
        needs_halves = needs_halves or bool(count)
    is_named = "__half" in found or "__nv_bfloat16" in found or "AT_DISPATCH" in whole
    head = _HEADERS + (_LIMITS if "numeric_limits" in found else "")
    return head + (_HALF_HEADERS if needs_halves or is_named else "") + found


def _exports(program: Program, functions: Mapping[str, str] | Sequence[str] | None) -> tuple[tuple[str, str], ...]:
    blocks = program.functions.get("PYBIND11_MODULE", [])
    if functions is not None:
        if blocks:
            raise PlanError("it has both PYBIND11_MODULE and a list of functions", blocks[0].line)
        return tuple((name, name) for name in functions)
    if len(blocks) != 1 or blocks[0].body is None:
        raise PlanError("no functions are named, and there is no one PYBIND11_MODULE")
    return tuple(_definition(each) for each in blocks[0].body.named_children if each.type != "comment")


def _definition(statement: Node) -> tuple[str, str]:
    """`m.def("name", &function, "words");`"""
    call = statement.named_children[0] if statement.named_children else statement
    function, listed = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    nodes = [child for child in listed.named_children if child.type != "comment"] if listed is not None else []
    is_plain = function is not None and text(function).endswith(".def") and 2 <= len(nodes) <= 3
    kinds = (("string_literal",), ("pointer_expression", "identifier"), _STRINGS)
    if is_plain and all(node.type in known for node, known in zip(nodes, kinds, strict=False)):
        return text(nodes[0])[1:-1], text(nodes[1]).lstrip("& \t")
    raise PlanError(f"the export `{' '.join(text(statement).split())[:60]}` is not plain", line_of(statement))
