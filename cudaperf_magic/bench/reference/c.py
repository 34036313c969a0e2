"""IR -> one C translation unit that runs the function with every access, division, shift and conversion watched.

Printed twice: narrow (the person's own types: must agree with the person's C, and finds what that C does wrong) and
wide (each floating type one class wider: the oracle's values, and samples of rounding noise). It prints;
reference_build.py compiles, reference_run.py runs. reference_runtime.h stands in front and explains the watching.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from cudaperf_magic.bench.reference import types
from cudaperf_magic.bench.reference.expressions import SPELLED, Expressions, Scope, leaves
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Break,
    Comment,
    Const,
    Continue,
    Declare,
    Function,
    If,
    Loop,
    Name,
    Parameter,
    Return,
    Stmt,
    Struct,
    Symbols,
    Table,
    While,
)

RUNTIME = Path(__file__).with_name("reference_runtime.h")


@dataclass(frozen=True)
class Printed:
    """`names[k]` is the variable that a report's `name` k means."""

    text: str
    names: tuple[str, ...]


def reference_c(function: Function, *, wide: bool) -> Printed:
    """The whole translation unit; its entry is `int cp_run(data, shadow, extents, options, report)`.

    `data` holds one pointer for each parameter in order, then one for the returned value; `shadow` one for each
    (a byte for each leaf field of each element); `extents` every dimension of every array parameter, in order.
    """
    scope = Scope(function, wide)
    parts = [f"#define CP_WIDE {int(wide)}", RUNTIME.read_text()]
    parts += [struct_text(struct) for struct in structs_in_order(function)]
    parts += [f"#define v_{name} ({scope.constant(kind, text)})" for name, kind, text in constants_of(function)]
    parts += [_parameter(parameter) for parameter in function.parameters]
    parts += [table_text(table, scope) for table in tables_of(function)]
    bodies = [Body(scope, helper, is_entry=False).text for helper in function.helpers]
    bodies.append(Body(scope, function, is_entry=True).text)
    parts += [f"static cp_slot cp_slot_{k};" for k in range(scope.slots)]
    parts += [f"{head_of(helper, is_entry=False)};" for helper in function.helpers]
    return Printed("\n".join([*parts, *bodies, _run(function)]) + "\n", tuple(scope.names))


# ------------------------------------------------------------------ file scope


def structs_in_order(function: Function) -> list[Struct]:
    """Those that hold others after those they hold."""
    known = {struct.name: struct for struct in function.structs}
    done: dict[str, Struct] = {}

    def visit(name: str) -> None:
        if name in known and name not in done:
            for _, kind in known[name].fields:
                visit(kind)
            done[name] = known[name]

    for name in known:
        visit(name)
    return list(done.values())


def struct_text(struct: Struct) -> str:
    fields = " ".join(f"{SPELLED.get(kind, 's_' + kind)} f_{name};" for name, kind in struct.fields)
    return f"typedef struct {{ {fields} }} s_{struct.name};"


def constants_of(function: Function) -> list[tuple[str, str, str]]:
    found = {name: (name, kind, text) for part in (*function.helpers, function) for name, kind, text in part.constants}
    return list(found.values())


def tables_of(function: Function) -> list[Table]:
    return list({table.name: table for part in (*function.helpers, function) for table in part.tables}.values())


def _parameter(parameter: Parameter) -> str:
    kind = SPELLED.get(parameter.type, "s_" + parameter.type)
    if not parameter.is_array:
        return f"static {kind} v_{parameter.name};"
    rank = len(parameter.shape or ())
    extents = "".join(f" static int64_t v_{parameter.name}__d{d};" for d in range(rank))
    return f"static {kind} *v_{parameter.name}; static unsigned char *v_{parameter.name}__s;{extents}"


def table_text(table: Table, scope: Scope) -> str:
    expressions = Expressions(scope, Symbols(types=dict(scope.file_types)))
    cells = [expressions.converted(element, table.type) for element in table.elements]
    size = 1
    for extent in table.shape:
        size *= extent
    extents = "".join(f" enum {{ v_{table.name}__d{d} = {extent} }};" for d, extent in enumerate(table.shape))
    kind = SPELLED[table.type]
    # Filled when a run begins: in C a converting call is no constant expression.
    fill = " ".join(f"v_{table.name}[{k}] = {cell};" for k, cell in enumerate(cells))
    return (
        f"static {kind} v_{table.name}[{max(size, 1)}];{extents}\nstatic void cp_fill_{table.name}(void) {{ {fill} }}"
    )


def head_of(function: Function, *, is_entry: bool) -> str:
    kind = SPELLED.get(function.return_type, "void")
    if is_entry:
        return f"static {kind} f_{function.name}(void)"
    inside = ", ".join(f"{SPELLED[p.type]} v_{p.name}" for p in function.parameters) or "void"
    return f"static {kind} f_{function.name}({inside})"


def _run(function: Function) -> str:
    lines = [
        "int cp_run(void **data, unsigned char **shadow, const int64_t *extents, const cp_options *how,",
        "           cp_report *report) {",
        "    memset(&cp, 0, sizeof cp);",
        "    cp_how = *how;",
        "    cp_left = how->budget;",
        "#if CP_WIDE",
        "    cp_state = how->seed | 1;",
        "#endif",
    ]
    lines += [f"    cp_fill_{table.name}();" for table in tables_of(function)]
    dimension = 0
    for place, parameter in enumerate(function.parameters):
        kind = SPELLED.get(parameter.type, "s_" + parameter.type)
        name = f"v_{parameter.name}"
        if not parameter.is_array:
            lines.append(f"    {name} = *({kind} *)data[{place}];")
            continue
        lines.append(f"    {name} = data[{place}]; {name}__s = shadow[{place}];")
        for d in range(len(parameter.shape or ())):
            lines.append(f"    {name}__d{d} = extents[{dimension}];")
            dimension += 1
    call = f"f_{function.name}()"
    if function.return_type != "void":
        call = f"*({SPELLED[function.return_type]} *)data[{len(function.parameters)}] = {call}"
    lines.append(f"    if (!setjmp(cp_out)) {{ {call}; }}")
    for place, parameter in enumerate(function.parameters):
        if parameter.is_global and not parameter.is_array:
            lines.append(f"    *({SPELLED[parameter.type]} *)data[{place}] = v_{parameter.name};")
    lines += ["    cp.steps = how->budget - cp_left;", "    *report = cp;", "    return (int)cp.kind;", "}"]
    return "\n".join(lines)


def _runs_down_to_zero(loop: Loop) -> bool:
    return loop.step < 0 and loop.type.startswith("unsigned") and loop.stop == Const("-1")


# ------------------------------------------------------------------ statements


class Body:
    """One function's statements. Holds which names are watched; the expressions are printed by Expressions."""

    def __init__(self, scope: Scope, function: Function, *, is_entry: bool) -> None:
        self.scope = scope
        self.function = function
        self.is_entry = is_entry
        symbols = Symbols.of(function)
        if not is_entry:
            for name, kind in scope.file_types.items():
                symbols.types.setdefault(name, kind)
            for name, shape in scope.file_shapes.items():
                symbols.shapes.setdefault(name, shape)
        self.expressions = Expressions(scope, symbols)
        self.temporaries = 0

    @cached_property
    def text(self) -> str:
        inside = "\n".join(self._statements(self.function.body))
        end = "return 0; }" if self.function.return_type != "void" else "}"
        return f"{self.head} {{\n{inside}\n{end}"

    @property
    def head(self) -> str:
        return head_of(self.function, is_entry=self.is_entry)

    def _statements(self, statements: tuple[Stmt, ...]) -> Iterator[str]:
        for statement in statements:
            self.expressions.line = getattr(statement, "line", 0) or self.expressions.line
            yield from self._statement(statement)

    def _statement(self, statement: Stmt) -> Iterator[str]:
        match statement:
            case Declare():
                yield from self._declare(statement)
            case Assign():
                yield self._assign(statement)
            case Loop():
                yield from self._loop(statement)
            case While():
                yield from self._while(statement)
            case If():
                yield f"if ({self.expressions.text(statement.condition)}) {{"
                yield from self._statements(statement.then)
                yield "} else {"
                yield from self._statements(statement.other)
                yield "}"
            case Break():
                yield "break;"
            case Continue():
                yield "continue;"
            case Return(value):
                kind = self.function.return_type
                yield "return;" if value is None else f"return {self.expressions.converted(value, kind)};"
            case Comment():
                pass
            case _:
                raise TypeError(f"{type(statement).__name__} stands in kernels, not in a person's C")

    def _declare(self, declare: Declare) -> Iterator[str]:
        kind, name = SPELLED.get(declare.type, "s_" + declare.type), f"v_{declare.name}"
        if declare.shape:
            yield from self._local_array(declare, kind, name)
        elif declare.init is not None:
            self.expressions.unset.discard(declare.name)
            yield f"{kind} {name} = {self.expressions.converted(declare.init, declare.type)};"
        else:
            self.expressions.unset.add(declare.name)
            yield f"{kind} {name} = 0; int {name}__set = 0;"

    def _local_array(self, declare: Declare, kind: str, name: str) -> Iterator[str]:
        slot, line = f"cp_slot_{self.scope.new_slot()}", self.expressions.line
        for d, extent in enumerate(declare.shape):
            yield f"const int64_t {name}__d{d} = {self.expressions.converted(extent, 'long')};"
        size = " * ".join(f"{name}__d{d}" for d in range(len(declare.shape)))
        fields = len(leaves(self.scope.function, declare.type))
        yield f"cp_local(&{slot}, {line}, {self.scope.number(declare.name)}, {size} * {fields}, sizeof({kind}));"
        yield f"{kind} *{name} = {slot}.data; unsigned char *{name}__s = {slot}.shadow; (void){name}__s;"
        if declare.table:
            yield f"memset({name}, 0, (size_t)({size}) * sizeof({kind}));"
            yield f"memset({name}__s, CP_READY, (size_t)({size}));"
            for k, element in enumerate(declare.table):
                yield f"{name}[{k}] = {self.expressions.converted(element, declare.type)};"

    def _assign(self, assign: Assign) -> str:
        value = Binary(assign.op, assign.target, assign.value) if assign.op else assign.value
        if isinstance(assign.target, Name):
            name = assign.target.name
            kind = self.expressions.symbols.types[name]
            is_set = f" v_{name}__set = 1;" if name in self.expressions.unset else ""
            return f"v_{name} = {self.expressions.converted(value, kind)};{is_set}"
        kind = self.expressions.type_of(assign.target)
        cell, place, shadow = self.expressions.place(assign.target)
        mark = f" cp_wrote({shadow}, cp_cell);" if shadow else ""
        text = self.expressions.converted(value, kind)
        return f"{{ {SPELLED[kind]} cp_value = {text}; int64_t cp_cell = {cell};{mark} {place} = cp_value; }}"

    def _loop(self, loop: Loop) -> Iterator[str]:
        self.temporaries += 1
        yield from self._downward(loop) if _runs_down_to_zero(loop) else self._upward(loop)
        self.expressions.counters.append(loop.var)
        yield from self._statements(loop.body)
        self.expressions.counters.pop()
        yield "} }"

    def _downward(self, loop: Loop) -> Iterator[str]:
        """An unsigned variable is never below zero: the turns are counted instead."""
        kind, step, k = SPELLED[loop.type], -loop.step, self.temporaries
        first = self.expressions.converted(Binary("+", loop.start, Const("1")), loop.type)
        yield f"{{ const {kind} cp_first_{k} = {first}; {kind} cp_turns_{k} = cp_first_{k} / {step};"
        yield f"cp_turns_{k} += cp_first_{k} % {step} != 0;"
        yield (
            f"for ({kind} v_{loop.var} = cp_first_{k} - 1; cp_turns_{k} > 0; cp_turns_{k}--, v_{loop.var} -= {step}) "
            f"{{ cp_step({self.expressions.line});"
        )

    def _upward(self, loop: Loop) -> Iterator[str]:
        stop, line, var = f"cp_stop_{self.temporaries}", self.expressions.line, f"v_{loop.var}"
        stop_kind = types.promoted(self.expressions.type_of(loop.stop))
        compared = SPELLED[types.common(loop.type, stop_kind)]
        start = self.expressions.converted(loop.start, loop.type)
        sign = "<" if loop.step > 0 else ">"
        yield f"{{ const {SPELLED[stop_kind]} {stop} = {self.expressions.converted(loop.stop, stop_kind)};"
        yield (
            f"for ({SPELLED[loop.type]} {var} = {start}; ({compared}){var} {sign} ({compared}){stop}; "
            f"{var} += {loop.step}) {{ cp_step({line});"
        )

    def _while(self, loop: While) -> Iterator[str]:
        line = self.expressions.line
        if loop.is_do:
            yield f"do {{ cp_step({line});"
            yield from self._statements(loop.body)
            self.expressions.line = line
            yield f"}} while ({self.expressions.text(loop.condition)});"
        else:
            yield f"while ({self.expressions.text(loop.condition)}) {{ cp_step({line});"
            yield from self._statements(loop.body)
            yield "}"
