"""Random small loop nests, run by brute force in other orders, against what the analyses claim of them."""

from __future__ import annotations

import os
import random
from dataclasses import replace

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from loop_machine import Machine

from cudaperf_magic.compiler.analysis.dependence import Facts, analyse
from cudaperf_magic.compiler.analysis.recurrences import Scan, scan_of
from cudaperf_magic.compiler.analysis.roles import roles
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Break,
    Call,
    Const,
    Continue,
    Declare,
    Expr,
    Function,
    If,
    Load,
    Loop,
    Name,
    Parameter,
    Stmt,
    Ternary,
    Unary,
    While,
    map_expression,
)

N = Const("5")
SCALARS = ("s", "t", "k")
PARAMETERS = (
    Parameter("n", "int"),
    Parameter("a", "int", None),
    Parameter("b", "int", (N, N)),
    Parameter("idx", "int", None),
    Parameter("s", "int", (), is_global=True),
    Parameter("t", "int", (), is_global=True),
    Parameter("k", "int", (), is_global=True),
)
LOCALS = ("u", "v")


def number(value: int) -> Expr:
    return Const(str(value)) if value >= 0 else Unary("-", Const(str(-value)))


@st.composite
def subscripts(draw: st.DrawFn, variables: tuple[str, ...]) -> Expr:
    """Affine and not so affine integer expressions over the loop variables."""
    if not variables:
        return number(draw(st.integers(0, 3)))
    var = Name(draw(st.sampled_from(variables)))
    other = Name(draw(st.sampled_from(variables)))
    shift = number(draw(st.integers(-2, 2)))
    forms: list[Expr] = [
        var,
        Binary("+", var, shift),
        Binary("-", Name("n"), var),
        Binary("*", Const("2"), var),
        Binary("+", var, other),
        Binary("-", var, other),
        Binary("+", Binary("*", var, Const("5")), other),
        Binary("+", Binary("*", var, Name("n")), other),
        Binary("%", Binary("+", var, shift), Const("3")),
        Binary("/", Binary("+", var, shift), Const("2")),
        Binary("%", var, Name("n")),
        Load("idx", (var,)),
        Ternary(Binary("<", var, Const("2")), var, other),
        Call("max", (var, Const("2"))),
        shift,
        Name("u"),
        Binary("*", var, other),
        Binary(">>", var, Const("1")),
    ]
    return draw(st.sampled_from(forms))


@st.composite
def values(draw: st.DrawFn, variables: tuple[str, ...], depth: int = 2) -> Expr:
    leaf = draw(st.integers(0, 6))
    if leaf == 0:
        return number(draw(st.integers(-3, 3)))
    if leaf == 1:
        return Name(draw(st.sampled_from((*SCALARS, *LOCALS, *(variables or ("n",))))))
    if leaf <= 4 or depth == 0:
        return draw(places(variables))
    left, right = draw(values(variables, depth - 1)), draw(values(variables, depth - 1))
    if leaf == 5:
        return Binary(draw(st.sampled_from(("+", "-"))), left, right)
    return Ternary(draw(conditions(variables)), left, right)


@st.composite
def places(draw: st.DrawFn, variables: tuple[str, ...]) -> Load:
    if draw(st.booleans()):
        return Load("a", (draw(subscripts(variables)),))
    return Load("b", (draw(subscripts(variables)), draw(subscripts(variables))))


@st.composite
def conditions(draw: st.DrawFn, variables: tuple[str, ...]) -> Expr:
    op = draw(st.sampled_from(("<", "<=", ">", "==", "!=")))
    if draw(st.booleans()):
        return Binary(op, draw(subscripts(variables)), draw(subscripts(variables)))
    return Binary(op, draw(places(variables)), number(draw(st.integers(-1, 2))))


@st.composite
def updates(draw: st.DrawFn, variables: tuple[str, ...]) -> Stmt:
    """Accumulations in all their spellings, into scalars and elements."""
    target = draw(st.one_of(st.sampled_from([Name(s) for s in SCALARS]), places(variables)))
    value = draw(values(variables, 1))
    op = draw(st.sampled_from(("+", "-", "*")))
    form = draw(st.integers(0, 6))
    if form == 0:
        return Assign(target, op, value)
    if form == 1:
        return Assign(target, "", Binary("+", value, target))
    if form == 2:
        return If(Binary(">", value, target), (Assign(target, "", value),))
    if form == 3:
        return Assign(target, "", Ternary(Binary("<", target, value), target, value))
    if form == 4:
        return If(draw(conditions(variables)), (Assign(target, "", Const("1")),))
    if form == 5:
        return If(Binary(">", value, target), (Assign(target, "", value), Assign(Name("k"), "", Name("i"))))
    return If(draw(conditions(variables)), (Assign(target, "+", value),))


@st.composite
def statements(draw: st.DrawFn, variables: tuple[str, ...], depth: int) -> Stmt:
    kind = draw(st.integers(0, 11))
    if kind <= 3:
        return Assign(draw(places(variables)), "", draw(values(variables)))
    if kind <= 5:
        return draw(updates(variables))
    if kind == 6:
        return Assign(Name(draw(st.sampled_from((*SCALARS, *LOCALS)))), "", draw(values(variables)))
    if kind == 7:
        return Assign(Name("u"), "", draw(subscripts(variables)))
    if kind == 8:
        then = tuple(draw(st.lists(statements(variables, 0), min_size=1, max_size=2)))
        other = tuple(draw(st.lists(statements(variables, 0), max_size=1)))
        return If(draw(conditions(variables)), then, other)
    if kind == 9 and variables:
        return If(draw(conditions(variables)), (draw(st.sampled_from((Continue(), Continue(), Break()))),))
    if depth and kind == 10:
        return draw(loops(variables, depth - 1))
    return Assign(draw(places(variables)), "", draw(values(variables)))


@st.composite
def loops(draw: st.DrawFn, outer: tuple[str, ...], depth: int) -> Loop:
    var = "ijl"[len(outer)]
    variables = (*outer, var)
    body = list(draw(st.lists(statements(variables, depth), min_size=1, max_size=3)))
    if depth and draw(st.booleans()):
        body.insert(draw(st.integers(0, len(body))), draw(loops(variables, depth - 1)))
    start = draw(st.sampled_from((Const("0"), Const("1"), *(Name(v) for v in outer))))
    header = draw(st.sampled_from(((start, N, 1), (start, Name("n"), 1), (N, number(-1), -1), (Const("0"), N, 2))))
    return Loop(var, header[0], header[1], header[2], tuple(body), "")


@st.composite
def functions(draw: st.DrawFn) -> Function:
    body: list[Stmt] = [Declare("u", "int", init=Const("1")), Declare("v", "int", init=Const("2"))]
    body += draw(st.lists(loops((), 2), min_size=1, max_size=2))
    if draw(st.booleans()):
        body.append(Assign(Load("a", (Const("99"),)), "", Binary("+", Name("u"), Name("v"))))
    return Function("f", PARAMETERS, labelled(tuple(body)))


HEADERS = (
    (Const("0"), N, 1),
    (Const("1"), N, 1),
    (N, number(-1), -1),
    (Const("0"), N, 2),
)


@st.composite
def near(draw: st.DrawFn, variables: tuple[str, ...]) -> Load:
    """An element next to the present point."""
    shifted = [Binary("+", Name(v), number(draw(st.integers(-1, 1)))) for v in variables]
    if len(variables) == 2 and draw(st.booleans()):
        return Load("b", tuple(shifted))
    return Load("a", (draw(st.sampled_from([*shifted, Name("i"), shifted[0], Name(variables[-1])])),))


@st.composite
def simple_statements(draw: st.DrawFn, variables: tuple[str, ...]) -> Stmt:
    target, value = draw(near(variables)), Binary("+", draw(near(variables)), draw(near(variables)))
    form = draw(st.integers(0, 5))
    if form == 0:
        return Assign(Name("u"), "", value)
    if form == 1:
        return Assign(target, "", Binary("+", Name("u"), draw(near(variables))))
    if form == 2:
        return Assign(draw(st.sampled_from((target, Name("s")))), "+", draw(near(variables)))
    return Assign(target, "", value)


@st.composite
def simple_loops(draw: st.DrawFn) -> Loop:
    start, stop, step = draw(st.sampled_from(HEADERS))
    body = draw(st.lists(simple_statements(("i",)), min_size=1, max_size=2))
    return Loop("i", start, stop, step, tuple(body), "")


@st.composite
def nests(draw: st.DrawFn) -> Function:
    """Two perfectly nested loops over a rectangle."""
    body = tuple(draw(st.lists(simple_statements(("i", "j")), min_size=1, max_size=2)))
    headers = draw(st.sampled_from(HEADERS)), draw(st.sampled_from(HEADERS))
    inner = Loop("j", *headers[1], body, "")
    begin = () if draw(st.booleans()) else (Declare("u", "int", init=Const("1")),)
    parameters = (*PARAMETERS, Parameter("u", "int", (), is_global=True)) if not begin else PARAMETERS
    return Function("f", parameters, labelled((*begin, Loop("i", *headers[0], (inner,), ""))))


@st.composite
def recurrences(draw: st.DrawFn) -> Function:
    """Loops that look like scans; some are none."""
    i, s = Name("i"), Name("s")
    before = Load("a", (Binary("-", i, Const("1")),))
    x = draw(st.sampled_from((Load("x", (i,)), Name("u"), Load("a", (i,)), Binary("*", Load("x", (i,)), Const("2")))))
    acc: Name | Load = draw(st.sampled_from((s, s, s, before)))
    p = Binary(">", x, Const("0"))
    news: list[Expr] = [
        Binary("+", acc, x),
        Binary("-", acc, x),
        Binary("-", x, acc),
        Binary("+", Binary("*", Load("c", (i,)), acc), x),
        Binary("+", x, Binary("*", Const("2"), Binary("-", acc, x))),
        Ternary(Binary(">", x, acc), x, acc),
        Ternary(p, Binary("+", acc, x), acc),
        Call("min", (acc, x)),
        Binary("*", acc, x),
        Binary("*", acc, acc),
    ]
    new = draw(st.sampled_from(news))
    target = s if acc == s else Load("a", (i,))
    update: list[Stmt] = [Assign(target, "", new)]
    if acc == s and draw(st.booleans()):
        update = [draw(st.sampled_from((
            If(p, (Assign(s, "+", x),)),
            If(Binary("<", s, x), (Assign(s, "", x),)),
            If(p, (Assign(Load("a", (s,)), "", x), Assign(s, "+", Const("1")))),
            If(p, (Assign(s, "+", Const("1")), Assign(Load("a", (s,)), "", Load("x", (i,))))),
        )))]  # fmt: skip
    outputs: list[Stmt] = [
        Assign(Load("a", (i,)), "", s),
        Assign(Load("o", (i,)), "", Binary("-", s, i)),
        Assign(Load("o", (i,)), "", Binary("+", s, x)),
        Assign(Load("o", (s,)), "", s),
    ]
    parts = [*draw(st.lists(st.sampled_from(outputs), max_size=2)), *update]
    parts = draw(st.permutations(parts)) if acc == s else update
    if draw(st.booleans()):
        parts = [Assign(Name("u"), "", Load("x", (i,))), *parts]
    start, stop, step = draw(st.sampled_from(HEADERS))
    begin = (Declare("u", "int", init=Const("1")), Declare("v", "int", init=Const("1")))
    more = tuple(Parameter(name, "int", None) for name in "xco")
    return Function("f", (*PARAMETERS, *more), labelled((*begin, Loop("i", start, stop, step, tuple(parts), ""))))


def labelled(body: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    """The statements with a label of its own for every loop, and a line for every statement."""
    count = 0

    def visit(statements: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        nonlocal count
        done: list[Stmt] = []
        for statement in statements:
            count += 1
            if isinstance(statement, Loop):
                label = f"L{count}"
                done.append(replace(statement, label=label, line=count, body=visit(statement.body)))
            elif isinstance(statement, If):
                then, other = visit(statement.then), visit(statement.other)
                done.append(replace(statement, line=count, then=then, other=other))
            elif isinstance(statement, While):
                done.append(replace(statement, line=count, body=visit(statement.body)))
            else:
                done.append(replace(statement, line=count))
        return tuple(done)

    return visit(body)


def machine(seed: int) -> Machine:
    def initial(array: str, index: tuple[int, ...]) -> int:
        # idx holds small numbers, so that what goes through it collides.
        return random.Random(f"{seed}{array}{index}").randrange(0, 4) - (0 if array == "idx" else 1)

    scalars = {"n": 3 + seed % 3, "s": 1, "t": 2, "k": 0, "u": 1, "v": 1}
    return Machine(scalars, initial)


def outcome(machine: Machine, function: Function) -> tuple[object, ...]:
    """What the caller sees: changed elements and global scalars."""
    names = [p.name for p in function.parameters if p.is_global]
    written = {k: v for k, v in machine.memory.items() if v != machine.initial(str(k[0]), k[2:])}  # type: ignore[arg-type]
    return written, {n: machine.scalars.get(n) for n in names}


def reference(function: Function, seed: int) -> Machine:
    run = machine(seed)
    run.run(function.body)
    return run


EXAMPLES = int(os.environ.get("SOUNDNESS_EXAMPLES", "30"))  # raise it for a long hunt
RARE = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))


OFTEN = settings(RARE, max_examples=4 * RARE.max_examples)


@given(functions(), st.integers(0, 5))
@RARE
def test_a_loop_called_parallel_or_a_reduction_gives_the_same_in_any_order(function: Function, seed: int) -> None:
    facts = analyse(function)
    expected = outcome(reference(function, seed), function)
    for label in facts.labels:
        verdict = facts.loop(label)
        if verdict.kind == "sequential" or any(r.operator in ("argmin", "argmax") for r in verdict.reductions):
            continue
        for order in (lambda i: i[::-1], lambda i: random.Random(seed).sample(i, len(i))):
            run = machine(seed)
            run.orders[label] = order
            run.private[label] = frozenset(n for n in verdict.private if n not in "ab")
            run.last[label] = verdict.last_values
            run.run(function.body)
            assert outcome(run, function) == expected, (label, verdict)


@given(functions(), st.integers(0, 5))
@RARE
def test_a_loop_split_by_fission_gives_the_same(function: Function, seed: int) -> None:
    facts = analyse(function)
    expected = outcome(reference(function, seed), function)
    for label in facts.labels:
        groups = facts.fission(label)
        assert sorted(map(id, (s for g in groups for s in g))) == sorted(map(id, facts.piece.tree(label).body))
        loop = facts.piece.tree(label)
        pieces = tuple(replace(loop, body=group) for group in groups)
        run = machine(seed)
        run.run(_replaced(function.body, label, pieces))
        assert outcome(run, function) == expected, (label, groups)


@given(nests(), st.integers(0, 5))
@OFTEN
def test_loops_that_may_change_places_give_the_same_when_they_do(function: Function, seed: int) -> None:
    facts = analyse(function)
    outer, inner = facts.labels
    if facts.can_interchange(outer, inner):
        run = machine(seed)
        run.run(_replaced(function.body, outer, (_swapped(facts, outer, inner),)))
        assert outcome(run, function) == outcome(reference(function, seed), function)


@given(simple_loops(), simple_loops(), st.integers(0, 5))
@OFTEN
def test_loops_that_may_fuse_give_the_same_when_they_do(first: Loop, second: Loop, seed: int) -> None:
    second = replace(second, start=first.start, stop=first.stop, step=first.step)
    begin: tuple[Stmt, ...] = (Declare("u", "int", init=Const("1")), Declare("v", "int", init=Const("2")))
    function = Function("f", PARAMETERS, labelled((*begin, first, second)))
    facts = analyse(function)
    one, two = (s for s in function.body if isinstance(s, Loop))
    if facts.can_fuse(one.label, two.label):
        run = machine(seed)
        run.run((*begin, replace(one, body=(*one.body, *two.body))))
        assert outcome(run, function) == outcome(reference(function, seed), function)


@given(nests(), st.integers(0, 5), st.sampled_from([(1, 0), (0, 1), (1, 1), (2, 1), (1, -1), (3, 1)]))
@OFTEN
def test_a_band_may_run_in_any_order_that_its_distances_allow(
    function: Function, seed: int, weights: tuple[int, int]
) -> None:
    facts = analyse(function)
    vectors = facts.distances(facts.labels)
    if vectors is None:
        return
    assert all(v > (0, 0) for v in vectors), vectors
    if all(v[0] * weights[0] + v[1] * weights[1] > 0 for v in vectors):
        outer, inner = (facts.piece.tree(label) for label in facts.labels)
        points = [(i, j) for i in _span(outer) for j in _span(inner)]
        times = [(k // len(_span(inner)), k % len(_span(inner))) for k in range(len(points))]
        order = sorted(range(len(points)), key=lambda k: times[k][0] * weights[0] + times[k][1] * weights[1])
        run = machine(seed)
        for k in order:
            run.scalars.update(zip((outer.var, inner.var), points[k], strict=True))
            run.run(inner.body)
        assert outcome(run, function) == outcome(reference(function, seed), function), vectors


@given(functions(), st.integers(0, 5))
@RARE
def test_a_parameter_called_out_is_never_read_before_it_is_written(function: Function, seed: int) -> None:
    known = roles(function)
    run = reference(function, seed)
    read = {key[0] for key in run.reads}
    for name in ("a", "b"):
        written = {k[2:] for k in run.memory if k[0] == name}
        if known[name] == "out":
            assert name not in read
            assert name != "b" or len(written) >= 25
        if known[name] == "in":
            assert all(run.memory[k] == run.initial(name, k[2:]) for k in run.memory if k[0] == name)  # type: ignore[arg-type]


@given(recurrences(), st.integers(0, 5))
@OFTEN
def test_a_scan_computes_what_its_loop_does(function: Function, seed: int) -> None:
    facts = analyse(function)
    expected = outcome(reference(function, seed), function)
    for label in facts.labels:
        loop = facts.piece.tree(label)
        scan = scan_of(loop, facts)
        if scan is not None:
            run = machine(seed)
            run.run(_replaced(function.body, label, _as_scan(loop, scan)))
            assert outcome(run, function) == expected, scan


def _as_scan(loop: Loop, scan: Scan) -> tuple[Stmt, ...]:
    """The loop again, written from the scan alone: all elements first, then the running values, then the outputs."""
    i, acc, own = Name(loop.var), scan.accumulator, Name("acc")

    def at(name: str) -> Load:
        return Load(name, (i,))

    def seen(e: Expr) -> Expr:
        return map_expression(e, lambda x: at("run_") if x == acc else x)

    first = [Assign(at("element_"), "", scan.element)]
    if scan.coefficient is not None:
        first.append(Assign(at("coefficient_"), "", scan.coefficient))
    combined: dict[str, Expr] = {
        "max": Call("max", (own, at("element_"))),
        "min": Call("min", (own, at("element_"))),
    }
    new: Expr = combined.get(scan.operator, Binary(scan.operator, own, at("element_")))
    if scan.coefficient is not None:
        new = Binary("+", Binary("*", at("coefficient_"), own), at("element_"))
    step: list[Stmt] = [Assign(own, "", new)]
    step.insert(1 if scan.inclusive else 0, Assign(at("run_"), "", own))
    assert scan.initial is not None
    begin: tuple[Stmt, ...] = (Assign(own, "", scan.initial),)
    end: tuple[Stmt, ...] = (Assign(acc, "", own),) if isinstance(acc, Name) else ()
    places = [replace(o.place, subscripts=tuple(seen(s) for s in o.place.subscripts)) for o in scan.outputs]
    stores: list[Stmt] = [Assign(p, "", seen(o.value)) for p, o in zip(places, scan.outputs, strict=True)]
    if scan.guard is not None:
        stores = [If(scan.guard, tuple(stores))]
    passes = tuple(replace(loop, body=tuple(body)) for body in (first, step, stores))
    clean = tuple(Declare(n, "int", (Const("64"),)) for n in ("element_", "coefficient_", "run_"))
    return (*begin, *passes, *end, *clean)


def _span(loop: Loop) -> list[int]:
    run = machine(0)
    return list(range(run.value(loop.start), run.value(loop.stop), loop.step))


def _replaced(body: tuple[Stmt, ...], label: str, by: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
    done: list[Stmt] = []
    for s in body:
        if isinstance(s, Loop) and s.label == label:
            done.extend(by)
        elif isinstance(s, (Loop, While)):
            done.append(replace(s, body=_replaced(s.body, label, by)))
        elif isinstance(s, If):
            done.append(replace(s, then=_replaced(s.then, label, by), other=_replaced(s.other, label, by)))
        else:
            done.append(s)
    return tuple(done)


def _swapped(facts: Facts, outer: str, inner: str) -> Loop:
    one, other = facts.piece.tree(outer), facts.piece.tree(inner)
    body = _replaced(one.body, inner, (replace(one, body=other.body),))
    return replace(other, body=body)
