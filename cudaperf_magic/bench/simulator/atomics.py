"""atom and red -> C: one lane after the other reads, changes and writes back, one of the orders that a GPU may take.

Every operation on every type, of one element or of a vector. Scopes and orders of memory matter to races alone, which
are looked for elsewhere; cache hints change nothing.
"""

from __future__ import annotations

from cudaperf_magic.bench.simulator.access import Frame, Sites, address_of, place, space_of
from cudaperf_magic.bench.simulator.operands import C_TYPE, Scope, bits, types_of
from cudaperf_magic.bench.simulator.ptx import Instruction, Operand, Vector
from cudaperf_magic.errors import Unsupported

# On old_ and b_, and c_ of a comparison.
WHOLE = {
    "add": "old_ + b_", "min": "b_ < old_ ? b_ : old_", "max": "b_ > old_ ? b_ : old_", "and": "old_ & b_",
    "or": "old_ | b_", "xor": "old_ ^ b_", "exch": "b_", "cas": "old_ == b_ ? c_ : old_",
    "inc": "old_ >= b_ ? 0 : old_ + 1", "dec": "old_ == 0 || old_ > b_ ? b_ : old_ - 1",
}  # fmt: skip
REAL = {"add": "{0} + {1}", "min": "min_f32({0}, {1})", "max": "max_f32({0}, {1})"}
FLOATS = ("f32", "f64", "f16", "bf16", "f16x2", "bf16x2")
VECTORS = {"v2": 2, "v4": 4, "v8": 8}
MOST_BYTES = 16  # of one atomic


def atomic(ins: Instruction, scope: Scope, sites: Sites, frame: Frame) -> str:
    """The C statements of an atom or red."""
    name = next((part for part in ins.opcode[1:] if part in WHOLE), "")
    kinds = types_of(ins)
    has_result = ins.opcode[0] == "atom"
    operands = ins.operands[1:] if has_result else ins.operands
    if not name or not kinds or "async" in ins.opcode:
        raise Unsupported(ins.text, ins.line)
    kind = kinds[-1]
    parts = _parts(operands[1])
    count = next((VECTORS[part] for part in ins.opcode if part in VECTORS), 1)
    results = _parts(ins.operands[0]) if has_result else ()
    width = bits(kind) // 8
    if len(parts) != count or (has_result and len(results) != count) or width * count > MOST_BYTES:
        raise Unsupported(ins.text, ins.line)
    pointer, _ = place(ins, operands[0], "atomic", width * count, scope, sites, frame)
    new = _new(ins, name, kind)
    steps = []
    for i, part in enumerate(parts):
        c_type = C_TYPE[kind]
        given = f"{c_type} b_ = {scope.value(part, kind, ins.line)};"
        if name == "cas":
            given += f" {c_type} c_ = {scope.value(operands[2], kind, ins.line)};"
        back = scope.assign(results[i], kind, "old_") if has_result else ""
        at = f"p_ + {i * width}"
        steps.append(f"{{ {c_type} old_ = LOAD({c_type}, {at}); {given} STORE({c_type}, {at}, {new}); {back} }}")
    flushes = f"u8 flush_ = {_is_global(ins, operands[0], scope)};" if "flush_" in new else ""
    return f"{{ {flushes} u8 *p_ = {pointer}; {' '.join(steps)} }}"


def _parts(operand: Operand) -> tuple[Operand, ...]:
    return operand.items if isinstance(operand, Vector) else (operand,)


def _new(ins: Instruction, name: str, kind: str) -> str:
    """The C expression of what is written back."""
    if kind not in FLOATS or name in ("exch", "cas"):
        return WHOLE[name]
    if name not in REAL:
        raise Unsupported(ins.text, ins.line)
    if kind == "f64":
        return WHOLE["add"] if name == "add" else f"{name}_f64(old_, b_)"
    if kind == "f32":
        # PTX ISA, atom: additions to global memory flush subnormal numbers, those to shared memory do not.
        return "flush_ ? ftz_f32(ftz_f32(old_) + ftz_f32(b_)) : old_ + b_" if name == "add" else f"{name}_f32(old_, b_)"
    small = kind.removesuffix("x2")
    halves = [
        f"{small}_f32({REAL[name].format(f'f32_{small}((u16)(old_ >> {at}))', f'f32_{small}((u16)(b_ >> {at}))')})"
        for at in ((0, 16) if kind.endswith("x2") else (0,))
    ]
    return f"pack16({', '.join(halves)})" if len(halves) == 2 else halves[0]


def _is_global(ins: Instruction, address: Operand, scope: Scope) -> str:
    space = space_of(ins)
    if space != "generic":
        return str(int(space == "global"))
    return f"!WINDOW_OF({address_of(address, scope, space, ins.line)})"
