"""More faults for mutants.py to plant: in values, precision, strides, and the order of barriers. With those, ALL_KINDS.

The same way: places are found in the syntax tree, and it runs and judges nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from mutants import (
    BARRIERS,
    KINDS,
    Edit,
    Kinds,
    ancestors,
    arguments,
    called,
    code_of,
    in_header,
    inside,
    is_place,
    on_device,
    operator,
    sides,
)
from tree_sitter import Node

# Bits of a float that are cut off: what is left is a TF32 or a bfloat16, truncated.
CUT = {"tf32": "0xffffe000u", "bfloat16": "0xffff0000u"}
NARROWER = {"double": "float", "long": "int", "int": "short"}
SHUFFLES = ("__shfl_sync", "__shfl_down_sync", "__shfl_up_sync", "__shfl_xor_sync")


def _is_body(node: Node) -> bool:
    """Whether it stands in a device function outside of subscripts, loop headers and what computes a place."""
    return (
        on_device(node)
        and not in_header(node)
        and not inside(node, "subscript_argument_list", "parameter_list", "array_declarator", "template_argument_list")
        and not is_place(node)
    )


def _stored(node: Node) -> Node | None:
    """The value that an assignment of the device stores in an array, None for any other node."""
    if node.type != "assignment_expression" or not on_device(node) or code_of(operator(node)) != "=":
        return None
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    return right if left is not None and left.type in ("subscript_expression", "pointer_expression") else None


def _other_constant(node: Node) -> Iterator[Edit]:
    if node.type == "number_literal" and _is_body(node) and inside(node, "binary_expression"):
        yield node, f"({code_of(node)} + 1)"


def _exchanged_operands(node: Node) -> Iterator[Edit]:
    pair = sides(node) if node.type == "binary_expression" and _is_body(node) else None
    if pair is not None and code_of(operator(node)) in ("-", "/", "%", "<<", ">>"):
        yield node, f"(({code_of(pair[1])}) {code_of(operator(node))} ({code_of(pair[0])}))"


def _other_sign(node: Node) -> Iterator[Edit]:
    value = _stored(node)
    if value is not None:
        yield value, f"-({code_of(value)})"


def _less_precision(node: Node) -> Iterator[Edit]:
    value = _stored(node)
    if value is not None:
        for bits in CUT.values():
            yield value, f"__uint_as_float(__float_as_uint({code_of(value)}) & {bits})"


def _cut_to_integer(node: Node) -> Iterator[Edit]:
    value = _stored(node)
    if value is not None:
        yield value, f"(int)({code_of(value)})"


def _narrower(node: Node) -> Iterator[Edit]:
    """A local variable of the next smaller type, an accumulator perhaps."""
    kind = node.child_by_field_name("type") if node.type == "declaration" and on_device(node) else None
    if kind is not None and code_of(kind) in NARROWER and not in_header(node):
        yield kind, NARROWER[code_of(kind)]


def _not_set(node: Node) -> Iterator[Edit]:
    """`float s = 0` without its zero."""
    if node.type != "init_declarator" or not on_device(node) or in_header(node):
        return
    value, declared = node.child_by_field_name("value"), node.child_by_field_name("declarator")
    if value is not None and declared is not None and value.type == "number_literal":
        yield node, code_of(declared)


def _another_neutral(node: Node) -> Iterator[Edit]:
    """Zero in place of an infinity, from which a greatest or a least starts."""
    if code_of(node) in ("INFINITY", "-INFINITY", "FLT_MAX", "-FLT_MAX") and on_device(node):
        parent = node.parent
        if parent is None or parent.type != "unary_expression":
            yield node, "0"


def _other_lead(node: Node) -> Iterator[Edit]:
    """`i * n + j` with another of the kernel's sizes in place of n."""
    if node.type != "binary_expression" or code_of(operator(node)) != "*" or not on_device(node):
        return
    pair = sides(node)
    names = _sizes(node) if inside(node, "subscript_argument_list") else []
    if pair is None or code_of(pair[1]) not in names:
        return
    for name in names:
        if name != code_of(pair[1]):
            yield pair[1], name
            return


def _sizes(node: Node) -> list[str]:
    """The integer parameters of the function that it stands in."""
    function = next(n for n in ancestors(node) if n.type == "function_definition")
    declarator = function.child_by_field_name("declarator")
    listed = declarator.child_by_field_name("parameters") if declarator is not None else None
    found = []
    for parameter in listed.named_children if listed is not None else []:
        kind, name = parameter.child_by_field_name("type"), parameter.child_by_field_name("declarator")
        if code_of(kind) in ("int", "long", "unsigned", "size_t") and name is not None and name.type == "identifier":
            found.append(code_of(name))
    return found


def _neighbour(node: Node) -> Iterator[Edit]:
    """The element beside the one that is meant."""
    if node.type == "subscript_argument_list" and on_device(node) and len(node.named_children) == 1:
        yield node, f"[({code_of(node.named_children[0])}) + 1]"


def _barrier_too_early(node: Node) -> Iterator[Edit]:
    """A barrier that stands before the statement that it should follow; the edit is of the block around both."""
    before, block = node.prev_named_sibling, node.parent
    if node.type != "expression_statement" or not node.named_children or called(node.named_children[0]) not in BARRIERS:
        return
    if before is None or block is None or block.text is None or not before.type.endswith("statement"):
        return
    first, second, end = (at - block.start_byte for at in (before.start_byte, node.start_byte, node.end_byte))
    whole = block.text
    middle = whole[before.end_byte - block.start_byte : second]
    yield block, (whole[:first] + whole[second:end] + middle + (before.text or b"") + whole[end:]).decode()


def _wrong_lane(node: Node) -> Iterator[Edit]:
    if node.type == "call_expression" and called(node) in SHUFFLES and len(arguments(node)) >= 3:
        lane = arguments(node)[2]
        yield lane, f"(({code_of(lane)}) / 2)"


def _threads_of_half_a_block(node: Node) -> Iterator[Edit]:
    if node.type == "kernel_call_syntax":
        block = node.named_children[1]
        sizes = arguments(block) if called(block) == "dim3" else [block]
        yield sizes[0], f"(({code_of(sizes[0])}) + 1) / 2"


MORE_KINDS: Kinds = {
    "other constant": _other_constant,
    "exchanged operands": _exchanged_operands,
    "other sign": _other_sign,
    "less precision": _less_precision,
    "cut to an integer": _cut_to_integer,
    "narrower type": _narrower,
    "not set": _not_set,
    "another neutral element": _another_neutral,
    "other lead": _other_lead,
    "neighbour": _neighbour,
    "barrier too early": _barrier_too_early,
    "wrong lane": _wrong_lane,
    "half a block's threads": _threads_of_half_a_block,
}
ALL_KINDS: Kinds = {**KINDS, **MORE_KINDS}
