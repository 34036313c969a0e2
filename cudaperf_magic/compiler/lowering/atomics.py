"""Updates of array elements that several threads may hit become atomic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from cudaperf_magic.compiler.analysis.reductions import Reduction
from cudaperf_magic.compiler.analysis.updates import Update, selection, update_of
from cudaperf_magic.compiler.loops import (
    Assign,
    Call,
    Cast,
    Const,
    Evaluate,
    Expr,
    If,
    Load,
    Loop,
    Name,
    Stmt,
    Symbols,
    Unary,
    While,
    walk,
)
from cudaperf_magic.compiler.lowering.snippets import WORDS, Snippet, combined, type_word

FUNCTIONS = {
    "+": "atomicAdd",
    "min": "atomicMin",
    "max": "atomicMax",
    "&": "atomicAnd",
    "|": "atomicOr",
    "^": "atomicXor",
}
INTEGERS = {"int", "unsigned int", "long long", "unsigned long long"}
NATIVE = {
    "+": {"int", "unsigned int", "unsigned long long", "float", "double"},
    "min": INTEGERS,
    "max": INTEGERS,
    "&": {"int", "unsigned int", "unsigned long long"},
    "|": {"int", "unsigned int", "unsigned long long"},
    "^": {"int", "unsigned int", "unsigned long long"},
}
WORDS_OF_SIZE = {4: "unsigned int", 8: "unsigned long long"}
SIZES = {
    "int": 4, "unsigned int": 4, "float": 4, "double": 8,
    "long": 8, "unsigned long": 8, "long long": 8, "unsigned long long": 8,
}  # fmt: skip


def can_be_atomic(operator: str, type: str) -> bool:
    """Whether there is an atomic for it, the hardware's or one made of compare-and-swap."""
    return operator in WORDS and operator not in ("argmin", "argmax") and type in SIZES


def without_atomic(reductions: Iterable[Reduction], types: Mapping[str, str]) -> Reduction | None:
    """The first that updates elements which collide, and has no atomic to do so: bytes, shorts, products."""
    for reduction in reductions:
        target = reduction.target
        if reduction.scope == "scattered" and reduction.store is None and isinstance(target, Load):
            kind = types.get(f"{target.array}.{target.field}" if target.field else target.array, "")
            if not can_be_atomic(reduction.operator, kind):
                return reduction
    return None


def with_atomics(
    body: tuple[Stmt, ...], arrays: Iterable[str], symbols: Symbols
) -> tuple[tuple[Stmt, ...], tuple[Snippet, ...]]:
    """The statements with every update of the arrays made atomic, and the device functions that this needs."""
    wanted = frozenset(arrays)
    if not wanted:
        return body, ()
    snippets: dict[str, Snippet] = {}

    def inside(statements: tuple[Stmt, ...]) -> tuple[Stmt, ...]:
        return tuple(made for s in statements for made in convert(s))

    def convert(statement: Stmt) -> tuple[Stmt, ...]:
        update = _update(statement, wanted)
        if update is not None and isinstance(update.target, Load):
            made = atomic_update(update, update.target, symbols, snippets)
            return (made,) if update.guard is None else (If(update.guard, (made,), line=update.line),)
        match statement:
            case If():
                return (replace(statement, then=inside(statement.then), other=inside(statement.other)),)
            case Loop() | While():
                return (replace(statement, body=inside(statement.body)),)
            case _:
                return (statement,)

    return inside(body), tuple(snippets.values())


def updates_to(body: tuple[Stmt, ...], array: str) -> tuple[Update, ...]:
    """All updates of the array's elements that with_atomics would convert."""
    found = (_update(statement, frozenset((array,))) for statement in walk(body))
    return tuple(update for update in found if update is not None)


def _update(statement: Stmt, wanted: frozenset[str]) -> Update | None:
    update: Update | None = None
    if isinstance(statement, Assign):
        update = update_of(statement)
    elif isinstance(statement, If):
        update = selection(statement)
    if update is None or not isinstance(update.target, Load) or update.target.array not in wanted:
        return None
    return None if update.companions else update


def atomic_update(update: Update, target: Load, symbols: Symbols, snippets: dict[str, Snippet]) -> Stmt:
    """The update as one atomic; a device function that it needs joins the snippets."""
    type = symbols.types[target.array]
    operator, address = update.operator, Unary("&", target)
    if type in NATIVE.get(operator, set()):
        return Evaluate(Call(FUNCTIONS[operator], (address, _as(type, update.value, symbols))), update.line)
    if operator == "+" and type in ("long", "unsigned long", "long long"):
        # Two's complement: an unsigned sum has the same bits.
        word = "unsigned long long"
        return Evaluate(Call("atomicAdd", (Cast(f"{word} *", address), Cast(word, update.value))), update.line)
    word = WORDS_OF_SIZE[SIZES[type]]
    name = f"atomic_{WORDS[operator]}_{type_word(type)}"
    values = (("name", name), ("type", type), ("word", word), ("combine", combined(operator, "current", "value")))
    snippets[name] = Snippet("atomic_combine", values)
    return Evaluate(Call(name, (address, update.value)), update.line)


def _as(type: str, value: Expr, symbols: Symbols) -> Expr:
    """atomicAdd is overloaded: the value must have the element's type, or the call is ambiguous."""
    if isinstance(value, (Const, Cast)) and value.type == type:
        return value
    if isinstance(value, Const) and value.type == "int" and type == "unsigned int":
        return Const(f"{value.text}u", type)
    if isinstance(value, Name) and symbols.types.get(value.name) == type:
        return value
    if isinstance(value, Load) and not value.field and symbols.types.get(value.array) == type:
        return value
    return Cast(type, value)
