"""IR expressions -> C text with every read, operation and conversion watched, and the type of each.

It is the expression half of reference_c.py. Every floating result passes through cp_round_*, every signed operation
through an overflow check, every element through its bounds; the text is fully parenthesised, not pretty.
"""

from __future__ import annotations

from cudaperf_magic.bench.reference import types
from cudaperf_magic.compiler.loops import (
    Binary,
    Call,
    Cast,
    Const,
    Expr,
    Function,
    Load,
    Name,
    Symbols,
    Ternary,
    Unary,
)
from cudaperf_magic.errors import TaskError

SPELLED = {
    **{kind: kind for kind in types.NUMPY}, "bool": "_Bool", "char": "signed char", "float": "cp_float",
    "double": "cp_double",
}  # fmt: skip
_CHECKED = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "%": "remainder"}


def leaves(function: Function, kind: str) -> tuple[tuple[str, str], ...]:
    """(path, type) of the plain fields of a struct, in order; a plain type is one leaf with the path ""."""
    struct = next((s for s in function.structs if s.name == kind), None)
    if struct is None:
        return (("", kind),)
    found = []
    for name, inner in struct.fields:
        for path, leaf in leaves(function, inner):
            found.append((f"{name}.{path}" if path else name, leaf))
    return tuple(found)


class Scope:
    """What all functions of one translation unit share: names for reports, slots of local arrays, file-scope types."""

    def __init__(self, function: Function, wide: bool, *, watched: bool = True) -> None:
        self.function = function
        self.wide = wide
        self.shadowed = watched and not wide  # whether each element's state is kept beside it
        self.names: list[str] = []
        self.slots = 0
        self.returns = {f.name: f.return_type for f in function.helpers}
        self.parameters = {f.name: tuple(p.type for p in f.parameters) for f in function.helpers}
        self.tables = {table.name for part in (*function.helpers, function) for table in part.tables}
        whole = Symbols.of(function)
        outer = {p.name for p in function.parameters if p.is_global} | self.tables
        outer |= {name for name, _, _ in function.constants}
        self.file_types = {name: kind for name, kind in whole.types.items() if name in outer}
        self.file_shapes = {name: shape for name, shape in whole.shapes.items() if name in outer}

    def number(self, name: str) -> int:
        if name not in self.names:
            self.names.append(name)
        return self.names.index(name)

    def new_slot(self) -> int:
        self.slots += 1
        return self.slots - 1

    def constant(self, kind: str, text: str) -> str:
        spelled = {"true": "1", "false": "0"}.get(text, text)
        return f"({SPELLED[kind]})({spelled})"


class Expressions:
    """Prints the expressions of one function. `line` is that of the statement being printed."""

    def __init__(self, scope: Scope, symbols: Symbols) -> None:
        self.scope = scope
        self.symbols = symbols
        self.line = 0
        self.unset: set[str] = set()  # scalars declared without a value: reads of these are watched
        self.counters: list[str] = []  # variables of the counted loops around, always set

    def text(self, expression: Expr) -> str:
        return self._typed(expression)[0]

    def type_of(self, expression: Expr) -> str:
        return self._typed(expression)[1]

    def converted(self, expression: Expr, kind: str) -> str:
        """The expression as a value of a type, as by assignment."""
        text, found = self._typed(expression)
        return self._convert(text, found, kind)

    # -------------------------------------------------------------- places

    def place(self, load: Load) -> tuple[str, str, str]:
        """(flat cell, C lvalue once `cp_cell` holds that cell, shadow array or "" when it is not watched)."""
        array = f"v_{load.array}"
        fields = leaves(self.scope.function, self.symbols.types[load.array])
        paths = [path for path, _ in fields]
        flat = self._flat(load)
        field = "".join(f".f_{part}" for part in load.field.split(".")) if load.field else ""
        shadow = "" if not self.scope.shadowed or load.array in self.scope.tables else f"{array}__s"
        if len(fields) == 1 and not load.field:
            return flat, f"{array}[cp_cell]", shadow
        count, at = len(fields), paths.index(load.field)
        return f"{flat} * {count} + {at}", f"{array}[cp_cell / {count}]{field}", shadow

    def _flat(self, load: Load) -> str:
        shape = self.symbols.shapes.get(load.array)
        if shape is None or len(shape) != len(load.subscripts):
            raise TaskError(f"{load.array} is used with {len(load.subscripts)} subscripts", self.line or None)
        number, text = self.scope.number(load.array), "0"
        for d, subscript in enumerate(load.subscripts):
            at = self.converted(subscript, "long")
            text = f"cp_sub({self.line}, {number}, {d}, {text}, {at}, v_{load.array}__d{d})"
        return text

    def _load(self, load: Load) -> tuple[str, str]:
        cell, place, shadow = self.place(load)
        fields = dict(leaves(self.scope.function, self.symbols.types[load.array]))
        if shadow:
            number, rank = self.scope.number(load.array), len(load.subscripts)
            cell = f"cp_read({self.line}, {number}, {rank}, {shadow}, {cell})"
        return f"({place.replace('cp_cell', f'({cell})', 1)})", fields[load.field]

    # -------------------------------------------------------------- expressions

    def _typed(self, expression: Expr) -> tuple[str, str]:
        match expression:
            case Const(text, kind):
                return f"({self.scope.constant(kind, text)})", kind
            case Name(name):
                kind = self.symbols.types[name]
                if name in self.unset and name not in self.counters:
                    return f"(cp_scalar({self.line}, {self.scope.number(name)}, v_{name}__set), v_{name})", kind
                return f"v_{name}", kind
            case Load():
                return self._load(expression)
            case Unary():
                return self._unary(expression)
            case Binary():
                return self._binary(expression)
            case Ternary():
                return self._ternary(expression)
            case Cast(kind, operand):
                return self.converted(operand, kind), kind
            case Call():
                return self._call(expression)

    def _unary(self, unary: Unary) -> tuple[str, str]:
        text, found = self._typed(unary.operand)
        if unary.op == "!":
            return f"(!{text})", "int"
        kind = types.promoted(found)
        text = self._convert(text, found, kind)
        if unary.op == "-" and kind in types.SIGNED_ARITHMETIC:
            return f"cp_subtract_{kind.replace(' ', '_')}({self.line}, 0, {text})", kind
        return f"(({SPELLED[kind]})({unary.op}{text}))", kind

    def _ternary(self, ternary: Ternary) -> tuple[str, str]:
        (then, then_kind), (other, other_kind) = self._typed(ternary.then), self._typed(ternary.other)
        kind = types.common(then_kind, other_kind)
        chosen = f"{self._convert(then, then_kind, kind)} : {self._convert(other, other_kind, kind)}"
        return f"({self.text(ternary.condition)} ? {chosen})", kind

    def _binary(self, binary: Binary) -> tuple[str, str]:
        op = binary.op
        (left, left_kind), (right, right_kind) = self._typed(binary.left), self._typed(binary.right)
        if op in ("&&", "||"):
            return f"({left} {op} {right})", "int"
        if op in ("<<", ">>"):
            count = self._convert(right, right_kind, "long long")
            return self._shift(op, self._convert(left, left_kind, types.promoted(left_kind)), count, left_kind)
        kind = types.common(left_kind, right_kind)
        left, right = self._convert(left, left_kind, kind), self._convert(right, right_kind, kind)
        if op in types.COMPARISONS:
            return f"({left} {op} {right})", "int"
        if types.is_floating(kind):
            return f"cp_round_{kind}({left} {op} {right})", kind
        if kind in types.SIGNED_ARITHMETIC and op in _CHECKED:
            return f"cp_{_CHECKED[op]}_{kind.replace(' ', '_')}({self.line}, {left}, {right})", kind
        if op in ("/", "%"):
            right = f"({kind})cp_divisor({self.line}, {right})"
        return f"({left} {op} {right})", kind

    def _shift(self, op: str, left: str, count: str, left_kind: str) -> tuple[str, str]:
        kind = types.promoted(left_kind)
        places = f"cp_count({self.line}, {count}, {64 if 'long' in kind else 32})"
        if op == "<<" and not kind.startswith("unsigned"):
            return f"(({kind})((unsigned {kind}){left} << {places}))", kind
        return f"({left} {op} {places})", kind

    def _call(self, call: Call) -> tuple[str, str]:
        name = call.function
        if name in self.scope.returns:
            pairs = zip(call.arguments, self.scope.parameters[name], strict=True)
            return f"f_{name}({', '.join(self.converted(a, kind) for a, kind in pairs)})", self.scope.returns[name]
        result = types.math_result(name)
        if result is None:
            raise TaskError(f"{name} is no <math.h> function that can be checked; write it out", self.line or None)
        arguments = []
        for place, argument in enumerate(call.arguments):
            kind = types.math_argument(name, place)
            arguments.append(self.text(argument) if kind is None else self.converted(argument, kind))
        base = types.base_name(name)
        text = f"{self._library_name(name, base)}({', '.join(arguments)})"
        if types.is_floating(result):
            if base in types.APPROXIMATE:
                text = f"cp_approximate_{result}({text})"
            elif base in types.ROUNDED:
                text = f"cp_round_{result}({text})"
        return f"({text})", result

    def _library_name(self, name: str, base: str) -> str:
        """sqrtf -> sqrt and sqrt -> sqrtl in the wide build."""
        if not self.scope.wide or types.math_argument(name, 0) is None or name in ("abs", "labs", "llabs"):
            return name
        return base if base != name else f"{name}l"

    def _convert(self, text: str, found: str, kind: str) -> str:
        if found == kind:
            return text
        if types.is_floating(kind):
            exact = kind == "double" and found == "float"
            cast = f"(({SPELLED[kind]})({text}))"
            if exact or (kind == "double" and "long" not in found):
                return cast
            return f"cp_round_{kind}({cast})"
        if kind == "bool":
            return f"((_Bool)({text} != 0))"
        if types.is_floating(found):
            low, high = types.integer_limits(kind)
            return f"(({SPELLED[kind]})cp_convertible({self.line}, {text}, {low}.0L, {high}.0L))"
        return f"(({SPELLED[kind]})({text}))"
