"""C expressions -> IR expressions; what they do besides having a value becomes statements before or after.

The structure of the C is kept, so that the printed CUDA computes the same by the same conversions. Places are
c_places.py's, calls c_calls.py's.
"""

from __future__ import annotations

from pycparser import c_ast

from cudaperf_magic.compiler.c import calls as c_calls
from cudaperf_magic.compiler.c import fold as c_fold
from cudaperf_magic.compiler.c import globals as c_globals
from cudaperf_magic.compiler.c import places as c_places
from cudaperf_magic.compiler.c.raw import AnyStmt
from cudaperf_magic.compiler.c.scope import (
    EXPRESSIONS,
    NULL,
    AddressOf,
    Element,
    PointerSymbol,
    PointerValue,
    ScalarSymbol,
    Scopes,
    StructPlace,
    StructValue,
    Value,
)
from cudaperf_magic.compiler.c.syntax import where
from cudaperf_magic.compiler.c.types import Array, Pointer, Scalar, StructType, common, literal
from cudaperf_magic.compiler.loops import Binary, Cast, Const, Expr, If, Load, Name, Stmt, Ternary, Unary
from cudaperf_magic.errors import TaskError

COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
WORDS = {
    "true": Const("true", "bool"), "false": Const("false", "bool"),
    "INFINITY": Const("INFINITY", "float"), "NAN": Const("NAN", "float"),
}  # fmt: skip


def truth(s: Scopes, node: c_ast.Node) -> Expr:
    """A condition; pointers count as true."""
    found = s.value(node)
    if found is NULL:
        return c_fold.ZERO
    if isinstance(found, (PointerValue, AddressOf)):
        s.program.uses.notes["pointer parameters are not NULL"] = None
        return c_fold.ONE
    if isinstance(found, EXPRESSIONS):
        return found
    raise TaskError("a struct cannot be a condition", where(node).line)


def value(s: Scopes, node: c_ast.Node) -> Value:
    """What an expression is: a number, a pointer or a struct."""
    line = where(node).line
    s.line = line or s.line
    match node:
        case c_ast.Constant() if node.type == "string" or str(node.value).endswith('"'):
            return c_globals.text_table(s, node)
        case c_ast.Constant():
            return literal(node)
        case c_ast.ID():
            return _named(s, node, line)
        case c_ast.ArrayRef() | c_ast.StructRef():
            return c_places.load(s, c_places.place(s, node), line)
        case c_ast.UnaryOp():
            return _unary(s, node, line)
        case c_ast.BinaryOp():
            return _binary(s, node, line)
        case c_ast.TernaryOp():
            return _ternary(s, node, line)
        case c_ast.Assignment():
            return assignment(s, node)
        case c_ast.FuncCall():
            return c_calls.call(s, node)
        case c_ast.Cast():
            return _cast(s, node, line)
        case c_ast.ExprList():
            for part in node.exprs[:-1]:
                s.value(part)
                s.flush()
            return s.value(node.exprs[-1])
        case c_ast.CompoundLiteral():
            kind = s.program.types.resolve(node.type)
            if isinstance(kind, StructType):
                return c_places.struct_literal(s, kind, node.init, line)
            raise TaskError("this compound literal cannot be translated; declare a variable for it", line)
    raise TaskError("this expression cannot be translated", line)


def _named(s: Scopes, node: c_ast.ID, line: int | None) -> Value:
    name = str(node.name)
    symbol = s.find(name)
    if symbol is None and name in WORDS:
        return WORDS[name]
    if symbol is None and name in s.program.constants and name not in s.program.globals:
        s.program.uses.constants[name] = None
        return Name(name)
    return c_places.load(s, c_places.place(s, node), line)


# ------------------------------------------------------------------ operators


def _unary(s: Scopes, node: c_ast.UnaryOp, line: int | None) -> Value:
    match node.op:
        case "*":
            return c_places.load(s, c_places.place(s, node), line)
        case "&":
            return _address(s, node.expr, line)
        case "p++" | "p--" | "++" | "--":
            return _step(s, node, line)
        case "sizeof":
            return _sizeof(s, node.expr, line)
        case "!":
            condition = truth(s, node.expr)
            return (
                {"0": c_fold.ONE, "1": c_fold.ZERO}.get(condition.text, Unary("!", condition))
                if isinstance(condition, Const)
                else Unary("!", condition)
            )
        case "+":
            return s.rvalue(node.expr)
        case "-" | "~":
            return Unary(node.op, s.rvalue(node.expr))
    raise TaskError(f"'{node.op}' cannot be translated", line)


def _address(s: Scopes, node: c_ast.Node, line: int | None) -> Value:
    target = c_places.place(s, node)
    match target:
        case PointerValue():  # &A[i] of a matrix: the address of a row, which steps by rows
            return target
        case Element(array, subscripts, ""):
            return PointerValue(array, subscripts[:-1], subscripts[-1])
        case ScalarSymbol() | StructPlace() | Element():
            return AddressOf(target)
    raise TaskError("this address cannot be followed; pass the array and an index instead", line)


def _step(s: Scopes, node: c_ast.UnaryOp, line: int | None) -> Value:
    """x++, x--, ++x, --x: before or after the rest of the expression."""
    target = c_places.place(s, node.expr)
    op = "+" if "++" in node.op else "-"
    is_post = node.op.startswith("p")
    with s.capture() as effect:
        if isinstance(target, PointerSymbol):
            c_places.step_pointer(s, target, c_fold.ONE, op, line)
        else:
            found = c_places.load(s, target, line)
            if not isinstance(found, (Name, Load)):
                raise TaskError(f"'{node.op.strip('p')}' needs a variable or an element", line)
            if s.type_of(found) == "bool":
                s.assign(found, Const("true", "bool") if op == "+" else Unary("!", found))
            else:
                s.assign(found, c_fold.ONE, op)
    if is_post:
        s.pending.extend(effect)
    else:
        s.out.extend(effect)
    return c_places.load(s, target, line)


def _sizeof(s: Scopes, node: c_ast.Node, line: int | None) -> Expr:
    """sizeof as a number; of an array, its extents times its element's."""
    if isinstance(node, c_ast.Typename):
        size = s.program.types.size_of(s.program.types.resolve(node), line)
        if size is None:
            raise TaskError("sizeof an array type cannot be translated; multiply it out", line)
        return Const(f"{size}ul", "unsigned long")
    with s.capture():
        found = s.value(node) if not isinstance(node, c_ast.ID) else c_places.place(s, node)
    if isinstance(found, ScalarSymbol):
        found = found.expression
    if isinstance(found, PointerSymbol):
        return Const("8ul", "unsigned long")
    if isinstance(found, PointerValue):
        whole = found.array.dims if not found.prefix and found.offset == c_fold.ZERO else None
        extents = (*found.below,) if whole is None else whole
        size = s.program.types.size_of(found.array.element, line) or 1
        result: Expr = Const(f"{size}ul", "unsigned long")
        for extent in extents:
            known = c_fold.evaluate(Binary("*", result, extent), s.program.constant_values)
            is_number = isinstance(result, Const) and isinstance(extent, Const)
            result = Const(f"{known}ul", "unsigned long") if is_number else Binary("*", result, extent)
        return result
    if isinstance(found, (Element, StructPlace, StructValue)):
        return Const(f"{s.program.types.size_of(found.type, line)}ul", "unsigned long")
    if isinstance(found, EXPRESSIONS):
        return Const(f"{s.program.types.size_of(Scalar(s.type_of(found)), line)}ul", "unsigned long")
    raise TaskError("sizeof of this cannot be translated", line)


def _binary(s: Scopes, node: c_ast.BinaryOp, line: int | None) -> Value:
    if node.op in ("&&", "||"):
        return _logical(s, node)
    if node.op == "/" and _is_sizeof(node.left) and _is_sizeof(node.right):
        whole, part = s.rvalue(node.left), s.rvalue(node.right)
        return _quotient(whole, part)
    left, right = s.value(node.left), s.value(node.right)
    if isinstance(left, EXPRESSIONS) and isinstance(right, EXPRESSIONS) and NULL not in (left, right):
        _refuse_float_bits(s, node.op, left, right, line)
        return Binary(node.op, left, right)
    return _pointer_arithmetic(s, node.op, left, right, line)


def _is_sizeof(node: c_ast.Node) -> bool:
    return isinstance(node, c_ast.UnaryOp) and node.op == "sizeof"


def _quotient(whole: Expr, part: Expr) -> Expr:
    """`sizeof a / sizeof a[0]` is the number of elements."""
    if isinstance(whole, Const) and isinstance(part, Const):
        return Const(f"{int(whole.text[:-2]) // int(part.text[:-2])}ul", "unsigned long")
    if isinstance(whole, Binary) and whole.left == part:
        return Cast("unsigned long", whole.right)
    return Binary("/", whole, part)


def _refuse_float_bits(s: Scopes, op: str, left: Expr, right: Expr, line: int | None) -> None:
    if op in ("%", "&", "|", "^", "<<", ">>"):
        for side in (left, right):
            if s.type_of(side) in ("float", "double"):
                raise TaskError(f"'{op}' needs integers on both sides", line)


def _logical(s: Scopes, node: c_ast.BinaryOp) -> Expr:
    left = truth(s, node.left)
    if s.pending:  # && and || are sequence points
        left = s.fresh("test", "bool", c_fold.as_bool(left))
        s.flush()
    with s.capture() as effects:
        right = truth(s, node.right)
        if s.pending:
            right = s.fresh("test", "bool", c_fold.as_bool(right))
    if not effects:
        decided = {"&&": ("0", "1"), "||": ("1", "0")}[node.op]
        if isinstance(left, Const) and left.text in decided:
            return left if left.text == decided[0] else right
        return Binary(node.op, left, right)
    result = s.fresh("test", "bool", c_fold.as_bool(left))
    with s.capture() as last:
        s.assign(result, c_fold.as_bool(right))
    s.emit(If(result if node.op == "&&" else Unary("!", result), _plain([*effects, *last]), line=s.line))
    return result


def _plain(statements: list[AnyStmt]) -> tuple[Stmt, ...]:
    return tuple(statements)  # type: ignore[arg-type]


def _pointer_arithmetic(s: Scopes, op: str, left: Value, right: Value, line: int | None) -> Value:
    if op == "+" and isinstance(right, PointerValue) and isinstance(left, EXPRESSIONS):
        left, right = right, left
    if isinstance(left, PointerValue) and isinstance(right, EXPRESSIONS) and right is not NULL and op in "+-":
        return left.moved(right if op == "+" else c_fold.minus(c_fold.ZERO, right))
    pointers = [side for side in (left, right) if isinstance(side, (PointerValue, AddressOf))]
    if op in ("==", "!=") and len(pointers) == 1 and (left is NULL or right is NULL or c_fold.ZERO in (left, right)):
        s.program.uses.notes["pointer parameters are not NULL"] = None
        return c_fold.ONE if op == "!=" else c_fold.ZERO
    if isinstance(left, PointerValue) and isinstance(right, PointerValue):
        if (left.array, left.prefix) != (right.array, right.prefix):
            raise TaskError("two pointers into different arrays are compared; compare indices instead", line)
        if op in COMPARISONS:
            return Binary(op, left.offset, right.offset)
        if op == "-":
            difference = c_fold.minus(left.offset, right.offset)
            step = left.step
            return Cast("long", difference if step == c_fold.ONE else Binary("/", difference, step))
    raise TaskError(f"'{op}' on pointers or structs cannot be translated; use an array and an index", line)


def _ternary(s: Scopes, node: c_ast.TernaryOp, line: int | None) -> Value:
    condition = truth(s, node.cond)
    if s.pending:
        condition = s.fresh("test", "bool", c_fold.as_bool(condition))
        s.flush()
    with s.capture() as first:
        then = _settled_branch(s, node.iftrue)
    with s.capture() as second:
        other = _settled_branch(s, node.iffalse)
    if isinstance(condition, Const) and condition in (c_fold.ZERO, c_fold.ONE):
        s.out.extend(first if condition == c_fold.ONE else second)
        return then if condition == c_fold.ONE else other
    if isinstance(then, (Element, StructPlace, StructValue)) and isinstance(other, (Element, StructPlace, StructValue)):
        pairs = zip(c_places.leaf_values(s, then, line), c_places.leaf_values(s, other, line), strict=True)
        if not first and not second:
            return StructValue(then.type, tuple((path, Ternary(condition, a, b)) for (path, a), (_, b) in pairs))
    if not isinstance(then, EXPRESSIONS) or not isinstance(other, EXPRESSIONS) or NULL in (then, other):
        advice = "write if (...) around the loop, or copy the values"
        raise TaskError(f"a pointer or struct chosen by ?: cannot be translated; {advice}", line)
    if not first and not second:
        return Ternary(condition, then, other)
    result = s.fresh("chosen", common(s.type_of(then), s.type_of(other)))
    for branch, chosen in ((first, then), (second, other)):
        with s.capture() as last:
            s.assign(result, chosen)
        branch.extend(last)
    s.emit(If(condition, _plain(first), _plain(second), line=s.line))
    return result


def _settled_branch(s: Scopes, node: c_ast.Node) -> Value:
    """The value of a branch as it is before the branch's own post-increments."""
    found = s.value(node)
    if s.pending and isinstance(found, EXPRESSIONS) and found is not NULL:
        return s.fresh("value", s.type_of(found), found)
    return found


def _cast(s: Scopes, node: c_ast.Cast, line: int | None) -> Value:
    kind = s.program.types.resolve(node.to_type)
    found = s.value(node.expr)
    if isinstance(kind, Scalar) and kind.name == "void":
        return c_fold.ZERO
    if isinstance(kind, Pointer):
        if found == c_fold.ZERO:
            return NULL
        if isinstance(found, PointerValue):
            return viewed(s, found, kind, line)
        return found
    if not isinstance(kind, Scalar) or not isinstance(found, EXPRESSIONS) or found is NULL:
        raise TaskError("this cast cannot be translated", line)
    return found if s.type_of(found) == kind.name else Cast(kind.name, found)


def viewed(s: Scopes, found: PointerValue, kind: Pointer, line: int | None) -> PointerValue:
    """A pointer seen as another pointer type: the same elements, perhaps as rows of a matrix."""
    extents: list[Expr] = []
    target = kind.target
    while isinstance(target, Array):
        if target.extent is None:
            raise TaskError("this array type needs an extent", line)
        extents.append(s.rvalue(target.extent))
        target = target.element
    if target not in (found.array.element, Scalar("void")):
        advice = "convert the values instead, one by one"
        raise TaskError(f"memory of one type is read as another type through a pointer cast; {advice}", line)
    if extents and not found.below and found.array.dims is None:
        return PointerValue(found.array, (), found.offset, tuple(extents))
    return found


# ----------------------------------------------------------------- assignment


def assignment(s: Scopes, node: c_ast.Assignment) -> Value:
    """`a = b`, `a += b`: stored now; its value is the place read again."""
    line = where(node).line
    op = node.op[:-1]
    target = c_places.place(s, node.lvalue)
    if isinstance(target, PointerSymbol):
        if op in ("+", "-"):
            c_places.step_pointer(s, target, s.rvalue(node.rvalue), op, line)
        else:
            c_places.set_pointer(s, target, c_places.pointer(s, node.rvalue))
        return s.pointer(target, line)
    if isinstance(target, (StructPlace, Element)) and not isinstance(target.type, Scalar):
        c_places.assign_struct(s, target, s.value(node.rvalue), line)
        return target
    found = c_places.load(s, target, line)
    if not isinstance(found, (Name, Load)):
        raise TaskError("this cannot be assigned to; assign to a variable or an element", line)
    _refuse_const(s, target, found, line)
    new = s.rvalue(node.rvalue)
    if op:
        _refuse_float_bits(s, op, found, new, line)
    s.line = line or s.line
    s.assign(found, new, op)
    return found


def _refuse_const(s: Scopes, target: c_places.Place, found: Name | Load, line: int | None) -> None:
    is_const = isinstance(target, ScalarSymbol) and target.is_const
    is_const = is_const or (isinstance(target, Element) and target.array.is_const)
    if is_const or (isinstance(found, Name) and found.name in s.program.constants):
        name = (found.name if isinstance(found, Name) else found.array).split("#")[0]
        raise TaskError(f"{name} is const and cannot be assigned to", line)
