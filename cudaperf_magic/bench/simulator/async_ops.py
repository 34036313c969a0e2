"""Copies that land later, and the mbarriers that tell when -> C. async.c keeps the copies and counts the arrivals.

cp.async and the one-dimensional cp.async.bulk into shared memory; the other bulk copies and tensor maps are refused.
"""

from __future__ import annotations

from dataclasses import replace

from cudaperf_magic.bench.simulator.access import Frame, Sites, address_of, place
from cudaperf_magic.bench.simulator.operands import Scope
from cudaperf_magic.bench.simulator.ptx import Address, Instruction, Integer, Operand, PtxError, Reg
from cudaperf_magic.errors import Unsupported

WAITS = ("wait_group", "wait_all")
# As async.c numbers them.
DROPS, STAYS_OPEN, EXPECTS = 1, 2, 4


def is_wait(ins: Instruction) -> bool:
    """Whether lanes wait here for copies or arrivals; such an instruction is a segment of its own."""
    if ins.opcode[0] == "mbarrier":
        return ins.opcode[1] in ("test_wait", "try_wait")
    return ins.opcode[0] == "cp" and "bulk" not in ins.opcode and any(part in WAITS for part in ins.opcode)


def wait(ins: Instruction, scope: Scope, sites: Sites) -> str:
    """The C statements of a wait, for all lanes of `mask`."""
    if ins.opcode[0] == "mbarrier":
        return _test(ins, scope, sites)
    if "wait_all" in ins.opcode:
        return "rt_copies_wait(w, mask, 0, 1);"
    return f"rt_copies_wait(w, mask, {scope.value(ins.operands[0], 'u32', ins.line)}, 0);"


def copy(ins: Instruction, scope: Scope, sites: Sites, frame: Frame) -> str:
    """The C statements of a cp.async."""
    if ins.opcode[1] != "async":
        raise Unsupported(ins.text, ins.line)
    if "bulk" in ins.opcode:
        return _bulk(ins, scope, sites, frame)
    if "mbarrier" in ins.opcode:
        pointer, site = _object(ins, ins.operands[0], scope, sites, frame)
        return f"rt_copies_arrive(w, lane, {site}, {pointer}, {int('noinc' in ins.opcode)});"
    if "commit_group" in ins.opcode:
        return "rt_copies_commit(w, lane);"
    size = next((o.value for o in ins.operands[2:] if isinstance(o, Integer)), 0)
    if size not in (4, 8, 16):
        raise PtxError(f"an asynchronous copy of {size} bytes, line {ins.line}")
    read = Instruction(("ld", "global", *(part for part in ins.opcode if part == "cg")), (), None, ins.line)
    source, site = place(read, ins.operands[1], "load", size, scope, sites, frame)
    target = sites.add("shared", "store", size, ins, is_late=True)
    address = address_of(ins.operands[1], scope, "global", ins.line)
    there = f"SHARED_AT({target}, {address_of(ins.operands[0], scope, 'shared', ins.line)}, {size})"
    return (
        f"{{ u8 v_[16] = {{0}}; u32 n_ = {_given_bytes(ins, size, scope)};"
        f" if (n_ >= {size}) memcpy(v_, {source}, {size});"
        # Fewer bytes than an access has: the rest is zero, and is not read, so that a tail may end inside.
        f" else for (u32 i_ = 0; i_ < n_; i_++) v_[i_] = *rt_at(w, SPACE_GLOBAL, {site}, lane, {address} + i_, 1);"
        f" rt_copy(w, lane, {target}, {there}, v_, {size}); }}"
    )


def _given_bytes(ins: Instruction, size: int, scope: Scope) -> str:
    """How many bytes come from the source: cp-size, src-size, or none when a predicate says to ignore it."""
    has_policy = "L2::cache_hint" in ins.opcode
    more = ins.operands[3 : len(ins.operands) - has_policy]
    if not more:
        return str(size)
    last = more[-1]
    if isinstance(last, Reg) and scope.kinds.get(last.name) == "pred":
        return f"({scope.value(last, 'pred', ins.line)} ? 0 : {size})"
    return scope.value(last, "u32", ins.line)


def _bulk(ins: Instruction, scope: Scope, sites: Sites, frame: Frame) -> str:
    """cp.async.bulk from global to shared memory, whose bytes an mbarrier counts."""
    counted = "mbarrier::complete_tx::bytes" in ins.opcode and "global" in ins.opcode[4:]
    if not counted or "tensor" in ins.opcode or any("multicast" in part for part in ins.opcode):
        raise Unsupported(ins.text, ins.line)
    target, source, size, barrier = ins.operands[:4]
    to = sites.add("shared", "store", 16, Instruction(("st", "shared"), (), None, ins.line), is_late=True)
    sites.here.remove(to)  # these bytes pass no load or store unit; async.c checks them
    origin = sites.add("global", "load", 16, Instruction(("ld", "global"), (), None, ins.line))
    sites.here.remove(origin)
    there = address_of(target, scope, "shared", ins.line)
    here = address_of(source, scope, "global", ins.line)
    count = scope.value(size, "u32", ins.line)
    counted_at = Instruction(("mbarrier", "complete_tx", "shared"), (), None, ins.line)
    pointer, site = _object(counted_at, barrier, scope, sites, frame)
    return f"rt_copy_bulk(w, lane, {to}, {origin}, {site}, {there}, {here}, {count}, {pointer});"


# ---- mbarriers ----


def _object(ins: Instruction, operand: Operand, scope: Scope, sites: Sites, frame: Frame) -> tuple[str, int]:
    """The mbarrier in this block's memory, for a cluster is a single block. Arrivals release unless relaxed."""
    parts = tuple("shared" if part.startswith("shared") else part for part in ins.opcode)
    order = () if "relaxed" in parts else ("acquire",) if "wait" in parts[1] else ("release",)
    return place(replace(ins, opcode=(*parts, *order)), operand, "atomic", 8, scope, sites, frame)


def mbarrier(ins: Instruction, scope: Scope, sites: Sites, frame: Frame) -> str:
    """The C statements of an mbarrier instruction."""
    name = ins.opcode[1]
    if name == "pending_count":
        return scope.assign(ins.operands[0], "u32", f"rt_mbarrier_pending({scope.value(ins.operands[1], 'u64')})")
    if name == "inval":
        return ""  # its bytes are free for other use, of which the next user tells
    if name == "init":
        space = ("shared",) if "shared" in ins.text else ()
        write = Instruction(("st", *space), (), None, ins.line)
        pointer, _ = place(write, ins.operands[0], "store", 8, scope, sites, frame)
        count = scope.value(ins.operands[1], "u32", ins.line)
        return f"{{ u8 *p_ = {pointer}; STORE(u64, p_, rt_mbarrier_start({count})); }}"
    if name in ("expect_tx", "complete_tx"):
        pointer, _ = _object(ins, ins.operands[0], scope, sites, frame)
        sign = "-" if name == "complete_tx" else ""
        count = f"{sign}(s32){scope.value(ins.operands[1], 'u32', ins.line)}"
        return f"{{ u8 *p_ = {pointer}; rt_mbarrier_expect(p_, {count}); }}"
    if name in ("arrive", "arrive_drop"):
        return _arrive(ins, scope, sites, frame)
    raise Unsupported(ins.text, ins.line)


def _arrive(ins: Instruction, scope: Scope, sites: Sites, frame: Frame) -> str:
    operands = ins.operands if not isinstance(ins.operands[0], Address) else (Reg("_"), *ins.operands)
    pointer, site = _object(ins, operands[1], scope, sites, frame)
    given = scope.value(operands[2], "u32", ins.line) if len(operands) > 2 else "1"
    expects = "expect_tx" in ins.opcode
    count, transfer = ("1", f"(s32){given}") if expects else (given, "0")
    flags = DROPS * (ins.opcode[1] == "arrive_drop") | STAYS_OPEN * ("noComplete" in ins.opcode) | EXPECTS * expects
    state = f"rt_mbarrier_arrive(w, lane, {site}, p_, {count}, {transfer}, {flags})"
    return f"{{ u8 *p_ = {pointer}; u64 state_ = {state}; {scope.assign(operands[0], 'u64', 'state_')} }}"


def _test(ins: Instruction, scope: Scope, sites: Sites) -> str:
    pointer, site = _object(ins, ins.operands[1], scope, sites, Frame({}, {}, {}))
    by_parity = "parity" in ins.opcode
    given = scope.value(ins.operands[2], "u32" if by_parity else "u64", ins.line)
    phase = f"(u32)({given}) & 1" if by_parity else f"rt_mbarrier_phase({given})"
    over = scope.assign(ins.operands[0], "pred", "over_")
    test = f"{{ u8 *p_ = {pointer}; u8 over_ = rt_mbarrier_is_over(w, p_, {phase}); {over} }}"
    return f"SITE({site}); rt_copies_settle(w); FOR_LANES(mask) {test} REPORT({site});"
