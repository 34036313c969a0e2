"""How large a sum can get inside its loops, term by term: each variable at the end of its range that helps the term.

Scalar parameters are taken as not negative. It may overestimate where terms pull one variable both ways.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cudaperf_magic.compiler.analysis.accesses import Frame
from cudaperf_magic.compiler.analysis.affine import INTEGER_TYPES, Polynomial, add, multiply
from cudaperf_magic.compiler.analysis.values import Typing
from cudaperf_magic.compiler.loops import Binary, Name, names_in


def highest(
    terms: Polynomial, frames: Sequence[Frame], typing: Typing, changing: Iterable[str]
) -> Polynomial | None:
    """The sum with all loop variables replaced; None when something else than fixed integers remains in it."""
    for frame in reversed(frames):
        if frame.loop is None or frame.start is None or frame.stop is None:
            continue
        step = frame.loop.step
        last = add(typing.expand(frame.stop), {(): -1 if step > 0 else 1})
        first = typing.expand(frame.start)
        replaced = _replace(terms, frame.loop.var, *((last, first) if step > 0 else (first, last)), typing)
        if replaced is None:
            return None
        terms = replaced
    for monomial in terms:
        for atom in monomial:
            if not isinstance(atom, Name) or atom.name in changing:
                return None
            if typing.types.get(atom.name) not in INTEGER_TYPES:
                return None
    return terms


def _replace(
    terms: Polynomial, var: str, largest: Polynomial, smallest: Polynomial, typing: Typing
) -> Polynomial | None:
    total: Polynomial = {}
    for monomial, coefficient in terms.items():
        value: Polynomial = {(): coefficient}
        for atom in monomial:
            if var not in names_in(atom):
                value = multiply(value, {(atom,): 1})
            elif atom == Name(var):
                value = multiply(value, largest if coefficient > 0 else smallest)
            elif isinstance(atom, Binary) and atom.op == "%" and coefficient > 0 and var not in names_in(atom.right):
                value = multiply(value, add(typing.expand(atom.right), {(): -1}))
            else:
                return None
        total = add(total, value)
    return total
