"""C statements -> raw IR, in order: blocks, branches, switch, return. Loops are c_loop_reader.py's.

Where an `if` or a loop leaves pointers apart, the rest of the block is read once for each case.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pycparser import c_ast

from cudaperf_magic.compiler.c import declare as c_declare
from cudaperf_magic.compiler.c import expressions as c_expressions
from cudaperf_magic.compiler.c import fold as c_fold
from cudaperf_magic.compiler.c import inline as c_inline
from cudaperf_magic.compiler.c import loop_reader as c_loop_reader
from cudaperf_magic.compiler.c import places as c_places
from cudaperf_magic.compiler.c import program as c_program
from cudaperf_magic.compiler.c.raw import AnyStmt, Body, RawLoop
from cudaperf_magic.compiler.c.scope import UNKNOWN, Pointers, PointerSymbol, Scopes, Split
from cudaperf_magic.compiler.c.syntax import where
from cudaperf_magic.compiler.c.types import Scalar, promoted
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Break,
    Comment,
    Const,
    Continue,
    Declare,
    Expr,
    If,
    Name,
    Return,
)
from cudaperf_magic.errors import TaskError

MOST_COPIES = 8  # readings of the rest of a block for pointers that differ
EXPRESSION_NODES = (
    c_ast.Assignment, c_ast.UnaryOp, c_ast.BinaryOp, c_ast.TernaryOp, c_ast.FuncCall, c_ast.ExprList, c_ast.Cast,
    c_ast.ID, c_ast.Constant, c_ast.ArrayRef, c_ast.StructRef, c_ast.CompoundLiteral,
)  # fmt: skip


def read_block(s: Scopes, items: Sequence[c_ast.Node] | None) -> None:
    """The statements of a block, in a scope of their own."""
    with s.scope():
        _read_items(s, list(items or ()))


def read_compound(s: Scopes, node: c_ast.Compound) -> None:
    read_block(s, node.block_items)


def _read_items(s: Scopes, items: list[c_ast.Node]) -> None:
    for at, item in enumerate(items):
        s.split = None
        read_statement(s, item)
        split, s.split = s.split, None
        if split is None:
            continue
        rest = items[at + 1 :]
        if not rest or not _uses_pointers(s, rest, split.keys):
            s.pointers.update(dict.fromkeys(split.keys, UNKNOWN))
            continue
        _read_rest(s, rest, split)
        return


def _uses_pointers(s: Scopes, rest: list[c_ast.Node], keys: frozenset[str]) -> bool:
    for item in rest:
        for node in c_program.walk_ast(item):
            if isinstance(node, c_ast.ID):
                symbol = s.find(node.name)
                if isinstance(symbol, PointerSymbol) and symbol.key in keys:
                    return True
    return False


def _read_rest(s: Scopes, rest: list[c_ast.Node], split: Split) -> None:
    """The rest of a block once for each case of where the pointers point."""
    s.copies += len(split.cases) - 1
    if s.copies > MOST_COPIES:
        raise TaskError("pointers are exchanged in too many ways to follow; use arrays with an index", s.line)
    branches = split.branches or tuple(() for _ in split.cases)
    if split.branches:
        s.out.pop()  # the `if` itself: it is written again below, with the rest in its branches
    chain: Body = ()
    ends: list[Pointers] = []
    names = dict(s.names[-1])
    for (condition, pointers), begun in reversed(list(zip(split.cases, branches, strict=True))):
        s.pointers, s.names[-1] = dict(pointers), dict(names)
        with s.capture() as body:
            _read_items(s, list(rest))
        ends.append(s.pointers)
        is_last = condition == c_fold.ONE
        whole = (*begun, *body)
        chain = whole if is_last else (_if(condition, whole, chain, s.line),)
    s.out.extend(chain)
    s.pointers = {key: value if all(e.get(key) == value for e in ends) else UNKNOWN for key, value in ends[0].items()}


def _if(condition: Expr, then: Body, other: Body, line: int = 0) -> If:
    """RawLoops are typed away: they are gone before anything but the reader's passes sees the tree."""
    return If(condition, then, other, line)  # type: ignore[arg-type]


def read_statement(s: Scopes, node: c_ast.Node) -> None:
    """One statement, with the comment above or beside it."""
    line = where(node).line
    s.line = line or s.line
    comment = s.comments.take(line) if line is not None else ""
    before = len(s.out)
    _dispatch(s, node, line)
    s.flush()
    if comment and len(s.out) > before:
        first = s.out[before]
        if isinstance(first, (Declare, Assign, If, RawLoop)):
            s.out[before] = replace(first, comment=f"{comment}\n{first.comment}".strip())
        else:
            s.out.insert(before, Comment(comment))


def _dispatch(s: Scopes, node: c_ast.Node, line: int | None) -> None:
    match node:
        case c_ast.Decl():
            c_declare.declare(s, node)
        case c_ast.Typedef():
            s.program.types.typedefs[node.name] = s.program.types.resolve(node.type, node.name)
        case c_ast.Compound():
            read_block(s, node.block_items)
        case c_ast.If():
            _read_if(s, node, line)
        case c_ast.For() | c_ast.While() | c_ast.DoWhile():
            c_loop_reader.read_loop(s, node, read_statement)
        case c_ast.Return():
            _read_return(s, node, line)
        case c_ast.Break():
            s.emit(Break(line or 0))
        case c_ast.Continue():
            s.emit(Continue(line or 0))
        case c_ast.Switch():
            _read_switch(s, node, line)
        case c_ast.EmptyStatement() | c_ast.Pragma() | c_ast.StaticAssert():
            pass
        case c_ast.Goto() | c_ast.Label():
            raise TaskError("goto cannot be translated; write a loop, break or return", line)
        case c_ast.Case() | c_ast.Default():
            raise TaskError("a case label stands inside another statement; write the switch as if and else", line)
        case _ if isinstance(node, EXPRESSION_NODES):
            s.value(node)
        case _:
            raise TaskError("this statement cannot be translated", line)


def condition_of(s: Scopes, node: c_ast.Node) -> Expr:
    """A condition whose post-increments have happened before what depends on it."""
    condition = c_expressions.truth(s, node)
    if s.pending:
        condition = s.fresh("test", "bool", c_fold.as_bool(condition))
        s.flush()
    return condition


# ------------------------------------------------------------------- branches


def _read_if(s: Scopes, node: c_ast.If, line: int | None) -> None:
    condition = condition_of(s, node.cond)
    decided = {c_fold.ZERO: False, c_fold.ONE: True}.get(condition) if isinstance(condition, Const) else None
    if decided is not None:
        branch = node.iftrue if decided else node.iffalse
        if branch is not None:
            with s.scope():
                read_statement(s, branch)
        return
    start = dict(s.pointers)
    with s.capture() as then, s.scope():
        read_statement(s, node.iftrue)
        s.split = None
    after_then, s.pointers = s.pointers, dict(start)
    with s.capture() as other, s.scope():
        if node.iffalse is not None:
            read_statement(s, node.iffalse)
            s.split = None
    after_other = s.pointers
    leaves = [c_inline.always_leaves(branch) or _jumps(branch) for branch in (then, other)]
    known = (start | after_then).keys() & after_other.keys()
    apart = frozenset(key for key in known if after_then.get(key) != after_other[key])
    if apart and not any(leaves):
        s.split = Split(((condition, after_then), (c_fold.ONE, after_other)), apart, (tuple(then), tuple(other)))
    elif leaves[1] and not leaves[0]:
        s.pointers = after_then
    s.emit(_if(condition, tuple(then), tuple(other), line or 0))


def _jumps(branch: list[AnyStmt]) -> bool:
    return bool(branch) and isinstance(branch[-1], (Break, Continue))


def _read_return(s: Scopes, node: c_ast.Return, line: int | None) -> None:
    if node.expr is None:
        s.emit(Return(None, line or 0))
        return
    place = c_inline.result_place(s)
    if place is not None:
        c_places.assign_struct(s, place, s.value(node.expr), line)
        s.flush()
        s.emit(Return(None, line or 0))
        return
    value = s.rvalue(node.expr)
    if s.pending:
        value = s.fresh("result", s.type_of(value), value)
        s.flush()
    s.emit(Return(value, line or 0))


# --------------------------------------------------------------------- switch


def _read_switch(s: Scopes, node: c_ast.Switch, line: int | None) -> None:
    """A chain of ifs over a selector that is evaluated once."""
    selector = s.rvalue(node.cond)
    if s.pending or not isinstance(selector, (Name, Const)) or _is_set_inside(node.stmt, selector):
        selector = s.fresh("selector", promoted(s.type_of(selector)), selector)
        s.flush()
    if not isinstance(node.stmt, c_ast.Compound):
        raise TaskError("a switch needs its cases between { and }", line)
    groups = _groups(node.stmt, line)
    start = dict(s.pointers)
    tests: list[Expr | None] = []
    bodies: list[Body] = []
    labels = [(_test(s, selector, exprs), stmts) for exprs, stmts in groups]
    for test, statements in labels:
        s.pointers = dict(start)
        with s.capture() as body, s.scope():
            for statement in statements:
                read_statement(s, statement)
        if s.pointers != start:
            raise TaskError("a pointer is set inside a switch; set an index instead", line)
        tests.append(test)
        bodies.append(tuple(body))
    tail: Body = next((body for test, body in zip(tests, bodies, strict=True) if test is None), ())
    for test, statements_then in reversed(list(zip(tests, bodies, strict=True))):
        if test is not None:
            tail = (_if(test, statements_then, tail, line or 0),)
    s.out.extend(tail)


def _is_set_inside(node: c_ast.Node, selector: Expr) -> bool:
    return isinstance(selector, Name) and selector.name.split("#")[0] in c_program.changes(node).modified


def _groups(body: c_ast.Compound, line: int | None) -> list[tuple[list[c_ast.Node | None], list[c_ast.Node]]]:
    """(case expressions, statements) of each group; None stands for default. Falling through copies what follows."""
    found: list[tuple[list[c_ast.Node | None], list[c_ast.Node], bool]] = []
    for item in body.block_items or ():
        if not isinstance(item, (c_ast.Case, c_ast.Default)):
            raise TaskError("a switch can hold only case and default", where(item).line or line)
        label = item.expr if isinstance(item, c_ast.Case) else None
        statements, ends = _until_break(list(item.stmts or ()))
        found.append(([label], statements, ends))
    merged: list[tuple[list[c_ast.Node | None], list[c_ast.Node]]] = []
    waiting: list[c_ast.Node | None] = []
    for at, (labels, statements, ends) in enumerate(found):
        waiting += labels
        if not statements and not ends and at + 1 < len(found):
            continue
        following, more = list(statements), at + 1
        while not ends and more < len(found):
            following += found[more][1]
            ends = found[more][2]
            more += 1
        merged.append((waiting, following))
        waiting = []
    return merged


def _until_break(statements: list[c_ast.Node]) -> tuple[list[c_ast.Node], bool]:
    """A case's statements without its closing break; refuses a break anywhere else."""
    if len(statements) == 1 and isinstance(statements[0], c_ast.Compound):
        statements = list(statements[0].block_items or ())
    flat: list[c_ast.Node] = []
    for statement in statements:
        if isinstance(statement, c_ast.Break):
            return flat, True
        if _breaks(statement):
            advice = "a break inside an if cannot leave a switch here; write the switch as if and else"
            raise TaskError(advice, where(statement).line)
        flat.append(statement)
        if isinstance(statement, (c_ast.Return, c_ast.Continue)):
            return flat, True
    return flat, False


def _breaks(node: c_ast.Node) -> bool:
    if isinstance(node, c_ast.Break):
        return True
    if isinstance(node, (c_ast.For, c_ast.While, c_ast.DoWhile, c_ast.Switch)):
        return False
    return any(_breaks(child) for _, child in node.children())


def _test(s: Scopes, selector: Expr, labels: list[c_ast.Node | None]) -> Expr | None:
    if None in labels:
        return None
    test: Expr | None = None
    for label in labels:
        if label is not None:
            equal = Binary("==", selector, s.rvalue(label))
            test = equal if test is None else Binary("||", test, equal)
    return test


def returned_type(s: Scopes, function: c_ast.FuncDef) -> str:
    """The canonical type that an entry or a helper returns."""
    kind = s.program.types.resolve(function.decl.type.type)
    line = where(function.decl).line
    if not isinstance(kind, Scalar):
        advice = "write the result through a pointer parameter"
        raise TaskError(f"{function.decl.name} returns a pointer or a struct; {advice}", line)
    return kind.name
