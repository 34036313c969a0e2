"""A launch for the only kernel of a program, where none was given: what its own bounds checks ask for.

It guesses only where the kernel's text decides it, and says what it took; otherwise it asks for --launch.
"""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from cudaperf_magic.bench.host.source import Function, Program, text
from cudaperf_magic.bench.inspecting.program import example, kernels_of, parameter_name, walk
from cudaperf_magic.errors import UsageError

THREADS, SIDE = 256, 16
NAMED = 5  # kernels that a sentence lists
INTEGERS = {
    "int", "long", "short", "unsigned", "size_t", "uint", "int32_t", "uint32_t", "int64_t", "uint64_t"
}  # fmt: skip
COMPARISONS = {"<", "<=", ">", ">=", "!="}
PLACES = {
    f"{what}.{axis}": f"{what[0]}{axis}" for what in ("threadIdx", "blockIdx") for axis in "xyz"
}  # threadIdx.x -> tx


def default_launch(program: Program) -> tuple[str, str]:
    """A launch line, and the sentence that says how it came about.

    Raises:
        UsageError: there are several kernels, or the kernel does not say how it is to be launched.
    """
    kernels = kernels_of(program)
    if len(kernels) > 1:
        names = ", ".join([*(k.name for k in kernels[:NAMED]), *(["..."] if len(kernels) > NAMED else [])])
        raise UsageError(f"there are {len(kernels)} kernels ({names}); say what is launched: {_option(kernels[0])}")
    kernel = kernels[0]
    if kernel.template:
        raise UsageError(f"{kernel.name} is a template; say how it is launched: {_option(kernel)}")
    reader = _Reader(kernel)
    shape = reader.shape()
    if shape is None:
        raise UsageError(f"{kernel.name} does not show how it is to be launched; say it: {_option(kernel)}")
    grid, block = shape
    names = ", ".join(parameter_name(node) for node in kernel.parameters)
    line = f"{kernel.name}<<<{grid}, {block}>>>({names})"
    return line, f"launched as {line}, for want of a launch: --launch '...' gives another"


def _option(kernel: Function) -> str:
    return f"--launch '{example(kernel)}'"


class _Reader:
    """What a kernel's text says of its grid: which of its values come from which index, and what bounds them."""

    def __init__(self, kernel: Function) -> None:
        self.kernel = kernel
        self.places: dict[str, frozenset[str]] = {}  # of local variables
        self.integers = [parameter_name(p) for p in kernel.parameters if _is_integer(p)]
        self.bounds: dict[frozenset[str], str] = {}
        self.used: set[str] = set()
        self.walk(kernel.body)

    def walk(self, node: Node | None) -> None:
        for each in walk(node):
            if each.type == "field_expression" and text(each) in PLACES:
                self.used.add(PLACES[text(each)])
            elif each.type == "init_declarator":
                name, value = each.child_by_field_name("declarator"), each.child_by_field_name("value")
                if name is not None and value is not None:
                    self.places[text(name)] = self.origin(value)
            elif each.type == "binary_expression":
                self.compare(each)

    def origin(self, node: Node) -> frozenset[str]:
        """Which indices a value depends on."""
        found: set[str] = set()
        for each in walk(node):
            if each.type == "field_expression" and text(each) in PLACES:
                found.add(PLACES[text(each)])
            elif each.type == "identifier":
                found |= self.places.get(text(each), frozenset())
        return frozenset(found)

    def compare(self, node: Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None or operator is None or text(operator) not in COMPARISONS:
            return
        for index, bound in ((left, right), (right, left)):
            places = self.origin(index)
            if places and self.is_bound(bound):
                self.bounds.setdefault(places, text(bound))

    def is_bound(self, node: Node) -> bool:
        """Integer parameters and numbers, with at least one of the first."""
        leaves = [each for each in walk(node) if not each.named_children]
        names = {text(each) for each in leaves if each.type == "identifier"}
        plain = {"identifier", "number_literal"}
        return bool(names) and names <= set(self.integers) and all(each.type in plain for each in leaves)

    def shape(self) -> tuple[str, str] | None:
        if self.used & {"tz", "bz"} or any(True for _ in self.shared_arrays(is_extern=True)):
            return None
        if self.used & {"ty", "by"}:
            return self.plane()
        threads = self.threads()
        if threads is None:
            return None
        if "bx" not in self.used:
            return "1", str(threads)
        flat = self.bounds.get(frozenset({"tx", "bx"}))
        if flat is not None:
            return f"({flat} + {threads - 1}) / {threads}", str(threads)
        rows = self.bounds.get(frozenset({"bx"}))
        if rows is not None:
            return rows, str(threads)
        if len(self.integers) == 1 and frozenset({"tx"}) not in self.bounds:
            return f"({self.integers[0]} + {threads - 1}) / {threads}", str(threads)
        return ("4", str(threads)) if not self.integers else None

    def plane(self) -> tuple[str, str] | None:
        across, down = (self.bounds.get(frozenset({f"t{axis}", f"b{axis}"})) for axis in "xy")
        if across is None or down is None or any(True for _ in self.shared_arrays()):
            return None
        grid = f"dim3(({across} + {SIDE - 1}) / {SIDE}, ({down} + {SIDE - 1}) / {SIDE})"
        return grid, f"dim3({SIDE}, {SIDE})"

    def threads(self) -> int | None:
        """Of a block: as many as a shared array has elements, where there is one; None when that does not say it."""
        sizes = set()
        for array in self.shared_arrays():
            length = array.child_by_field_name("size")
            inner = array.child_by_field_name("declarator")
            if length is None or inner is None or inner.type == "array_declarator" or not text(length).isdigit():
                return None
            sizes.add(int(text(length)))
        if not sizes:
            return THREADS
        only = sizes.pop()
        return only if not sizes and 32 <= only <= 1024 else None

    def shared_arrays(self, is_extern: bool = False) -> Iterator[Node]:
        for each in walk(self.kernel.body):
            words = {text(child) for child in each.children}
            if each.type == "declaration" and "__shared__" in words and ("extern" in words or not is_extern):
                yield from (child for child in each.named_children if child.type == "array_declarator")


def _is_integer(parameter: Node) -> bool:
    type_ = parameter.child_by_field_name("type")
    declarator = parameter.child_by_field_name("declarator")
    if type_ is None or declarator is None or declarator.type != "identifier":
        return False
    return bool(set(text(type_).split()) & INTEGERS)
