"""Calls: library functions that stay calls, helpers, functions that are inlined, memset and memcpy as loops.

Each call that cannot be taken is refused with its reason. Inlining itself is c_inline.py's.
"""

from __future__ import annotations

import difflib
from dataclasses import replace

from pycparser import c_ast

from cudaperf_magic.compiler.c import fold as c_fold
from cudaperf_magic.compiler.c import globals as c_globals
from cudaperf_magic.compiler.c import places as c_places
from cudaperf_magic.compiler.c.builtins import BUILTINS, MEMORY, REFUSED
from cudaperf_magic.compiler.c.raw import RawLoop
from cudaperf_magic.compiler.c.scope import Element, PointerValue, Scopes, Value
from cudaperf_magic.compiler.c.syntax import where
from cudaperf_magic.compiler.c.types import FLOATS, Scalar
from cudaperf_magic.compiler.loops import Assign, Binary, Call, Cast, Const, Declare, Expr, Load, Name
from cudaperf_magic.errors import TaskError


def call(s: Scopes, node: c_ast.FuncCall) -> Value:
    """The value of a call; a void one gives 0, which nobody reads."""
    line = where(node).line
    if not isinstance(node.name, c_ast.ID) or s.find(node.name.name) is not None:
        raise TaskError("calls through function pointers cannot be translated; call the function by name", line)
    name = str(node.name.name)
    arguments = list(node.args.exprs) if node.args is not None else []
    if name in s.program.functions:
        return _own(s, name, arguments, line)
    if name in MEMORY:
        return _memory(s, name, arguments, line)
    if name in BUILTINS:
        return _library(s, name, arguments, line)
    if name in REFUSED or name.startswith(("omp_", "pthread_")):
        reason = REFUSED.get(name, "threads are the translator's matter; remove the call")
        raise TaskError(f"{name} cannot be called here: {reason}", line)
    if name in s.program.prototypes:
        raise TaskError(f"{name} is declared but its body is not here; paste its definition above", line)
    near = difflib.get_close_matches(name, [*s.program.functions, *BUILTINS], 1)
    guess = f"did you mean {near[0]}?" if near else "define it above"
    raise TaskError(f"the function {name} is not defined here; {guess}", line)


def _own(s: Scopes, name: str, arguments: list[c_ast.Node], line: int | None) -> Value:
    function = s.program.functions[name]
    declared = function.decl.type.args
    wanted = 0 if declared is None else sum(1 for p in declared.params if not _is_void(p))
    if wanted != len(arguments):
        raise TaskError(f"{name} takes {wanted} arguments, not {len(arguments)}", line)
    if not s.program.is_pure(name):
        return s.grammar.inline(s, function, arguments, line)
    values = tuple(s.rvalue(a) for a in arguments)
    if name not in s.program.uses.helpers:
        s.program.uses.helpers[name] = s.grammar.helper(s.program, s.comments, name)
    return Call(name, values)


def _is_void(parameter: c_ast.Node) -> bool:
    kind = getattr(getattr(parameter, "type", None), "type", None)
    return isinstance(kind, c_ast.IdentifierType) and kind.names == ["void"] and parameter.name is None


def _library(s: Scopes, name: str, arguments: list[c_ast.Node], line: int | None) -> Expr:
    """A function of <math.h>; arguments are cast where a C++ overload would be chosen by their type instead."""
    wanted, _ = BUILTINS[name]
    if len(arguments) != len(wanted):
        raise TaskError(f"{name} takes {len(wanted)} arguments, not {len(arguments)}", line)
    return Call(name, tuple(_as(s, s.rvalue(a), kind) for a, kind in zip(arguments, wanted, strict=True)))


def _as(s: Scopes, argument: Expr, kind: str) -> Expr:
    own = s.type_of(argument)
    if kind == "generic" or own == kind:
        return argument
    number = c_fold.integer(argument)
    if number is not None and kind in FLOATS:
        return Const(f"{number}.0{'f' if kind == 'float' else ''}", kind)
    return Cast(kind, argument)


# --------------------------------------------------------------------- memory


def _memory(s: Scopes, name: str, arguments: list[c_ast.Node], line: int | None) -> Expr:
    """memset, memcpy, memmove as a loop over elements."""
    if len(arguments) != 3:
        raise TaskError(f"{name} takes 3 arguments, not {len(arguments)}", line)
    target = _array(s, name, arguments[0], line)
    if target.array.is_const:
        raise TaskError(f"{target.array.name.split('#')[0]} is const and cannot be written", line)
    source = None if name == "memset" else _array(s, name, arguments[1], line)
    if source is not None and (source.array.name == target.array.name and name == "memmove"):
        raise TaskError("memmove within one array cannot be translated; write the loop in the right direction", line)
    if source is not None and source.array.element != target.array.element:
        raise TaskError(f"{name} between arrays of different types cannot be translated", line)
    size = s.program.types.size_of(target.array.element, line) or 1
    count = _count(s, arguments[2], size)
    extents = _extents(s, target, source, count, name, line)
    fill = None
    if source is None:
        fill = _fill_value(s, target, arguments[1], line)
    _loops(s, target, source, fill, extents, line)
    return c_fold.ZERO


def _array(s: Scopes, name: str, node: c_ast.Node, line: int | None) -> PointerValue:
    if isinstance(node, c_ast.Cast):
        node = node.expr
    found = c_places.pointer(s, node)
    if not isinstance(found, PointerValue):
        raise TaskError(f"{name} of a single variable cannot be translated; assign to it", line)
    prefix = tuple(c_places.settled(s, e, "base") for e in found.prefix)
    return replace(found, prefix=prefix, offset=c_places.settled(s, found.offset, "base"))


def _count(s: Scopes, node: c_ast.Node, size: int) -> Expr:
    """Elements in a number of bytes: a factor sizeof is struck out."""
    total = s.rvalue(node)
    factors = _factors(total)
    for at, factor in enumerate(factors):
        number = factor.value if isinstance(factor, Const) else None
        if isinstance(number, int) and number % size == 0 and number > 0:
            rest = [*factors[:at], *([Const(str(number // size))] if number != size else []), *factors[at + 1 :]]
            product: Expr = rest[0] if rest else c_fold.ONE
            for more in rest[1:]:
                product = c_fold.times(product, more)
            return product
    return total if size == 1 else Binary("/", total, Const(str(size)))


def _factors(expression: Expr) -> list[Expr]:
    if isinstance(expression, Binary) and expression.op == "*":
        return [*_factors(expression.left), *_factors(expression.right)]
    if isinstance(expression, Cast) and expression.type in ("unsigned long", "long"):
        return _factors(expression.operand)
    return [expression]


def _extents(
    s: Scopes, target: PointerValue, source: PointerValue | None, count: Expr, name: str, line: int | None
) -> tuple[Expr, ...]:
    """One loop for a run of elements; one for each dimension when whole rows of a matrix are meant."""
    below = () if target.array.dims is None else target.below
    other = below if source is None or source.array.dims is None else source.below
    if not below and not other:
        return (count,)
    rest = _factors(count)
    for extent in below:
        number = c_fold.evaluate(extent, s.program.constant_values)
        for at, factor in enumerate(rest):
            if factor == extent or (number and c_fold.evaluate(factor, s.program.constant_values) == number):
                rest.pop(at)
                break
        else:
            whole = c_fold.evaluate(count, s.program.constant_values)
            if isinstance(whole, int) and number and whole % int(number) == 0:
                count = Const(str(whole // int(number)))
                rest = [count]
                continue
            raise TaskError(f"{name} does not cover whole rows of the matrix; write the loops", line)
    if below != other:
        raise TaskError(f"{name} between arrays of different shapes cannot be translated; write the loops", line)
    first: Expr = rest[0] if rest else c_fold.ONE
    for more in rest[1:]:
        first = c_fold.times(first, more)
    return (first, *below)


def _fill_value(s: Scopes, target: PointerValue, node: c_ast.Node, line: int | None) -> Expr:
    value = s.rvalue(node)
    number = c_fold.evaluate(value, s.program.constant_values)
    kind = target.array.element
    if isinstance(kind, Scalar) and kind.name in ("char", "signed char", "unsigned char"):
        return value
    if number == 0:
        return c_globals.zero(kind.name) if isinstance(kind, Scalar) else c_fold.ZERO
    if number in (-1, 255) and isinstance(kind, Scalar) and kind.name not in (*FLOATS, "bool"):
        return Const("-1")
    raise TaskError("memset of anything but bytes to a value other than 0 cannot be translated; write the loop", line)


def _loops(
    s: Scopes,
    target: PointerValue,
    source: PointerValue | None,
    fill: Expr | None,
    extents: tuple[Expr, ...],
    line: int | None,
) -> None:
    kinds = ["unsigned long" if "long" in s.type_of(e) else "int" for e in extents]
    names = [s.unique("k") for _ in extents]
    for name, kind in zip(names, kinds, strict=True):
        s.types[name] = kind
    with s.capture() as body:
        for to, value in _pairs(s, target, source, fill, names, line):
            s.assign(to, value)
    for name, kind, extent in reversed(list(zip(names, kinds, extents, strict=True))):
        init = (Declare(name, kind, init=c_fold.ZERO),)
        step = (Assign(Name(name), "+", c_fold.ONE),)
        test = Binary("<", Name(name), extent)
        body = [RawLoop(init, (), test, (), tuple(body), step, line=line or 0)]
    s.out.extend(body)


def _pairs(
    s: Scopes,
    target: PointerValue,
    source: PointerValue | None,
    fill: Expr | None,
    names: list[str],
    line: int | None,
) -> list[tuple[Load, Expr]]:
    """(place, value) for each leaf of one element."""

    def element(pointer: PointerValue) -> list[Expr]:
        found: PointerValue | Element = pointer
        for name in names:
            if isinstance(found, PointerValue):
                found = found.at(Name(name))
        if not isinstance(found, Element):
            raise TaskError("the rows of this matrix are not whole; write the loops", line)
        return [found.load] if isinstance(found.type, Scalar) else [e for _, e in c_places.leaf_values(s, found, line)]

    places = [place for place in element(target) if isinstance(place, Load)]
    values = element(source) if source is not None else [fill or c_fold.ZERO] * len(places)
    return list(zip(places, values, strict=True))
