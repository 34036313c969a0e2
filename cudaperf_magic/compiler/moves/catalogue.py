"""All moves by name, and the two things done with them: apply a step, list the steps worth trying."""

from __future__ import annotations

from collections.abc import Iterator

from cudaperf_magic.compiler.moves.access import RESTRICT, UNROLL, VECTOR
from cudaperf_magic.compiler.moves.bins import PRIVATISE
from cudaperf_magic.compiler.moves.launch import BLOCK, COARSEN, INTERCHANGE
from cudaperf_magic.compiler.moves.memory import PAD, STAGE, TILE
from cudaperf_magic.compiler.moves.move import Context, Move, Refused
from cudaperf_magic.compiler.moves.teams import ATOMIC_PASS, SCAN_BLOCKS, SHUFFLE, SPLIT_K, TEAM, TWO_PASS
from cudaperf_magic.compiler.program import Program
from cudaperf_magic.compiler.schedule import Step

MOVES: dict[str, Move] = {
    move.name: move
    for move in (
        INTERCHANGE, TEAM, TWO_PASS, ATOMIC_PASS, SCAN_BLOCKS, SPLIT_K, TILE, STAGE, PAD, PRIVATISE, VECTOR, COARSEN,
        SHUFFLE, UNROLL, RESTRICT, BLOCK,
    )
}  # fmt: skip


def apply(program: Program, step: Step, context: Context) -> Program:
    """The program after a step.

    Raises:
        Refused: no such move or kernel, or the move's precondition says no.
    """
    move = MOVES.get(step.move)
    if move is None:
        raise Refused(f"there is no move {step.move}; there are {', '.join(MOVES)}")
    nest = program.nest(step.target)
    if nest is None:
        raise Refused(f"there is no kernel {step.target}; there are {', '.join(n.name for n in program.nests)}")
    return move.change(program, nest, step, context)


def options(program: Program, context: Context) -> Iterator[tuple[Move, Step]]:
    """Every step that the catalogue would try on a program, refused ones included."""
    for nest in program.nests:
        for move in MOVES.values():
            for step in move.options(program, nest, context):
                yield move, step
