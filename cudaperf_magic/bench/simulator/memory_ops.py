"""Loads, stores, address conversions, calls of what CUDA has built in -> C. Atomics and copies stand elsewhere."""

from __future__ import annotations

from cudaperf_magic.bench.simulator.access import SPACES, TRACED, Frame, Sites, place
from cudaperf_magic.bench.simulator.async_ops import copy, mbarrier
from cudaperf_magic.bench.simulator.atomics import atomic
from cudaperf_magic.bench.simulator.operands import C_TYPE, Scope, bits, types_of
from cudaperf_magic.bench.simulator.ptx import Group, Instruction, Operand, PtxError, Symbol, Vector
from cudaperf_magic.errors import Unsupported

NO_EFFECT = (
    "prefetch",
    "prefetchu",
    "discard",
    "applypriority",
    "pmevent",
    "createpolicy",
    "griddepcontrol",
)


def memory(ins: Instruction, scope: Scope, sites: Sites, frame: Frame) -> str | None:
    """The C statements of a memory instruction; None when the opcode is none."""
    name = ins.opcode[0]
    if name in ("ld", "ldu"):
        return _load(ins, scope, sites, frame)
    if name == "st":
        return _store(ins, scope, sites, frame)
    if name in ("atom", "red"):
        return atomic(ins, scope, sites, frame)
    if name == "cvta":
        return _convert_address(ins, scope)
    if name == "isspacep":
        window = {"shared": "WINDOW_SHARED", "local": "WINDOW_LOCAL", "global": "0", "param": "WINDOW_PARAM"}
        space = ins.opcode[1].split("::")[0]
        if space not in window:
            return scope.assign(ins.operands[0], "pred", "0")
        return scope.assign(
            ins.operands[0], "pred", f"(WINDOW_OF({scope.value(ins.operands[1], 'u64')}) == {window[space]})"
        )
    if name in ("mapa", "getctarank"):
        return _in_cluster(ins, scope)
    if name == "nanosleep":
        return "rt_give_way(w);"
    if name in ("membar", "fence"):
        return f"FENCE({sites.add('generic', 'fence', 0, ins)});"
    if name == "cp":
        return copy(ins, scope, sites, frame)
    if name == "mbarrier":
        return mbarrier(ins, scope, sites, frame)
    if name == "copyparam":
        to, source = (frame.at(o.name, int(ins.opcode[1])) for o in ins.operands if isinstance(o, Symbol))
        return f"memcpy(frame_ + {to}, frame_ + {source}, {ins.opcode[1]});"
    if name == "call":
        return _built_in_call(ins, sites, frame)
    return "" if name in NO_EFFECT else None


def _lanes(ins: Instruction, operand: Operand) -> tuple[Operand, ...]:
    """The registers that one access moves.

    Raises:
        PtxError: they are not as many as the opcode says, or hold more than 32 bytes.
    """
    items = operand.items if isinstance(operand, Vector) else (operand,)
    count = next((int(part[1]) for part in ins.opcode if part in ("v2", "v4", "v8")), 1)
    if len(items) != count or count * bits(types_of(ins)[-1]) > 256:
        raise PtxError(f"the operands of {ins.text[:80]}, line {ins.line}")
    return items


def _load(ins: Instruction, scope: Scope, sites: Sites, frame: Frame) -> str:
    kind = types_of(ins)[-1]
    parts = _lanes(ins, ins.operands[0])
    width = bits(kind) // 8
    pointer, _ = place(ins, ins.operands[1], "load", width * len(parts), scope, sites, frame)
    moves = [scope.assign(part, kind, f"LOAD({C_TYPE[kind]}, p_ + {i * width})") for i, part in enumerate(parts)]
    return f"{{ const u8 *p_ = {pointer}; {' '.join(moves)} }}"


def _store(ins: Instruction, scope: Scope, sites: Sites, frame: Frame) -> str:
    if "async" in ins.opcode or "bulk" in ins.opcode:
        raise Unsupported(ins.text, ins.line)
    kind = types_of(ins)[-1]
    kind = "b32" if kind == "f32" else kind  # a NaN's bits are seen
    parts = _lanes(ins, ins.operands[1])
    width = bits(kind) // 8
    pointer, site = place(ins, ins.operands[0], "store", width * len(parts), scope, sites, frame)
    c_type = C_TYPE[kind]
    values = [scope.value(part, kind, ins.line) for part in parts]
    moves = [f"STORE({c_type}, p_ + {i * width}, {value});" for i, value in enumerate(values)]
    same = ""
    if site >= 0 and sites.all[site].space in TRACED and sites.all[site].space != "local":
        tests = [f"SAME({site}, p_ + {i * width}, {c_type}, {value})" for i, value in enumerate(values)]
        same = f"SAME_ALL({site}, {' && '.join(tests)});"
    return f"{{ u8 *p_ = {pointer}; {same} {' '.join(moves)} }}"


def _convert_address(ins: Instruction, scope: Scope) -> str:
    """cvta: between generic addresses and those of one space; both directions are a window's bits."""
    kind = types_of(ins)[-1]
    space = next(part.split("::")[0] for part in ins.opcode[1:] if part.split("::")[0] in SPACES)
    value = scope.value(ins.operands[1], "u64", ins.line)
    if space in ("global", "const"):
        return scope.assign(ins.operands[0], kind, value)
    if "to" in ins.opcode:
        return scope.assign(ins.operands[0], kind, f"({value} & ~0xf000000000000000ull)")
    return scope.assign(ins.operands[0], kind, f"({value} | WINDOW_{space.upper()})")


def _in_cluster(ins: Instruction, scope: Scope) -> str:
    """Shared memory of a block of the cluster, which has one; another's rank leads to an address of nobody."""
    kind = types_of(ins)[-1]
    if ins.opcode[0] == "getctarank":
        return scope.assign(ins.operands[0], kind, "0")
    address, rank = (
        scope.value(operand, k, ins.line) for operand, k in zip(ins.operands[1:], (kind, "u32"), strict=True)
    )
    return scope.assign(ins.operands[0], kind, f"({rank} ? ~({C_TYPE[kind]})0 : {address})")


def _built_in_call(ins: Instruction, sites: Sites, frame: Frame) -> str:
    name = next(o.name for o in ins.operands if isinstance(o, Symbol))
    groups = [o for o in ins.operands if isinstance(o, Group)]
    wide = [o.name for o in groups[-1].items if isinstance(o, Symbol)]
    if name == "vprintf":
        site = sites.add("generic", "other", 0, ins)
        result = next(frame.at(o.name, 4) for o in groups[0].items if isinstance(o, Symbol))
        template, arguments = (frame.at(name, 8) for name in wide)
        texts = f"LOAD(u64, frame_ + {template}), LOAD(u64, frame_ + {arguments})"
        return f"STORE(u32, frame_ + {result}, rt_vprintf(w, lane, {site}, {texts}));"
    if name == "__assertfail":
        site = sites.add("generic", "other", 0, ins)
        message, file, line = frame.at(wide[0], 8), frame.at(wide[1], 8), frame.at(wide[2], 4)
        texts = f"LOAD(u64, frame_ + {message}), LOAD(u64, frame_ + {file})"
        return f"rt_assert(w, lane, {site}, {texts}, LOAD(u32, frame_ + {line}));"
    raise Unsupported(f"{name} inside a kernel", ins.line)
