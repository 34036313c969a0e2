"""The move on colliding updates: histogram bins that every block first has to itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from cudaperf_magic.compiler.analysis.affine import integer, loads_in, simplify
from cudaperf_magic.compiler.loops import Binary, Const, Expr, Name, Stmt, substitute_expression
from cudaperf_magic.compiler.lowering.atomics import updates_to
from cudaperf_magic.compiler.lowering.footprint import loads_of
from cudaperf_magic.compiler.lowering.lower import symbols_of
from cudaperf_magic.compiler.lowering.lower_bins import bin_count, operator_of
from cudaperf_magic.compiler.lowering.snippets import BYTES, identity
from cudaperf_magic.compiler.moves.move import Context, Move, Refused
from cudaperf_magic.compiler.program import HostIf, Nest, Node, Program
from cudaperf_magic.compiler.schedule import Step

SHARED_BYTES = 48 * 1024  # what a block may have without asking for more
POINTS = 16  # points a thread takes, so that a block's bins are worth clearing and handing on


def _privatise(program: Program, nest: Nest, step: Step, context: Context) -> Program:
    array = str(step.values[0])
    if nest.team > 1 or not nest.loops or nest.staged or nest.vector > 1:
        raise Refused("only a plain kernel with a thread a point can give its blocks bins of their own")
    if array not in nest.atomic or array in nest.private_bins:
        raise Refused(f"{nest.name} has no colliding updates of {array} that are not in shared memory already")
    symbols = symbols_of(program)
    if not symbols.shapes.get(array) or symbols.types[array] not in BYTES:
        raise Refused(f"the size of {array} is not known")
    operator = operator_of(nest.body, array)
    if not operator or identity(operator, symbols.types[array]) is None:
        raise Refused(f"the updates of {array} have no common operator that can start from a neutral element")
    if not _only_updates(nest.body, array):
        raise Refused(f"{array} is read while it is updated")
    count, size = bin_count(array, symbols), BYTES[symbols.types[array]]
    known = integer(count)
    taken = sum(_bytes(other, program) for other in nest.private_bins)
    if known is not None and known * size + taken > SHARED_BYTES:
        raise Refused(f"{known} bins of {size} bytes do not fit into shared memory")
    if known is None and nest.private_bins:
        raise Refused("a kernel has one shared array of a size that only the launch knows, and it needs all the room")
    coarsen = nest.coarsen if max(nest.coarsen, default=1) > 1 else (POINTS, *(1 for _ in nest.axes[1:]))
    sentence = (
        f"Each block collects {array} in shared memory first, where updates that collide cost little, and adds "
        "its totals to global memory at the end."
    )
    private = replace(
        nest, private_bins=(*nest.private_bins, array), coarsen=coarsen, comments=nest.saying(sentence)
    )
    if known is not None:
        return program.changed(nest.name, lambda _: (private,))
    fits = Binary("<=", _in_bytes(count, symbols.types[array]), Const(str(SHARED_BYTES)))
    plain = replace(nest, name=f"{nest.name}_global")
    nodes: tuple[Node, ...] = (HostIf(fits, (private,), (plain,)),)
    return program.changed(nest.name, lambda _: nodes)


def _in_bytes(count: Expr, type: str) -> Expr:
    return Binary("*", count, Name(f"sizeof({type})"))


def _bytes(array: str, program: Program) -> int:
    symbols = symbols_of(program)
    count = integer(bin_count(array, symbols))
    return SHARED_BYTES if count is None else count * BYTES[symbols.types[array]]


def _only_updates(body: tuple[Stmt, ...], array: str) -> bool:
    """Whether every mention of the array is the target of an update."""
    updates = updates_to(body, array)
    targets = {update.target for update in updates}
    contributed = [e for u in updates for e in (u.value, u.guard) if e is not None]
    if any(load.array == array for e in contributed for load in loads_in(e)):
        return False
    return all(load in targets for load in loads_of(array, body))


def _privatise_options(program: Program, nest: Nest, context: Context) -> Iterator[Step]:
    if nest.team > 1 or not nest.loops:
        return
    for array in sorted(nest.atomic - set(nest.private_bins)):
        count = size_of(array, program, context.sizes)
        if count is not None and count * BYTES.get(symbols_of(program).types[array], 8) <= SHARED_BYTES:
            yield Step("privatise", nest.name, (array,))


def size_of(array: str, program: Program, sizes: Mapping[str, int]) -> int | None:
    """The number of elements for the sizes that will be measured, where they tell."""
    symbols = symbols_of(program)
    if not symbols.shapes.get(array):
        return None
    known = {name: Const(str(value)) for name, value in sizes.items()}
    constants = {name: Const(text, kind) for name, kind, text in program.function.constants}
    return integer(simplify(substitute_expression(bin_count(array, symbols), {**constants, **known})))


PRIVATISE = Move(
    "privatise", ("synchronisation", "coalescing"), "A block has bins of its own in shared memory.",
    _privatise, _privatise_options,
)  # fmt: skip
