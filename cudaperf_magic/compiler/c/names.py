"""Unique names (`i#3`) -> the C's own names again, so that one name means one thing in the whole function.

Sibling loops share a variable's name when they agree in type; whatever else collides gets `_2`: with another name, with
a word of CUDA, or with a name that the compiler makes up later (the tile of `A` is `A_tile`). Labels come last.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from cudaperf_magic.compiler.c.builtins import BUILTINS
from cudaperf_magic.compiler.c.raw import Body, all_expressions, map_body, parts, walk, with_parts
from cudaperf_magic.compiler.loops import (
    Assign,
    Declare,
    Expr,
    Load,
    Loop,
    Name,
    Parameter,
    Stmt,
    Table,
    map_expression,
)

# Words of CUDA C++ that C allows as names.
_WORDS = """
alignas alignof and asm auto bitand bitor bool catch char16_t char32_t class compl concept constexpr const_cast
decltype delete dynamic_cast explicit export false friend mutable namespace new noexcept not nullptr operator or
private protected public reinterpret_cast requires static_assert static_cast template this thread_local throw
true try typeid typename using virtual wchar_t xor blockIdx blockDim threadIdx gridDim warpSize INFINITY NAN
"""
# What the host function and the kernels call, and the names that passes over blocks give to what they count.
_CALLED = """
min max dim3 cudaMalloc cudaFree cudaMemset cudaMemcpy atomicAdd atomicMin atomicMax atomicCAS atomicExch
float2 float4 double2 int2 int4 make_float2 make_float4 make_double2 make_int2 make_int4
"""
_COUNTED = "block part block_first block_last per_block"
RESERVED = frozenset(f"{_WORDS} {_CALLED} {_COUNTED}".split()) | frozenset(BUILTINS)
# What moves append to the name of a loop or an array, to name what they make of it.
ENDINGS = (
    "0", "_tile", "_shared", "_block", "_part", "_parts", "_before", "_after", "_start", "_starts", "_totals", "_at",
    "_at0", "_at1", "_at2", "_first", "_point", "_running", "_cell",
)  # fmt: skip


def made_up(bases: Iterable[str], function: str, counters: Iterable[str]) -> set[str]:
    """Those of the C's own names that the compiler may also make up for this function.

    counters: those of the bases that loops count with; only they get a first value of a block, `i0`.
    """
    own, counting = set(bases), set(counters)
    return {name for name in own if name.startswith(f"{function}_kernel")} | {
        name
        for name in own
        for ending in ENDINGS
        if name.endswith(ending) and name.removesuffix(ending) in (counting if ending == "0" else own)
    }


class Names:
    """The readable name of each unique one, in one function."""

    def __init__(self, taken: Iterable[str], types: dict[str, str]) -> None:
        self.readable: dict[str, str] = {}
        self.taken = set(taken) | RESERVED
        self.types = types
        self.loops: dict[str, str] = {}  # readable name of loop variables -> type

    def free(self, base: str) -> str:
        """The base itself, or with the lowest number that makes it new."""
        name, number = base, 2
        while name in self.taken or name in self.loops:
            name, number = f"{base}_{number}", number + 1
        self.taken.add(name)
        return name

    def give(self, unique: str) -> None:
        if "#" not in unique or unique in self.readable:
            return
        base = unique.split("#")[0]
        if base in self.loops and base not in self.taken:
            base = f"{base}_end"
        self.readable[unique] = self.free(base)

    def give_loops(self, body: Body, around: tuple[str, ...] = ()) -> None:
        """Loop variables first: they keep their plain names, shared between loops that are not nested."""
        for statement in body:
            inside = around
            if isinstance(statement, Loop):
                name = self._loop_name(statement, around)
                self.readable[statement.var] = name
                inside = (*around, name)
            for part in parts(statement):
                self.give_loops(part, inside)

    def give_body(self, body: Body) -> None:
        self.give_loops(body)
        for statement in walk(body):
            if isinstance(statement, Declare):
                self.give(statement.name)
            if isinstance(statement, Assign) and isinstance(statement.target, Name):
                self.give(statement.target.name)
        for expression in all_expressions(body):
            if isinstance(expression, (Name, Load)):
                self.give(expression.name if isinstance(expression, Name) else expression.array)

    def _loop_name(self, loop: Loop, around: tuple[str, ...]) -> str:
        base = loop.var.split("#")[0]
        name, number = base, 2
        while name in self.taken or name in around or self.loops.get(name, loop.type) != loop.type:
            name, number = f"{base}_{number}", number + 1
        self.loops[name] = loop.type
        return name

    def of(self, unique: str) -> str:
        return self.readable.get(unique, unique)


def _written_names(body: Body) -> list[str]:
    """Variables that the body declares, counts with or assigns."""
    own: list[str] = []
    for statement in walk(body):
        own += [statement.var] if isinstance(statement, Loop) else []
        own += [statement.name] if isinstance(statement, Declare) else []
        if isinstance(statement, Assign) and isinstance(statement.target, Name):
            own.append(statement.target.name)
    return own


def readable(
    body: Body,
    parameters: list[Parameter],
    tables: list[Table],
    taken: Iterable[str],
    types: dict[str, str],
    function: str,
) -> tuple[tuple[Stmt, ...], tuple[Parameter, ...], tuple[Table, ...]]:
    """The function's parts under readable names, with unique loop labels."""
    own = [*(p.name for p in parameters), *(t.name for t in tables), *_written_names(body)]
    counters = [s.var.split("#")[0] for s in walk(body) if isinstance(s, Loop)]
    names = Names({*taken, *made_up((name.split("#")[0] for name in own), function, counters)}, types)
    for name in (*(p.name for p in parameters), *(t.name for t in tables)):
        names.give(name)
    names.give_body(body)

    def rename(expression: Expr) -> Expr:
        if isinstance(expression, Name):
            return Name(names.of(expression.name))
        if isinstance(expression, Load):
            return replace(expression, array=names.of(expression.array))
        return expression

    def declared(part: Body) -> Body:
        result = []
        for statement in part:
            statement = with_parts(statement, declared)
            if isinstance(statement, Declare):
                statement = replace(statement, name=names.of(statement.name))
            elif isinstance(statement, Loop):
                statement = replace(statement, var=names.of(statement.var))
            result.append(statement)
        return tuple(result)

    new_parameters = tuple(
        replace(
            p,
            name=names.of(p.name),
            given=p.name.split("#")[0],
            shape=None if p.shape is None else tuple(map_expression(e, rename) for e in p.shape),
        )
        for p in parameters
    )
    new_tables = tuple(replace(t, name=names.of(t.name)) for t in tables)
    return _labelled(declared(map_body(body, rename))), new_parameters, new_tables


def _labelled(body: Body) -> tuple[Stmt, ...]:
    seen: dict[str, int] = {}

    def label(part: Body) -> Body:
        result = []
        for statement in part:
            if isinstance(statement, Loop):
                seen[statement.var] = seen.get(statement.var, 0) + 1
                number = seen[statement.var]
                name = statement.var if number == 1 else f"{statement.var}_{number}"
                statement = replace(statement, label=name)
            result.append(with_parts(statement, label))
        return tuple(result)

    return label(body)  # type: ignore[return-value]
