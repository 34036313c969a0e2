"""C loops -> RawLoops. A loop that exchanges pointers (double buffers) gets one copy of its body for each arrangement.

Which loops are counted is decided afterwards, by c_counted.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pycparser import c_ast

from cudaperf_magic.compiler.c import declare as c_declare
from cudaperf_magic.compiler.c import expressions as c_expressions
from cudaperf_magic.compiler.c import fold as c_fold
from cudaperf_magic.compiler.c import program as c_program
from cudaperf_magic.compiler.c.comments import Comments
from cudaperf_magic.compiler.c.raw import AnyStmt, Body, RawLoop, leaves_here, walk
from cudaperf_magic.compiler.c.scope import UNKNOWN, Pointers, ScalarSymbol, Scopes, Split
from cudaperf_magic.compiler.c.syntax import where
from cudaperf_magic.compiler.loops import Assign, Binary, Break, Const, Continue, Declare, Expr, If, Name, Return
from cudaperf_magic.errors import TaskError

MOST_FIELDS = 16  # elements of an array inside a struct that a loop is written out for
MOST_ARRANGEMENTS = 4  # of pointers that a loop exchanges in a circle
ReadStatement = Callable[[Scopes, c_ast.Node], None]


@dataclass
class Parts:
    """One reading of a loop's condition, body and step."""

    before: Body
    condition: Expr
    after: Body
    body: Body
    next: Body


def read_loop(s: Scopes, node: c_ast.For | c_ast.While | c_ast.DoWhile, read: ReadStatement) -> None:
    line = where(node).line
    values = _struct_array_indices(s, node) if isinstance(node, c_ast.For) else None
    if values is not None:
        _unroll(s, node, *values, read)
        return
    with s.scope():
        with s.capture() as init:
            if isinstance(node, c_ast.For) and node.init is not None:
                for item in node.init.decls if isinstance(node.init, c_ast.DeclList) else [node.init]:
                    if isinstance(item, c_ast.Decl):
                        c_declare.declare(s, item)
                    else:
                        s.value(item)
                    s.flush()
        steady = _steady_names(s, node)
        s.steady.extend(steady)
        parts, more_init = _read_settled(s, node, read, line)
        del s.steady[len(s.steady) - len(steady) :]
    loop = RawLoop(
        (*init, *more_init), parts.before, parts.condition, parts.after, parts.body, parts.next,
        isinstance(node, c_ast.DoWhile), line or 0,
    )  # fmt: skip
    if _is_endless(loop):
        raise TaskError("this loop never ends; give it a condition, a break or a return", line)
    if loop.is_do and _runs_once(loop):
        s.out.extend(loop.body)
        return
    s.emit(loop)


# ------------------------------------------------------- arrays inside structs


def _struct_array_indices(s: Scopes, node: c_ast.For) -> tuple[str, range] | None:
    """The range of `for (int k = 0; k < 3; k++)` whose body has `p.pos[k]`: the fields of a struct have names, not
    subscripts, so such a loop is written out."""
    declaration = node.init.decls[0] if isinstance(node.init, c_ast.DeclList) and len(node.init.decls) == 1 else None
    test, step = node.cond, node.next
    if not isinstance(declaration, c_ast.Decl) or declaration.init is None or not isinstance(test, c_ast.BinaryOp):
        return None
    name = declaration.name
    if not any(
        isinstance(part, c_ast.ArrayRef)
        and _is_in_struct(part)
        and any(isinstance(inner, c_ast.ID) and inner.name == name for inner in c_program.walk_ast(part.subscript))
        for part in c_program.walk_ast(node.stmt)
    ):
        return None
    is_up = isinstance(step, c_ast.UnaryOp) and step.op in ("p++", "++") and c_program.root_name(step.expr) == name
    jumps = any(isinstance(part, (c_ast.Break, c_ast.Continue)) for part in c_program.walk_ast(node.stmt))
    if not is_up or jumps or test.op not in ("<", "<=") or c_program.root_name(test.left) != name:
        return None
    with s.capture() as effects:
        first = c_fold.evaluate(s.rvalue(declaration.init), s.program.constant_values)
        last = c_fold.evaluate(s.rvalue(test.right), s.program.constant_values)
    if effects or not isinstance(first, int) or not isinstance(last, int):
        return None
    values = range(first, last + (test.op == "<="))
    return (name, values) if len(values) <= MOST_FIELDS and name not in c_program.changes(node.stmt).modified else None


def _is_in_struct(node: c_ast.Node) -> bool:
    """Is this `p.m[i]`, or `p.m[i][j]`?"""
    while isinstance(node, c_ast.ArrayRef):
        node = node.name
    return isinstance(node, c_ast.StructRef)


def _unroll(s: Scopes, node: c_ast.For, name: str, values: range, read: ReadStatement) -> None:
    for value in values:
        with s.scope():
            s.declare(name, ScalarSymbol(Const(str(value)), "int"))
            read(s, node.stmt)


def _is_endless(loop: RawLoop) -> bool:
    is_true = isinstance(loop.condition, Const) and loop.condition.text not in ("0", "false")
    leaves = leaves_here(loop.body, Break) or any(isinstance(b, Return) for b in walk(loop.body))
    return is_true and not leaves


def _runs_once(loop: RawLoop) -> bool:
    """`do { ... } while (0)`"""
    no_jump = not leaves_here(loop.body, Break) and not leaves_here(loop.body, Continue)
    return loop.condition == c_fold.ZERO and no_jump and not loop.before and not loop.after


def _steady_names(s: Scopes, node: c_ast.Node) -> list[str]:
    """Scalars that only the loop's own step changes: what mentions them keeps its value within one iteration."""
    if not isinstance(node, c_ast.For) or node.next is None:
        return []
    inside = c_program.changes(node.stmt).modified | c_program.changes(node.cond).modified
    found: list[str] = []
    for name in c_program.changes(node.next).modified - inside:
        symbol = s.find(name)
        if isinstance(symbol, ScalarSymbol) and isinstance(symbol.expression, Name):
            found.append(symbol.expression.name)
    return found


def _read_parts(s: Scopes, node: c_ast.For | c_ast.While | c_ast.DoWhile, read: ReadStatement) -> Parts:
    """Condition, body, step, in the order of the text; a do loop's condition comes after its body."""
    is_do = isinstance(node, c_ast.DoWhile)
    test = _read_condition(s, node) if not is_do else None
    with s.capture() as body, s.scope():
        read(s, node.stmt)
        s.split = None
    with s.capture() as last:
        if isinstance(node, c_ast.For) and node.next is not None:
            s.value(node.next)
    before, condition, after = test or _read_condition(s, node)
    return Parts(before, condition, after, tuple(body), tuple(last))


def _read_condition(s: Scopes, node: c_ast.Node) -> tuple[Body, Expr, Body]:
    condition: Expr = c_fold.ONE
    after: list[AnyStmt] = []
    with s.capture() as before:
        if node.cond is not None:
            s.line = where(node.cond).line or s.line
            condition = c_expressions.truth(s, node.cond)
        after.extend(s.pending)
        s.pending.clear()
    return tuple(before), condition, tuple(after)


def _read_settled(
    s: Scopes, node: c_ast.For | c_ast.While | c_ast.DoWhile, read: ReadStatement, line: int | None
) -> tuple[Parts, Body]:
    """Read the loop such that every pointer in it is known in every iteration."""
    start = dict(s.pointers)
    comments = _saved(s.comments)
    parts = _read_parts(s, node, read)
    end = s.pointers
    apart = frozenset(key for key in start if end.get(key) != start[key])
    if not apart:
        s.pointers = {key: value for key, value in end.items() if key in start}
        _forget_new(s, end, start)
        return parts, ()
    if _is_exchange(start, end, apart):
        return _read_exchange(s, node, read, (parts, start, apart), line)
    s.pointers = start | dict.fromkeys(apart, UNKNOWN)
    s.comments.above, s.comments.beside = comments
    parts = _read_parts(s, node, read)
    _forget_new(s, s.pointers, start)
    s.pointers.update(dict.fromkeys(apart, UNKNOWN))
    return parts, ()


def _saved(comments: Comments) -> tuple[dict[int, str], dict[int, str]]:
    return dict(comments.above), dict(comments.beside)


def _forget_new(s: Scopes, end: Pointers, start: Pointers) -> None:
    """A pointer first set inside a loop that may not run points nowhere after it."""
    s.pointers = {key: value if key in start else UNKNOWN for key, value in end.items()}


# ----------------------------------------------------------------- exchanges


def _is_exchange(start: Pointers, end: Pointers, apart: frozenset[str]) -> bool:
    """Did the loop permute what these pointers point to (`t = a; a = b; b = t`)?"""
    before = [start[key] for key in apart]
    after = [end.get(key) for key in apart]
    return UNKNOWN not in after and all(value in before for value in after) and all(value in after for value in before)


def _read_exchange(
    s: Scopes,
    node: c_ast.For | c_ast.While | c_ast.DoWhile,
    read: ReadStatement,
    first: tuple[Parts, Pointers, frozenset[str]],
    line: int | None,
) -> tuple[Parts, Body]:
    """A copy of the body for each arrangement: `if (turn % 2 == 0) {...} else {...}`, the turn counting iterations."""
    parts, start, apart = first
    arrangements, readings = [start], [parts]
    while any(s.pointers.get(key) != start[key] for key in apart):
        if len(arrangements) == MOST_ARRANGEMENTS:
            raise TaskError("the pointers are exchanged in more than four ways; use an array with an index", line)
        arrangements.append({key: s.pointers[key] for key in start})
        s.pointers = dict(arrangements[-1])
        readings.append(_read_parts(s, node, read))
    if any(
        (r.before, r.condition, r.after, r.next) != (parts.before, parts.condition, parts.after, parts.next)
        for r in readings
    ):
        raise TaskError("the loop's own condition or step depends on the exchanged pointers; use an index", line)
    turn = s.unique("turn")
    s.types[turn] = "int"
    s.managed.add(turn)
    count = Const(str(len(readings)))
    cases: list[Expr] = [
        Binary("==", Binary("%", Name(turn), count), Const(str(at))) for at in range(len(readings) - 1)
    ]
    body: Body = readings[-1].body
    for case, reading in reversed(list(zip(cases, readings, strict=False))):
        body = (If(case, reading.body, body, line or 0),)  # type: ignore[arg-type]
    step = Assign(Name(turn), "+", c_fold.ONE)
    after: Pointers = dict.fromkeys(apart, UNKNOWN)
    if not any(leaves_here(r.body, Break) for r in readings):
        exits = (*zip(cases, arrangements, strict=False), (c_fold.ONE, arrangements[-1]))
        s.split = Split(tuple((test, dict(pointers)) for test, pointers in exits), apart)
    s.pointers = start | after
    settled = Parts(parts.before, parts.condition, parts.after, body, (*parts.next, step))
    return settled, (Declare(turn, "int", init=c_fold.ZERO),)
