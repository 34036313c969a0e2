"""Program -> one CUDA file: constants, structs, tables, device functions, kernels, and the host function.

It prints; every decision was made before. The host function has the C function's name and parameters, arrays as
device pointers; launches whose grid would be empty are skipped.
"""

from __future__ import annotations

from collections.abc import Mapping

from cudaperf_magic.compiler.analysis.affine import integer, simplify
from cudaperf_magic.compiler.analysis.usage import usage
from cudaperf_magic.compiler.c_printer import (
    Place,
    print_expression,
    print_loop_header,
    print_statements,
    statement_lines,
)
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Cast,
    Const,
    Declare,
    Evaluate,
    Expr,
    Function,
    Load,
    Name,
    Parameter,
    Shared,
    Stmt,
    Symbols,
    Table,
    Unary,
    expressions,
    names_in,
    walk,
    walk_expression,
)
from cudaperf_magic.compiler.lowering.grid import all_of
from cudaperf_magic.compiler.lowering.kernel import Kernel, names_read
from cudaperf_magic.compiler.lowering.lower import lower, symbols_of
from cudaperf_magic.compiler.program import HostIf, HostLoop, HostScalar, Nest, Node, Program, Workspace, walk_nodes

INDENT = "    "
ZERO = Const("0")
MATH_H = {"INFINITY", "NAN"}


def write_cuda(program: Program, orders: Mapping[str, str] | None = None, title: str = "") -> str:
    """The program as CUDA text that compiles with NVRTC and with nvcc."""
    return _Writer(program, orders or {}).text(title)


class _Writer:
    def __init__(self, program: Program, orders: Mapping[str, str]) -> None:
        self.program = program
        self.function = program.function
        self.symbols: Symbols = symbols_of(program)
        self.constants = {name for name, _, _ in self.function.constants}
        host = {p.name for p in self.function.parameters if not p.is_array} | self.constants
        self.nodes = _declared_at_first(program.nodes, self.symbols.types, host)
        host |= _host_scalars(program.nodes) | _host_variables(program.nodes)
        self.kernels = {nest.name: lower(program, nest, orders, host) for nest in program.nests}
        self.tables = {table.name for table in self.function.tables}
        self.waiting = list(program.workspaces)  # not yet allocated by the host function

    # ------------------------------------------------------------------ file

    def text(self, title: str) -> str:
        parts: list[str] = []
        if title:
            parts.append("\n".join(f"// {line}".rstrip() for line in title.splitlines()))
        head = ["#include <math.h>"] if self._names_of_math_h() else []
        head += [f"#define {name} {text}" for name, _, text in self.function.constants]
        if head:
            parts.append("\n".join(head))
        for struct in self.function.structs:
            fields = "".join(f"{INDENT}{kind} {name};\n" for name, kind in struct.fields)
            parts.append(f"struct {struct.name} {{\n{fields}}};")
        parts += [_table(table) for table in self.function.tables]
        host = self._host()
        parts += [self._helper(helper, host) for helper in self.function.helpers]
        snippets = {s.name: s.text.rstrip() for kernel in self.kernels.values() for s in kernel.snippets}
        parts += snippets.values()
        parts += [self._kernel(kernel) for kernel in self.kernels.values()]
        parts.append(host)
        return "\n\n".join(parts) + "\n"

    def _names_of_math_h(self) -> bool:
        """Whether INFINITY or NAN stands anywhere: nvcc knows them unasked, NVRTC with the header."""
        bodies = [helper.body for helper in self.function.helpers] + [kernel.body for kernel in self.kernels.values()]
        bodies.append(tuple(node.statement for node in walk_nodes(self.program.nodes) if isinstance(node, HostScalar)))
        written = (e for body in bodies for statement in walk(body) for e in expressions(statement))
        return any(isinstance(part, Const) and part.text in MATH_H for e in written for part in walk_expression(e))

    def _helper(self, helper: Function, host: str) -> str:
        parameters = ", ".join(f"{p.type} {p.name}" for p in helper.parameters)
        body = print_statements(helper.body, depth=1)
        on_host = "__host__ " if f"{helper.name}(" in host else ""
        return f"{on_host}__device__ {helper.return_type} {helper.name}({parameters}) {{\n{body}}}"

    # --------------------------------------------------------------- kernels

    def _kernel(self, kernel: Kernel) -> str:
        parameters = ",\n".join(f"{INDENT * 2}{self._parameter(name, kernel)}" for name in self._arguments(kernel))
        body = print_statements(kernel.body, self.placer(kernel.body), depth=1)
        one_line = ", ".join(self._parameter(name, kernel) for name in self._arguments(kernel))
        head = f"__global__ void {kernel.name}("
        if len(head) + len(one_line) <= 110:
            return f"{head}{one_line}) {{\n{body}}}"
        return f"{head}\n{parameters}) {{\n{body}}}"

    def _arguments(self, kernel: Kernel) -> list[str]:
        """What the kernel must be given, in the C's order of parameters, the program's own after them."""
        local = {s.name for s in walk(kernel.body) if isinstance(s, (Declare, Shared))}
        wanted = names_read(kernel.body) - self.constants
        arrays = usage(kernel.body).arrays - self.tables - local
        for array in arrays:
            for extent in (self.symbols.shapes.get(array) or ())[1:]:
                wanted |= names_in(extent) - self.constants
        order = [p.name for p in self.function.parameters] + [space.name for space in self.program.workspaces]
        rest = sorted((wanted | arrays) - set(order))
        return [name for name in (*order, *rest) if name in wanted | arrays]

    def _parameter(self, name: str, kernel: Kernel) -> str:
        type = self.symbols.types[name]
        if name not in self.symbols.shapes:
            return f"{type} {name}"
        if name in self._stored(kernel):
            return f"{type} *{name}"
        return f"const {type} *{'__restrict__ ' if kernel.nest.restrict else ''}{name}"

    def _stored(self, kernel: Kernel) -> set[str]:
        """Arrays that the kernel writes, by assignment or by a call for its effect (whose target is under an &)."""
        stores = set(usage(kernel.body).stores)
        for statement in walk(kernel.body):
            if not isinstance(statement, Evaluate):
                continue
            for expression in expressions(statement):
                for part in walk_expression(expression):
                    if isinstance(part, Unary) and part.op == "&" and isinstance(part.operand, Load):
                        stores.add(part.operand.array)
        return stores

    def placer(self, body: tuple[Stmt, ...]) -> Place:
        local = {s.name for s in walk(body) if isinstance(s, (Declare, Shared))} | self.tables

        def place(load: Load) -> str:
            field = f".{load.field}" if load.field else ""
            shape = self.symbols.shapes.get(load.array) or ()
            if load.array in local or len(load.subscripts) == 1:
                inside = "".join(f"[{print_expression(s, place)}]" for s in load.subscripts)
                return f"{load.array}{inside}{field}"
            return f"{load.array}[{print_expression(self._flat(load, shape), place)}]{field}"

        return place

    def _flat(self, load: Load, shape: tuple[Expr, ...]) -> Expr:
        """Row-major index, in 64 bits unless all extents are small numbers."""
        extents = [integer(extent) for extent in shape]
        size = 1
        for extent in extents:
            size *= extent if extent is not None else 1 << 31
        index: Expr = load.subscripts[0]
        if size >= 1 << 31 and index != ZERO:
            index = Cast("size_t", index)
        for subscript, extent_ in zip(load.subscripts[1:], shape[1:], strict=True):
            row = ZERO if index == ZERO else Binary("*", index, extent_)
            index = subscript if row == ZERO else row if subscript == ZERO else Binary("+", row, subscript)
        return index

    # ------------------------------------------------------------------ host

    def _host(self) -> str:
        parameters = ", ".join(self._host_parameter(p) for p in self.function.parameters)
        known = {p.name for p in self.function.parameters} | self.constants
        declared = known | {declare.name for declare in _host_declares(self.nodes)} | _host_variables(self.nodes)
        body = [f"{self.symbols.types[name]} {name};" for name in sorted(_host_scalars(self.nodes) - declared)]
        body += self._sequence(self.nodes, known)
        if self.waiting:
            names = ", ".join(space.name for space in self.waiting)
            raise ValueError(f"{self.function.name}: the host does not know how large {names} must be")
        return "\n".join([f"void {self.function.name}({parameters}) {{", *_indented(body), "}"])

    def _sequence(self, nodes: tuple[Node, ...], known: set[str]) -> list[str]:
        """Nodes in their order; each workspace is allocated as soon as its size is known, and freed at the end."""
        known = set(known)
        lines, freed = self._allocated(known)
        for node in nodes:
            lines += self._node(node, known)
            if isinstance(node, HostScalar):
                known.add(_name_of(node))
                more, to_free = self._allocated(known)
                lines, freed = lines + more, freed + to_free
        return lines + freed

    def _allocated(self, known: set[str]) -> tuple[list[str], list[str]]:
        """The allocations that can be made now, and what will free them."""
        ready = [space for space in self.waiting if all(names_in(extent) <= known for extent in space.shape)]
        self.waiting = [space for space in self.waiting if space not in ready]
        lines = [line for space in ready for line in self._allocate(space)]
        return lines, [f"cudaFree({space.name});" for space in ready]

    def _host_parameter(self, parameter: Parameter) -> str:
        if not parameter.is_array:
            return f"{parameter.type} {parameter.name}"
        written = any(parameter.name in self._stored(kernel) for kernel in self.kernels.values())
        return f"{'' if written else 'const '}{parameter.type} *{parameter.name}"

    def _allocate(self, space: Workspace) -> list[str]:
        size: Expr = Name(f"sizeof({space.type})")
        for extent in space.shape:
            if integer(extent) != 1:
                size = Binary("*", size, extent)
        text = print_expression(size)
        why = f"  // {space.why}" if space.why else ""
        lines = [f"{space.type} *{space.name};{why}", f"cudaMalloc(&{space.name}, {text});"]
        return [*lines, f"cudaMemset({space.name}, 0, {text});"] if space.zeroed else lines

    def _node(self, node: Node, known: set[str]) -> list[str]:
        match node:
            case HostScalar():
                return list(statement_lines((node.statement,)))
            case HostLoop():
                inside = self._sequence(node.body, known | {node.loop.var})
                return [f"{print_loop_header(node.loop)} {{", *_indented(inside), "}"]
            case HostIf():
                then, other = self._sequence(node.then, known), self._sequence(node.other, known)
                tail = ["} else {", *_indented(other), "}"] if other else ["}"]
                return [f"if ({print_expression(node.condition)}) {{", *_indented(then), *tail]
            case Nest():
                return self._launch(self.kernels[node.name])

    def _launch(self, kernel: Kernel) -> list[str]:
        arguments = ", ".join(self._arguments(kernel))
        grid, block = _dim3(kernel.grid), _dim3(tuple(Const(str(width)) for width in kernel.block))
        if kernel.shared_bytes is not None:
            block = f"{block}, {print_expression(kernel.shared_bytes)}"
        call = f"{kernel.name}<<<{grid}, {block}>>>({arguments});"
        lines = [call]
        if len(call) > 110:
            lines = [f"dim3 {kernel.name}_grid({_list(kernel.grid)});"]
            lines.append(f"{kernel.name}<<<{kernel.name}_grid, {block}>>>({arguments});")
        counts = dict.fromkeys(simplify(c) for c in kernel.counts if not (integer(simplify(c)) or 0) > 0)
        condition = all_of(tuple(Binary(">", count, Const("0")) for count in counts))
        if condition is None:
            return lines
        shown = print_expression(condition)
        if len(lines) == 1:
            return [f"if ({shown})", f"{INDENT}{lines[0]}"]
        return [f"if ({shown}) {{", *(f"{INDENT}{line}" for line in lines), "}"]


def _indented(lines: list[str]) -> list[str]:
    return [f"{INDENT}{line}" for line in lines]


def _name_of(node: HostScalar) -> str:
    statement = node.statement
    if isinstance(statement, Declare):
        return statement.name
    return statement.target.name if isinstance(statement.target, Name) else statement.target.array


def _dim3(extents: tuple[Expr, ...]) -> str:
    if len(extents) == 1:
        return print_expression(extents[0])
    return f"dim3({_list(extents)})"


def _list(extents: tuple[Expr, ...]) -> str:
    return ", ".join(print_expression(extent) for extent in extents)


def _table(table: Table) -> str:
    """A constant array in constant memory, all its elements in C's nesting."""
    shape = tuple(Const(str(extent)) for extent in table.shape)
    declaration = Declare(table.name, table.type, shape, table=table.elements)
    return "__constant__ " + print_statements((declaration,)).rstrip()


def _declared_at_first(nodes: tuple[Node, ...], types: Mapping[str, str], known: set[str]) -> tuple[Node, ...]:
    """Scalars that the C declares in one place and sets in another are declared where the host first sets them."""
    seen = known | {declare.name for declare in _host_declares(nodes)} | _host_variables(nodes)
    made: list[Node] = []
    for node in nodes:
        statement = node.statement if isinstance(node, HostScalar) else None
        if isinstance(statement, Assign) and isinstance(statement.target, Name) and not statement.op:
            name = statement.target.name
            if name not in seen and name not in names_in(statement.value):
                node = HostScalar(Declare(name, types[name], init=statement.value, comment=statement.comment))
        seen |= _host_scalars((node,))
        made.append(node)
    return tuple(made)


def _host_declares(nodes: tuple[Node, ...]) -> list[Declare]:
    return [n.statement for n in walk_nodes(nodes) if isinstance(n, HostScalar) and isinstance(n.statement, Declare)]


def _host_scalars(nodes: tuple[Node, ...]) -> set[str]:
    return {_name_of(node) for node in walk_nodes(nodes) if isinstance(node, HostScalar)}


def _host_variables(nodes: tuple[Node, ...]) -> set[str]:
    return {node.loop.var for node in walk_nodes(nodes) if isinstance(node, HostLoop)}
