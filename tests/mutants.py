"""CUDA text -> the same text with one fault planted in it, for every place where a fault of that kind fits.

The faults are those that people make by hand: a barrier that was forgotten, a bound that is one too far, a sum that
starts at one. Places are found in the syntax tree, never by pattern. Test support: it runs and judges nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import tree_sitter_cuda
from tree_sitter import Language, Node, Parser

PARSER = Parser(Language(tree_sitter_cuda.language()))
BARRIERS = ("__syncthreads", "__syncwarp")
ATOMICS = {"atomicAdd": "{0} += {1}", "atomicMax": "{0} = max({0}, {1})", "atomicMin": "{0} = min({0}, {1})"}
OTHER_WAY = {"max": "min", "min": "max", "fmaxf": "fminf", "fminf": "fmaxf", "fmax": "fmin", "fmin": "fmax"}
WHERE = ("blockIdx", "threadIdx")

Edit = tuple[Node, str]
Kinds = Mapping[str, Callable[[Node], Iterator[Edit]]]


@dataclass(frozen=True)
class Mutant:
    """One fault: its kind, the line it is in, which of several on equal lines, and the program that has it."""

    kind: str
    line: str
    number: int
    source: str

    @property
    def name(self) -> str:
        again = f" ({self.number})" if self.number > 1 else ""
        return f"{self.kind}: {self.line}{again}"


def mutants(source: str, kinds: Kinds | None = None) -> Iterator[Mutant]:
    """Every mutant of a program by the given kinds of fault, or by all in KINDS; by line within each kind."""
    text = source.encode()
    nodes = list(walk(PARSER.parse(text).root_node))
    for kind, edits in (KINDS if kinds is None else kinds).items():
        met: Counter[str] = Counter()
        for node in nodes:
            for place, new in edits(node):
                line = _line(text, place)
                met[line] += 1
                changed = text[: place.start_byte] + new.encode() + text[place.end_byte :]
                yield Mutant(kind, line, met[line], changed.decode())


def walk(node: Node) -> Iterator[Node]:
    yield node
    for child in node.children:
        yield from walk(child)


def _line(text: bytes, node: Node) -> str:
    return text.splitlines()[node.start_point[0]].decode().strip()


# ------------------------------------------------------------------ reading the tree


def code_of(node: Node | None) -> str:
    return node.text.decode() if node is not None and node.text is not None else ""


def ancestors(node: Node) -> Iterator[Node]:
    while node.parent is not None:
        node = node.parent
        yield node


def on_device(node: Node) -> bool:
    function = next((n for n in ancestors(node) if n.type == "function_definition"), None)
    return function is not None and code_of(function).lstrip().startswith(("__global__", "__device__"))


def inside(node: Node, *kinds: str) -> bool:
    return any(n.type in kinds for n in ancestors(node))


def in_header(node: Node) -> bool:
    """Whether it stands between the parentheses of a `for`."""
    above = node
    for parent in ancestors(node):
        if parent.type == "for_statement":
            return parent.child_by_field_name("body") != above
        above = parent
    return False


def operator(node: Node) -> Node | None:
    return node.child_by_field_name("operator")


def sides(node: Node) -> tuple[Node, Node] | None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    return (left, right) if left is not None and right is not None else None


def called(node: Node) -> str:
    return code_of(node.child_by_field_name("function")) if node.type == "call_expression" else ""


def arguments(call: Node) -> list[Node]:
    listed = call.child_by_field_name("arguments")
    return listed.named_children if listed is not None else []


# ------------------------------------------------------------------ the faults


def _no_barrier(node: Node) -> Iterator[Edit]:
    if node.type == "expression_statement" and node.named_children and called(node.named_children[0]) in BARRIERS:
        yield node, ";"


def _one_too_far(node: Node) -> Iterator[Edit]:
    sign = operator(node) if node.type == "binary_expression" else None
    bounds = in_header(node) or inside(node, "condition_clause", "conditional_expression")
    if sign is not None and sign.type == "<" and bounds and on_device(node):
        yield sign, "<="


def _starts_late(node: Node) -> Iterator[Edit]:
    value = node.child_by_field_name("value") if node.type == "init_declarator" else None
    if value is not None and on_device(node) and (in_header(node) or any(word in code_of(value) for word in WHERE)):
        yield value, f"({code_of(value)}) + 1"


def _not_neutral(node: Node) -> Iterator[Edit]:
    if not on_device(node) or in_header(node):
        return
    value = node.child_by_field_name("value" if node.type == "init_declarator" else "right")
    if node.type not in ("init_declarator", "assignment_expression") or value is None:
        return
    if value.type == "number_literal" and float(code_of(value).rstrip("fuUlL")) == 0:
        yield value, "1"


def _swapped(node: Node) -> Iterator[Edit]:
    """`[i * n + j]` reads `[j * n + i]`; `[i][j]` reads `[j][i]`."""
    if not on_device(node):
        return
    if node.type == "subscript_argument_list" and len(node.named_children) == 1:
        whole = sides(node.named_children[0])
        first = sides(whole[0]) if whole is not None else None
        if whole is not None and first is not None and code_of(operator(whole[0])) == "*":
            outer = code_of(first[0]).removeprefix("(size_t)")
            yield node, f"[(size_t)({code_of(whole[1])}) * {code_of(first[1])} + {outer}]"
    if node.type == "subscript_expression":
        inner = node.child_by_field_name("argument")
        lists = [c for c in node.children if c.type == "subscript_argument_list"]
        if inner is not None and inner.type == "subscript_expression" and lists:
            own = [c for c in inner.children if c.type == "subscript_argument_list"]
            yield node, code_of(inner.child_by_field_name("argument")) + code_of(lists[0]) + code_of(own[0])


def _twice_the_stride(node: Node) -> Iterator[Edit]:
    if node.type != "for_statement" or not on_device(node):
        return
    update = node.child_by_field_name("update")
    if update is None:
        return
    if update.type == "update_expression":
        yield update, f"{code_of(update).removesuffix('++').removesuffix('--')} {code_of(update)[-1]}= 2"
    elif code_of(operator(update)) in ("+=", "-="):
        step = update.child_by_field_name("right")
        assert step is not None
        yield step, f"2 * ({code_of(step)})"


def _not_atomic(node: Node) -> Iterator[Edit]:
    form = ATOMICS.get(called(node))
    if form is not None:
        place, value = arguments(node)
        yield node, form.format(code_of(place).removeprefix("&"), code_of(value))


def _combines_wrongly(node: Node) -> Iterator[Edit]:
    if not on_device(node) or in_header(node) or inside(node, "subscript_argument_list"):
        return
    if called(node) in OTHER_WAY:
        function = node.child_by_field_name("function")
        assert function is not None
        yield function, OTHER_WAY[called(node)]
    sign = operator(node)
    if sign is None:
        return
    if node.type == "assignment_expression" and sign.type in ("+=", "*="):
        yield sign, "-=" if sign.type == "+=" else "+="
    if node.type == "binary_expression" and sign.type in ("+", "*") and not is_place(node):
        yield sign, "-" if sign.type == "+" else "+"


def _drops_a_term(node: Node) -> Iterator[Edit]:
    """`carry + part` becomes `part`, and becomes `carry`."""
    if node.type != "binary_expression" or not on_device(node) or inside(node, "subscript_argument_list"):
        return
    pair = sides(node)
    if pair is not None and code_of(operator(node)) == "+" and not in_header(node) and not is_place(node):
        for side in pair:
            yield node, f"({code_of(side)})"


def is_place(node: Node) -> bool:
    """Whether it computes where a thread or block stands, which `starts late` puts faults into."""
    return any(word in code_of(node) for word in WHERE) or any(
        n.type == "init_declarator" and any(word in code_of(n) for word in WHERE) for n in ancestors(node)
    )


def _no_guard(node: Node) -> Iterator[Edit]:
    if node.type == "if_statement" and on_device(node):
        condition = node.child_by_field_name("condition")
        assert condition is not None
        yield condition, "(true)"


def _one_block_less(node: Node) -> Iterator[Edit]:
    if node.type == "kernel_call_syntax":
        grid = node.named_children[0]
        counts = arguments(grid) if called(grid) == "dim3" else [grid]
        for count in counts:
            yield count, f"({code_of(count)}) - 1"


def _no_launch(node: Node) -> Iterator[Edit]:
    if node.type == "expression_statement" and any(n.type == "kernel_call_syntax" for n in walk(node)):
        yield node, ";"


KINDS: dict[str, Callable[[Node], Iterator[Edit]]] = {
    "no barrier": _no_barrier,
    "one too far": _one_too_far,
    "starts late": _starts_late,
    "not neutral": _not_neutral,
    "swapped subscripts": _swapped,
    "twice the stride": _twice_the_stride,
    "not atomic": _not_atomic,
    "combines wrongly": _combines_wrongly,
    "drops a term": _drops_a_term,
    "no guard": _no_guard,
    "one block less": _one_block_less,
    "no launch": _no_launch,
}
