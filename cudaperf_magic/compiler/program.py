"""What a schedule shapes: a host program of loops, conditions and nests. A nest becomes one kernel.

Nests hold decisions (which loop runs along which thread axis, how large a block is, what is staged), not CUDA:
moves change the decisions, the lowering modules carry them out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from cudaperf_magic.compiler.loops import Assign, Declare, Expr, Function, Loop, Stmt


@dataclass(frozen=True)
class Nest:
    """A kernel to be.

    A *point* is one iteration of `loops`, the parallel band, outermost first (their own bodies are left empty here);
    `body` is what one point does. With no loops the whole nest is a single point.

    axes: the labels of `loops` in thread order, x first. block: points of a block along each axis.
    team: threads that share one point: 1, a warp (32), or a whole block. Teams split the loops inside the body.
    rows: teams of a block (warps only).   reduce_style: how a block combines parts, "tree" or "shuffle".
    coarsen: points a thread takes along each axis.   vector: neighbouring points a thread takes at once (1, 2, 4, 16).
    tile: label of the serial loop that is cut into steps whose inputs are staged in shared memory, with the depth.
    staged: arrays read through shared memory, `pad` elements wider a row.
    atomic: arrays whose updates collide between points.
    private: scalars and arrays declared outside that every point has to itself.
    private_bins: the arrays of `atomic` that each block first sums up in shared memory.
    unroll: labels of loops to unroll.
    restrict: whether the arrays that it only reads are promised not to overlap those that it writes.
    """

    name: str
    loops: tuple[Loop, ...]
    body: tuple[Stmt, ...]
    axes: tuple[str, ...] = ()
    block: tuple[int, ...] = ()
    team: int = 1
    rows: int = 1
    reduce_style: str = "tree"
    coarsen: tuple[int, ...] = ()
    vector: int = 1
    tile: tuple[str, int] | None = None
    staged: tuple[str, ...] = ()
    pad: int = 0
    atomic: frozenset[str] = frozenset()
    private: frozenset[str] = frozenset()
    private_bins: tuple[str, ...] = ()
    unroll: tuple[str, ...] = ()
    restrict: bool = False
    is_fallback: bool = False  # one thread, for sizes that the others are not for
    comments: tuple[str, ...] = ()  # one teaching sentence a move

    def loop(self, label: str) -> Loop:
        return next(loop for loop in self.loops if loop.label == label)

    def saying(self, sentence: str) -> tuple[str, ...]:
        return self.comments if sentence in self.comments else (*self.comments, sentence)


@dataclass(frozen=True)
class HostScalar:
    """A scalar that the host computes."""

    statement: Declare | Assign


@dataclass(frozen=True)
class HostLoop:
    """A loop whose iterations follow one another as launches."""

    loop: Loop  # its body is left empty
    body: tuple[Node, ...]


@dataclass(frozen=True)
class HostIf:
    condition: Expr
    then: tuple[Node, ...]
    other: tuple[Node, ...] = ()


Node = Nest | HostScalar | HostLoop | HostIf


@dataclass(frozen=True)
class Workspace:
    """Device memory of the translation's own: a local array of the C, or a scalar that kernels hand on."""

    name: str
    type: str
    shape: tuple[Expr, ...]
    zeroed: bool = False
    why: str = ""


@dataclass(frozen=True)
class Program:
    function: Function  # the C as analysed: the tables, helpers and parameters come from here
    nodes: tuple[Node, ...]
    workspaces: tuple[Workspace, ...] = ()
    host_scalars: frozenset[str] = frozenset()  # scalars whose values the host knows
    serial_reasons: tuple[str, ...] = ()  # why what is not parallel is not, in sentences

    @property
    def nests(self) -> tuple[Nest, ...]:
        return tuple(node for node in walk_nodes(self.nodes) if isinstance(node, Nest))

    @property
    def is_serial(self) -> bool:
        """Whether no kernel has work for two threads."""
        return all(nest.team == 1 and not nest.loops for nest in self.nests if not nest.is_fallback)

    def nest(self, name: str) -> Nest | None:
        return next((nest for nest in self.nests if nest.name == name), None)

    def changed(self, name: str, change: Callable[[Nest], tuple[Node, ...]]) -> Program:
        """The program with one nest replaced by what `change` makes of it."""
        return replace(self, nodes=_changed(self.nodes, name, change))


def walk_nodes(nodes: tuple[Node, ...]) -> Iterator[Node]:
    for node in nodes:
        yield node
        if isinstance(node, HostLoop):
            yield from walk_nodes(node.body)
        elif isinstance(node, HostIf):
            yield from walk_nodes(node.then)
            yield from walk_nodes(node.other)


def _changed(nodes: tuple[Node, ...], name: str, change: Callable[[Nest], tuple[Node, ...]]) -> tuple[Node, ...]:
    result: list[Node] = []
    for node in nodes:
        match node:
            case Nest() if node.name == name:
                result.extend(change(node))
            case HostLoop():
                result.append(replace(node, body=_changed(node.body, name, change)))
            case HostIf():
                then, other = _changed(node.then, name, change), _changed(node.other, name, change)
                result.append(replace(node, then=then, other=other))
            case _:
                result.append(node)
    return tuple(result)
