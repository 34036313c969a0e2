"""RawLoops -> counted Loops where C's loop is one, else Whiles.

A variable that outlives its loop gets its final value by an assignment; c_cleanup.py drops it when nothing reads it.
A loop is called counted only when the rewrite is exact for every run that C defines.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from cudaperf_magic.compiler.c import fold as c_fold
from cudaperf_magic.compiler.c.ranges import INVERSE, conjuncts, entry_value, final_value, followed, inverted
from cudaperf_magic.compiler.c.raw import (
    AnyStmt,
    Body,
    RawLoop,
    assigned,
    before_each,
    is_unchanged,
    leaves_here,
    reads,
    replace_names,
    with_parts,
    written_arrays,
)
from cudaperf_magic.compiler.c.types import NARROW, SIZES
from cudaperf_magic.compiler.loops import (
    Assign,
    Binary,
    Break,
    Cast,
    Const,
    Continue,
    Declare,
    Expr,
    If,
    Loop,
    Name,
    Stmt,
    Ternary,
    Unary,
    While,
    map_expression,
    names_in,
    walk_expression,
)

FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "!=": "!=", "==": "=="}


@dataclass(frozen=True)
class Step:
    """`var += by` and where it stands: in the loop's step, at the end of the body, or beside the condition."""

    var: str
    by: int
    place: str  # "next", "body", "before" or "after"
    at: int  # index there


@dataclass(frozen=True)
class Header:
    """A counted loop's range, for its variable."""

    step: Step
    start: Expr
    stop: Expr
    others: tuple[Expr, ...] = ()  # conditions besides the bound


@dataclass
class Counter:
    """Converts the loops of one function, innermost first. `types` and `managed` are the function's own."""

    types: dict[str, str]
    managed: set[str]
    constants: dict[str, Expr]
    type_of: Callable[[Expr], str]
    unique: Callable[[str], str]

    def convert(self, body: Body) -> Body:
        done: list[AnyStmt] = []
        for statement in body:
            statement = with_parts(statement, self.convert)
            if isinstance(statement, RawLoop):
                self._lower(statement, done)
            else:
                done.append(statement)
        return tuple(done)

    def _lower(self, loop: RawLoop, done: list[AnyStmt]) -> None:
        done.extend(loop.init)
        loop = self._with_leading_test(loop)
        header = self._header(loop, done)
        if header is None:
            done.append(self._while(loop))
        else:
            self._counted(loop, header, done)

    def _with_leading_test(self, loop: RawLoop) -> RawLoop:
        """`while (1) { if (i >= n) break; ... }` is `while (i < n) { ... }`."""
        is_true = isinstance(loop.condition, Const) and not loop.is_do and not loop.before and not loop.after
        first = loop.body[0] if loop.body else None
        if is_true and isinstance(first, If) and not first.other and len(first.then) == 1:
            leave = first.then[0]
            if isinstance(leave, Break):
                comment = loop.comment or first.comment
                return replace(loop, condition=self._opposite(first.condition), body=loop.body[1:], comment=comment)
        return loop

    def _opposite(self, condition: Expr) -> Expr:
        """`!condition` by the opposite comparison, where the numbers are integers (a NaN has no opposite)."""
        if isinstance(condition, Binary) and condition.op == "||":
            return Binary("&&", self._opposite(condition.left), self._opposite(condition.right))
        if isinstance(condition, Binary) and condition.op in INVERSE:
            kinds = {self.type_of(condition.left), self.type_of(condition.right)}
            if not kinds & {"float", "double"}:
                return replace(condition, op=INVERSE[condition.op])
        return inverted(condition)

    # ------------------------------------------------------------ recognising

    def _header(self, loop: RawLoop, earlier: list[AnyStmt]) -> Header | None:
        parts = conjuncts(loop.condition)
        for step in self._steps(loop):
            if step.place in ("before", "after") and len(parts) > 1:
                continue
            for at, part in enumerate(parts):
                found = self._bound(part, step)
                if found is None:
                    continue
                others = tuple(parts[:at] + parts[at + 1 :])
                header = self._range(loop, step, *found, earlier)
                if header is not None and loop.is_do:
                    header = self._at_least_once(header, found[0]) if len(parts) == 1 else None
                if header is not None and self.type_of(header.stop) not in ("float", "double"):
                    return replace(header, others=others)
        return None

    def _at_least_once(self, header: Header, op: str) -> Header | None:
        """`do ... while (i < n)`, whose first iteration asks nothing: it ends past its start at the earliest."""
        start, stop, up = header.start, header.stop, header.step.by > 0
        first, last = c_fold.evaluate(start, self.constants), c_fold.evaluate(stop, self.constants)
        if header.step.place != "body" or op == "!=":
            return None
        if self.types[header.step.var].startswith("unsigned") and not (up and isinstance(first, int)):
            return None  # past its start it may have wrapped
        past = c_fold.plus(start, Const("1" if up else "-1"))
        if isinstance(first, int) and isinstance(last, int):
            return header if (first < last) == up and first != last else replace(header, stop=past)
        return replace(header, stop=Ternary(Binary(">" if up else "<", stop, past), stop, past))

    def _steps(self, loop: RawLoop) -> list[Step]:
        """Integer variables that exactly one statement steps by a constant, in a place where every iteration passes."""
        total = assigned((*loop.before, *loop.after, *loop.body, *loop.next))
        found: list[Step] = []
        places: list[tuple[str, Body]] = [("next", loop.next)]
        if loop.before or loop.after:  # the rewrite has room for one such statement, the variable's own step
            places = [("before", loop.before), ("after", loop.after)] if len(loop.before + loop.after) == 1 else []
        elif not leaves_here(loop.body, Continue):
            places.append(("body", loop.body))
        for place, statements in places:
            for at, statement in enumerate(statements):
                var, by = self._increment(statement)
                if var is None or total[var] != 1 or self.types.get(var, "bool") in ("float", "double", "bool"):
                    continue
                later = statements[at + 1 :]
                if place == "body" and (var in reads(later) or loop.next or leaves_here(later, Break)):
                    continue
                found.append(Step(var, by, place, at))
        return found

    def _increment(self, statement: AnyStmt) -> tuple[str | None, int]:
        if not isinstance(statement, Assign) or not isinstance(statement.target, Name):
            return None, 0
        var, value, sign = statement.target, statement.value, 1
        if statement.op == "" and isinstance(value, Binary) and value.op in "+-":
            sign = 1 if value.op == "+" else -1
            if value.left == var:
                value = value.right
            elif value.right == var and sign == 1:
                value = value.left
            else:
                return None, 0
        elif statement.op in ("+", "-"):
            sign = 1 if statement.op == "+" else -1
        else:
            return None, 0
        by = c_fold.evaluate(value, self.constants)
        return (var.name, sign * by) if isinstance(by, int) and by else (None, 0)

    def _bound(self, part: Expr, step: Step) -> tuple[str, Expr, Expr] | None:
        """(operator, bound, shift) of a condition `var + shift op bound`."""
        if isinstance(part, Name) and part.name == step.var:
            return "!=", c_fold.ZERO, c_fold.ZERO
        if not isinstance(part, Binary) or part.op not in FLIPPED:
            return None
        for op, own, bound in ((part.op, part.left, part.right), (FLIPPED[part.op], part.right, part.left)):
            shift = self._shift(own, step.var)
            if shift is None or step.var in names_in(bound):
                continue
            allowed = ("<", "<=") if step.by > 0 else (">", ">=")
            if op in allowed or (op == "!=" and abs(step.by) == 1):
                return op, bound, shift
        return None

    def _shift(self, own: Expr, var: str) -> Expr | None:
        """What is added to the variable; signed types only, where moving it to the other side changes nothing."""
        while isinstance(own, Cast) and own.type not in ("float", "double", *NARROW):
            own = own.operand
        if own == Name(var):
            return c_fold.ZERO
        if isinstance(own, Binary) and own.op in "+-" and self.types[var] in ("int", "long"):
            left, right = own.left, own.right
            if own.op == "+" and right == Name(var):
                left, right = right, left
            is_signed = self.type_of(right) in ("int", "long")
            if left == Name(var) and is_signed and var not in names_in(right):
                return right if own.op == "+" else c_fold.minus(c_fold.ZERO, right)
        return None

    def _range(
        self, loop: RawLoop, step: Step, op: str, bound: Expr, shift: Expr, earlier: list[AnyStmt]
    ) -> Header | None:
        everything = (*loop.before, *loop.after, *loop.body, *loop.next)
        changed = assigned(everything)
        start = entry_value(step.var, earlier) or Name(step.var)
        if start == Name(step.var) and self._owns(step.var, loop):
            return None
        arrays = written_arrays(everything)
        if not is_unchanged(bound, changed, arrays) or not is_unchanged(shift, changed, arrays):
            return self._closing_in(loop, step, op, bound, earlier) if shift == c_fold.ZERO else None
        if self._may_wrap(step, op, bound, start):
            return None
        one = Const(str(1 if step.by > 0 else -1))
        stop = c_fold.minus(bound, shift)
        stop = c_fold.plus(stop, one) if op in ("<=", ">=") else stop
        by = Const(str(step.by))
        if step.place in ("before", "after"):
            start = c_fold.plus(start, by)
        if step.place == "after":
            stop = c_fold.plus(stop, by)
        return Header(step, start, stop)

    def _may_wrap(self, step: Step, op: str, bound: Expr, start: Expr) -> bool:
        """Would C's variable wrap, or its comparison be always true, where the counted loop ends?"""
        kind = self.types[step.var]
        known = c_fold.evaluate(bound, self.constants)
        first = c_fold.evaluate(start, self.constants)
        bits = 8 * SIZES[kind] - (not kind.startswith("unsigned"))
        if isinstance(known, int) and known >= (1 << bits) - (op == "<="):
            return True
        if op == "!=" and isinstance(known, int) and isinstance(first, int) and (known < first) == (step.by > 0):
            return known != first
        if self.type_of(bound).startswith("unsigned") and isinstance(first, int) and first < 0:
            return True
        if not kind.startswith("unsigned") or step.by > 0:
            return False
        if op == ">=" and known == 0:
            return True
        lowest = known if op == ">" else known - 1 if isinstance(known, int) else None
        return step.by < -1 and (not isinstance(lowest, int) or lowest < -step.by - 1)

    def _closing_in(self, loop: RawLoop, step: Step, op: str, bound: Expr, earlier: list[AnyStmt]) -> Header | None:
        """`for (i = a, j = b; i < j; i++, j--)`: the variables meet after (b - a + 1) / 2 steps of i."""
        other = next((o for o in self._steps(loop) if Name(o.var) == bound), None)
        if other is None or step.by != 1 or other.by >= 0 or op not in ("<", "<=") or step.place != other.place:
            return None
        first, last = entry_value(step.var, earlier), entry_value(other.var, earlier)
        everything = (*loop.body, *loop.next)
        changed, arrays = assigned(everything), written_arrays(everything)
        if first is None or last is None or self.types[step.var] != self.types[other.var]:
            return None
        if not is_unchanged(first, changed, arrays) or not is_unchanged(last, changed, arrays):
            return None
        closing = 1 - other.by
        distance = c_fold.plus(c_fold.minus(last, first), Const(str(closing - (op == "<"))))
        return Header(step, first, c_fold.plus(first, Binary("/", distance, Const(str(closing)))))

    # ---------------------------------------------------------------- writing

    def _counted(self, loop: RawLoop, header: Header, done: list[AnyStmt]) -> None:
        step, var = header.step, header.step.var
        body, rest = _without_step(loop, step)
        for other in reversed(header.others):
            body = (If(self._opposite(other), (Break(loop.line),), line=loop.line), *body)
        if rest:
            body = followed(before_each(body, Continue, rest), rest)
        everything = body
        own = self._owns(var, loop)
        name = var if own else self.unique(var.split("#")[0])
        self.types[name] = self.types[var]
        after: list[AnyStmt] = []
        if own:
            done[:] = [s for s in done if assigned((s,))[var] == 0]
        else:
            self.managed.add(var)
            last = final_value(header.start, header.stop, step.by)
            if self.types[var].startswith("unsigned") and c_fold.integer(header.stop) == -1:
                last = Cast(self.types[var], header.stop)  # it wrapped in the test that failed
            final = Assign(Name(var), "", last, loop.line)
            body = replace_names(body, {var: Name(name)})
            if leaves_here(body, Break):
                body = before_each(body, Break, (Assign(Name(var), "", Name(name), loop.line),))
                done.append(final)
            elif _is_stable(header.start, everything):
                after.append(final)
            else:
                done.append(final)
        start = header.start
        if not own and not after and Name(var) in walk_expression(start):
            start = self._kept_start(start, var, done)
        if self.type_of(start) in ("float", "double"):
            start = Cast(self.types[var], start)
        kind = self.types[var]
        done.append(Loop(name, start, header.stop, step.by, _typed(body), name, kind, loop.line, loop.comment))
        done.extend(after)

    def _kept_start(self, start: Expr, var: str, done: list[AnyStmt]) -> Expr:
        """The final value was assigned before the loop: keep what the variable held until then."""
        last = done[-1]
        if not (isinstance(last, Assign) and last.target == Name(var)):
            return start
        entry = self.unique(f"{var.split('#')[0]}_start")
        self.types[entry] = self.types[var]
        self.managed.add(entry)
        done.insert(len(done) - 1, Declare(entry, self.types[var], init=Name(var)))
        return map_expression(start, lambda e: Name(entry) if e == Name(var) else e)

    def _owns(self, var: str, loop: RawLoop) -> bool:
        return any(isinstance(s, Declare) and s.name == var for s in loop.init)

    def _while(self, loop: RawLoop) -> AnyStmt:
        body = loop.body
        if loop.next:
            body = followed(before_each(body, Continue, loop.next), loop.next)
        if not loop.before and not loop.after:
            return While(loop.condition, _typed(body), loop.is_do, loop.line, loop.comment)
        test = self.unique("test")
        self.types[test] = "bool"
        check: Body = (
            *loop.before,
            Declare(test, "bool", init=c_fold.as_bool(loop.condition), line=loop.line),
            *loop.after,
            If(Unary("!", Name(test)), (Break(loop.line),), line=loop.line),
        )
        body = followed(before_each(body, Continue, check), check) if loop.is_do else (*check, *body)
        return While(Const("true", "bool"), _typed(body), False, loop.line, loop.comment)


def _typed(body: Body) -> tuple[Stmt, ...]:
    return body  # type: ignore[return-value]


def _is_stable(start: Expr, body: Body) -> bool:
    return is_unchanged(start, assigned(body), written_arrays(body))


def _without_step(loop: RawLoop, step: Step) -> tuple[Body, Body]:
    """The body, and what else the loop's step does; what stands after the variable's own step sees its next value."""
    if step.place == "body":
        return (*loop.body[: step.at], *loop.body[step.at + 1 :]), loop.next
    if step.place != "next":
        return loop.body, loop.next
    stepped = {step.var: c_fold.plus(Name(step.var), Const(str(step.by)))}
    return loop.body, (*loop.next[: step.at], *replace_names(loop.next[step.at + 1 :], stepped))
