"""C's types: canonical spellings, literals, and the type of an expression by C's own conversion rules.

`TypeTable` resolves the declarators of pycparser's tree. It knows nothing of variables or statements.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pycparser import c_ast

from cudaperf_magic.compiler.c.syntax import where
from cudaperf_magic.compiler.loops import Binary, Call, Cast, Const, Expr, Load, Name, Ternary, Unary
from cudaperf_magic.errors import TaskError

SIZES = {
    "bool": 1, "char": 1, "signed char": 1, "unsigned char": 1, "short": 2, "unsigned short": 2, "int": 4,
    "unsigned int": 4, "float": 4, "long": 8, "unsigned long": 8, "long long": 8, "unsigned long long": 8, "double": 8,
}  # fmt: skip
INTEGERS = ("int", "unsigned int", "long", "unsigned long", "long long", "unsigned long long")  # rising rank
NARROW = ("bool", "char", "signed char", "unsigned char", "short", "unsigned short")
FLOATS = ("float", "double")
MOST_ELEMENTS = 64  # of an array inside a struct: each is a field of its own


@dataclass(frozen=True)
class Scalar:
    name: str  # a canonical spelling, or "void"


@dataclass(frozen=True)
class StructType:
    name: str


@dataclass(frozen=True)
class Pointer:
    target: CType
    is_const: bool = False  # what it points to
    is_restrict: bool = False


@dataclass(frozen=True)
class Array:
    element: CType
    extent: c_ast.Node | None
    is_const: bool = False
    is_restrict: bool = False


@dataclass(frozen=True)
class FunctionType:
    result: CType


CType = Scalar | StructType | Pointer | Array | FunctionType
INT = Scalar("int")
VOID = Scalar("void")


@dataclass
class TypeTable:
    """typedef names, struct tags with their fields, and enum constants (as their defining expressions)."""

    typedefs: dict[str, CType] = field(default_factory=dict)
    structs: dict[str, tuple[tuple[str, CType], ...]] = field(default_factory=dict)
    enums: dict[str, c_ast.Node | int] = field(default_factory=dict)  # value, or the expression that gives it
    enum_base: dict[str, str] = field(default_factory=dict)  # for a value counted from another constant
    constant: Callable[[c_ast.Node], int | None] = lambda node: None
    _anonymous: int = 0

    def resolve(self, node: c_ast.Node, name: str = "") -> CType:
        """The type that a declarator gives. `name` is what an anonymous struct is called by."""
        match node:
            case c_ast.TypeDecl() | c_ast.Typename():
                _refuse_qualifiers(node)
                return self.resolve(node.type, name)
            case c_ast.PtrDecl():
                return Pointer(self.resolve(node.type, name), _is_const(node.type), "restrict" in node.quals)
            case c_ast.ArrayDecl():
                restrict = "restrict" in (node.dim_quals or [])
                return Array(self.resolve(node.type, name), node.dim, _is_const(node.type), restrict)
            case c_ast.FuncDecl():
                return FunctionType(self.resolve(node.type, name))
            case c_ast.IdentifierType():
                return self._identifier(node)
            case c_ast.Struct():
                return self._struct(node, name)
            case c_ast.Union():
                raise TaskError("a union cannot be translated; use a struct of plain fields", where(node).line)
            case c_ast.Enum():
                self.declare_enum(node)
                return INT
        raise TaskError("this type cannot be translated", where(node).line)

    def _identifier(self, node: c_ast.IdentifierType) -> CType:
        names = list(node.names)
        if len(names) == 1 and names[0] in self.typedefs:
            return self.typedefs[names[0]]
        return Scalar(canonical(names, where(node).line))

    def _struct(self, node: c_ast.Struct, name: str) -> StructType:
        if node.name is None and not name:
            self._anonymous += 1
        tag = node.name or name or f"anonymous_{self._anonymous}"
        if node.decls is None:
            return StructType(tag)
        fields: list[tuple[str, CType]] = []
        self.structs.setdefault(tag, ())
        for declaration in node.decls:
            if not isinstance(declaration, c_ast.Decl) or declaration.name is None:
                raise TaskError("a struct can hold only plain named fields", where(declaration).line)
            if declaration.bitsize is not None:
                message = f"bit-field {declaration.name} cannot be translated; use a plain integer field"
                raise TaskError(message, where(declaration).line)
            fields.append((declaration.name, self.resolve(declaration.type, f"{tag}_{declaration.name}")))
        self.structs[tag] = tuple(fields)
        return StructType(tag)

    def declare_enum(self, node: c_ast.Enum) -> None:
        if node.values is None:
            return
        previous: str | None = None
        for item in node.values.enumerators:
            if not isinstance(item, c_ast.Enumerator):
                continue
            self.enums[item.name] = item.value if item.value is not None else (0 if previous is None else 1)
            if item.value is None and previous is not None:
                self.enum_base[item.name] = previous
            previous = item.name

    def leaves(self, kind: CType, line: int | None, path: str = "") -> list[tuple[str, str]]:
        """(path, scalar type) of every plain field, nested ones included; an array field gives one for each index."""
        match kind:
            case Scalar(name):
                return [(path, name)]
            case StructType(name):
                if not self.structs.get(name):
                    raise TaskError(f"struct {name} has no known fields here", line)
                dot = f"{path}." if path else ""
                return [leaf for f, t in self.structs[name] for leaf in self.leaves(t, line, dot + f)]
            case Array(element, extent) if extent is not None and not isinstance(element, (Pointer, FunctionType)):
                count = self.constant(extent)
                if count is None or not 0 < count <= MOST_ELEMENTS:
                    raise TaskError(f"array {path} inside a struct is too large; use a separate array", line)
                return [leaf for at in range(count) for leaf in self.leaves(element, line, f"{path}_{at}")]
            case Pointer():
                sentence = f"field {path} is a pointer; a struct can hold only plain fields (use separate arrays)"
                raise TaskError(sentence, line)
        raise TaskError(f"field {path} is not a plain number; a struct can hold only plain fields", line)

    def size_of(self, kind: CType, line: int | None) -> int | None:
        """Bytes, or None for an array (its extents are the caller's matter)."""
        match kind:
            case Scalar(name):
                return SIZES.get(name, 1)
            case Pointer():
                return 8
            case StructType():
                size, widest = 0, 1
                for _, leaf in self.leaves(kind, line):
                    widest = max(widest, SIZES[leaf])
                    size = -(-size // SIZES[leaf]) * SIZES[leaf] + SIZES[leaf]
                return -(-size // widest) * widest
        return None


def _is_const(node: c_ast.Node) -> bool:
    """Is what an array or a pointer holds const?"""
    while isinstance(node, c_ast.ArrayDecl):
        node = node.type
    return "const" in (getattr(node, "quals", None) or [])


def _refuse_qualifiers(node: c_ast.Node) -> None:
    for qualifier in node.quals or []:
        if qualifier in ("volatile", "_Atomic"):
            word = "volatile" if qualifier == "volatile" else "_Atomic"
            raise TaskError(f"{word} has no counterpart in a translated kernel; remove it", where(node.type).line)


def canonical(names: list[str], line: int | None) -> str:
    """One spelling for every way to write a basic type: `long unsigned` is "unsigned long"."""
    count = Counter(names)
    if count["_Complex"] or count["_Imaginary"]:
        raise TaskError("complex numbers cannot be translated; keep real and imaginary parts in two variables", line)
    if count["double"] and count["long"]:
        raise TaskError("long double does not exist on a GPU; use double", line)
    if "__int128" in count:
        raise TaskError("128-bit integers cannot be translated; use 64-bit ones", line)
    unsigned = "unsigned " if count["unsigned"] else ""
    for word in ("void", "float", "double"):
        if count[word]:
            return word
    if count["_Bool"]:
        return "bool"
    if count["char"]:
        return "signed char" if count["signed"] else f"{unsigned}char"
    if count["short"]:
        return f"{unsigned}short"
    if count["long"]:
        return unsigned + " ".join(["long"] * count["long"])
    if count["int"] or count["signed"] or count["unsigned"]:
        return f"{unsigned}int"
    raise TaskError(f"'{' '.join(names)}' is not a type that is known here; add its typedef or its #include", line)


# ------------------------------------------------------------------- literals


def literal(node: c_ast.Constant) -> Const:
    """A C literal as a Const: octal becomes decimal, everything else keeps its text."""
    text = str(node.value)
    if node.type == "char" or text.startswith("'"):
        if text[:1] != "'" or len(text.encode().decode("unicode_escape", "replace")) != 3:
            raise TaskError(f"the character {text} is not one plain character", where(node).line)
        return Const(text, "int")
    kind = str(node.type)
    if "float" in kind or "double" in kind:
        if text[-1] in "lL":
            raise TaskError(f"{text} is a long double, which does not exist on a GPU; drop the L", where(node).line)
        return Const(text, "float" if text[-1] in "fF" else "double")
    digits = text.rstrip("uUlL")
    suffix = text[len(digits) :]
    is_octal = len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
    value = int(digits, 8) if is_octal else int(digits, 0)
    return Const((str(value) if is_octal else digits) + suffix, integer_type(value, suffix, digits))


def integer_type(value: int, suffix: str, digits: str = "") -> str:
    """C11 6.4.4.1: the first type in the list that holds the value."""
    low = suffix.lower()
    is_decimal = not digits.startswith("0") or digits == "0"
    for name in INTEGERS[:4] if low.count("l") < 2 else INTEGERS[4:]:
        if "l" in low and name in INTEGERS[:2]:
            continue
        is_unsigned = name.startswith("unsigned")
        if ("u" in low and not is_unsigned) or (is_unsigned and "u" not in low and is_decimal):
            continue
        if value < 1 << (SIZES[name] * 8 - (not is_unsigned)):
            return name
    return "unsigned long"


# ---------------------------------------------------------------- conversions


def promoted(name: str) -> str:
    return "int" if name in NARROW else name


def common(left: str, right: str) -> str:
    """C's usual arithmetic conversions."""
    if "double" in (left, right):
        return "double"
    if "float" in (left, right):
        return "float"
    low, high = sorted((promoted(left), promoted(right)), key=lambda t: INTEGERS.index(t) if t in INTEGERS else 0)
    if high in INTEGERS and low.startswith("unsigned") and not high.startswith("unsigned"):
        return high if SIZES[high] > SIZES[low] else f"unsigned {high}"
    return high


def type_of(expression: Expr, types: Mapping[str, str], results: Mapping[str, str]) -> str:
    """The C type of an expression: `types` of names ("p.x" for a field of array p), `results` of functions."""
    match expression:
        case Const(_, kind) | Cast(kind, _):
            return kind
        case Name(name):
            return types.get(name, "int")
        case Load(array, _, path):
            return types.get(f"{array}.{path}" if path else array, "int")
        case Unary(op, operand):
            return "int" if op == "!" else promoted(type_of(operand, types, results))
        case Binary(op, left, right):
            if op in ("<", "<=", ">", ">=", "==", "!=", "&&", "||"):
                return "int"
            if op in ("<<", ">>"):
                return promoted(type_of(left, types, results))
            return common(type_of(left, types, results), type_of(right, types, results))
        case Ternary(_, then, other):
            return common(type_of(then, types, results), type_of(other, types, results))
        case Call(function, _):
            return results.get(function, "double")
    raise TypeError(f"{expression!r} is not an expression")
