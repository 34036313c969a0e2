"""Instructions at which lanes or warps meet -> C: barriers, shuffles, votes, matches, warp reductions.

Each is a segment of its own. The code runs over all lanes of `mask` at once; registers are the arrays in memory.
"""

from __future__ import annotations

from cudaperf_magic.bench.simulator.access import Sites
from cudaperf_magic.bench.simulator.async_ops import is_wait, wait
from cudaperf_magic.bench.simulator.operands import C_TYPE, Scope, types_of
from cudaperf_magic.bench.simulator.ptx import Instruction, Integer, Operand, Pair, Reg
from cudaperf_magic.bench.simulator.tensor import MATRIX, matrix
from cudaperf_magic.errors import Unsupported

REDUCE = {
    "add": "x_ + y_", "min": "y_ < x_ ? y_ : x_", "max": "y_ > x_ ? y_ : x_", "and": "x_ & y_", "or": "x_ | y_",
    "xor": "x_ ^ y_",
}  # fmt: skip

CLUSTER_BARRIER = 15  # the last of a block's named barriers stands in for that of its cluster


def meeting(ins: Instruction, scope: Scope, sites: Sites, number: int, following: int) -> str:
    """The C statements of segment `number`, which consists of this instruction; segment `following` comes after it."""
    name = ins.opcode[0]
    if name in ("bar", "barrier"):
        if "cluster" in ins.opcode:
            return _cluster_barrier(ins, scope, sites, following)
        if "warp" in ins.opcode:
            site = sites.add("generic", "collective", 0, ins)
            return _collect(ins.operands[0], scope, site, number)
        return _barrier(ins, scope, sites, following)
    if is_wait(ins):
        return wait(ins, scope, sites)
    if name in MATRIX:
        site = sites.add("generic", "other", 0, ins)
        return matrix(ins, scope, sites, _collect(Integer(-1), scope, site, number), site)
    if name == "activemask":
        return f"FOR_LANES(mask) {{ {scope.assign(ins.operands[0], 'u32', 'mask')} }}"
    site = sites.add("generic", "collective", 0, ins)
    if name == "shfl":
        return _shuffle(ins, scope, site, number)
    if name == "vote":
        return _vote(ins, scope, site, number)
    if name == "match":
        return _match(ins, scope, site, number)
    if name == "redux":
        return _redux(ins, scope, site, number)
    if name == "elect":
        first, second = _both(ins.operands[0])
        return (
            _collect(ins.operands[1], scope, site, number)
            + "FOR_LANES(mask) { u32 leader_ = __builtin_ctz(mask & members_[lane]);"
            + f" {scope.assign(first, 'u32', 'leader_')} {scope.assign(second, 'pred', '(lane == leader_)')} }}"
        )
    raise Unsupported(ins.text, ins.line)


def _collect(members: Operand, scope: Scope, site: int, number: int) -> str:
    """Waits until all named lanes are here; afterwards `mask` holds the lanes that go on together."""
    value = scope.value(members, "u32")
    return (
        f"u32 members_[32]; FOR_LANES(mask) members_[lane] = {value};"
        f" {{ u32 ready_ = rt_collect(w, mask, {number}, members_, {site}); if (!ready_) goto dispatch;"
        f" if (ready_ != mask) {{ mask = ready_; other = {number}; }} }}\n"
    )


def _both(operand: Operand) -> tuple[Operand, Operand]:
    return (operand.first, operand.second) if isinstance(operand, Pair) else (operand, Reg("_"))


def _cluster_barrier(ins: Instruction, scope: Scope, sites: Sites, following: int) -> str:
    """Of a cluster of one block. Its threads meet at the wait: what they do between is taken as done before it."""
    if "arrive" in ins.opcode:
        return "(void)mask;"
    return _barrier(
        Instruction(("barrier", "sync"), (Integer(CLUSTER_BARRIER),), None, ins.line), scope, sites, following
    )


def _barrier(ins: Instruction, scope: Scope, sites: Sites, following: int) -> str:
    site = sites.add("generic", "barrier", 0, ins)
    operands = ins.operands
    is_red = "red" in ins.opcode
    predicate = operands[-1] if is_red else None
    plain = operands[:-1] if is_red else operands
    identity = scope.value(plain[0], "u32", ins.line) if plain else "0"
    count = scope.value(plain[1], "u32", ins.line) if len(plain) > 1 else "0"
    head = f"u32 id_, count_; {{ u32 lane = __builtin_ctz(mask); id_ = {identity}; count_ = {count}; (void)lane; }}"
    if "arrive" in ins.opcode:
        return f"{head} rt_barrier_arrive(w, mask, id_, count_, {site});"
    red = ""
    if predicate is not None:
        value = scope.value(predicate, "pred", ins.line)
        red = f"u32 values_[32]; FOR_LANES(mask) values_[lane] = {value}; rt_barrier_red(w, mask, id_, values_);"
    return f"{head} rt_barrier(w, mask, {following}, id_, count_, {site}); {red} goto dispatch;"


def barrier_result(ins: Instruction, scope: Scope) -> str:
    """What `bar.red` answers, read after the barrier."""
    identity = scope.value(ins.operands[1], "u32", ins.line)
    packed = f"block->red_result[{identity} & 15]"
    if "popc" in ins.opcode:
        return scope.assign(ins.operands[0], "u32", f"(u32)({packed} >> 32)")
    bit = 0 if "and" in ins.opcode else 1
    return scope.assign(ins.operands[0], "pred", f"({packed} >> {bit} & 1)")


def _shuffle(ins: Instruction, scope: Scope, site: int, number: int) -> str:
    a, b, c, members = ins.operands[1:5]
    first, second = _both(ins.operands[0])
    mode = ins.opcode[2]
    source = {
        "up": "(s32)lane - (s32)b_", "down": "lane + b_", "bfly": "lane ^ b_", "idx": "least_ | (b_ & ~part_)",
    }[mode]  # fmt: skip
    inside = "j_ >= (s32)most_" if mode == "up" else "j_ <= (s32)most_"
    return (
        _collect(members, scope, site, number)
        + f"u32 a_[32]; FOR_LANES(mask) a_[lane] = {scope.value(a, 'u32', ins.line)};\n"
        + f"FOR_LANES(mask) {{ u32 b_ = {scope.value(b, 'u32', ins.line)} & 31, c_ = {scope.value(c, 'u32', ins.line)};"
        + " u32 part_ = c_ >> 8 & 31, least_ = lane & part_, most_ = least_ | (c_ & 31 & ~part_);"
        + f" s32 j_ = (s32)({source}); u8 in_ = {inside}; if (!in_) j_ = (s32)lane; (void)least_;"
        + f" u32 v_ = (mask & members_[lane]) >> j_ & 1 ? a_[j_] : (u32)POISON; {scope.assign(first, 'u32', 'v_')}"
        + f" {scope.assign(second, 'pred', 'in_')} }}"
    )


def _vote(ins: Instruction, scope: Scope, site: int, number: int) -> str:
    predicate, members = ins.operands[1:3]
    value = scope.value(predicate, "pred", ins.line)
    head = (
        _collect(members, scope, site, number)
        + f"u32 votes_ = 0; FOR_LANES(mask) votes_ |= (u32)({value} != 0) << lane;\n"
    )
    within = "(votes_ & members_[lane] & mask)"
    everyone = "(members_[lane] & mask)"
    if "ballot" in ins.opcode:
        return head + f"FOR_LANES(mask) {{ {scope.assign(ins.operands[0], 'u32', within)} }}"
    answer = {
        "any": f"({within} != 0)", "all": f"({within} == {everyone})",
        "uni": f"({within} == 0 || {within} == {everyone})",
    }[ins.opcode[2]]  # fmt: skip
    return head + f"FOR_LANES(mask) {{ {scope.assign(ins.operands[0], 'pred', answer)} }}"


def _match(ins: Instruction, scope: Scope, site: int, number: int) -> str:
    kind = types_of(ins)[-1]
    a, members = ins.operands[1:3]
    first, second = _both(ins.operands[0])
    head = _collect(members, scope, site, number)
    head += f"{C_TYPE[kind]} a_[32]; FOR_LANES(mask) a_[lane] = {scope.value(a, kind, ins.line)};\n"
    found = (
        "u32 same_ = 0, set_ = mask & members_[lane];"
        " for (u32 j_ = 0; j_ < 32; j_++) if (set_ >> j_ & 1 && a_[j_] == a_[lane]) same_ |= BIT(j_);"
    )
    if "any" in ins.opcode:
        return head + f"FOR_LANES(mask) {{ {found} {scope.assign(first, 'u32', 'same_')} }}"
    every = "(same_ == (mask & members_[lane]))"
    return head + (
        f"FOR_LANES(mask) {{ {found} u32 all_ = {every}; {scope.assign(first, 'u32', '(all_ ? same_ : 0)')}"
        f" {scope.assign(second, 'pred', '(u8)all_')} }}"
    )


def _redux(ins: Instruction, scope: Scope, site: int, number: int) -> str:
    kind = types_of(ins)[-1]
    operation = next((part for part in ins.opcode if part in REDUCE), "")
    if not operation or (kind == "f32" and operation not in ("min", "max")):
        raise Unsupported(ins.text, ins.line)
    a, members = ins.operands[1:3]
    c_type = C_TYPE[kind]
    step, given = REDUCE[operation], scope.value(a, kind, ins.line)
    if kind == "f32":
        step = f"{'nan_' if 'NaN' in ins.opcode else ''}{operation}_f32(x_, y_)"
        given = f"__builtin_fabsf({given})" if "abs" in ins.opcode else given
    return (
        _collect(members, scope, site, number)
        + f"{c_type} a_[32], r_[32]; FOR_LANES(mask) a_[lane] = {given};\n"
        + "FOR_LANES(mask) { u32 set_ = (mask & members_[lane]) | BIT(lane); "
        + f"{c_type} x_ = a_[__builtin_ctz(set_)]; for (set_ &= set_ - 1; set_; set_ &= set_ - 1) "
        + f"{{ {c_type} y_ = a_[__builtin_ctz(set_)]; x_ = {step}; }} r_[lane] = x_; }}\n"
        + f"FOR_LANES(mask) {{ {scope.assign(ins.operands[0], kind, 'r_[lane]')} }}"
    )
