"""Which statements of a host function the device sees, and which of the others compute what those need.

It evaluates nothing: names are followed through declarations, assignments and the addresses that calls are given.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tree_sitter import Node

from cudaperf_magic.bench.host.declared import declared, written_type
from cudaperf_magic.bench.host.scope import Unit
from cudaperf_magic.bench.host.source import Function, Program, text
from cudaperf_magic.bench.host.types import PointerType, StructType
from cudaperf_magic.bench.inspecting.parameters import Parameter
from cudaperf_magic.bench.inspecting.program import called_in, launches_in, walk
from cudaperf_magic.bench.launcher import file_scope

CONTROL = {"if_statement", "for_statement", "while_statement", "do_statement", "compound_statement", "else_clause"}
ALWAYS = {"cudaMemset", "cudaMemsetAsync", "cudaMemset2D", "cudaFuncSetAttribute"}
ON_THE_HOST, PINNED = {"malloc", "calloc"}, {"cudaMallocHost", "cudaHostAlloc"}
FREES = {"cudaFree", "cudaFreeAsync"}
OUTSIDE = {"argc", "argv"}  # the program is run without words of its own


@dataclass
class _Unit:
    """A statement, or the head of a loop or branch whose body has units of its own."""

    node: Node
    head: list[Node]
    defines: set[str] = field(default_factory=set)
    is_kept: bool = False

    @property
    def uses(self) -> set[str]:
        read = (value for node in self.head for value in _read_by(node))
        return {text(each) for node in read for each in walk(node) if each.type == "identifier"}


class Slice:
    """One host function: which of its statements the launches need."""

    def __init__(self, function: Function, program: Program, launching: set[str]) -> None:
        self.function, self.program, self.launching = function, program, launching
        self.device = {
            name
            for call in _calls(function.body)
            if _callee(call).startswith("cudaMalloc") and _callee(call) not in PINNED
            for name in _addressed(call)
        }
        handed = {text(node) for launch in launches_in(function.body) for node in _arguments(launch)}
        self.pinned = {name for c in _calls(function.body) if _callee(c) in PINNED for name in _addressed(c)} & handed
        self.device |= self.pinned  # a kernel may use it, and host code fills it
        self.host = {name for node in walk(function.body) if (name := _made_on_the_host(node))} - self.pinned
        self.strangers = sorted(self.host & handed)  # host memory that a kernel is given
        self.symbols: list[str] = []  # of constant or global memory that the host copies to
        # arrays on the device, with the field of a struct that points to them, or ""
        self.filled: dict[str, str] = dict.fromkeys(sorted(self.pinned), "")
        self.units = list(self.units_of(function.body.named_children)) if function.body is not None else []
        for unit in self.units:
            unit.defines = self.defined_by(unit.head)
        self.settle()

    def units_of(self, nodes: Iterable[Node]) -> Iterator[_Unit]:
        for node in nodes:
            if node.type in CONTROL and self.is_essential(node):
                inner = [child for child in node.named_children if child.type.endswith(("statement", "else_clause"))]
                is_block = node.type in ("compound_statement", "else_clause")
                yield _Unit(node, [] if is_block else [child for child in node.named_children if child not in inner])
                yield from self.units_of(node.named_children if is_block else inner)
            elif node.type != "comment":
                yield _Unit(node, [node])

    def is_essential(self, node: Node) -> bool:
        """Whether the device sees it: a launch, a fill, a copy on the device, or a function that makes one."""
        if any(True for _ in launches_in(node)) or self.launching & called_in(node):
            return True
        calls = list(_calls(node))
        if any(_callee(c) in FREES and _base(_arguments(c)[0]) in self.device for c in calls if _arguments(c)):
            return True
        return any(_callee(c) in ALWAYS or (_callee(c).startswith("cudaMemcpy") and self.stays(c)) for c in calls)

    def stays(self, copy: Node) -> bool:
        """Whether a copy goes from device to device; what comes from the host fills its target."""
        if "Symbol" in _callee(copy):
            self.symbols += [_base(copy.children[-1])] if "ToSymbol" in _callee(copy) else []
            return False
        arguments = _arguments(copy)
        names = [_base(node) for node in arguments[:2]]
        kind = text(arguments[-1]) if arguments else ""
        if "HostToDevice" in kind or (len(names) == 2 and names[0] in self.device and names[1] not in self.device):
            fields = [text(each) for each in walk(arguments[0]) if each.type == "field_identifier"]
            self.filled[names[0]] = fields[-1] if fields else ""
            return False
        return "DeviceToHost" not in kind and set(names) <= self.device

    def defined_by(self, nodes: Iterable[Node]) -> set[str]:
        """Names that get a value here. Elements of device memory count as filled instead."""
        found: set[str] = set()
        for node in nodes:
            if OUTSIDE & {text(each) for each in walk(node) if each.type == "identifier"} and node.type in CONTROL:
                continue
            inside = [each for each in walk(node) if node.type in CONTROL and each.type == "declaration"]
            own = {_declared(child) for each in inside for child in each.children_by_field_name("declarator")}
            for each in walk(node):
                found |= self.defined_at(each) - own
        return found

    def defined_at(self, node: Node) -> set[str]:
        if node.type == "declaration":
            return {_declared(child) for child in node.children_by_field_name("declarator")}
        if node.type in ("assignment_expression", "update_expression"):
            target = node.child_by_field_name("left") or node.child_by_field_name("argument")
            name = _base(target) if target is not None else ""
            if target is not None and _is_through_pointer(target) and name in self.device:
                self.filled.setdefault(name, "")
                return set()
            return {name} if name not in self.host or (target is not None and target.type == "identifier") else set()
        if node.type != "call_expression":
            return set()
        own = self.program.functions.get(_callee(node), [])
        if any(f.is_host and not f.is_kernel for f in own) and _callee(node) not in self.launching:
            for argument in _arguments(node):
                if _base(argument) in self.device:
                    self.filled.setdefault(_base(argument), "")
        return set(_addressed(node))

    def choices(self) -> Iterator[tuple[Node, str]]:
        """`argc > 1 ? atoi(argv[1]) : 1024` is 1024: the program is run without words of its own."""
        for node in walk(self.function.body):
            other = node.child_by_field_name("alternative") if node.type == "conditional_expression" else None
            condition = node.child_by_field_name("condition")
            if other is not None and OUTSIDE & {text(each) for each in walk(condition)}:
                yield node, text(other)

    def settle(self) -> None:
        """Keeps what the device sees, and whatever computes a name that something kept uses."""
        gives_back = self.function.name != "main"
        for unit in self.units:
            is_return = gives_back and unit.node.type == "return_statement"
            unit.is_kept = is_return or self.is_essential(unit.node)
        needed: set[str] = set()
        is_growing = True
        while is_growing:
            needed |= {name for unit in self.units if unit.is_kept for name in unit.uses}
            more = [unit for unit in self.units if not unit.is_kept and unit.defines & needed]
            for unit in more:
                unit.is_kept = True
            is_growing = bool(more)

    def dropped(self) -> list[Node]:
        return [unit.node for unit in self.units if not unit.is_kept]

    def host_arrays(self) -> Iterator[tuple[Node, str]]:
        """Allocations of host memory in what is kept, and what stands for them."""
        kept = [node for unit in self.units if unit.is_kept for head in unit.head for node in walk(head)]
        for node in kept:
            if node.type == "new_expression" or (node.type == "call_expression" and _callee(node) in ON_THE_HOST):
                yield node, "0"
            elif node.type == "call_expression" and _callee(node) in PINNED:
                name = next(_addressed(node), "")
                made = ", ".join(text(part) for part in _arguments(node)[:2])
                yield node, f"cudaMalloc({made})" if name in self.pinned else f"{name} = 0" if name else "0"

    def parameters(self) -> Iterator[Parameter]:
        """The filled arrays, typed as they are declared."""
        scope = file_scope(Unit(self.program))
        for node in walk(self.function.body):
            for child in node.children_by_field_name("declarator") if node.type == "declaration" else ():
                name = _declared(child)
                if name in self.device and name in self.filled:
                    plain = child.child_by_field_name("declarator") if child.type == "init_declarator" else child
                    type_ = declared(plain, written_type(node, scope), scope).type
                    if isinstance(type_, StructType):
                        type_ = next((f.type for f in type_.fields if f.name == self.filled[name]), type_)
                    if isinstance(type_, PointerType):
                        yield Parameter(name, type_)


def _calls(node: Node | None) -> Iterator[Node]:
    return (each for each in walk(node) if each.type == "call_expression")


def _callee(call: Node) -> str:
    function = call.child_by_field_name("function")
    return text(function).split("<")[0] if function is not None else ""


def _arguments(call: Node) -> list[Node]:
    listed = call.child_by_field_name("arguments")
    return [child for child in listed.named_children if child.type != "comment"] if listed is not None else []


def _made_on_the_host(node: Node) -> str:
    """The variable that host memory is allocated for here, or ""."""
    if node.type in ("init_declarator", "assignment_expression"):
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        for each in walk(value):
            if each.type == "new_expression" or (each.type == "call_expression" and _callee(each) in ON_THE_HOST):
                return _base(node)
    is_pinned = node.type == "call_expression" and _callee(node) in PINNED
    return next(_addressed(node), "") if is_pinned else ""


def _addressed(call: Node) -> Iterator[str]:
    """Variables whose address is passed: `&p`, `(void **)&p`."""
    for argument in _arguments(call):
        for each in walk(argument):
            if each.type == "pointer_expression" and text(each).startswith("&"):
                yield _base(each)


def _base(node: Node) -> str:
    """The variable that an expression is about: x of `&x[3]`, `(float *)x + 1`, `x.y`."""
    return next((text(each) for each in walk(node) if each.type == "identifier"), "")


def _is_through_pointer(target: Node) -> bool:
    """Whether an assignment goes to what a pointer points to, and not to a variable or its field."""
    return any(
        each.type in ("subscript_expression", "pointer_expression")
        or (each.type == "field_expression" and "->" in text(each))
        for each in walk(target)
    )


def _declared(node: Node) -> str:
    if node.type == "init_declarator":
        inner = node.child_by_field_name("declarator")
        return _declared(inner) if inner is not None else ""
    return _base(node)


def _read_by(node: Node) -> list[Node]:
    """Of a declaration its initial values and array sizes, not the names that it declares; else the whole."""
    if node.type != "declaration":
        return [node]
    found = []
    for child in node.children_by_field_name("declarator"):
        inner: Node | None = child
        while inner is not None:
            found += [part for field_ in ("value", "size", "parameters") if (part := inner.child_by_field_name(field_))]
            inner = inner.child_by_field_name("declarator")
    return found
