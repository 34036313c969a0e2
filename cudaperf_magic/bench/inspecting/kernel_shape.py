"""What a kernel's text says of the grid that it is written for: threads of a block, blocks, dynamic shared memory.

It reads the text, evaluates constants and nothing else. What the text does not decide is None, never a guess that would
make a right kernel look wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tree_sitter import Node

from cudaperf_magic.bench.host.source import Function, Program, text
from cudaperf_magic.bench.inspecting.program import parameter_name, walk
from cudaperf_magic.errors import UsageError
from cudaperf_magic.tasks.expressions import Unknown, value_of

AXES = "xyz"
THREADS = {1: (256, 1, 1), 2: (16, 16, 1), 3: (8, 8, 4)}  # where the kernel leaves it open
MOST_THREADS, WARP = 1024, 32
SOME_BLOCKS = 4
INTEGERS = {
    "int", "long", "short", "unsigned", "size_t", "uint", "int32_t", "uint32_t", "int64_t", "uint64_t"
}  # fmt: skip
COMPARISONS = {"<", "<=", ">", ">=", "!=", "=="}
PLACES = {
    f"{what}.{axis}": f"{what[0]}{axis}" for what in ("threadIdx", "blockIdx") for axis in AXES
}  # threadIdx.x -> tx
Places = frozenset[str]


def constants_of(program: Program) -> dict[str, int]:
    """Whole numbers that the text gives a name: `const int TILE = 32;`."""
    known: dict[str, int] = {}
    for node, _ in program.others:
        known |= _constants(node, known)
    return known


def _constants(node: Node, known: Mapping[str, int]) -> dict[str, int]:
    words = {text(child) for child in node.children}
    if node.type != "declaration" or not words & {"const", "constexpr"}:
        return {}
    found: dict[str, int] = {}
    for child in node.children_by_field_name("declarator"):
        name, value = child.child_by_field_name("declarator"), child.child_by_field_name("value")
        if child.type == "init_declarator" and name is not None and value is not None and name.type == "identifier":
            number = _number(value, {**known, **found})
            if number is not None:
                found[text(name)] = number
    return found


def _number(node: Node, known: Mapping[str, int]) -> int | None:
    try:
        value = value_of(text(node), dict(known))
    except (Unknown, UsageError):
        return None
    return int(value) if value == int(value) else None


class KernelShape:
    """What one kernel's indices come from, what bounds them, and which arrays they go to."""

    def __init__(self, kernel: Function, constants: Mapping[str, int]) -> None:
        self.kernel, self.known = kernel, dict(constants)
        self.integers = [parameter_name(p) for p in kernel.parameters if _is_integer(p)]
        self.places: dict[str, Places] = {}  # of local variables
        self.plain: dict[str, str] = {}  # variables that are one index alone: tx, row
        self.bounds: dict[Places, str] = {}  # by integer parameters
        self.limits: dict[Places, int] = {}  # by numbers
        self.strides: dict[str, int] = {}  # threads of a block along an axis, as the index arithmetic has it
        self.used: set[str] = set()
        self.is_indexing = False  # whether an index of the grid reaches an array
        for node in walk(kernel.body):
            self.take(node)
        self.steps = dict(self.loop_steps())

    # What the text says.

    def take(self, node: Node) -> None:
        if node.type == "field_expression" and text(node) in PLACES:
            self.used.add(PLACES[text(node)])
        elif node.type == "declaration":
            self.known |= _constants(node, self.known)
        elif node.type in ("init_declarator", "assignment_expression"):
            self.assign(node)
        elif node.type == "binary_expression":
            self.compare(node)
            self.stride(node)
        elif node.type == "subscript_expression":
            self.is_indexing |= any(self.origin(index) for index in _indices(node))
        elif node.type == "pointer_expression":
            self.is_indexing |= bool(self.origin(node))

    def assign(self, node: Node) -> None:
        name = node.child_by_field_name("declarator") or node.child_by_field_name("left")
        value = node.child_by_field_name("value") or node.child_by_field_name("right")
        if name is None or value is None or name.type != "identifier":
            return
        self.places[text(name)] = self.places.get(text(name), frozenset()) | self.origin(value)
        if text(value) in PLACES and node.type == "init_declarator":
            self.plain[text(name)] = PLACES[text(value)]
        elif node.type == "assignment_expression":
            self.plain.pop(text(name), None)

    def origin(self, node: Node | None) -> Places:
        """Which indices a value depends on."""
        found: set[str] = set()
        for each in walk(node):
            if each.type == "field_expression" and text(each) in PLACES:
                found.add(PLACES[text(each)])
            elif each.type == "identifier":
                found |= self.places.get(text(each), frozenset())
        return frozenset(found)

    def compare(self, node: Node) -> None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None or operator is None or text(operator) not in COMPARISONS:
            return
        for index, bound in ((left, right), (right, left)):
            places = self.origin(index)
            number = _number(bound, self.known) if places else None
            if number is not None:
                self.limits[places] = max(number, self.limits.get(places, 0))
            elif places and text(operator) != "==" and self.is_bound(bound):
                self.bounds.setdefault(places, text(bound))

    def is_bound(self, node: Node) -> bool:
        """Integer parameters and numbers, with at least one of the first."""
        leaves = [each for each in walk(node) if not each.named_children]
        names = {text(each) for each in leaves if each.type == "identifier"}
        plain = {"identifier", "number_literal"}
        return bool(names) and names <= set(self.integers) and all(each.type in plain for each in leaves)

    def stride(self, node: Node) -> None:
        """`blockIdx.x * 32`, where 32 is known."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        if left is None or right is None or operator is None or text(operator) != "*":
            return
        for index, factor in ((left, right), (right, left)):
            place = PLACES.get(text(index), self.plain.get(text(index), ""))
            number = _number(factor, self.known) if place.startswith("b") else None
            if number is not None:
                self.strides.setdefault(place[1], number)

    def loop_steps(self) -> Iterator[tuple[str, int]]:
        """Axes along which a thread takes several points in steps: `threadIdx.y + j`, with `j += 8`."""
        for loop in walk(self.kernel.body):
            update = loop.child_by_field_name("update") if loop.type == "for_statement" else None
            target = update.child_by_field_name("left") if update is not None else None
            value = update.child_by_field_name("right") if update is not None else None
            step = _number(value, self.known) if value is not None and text(update or loop).count("+=") else None
            if target is None or step is None:
                continue
            for node in walk(loop.child_by_field_name("body")):
                sides = [node.child_by_field_name(side) for side in ("left", "right")]
                if node.type == "binary_expression" and target.text in [s.text for s in sides if s is not None]:
                    axes = {place[1] for place in self.origin(node) if place.startswith("t")}
                    yield from ((axis, step) for axis in axes if len(axes) == 1)

    # What follows from it.

    @property
    def dimensions(self) -> int:
        return max((AXES.index(place[1]) + 1 for place in self.used), default=1)

    def block(self) -> tuple[int, int, int] | None:
        """Threads of a block; None where the text hints at what it does not say."""
        axes = [axis for axis in AXES[: self.dimensions] if f"t{axis}" in self.used]
        is_line = len(axes) <= 1
        sizes = dict.fromkeys(AXES, 1)
        shared = dict(self.shared_threads())
        for axis in axes:
            width = self.strides.get(axis) or shared.get(axis)
            if width == 0:
                return None
            step = self.steps.get(axis, 0)
            open_size = THREADS[1][0] if is_line else THREADS[self.dimensions][AXES.index(axis)]
            sizes[axis] = open_size if width is None else step if 0 < step < width else width
        if not axes:
            sizes["x"] = THREADS[1][0]
        is_fit = sizes["x"] * sizes["y"] * sizes["z"] <= MOST_THREADS
        return (sizes["x"], sizes["y"], sizes["z"]) if is_fit and min(sizes.values()) > 0 else None

    def shared_threads(self) -> Iterator[tuple[str, int]]:
        """Axes whose thread index goes unguarded into a shared array, with its extent; 0 when that is unknown."""
        arrays = {name: lengths for name, lengths, _ in self.shared_arrays()}
        found: dict[str, int] = {}
        for node in walk(self.kernel.body):
            if node.type != "subscript_expression":
                continue
            name, indices = _flat(node)
            for index, length in zip(indices, arrays.get(name, ()), strict=False):
                place = PLACES.get(text(index), self.plain.get(text(index), ""))
                if not place.startswith("t"):
                    continue
                number = _number(length, self.known) or 0
                if number and self.limits.get(frozenset({place}), 0) == number and number <= WARP:
                    continue  # `if (threadIdx.x < 16) bins[threadIdx.x] = 0;`
                found[place[1]] = min(number, found.get(place[1], number))
        yield from found.items()

    def shared_arrays(self) -> Iterator[tuple[str, list[Node], str]]:
        """Arrays of fixed size in shared memory: name, lengths, type."""
        for declaration, declarator in self.declared_shared(is_extern=False):
            lengths: list[Node] = []
            inner: Node | None = declarator
            while inner is not None and inner.type == "array_declarator":
                length = inner.child_by_field_name("size")
                lengths[:0] = [length] if length is not None else []
                inner = inner.child_by_field_name("declarator")
            type_ = declaration.child_by_field_name("type")
            if inner is not None and type_ is not None:
                yield text(inner), lengths, text(type_)

    def declared_shared(self, *, is_extern: bool) -> Iterator[tuple[Node, Node]]:
        for each in walk(self.kernel.body):
            words = {text(child) for child in each.children}
            if each.type == "declaration" and "__shared__" in words and ("extern" in words) == is_extern:
                yield from ((each, child) for child in each.named_children if child.type == "array_declarator")

    def dynamic(self, threads: int) -> str | None:
        """Bytes of dynamic shared memory as C text: an element for each thread, or for each of a parameter's values.

        "" when there is none; None when the text does not say how many there are.
        """
        found = list(self.declared_shared(is_extern=True))
        if not found:
            return ""
        declaration, declarator = found[0]
        name, type_ = declarator.child_by_field_name("declarator"), declaration.child_by_field_name("type")
        if name is None or type_ is None:
            return None
        counts: set[str] = set()
        uses = 0
        for node in walk(self.kernel.body):
            uses += node.type == "identifier" and node.text == name.text
            if node.type == "subscript_expression" and _flat(node)[0] == text(name):
                uses -= 1
                index = _flat(node)[1][0]
                if not any(each.type == "subscript_expression" for each in walk(index)):  # of bins[x[i]] x tells
                    counts.add(self.elements(index, threads))
        if uses > 1 or "" in counts:  # the declaration itself is one
            return None
        counted = sorted(counts - {str(threads)}) or [str(threads)]
        return f"{counted[0]} * sizeof({text(type_)})" if len(counted) == 1 else None

    def elements(self, index: Node, threads: int) -> str:
        """How many elements an index of dynamic shared memory asks for; "" when that is not to be told."""
        if PLACES.get(text(index), self.plain.get(text(index))) == "tx":
            return str(threads)
        places = self.origin(index)
        bound = self.bounds.get(places) if places else None
        if bound is not None:
            return bound
        if any(each.type == "binary_expression" and "*" in text(each) for each in walk(index)):
            return ""
        names = {text(each) for each in walk(index) if each.type == "identifier"}
        return "" if names & set(self.integers) or places - {"tx"} else str(threads)

    def blocks(self, block: tuple[int, int, int]) -> list[str] | None:
        """Blocks along each axis, as C text; None when the text does not say it."""
        found = []
        for axis, threads in zip(AXES, block, strict=True):
            if f"b{axis}" not in self.used:
                found.append("1")
                continue
            count = self.along(axis, self.strides.get(axis, threads))
            if count is None:
                return None
            found.append(count)
        return found

    def along(self, axis: str, width: int) -> str | None:
        """Blocks along one axis, of `width` points each."""
        both, alone = frozenset({f"t{axis}", f"b{axis}"}), frozenset({f"b{axis}"})
        if both in self.bounds:
            return f"({self.bounds[both]} + {width - 1}) / {width}"
        if alone in self.bounds:
            return self.bounds[alone]
        if not self.integers or not self.is_indexing:
            return str(SOME_BLOCKS)
        if len(self.integers) > 1 or frozenset({f"t{axis}"}) in self.bounds:
            return None
        if self.dimensions > 1 and not self.bounds:  # written for whole tiles
            return f"{self.integers[0]} / {width}"
        return f"({self.integers[0]} + {width - 1}) / {width}"


def _indices(subscript: Node) -> list[Node]:
    listed = subscript.child_by_field_name("indices")
    if listed is not None:
        return list(listed.named_children)
    index = subscript.child_by_field_name("index")
    return [index] if index is not None else []


def _flat(subscript: Node) -> tuple[str, list[Node]]:
    """tile[i][j] -> tile, [i, j]."""
    indices: list[Node] = []
    node: Node | None = subscript
    while node is not None and node.type == "subscript_expression":
        indices[:0] = _indices(node)
        node = node.child_by_field_name("argument")
    return (text(node) if node is not None else ""), indices


def _is_integer(parameter: Node) -> bool:
    type_ = parameter.child_by_field_name("type")
    declarator = parameter.child_by_field_name("declarator")
    if type_ is None or declarator is None or declarator.type != "identifier":
        return False
    return bool(set(text(type_).split()) & INTEGERS)
