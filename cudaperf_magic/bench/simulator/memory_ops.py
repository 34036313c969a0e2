"""Loads, stores, atomics, copies, address conversions -> C. Says which accesses are traced; runs and counts nothing."""

from __future__ import annotations

from dataclasses import dataclass, field

from cudaperf_magic.bench.simulator.operands import C_TYPE, Scope, bits, is_float, types_of
from cudaperf_magic.bench.simulator.ptx import Address, Group, Instruction, Operand, PtxError, Reg, Symbol, Vector
from cudaperf_magic.errors import Unsupported

# In the order of sim.h.
SPACES = ("global", "shared", "local", "const", "param", "generic")
OPERATIONS = ("load", "store", "atomic", "barrier", "collective", "fence", "other")
TRACED = ("global", "shared", "local", "generic")
PAST_L1 = ("cg", "cv", "L1::no_allocate")
STRONG = ("volatile", "relaxed", "acquire", "release", "acq_rel", "mmio")
NO_EFFECT = (
    "prefetch",
    "prefetchu",
    "discard",
    "applypriority",
    "nanosleep",
    "pmevent",
    "createpolicy",
    "griddepcontrol",
)
ATOMIC_VALUE = {
    "add": "old_ + b_", "min": "b_ < old_ ? b_ : old_", "max": "b_ > old_ ? b_ : old_", "and": "old_ & b_",
    "or": "old_ | b_", "xor": "old_ ^ b_", "exch": "b_", "cas": "old_ == b_ ? c_ : old_",
    "inc": "old_ >= b_ ? 0 : old_ + 1", "dec": "old_ == 0 || old_ > b_ ? b_ : old_ - 1",
}  # fmt: skip


@dataclass(frozen=True)
class SiteInfo:
    """One instruction that touches memory or at which threads meet."""

    space: str
    operation: str
    size: int  # bytes a lane
    is_strong: bool
    line: int
    is_release: bool = False
    is_past_l1: bool = False  # a load that takes nothing from L1, and leaves nothing there
    is_volatile: bool = False
    orders_warps: bool = False  # threads of different warps may be ordered by it, as by no barrier of the whole block
    orders_lanes: bool = False  # __syncwarp


@dataclass
class Sites:
    """The sites of a kernel, numbered as they are met, and those of the segment at hand."""

    all: list[SiteInfo] = field(default_factory=list)
    here: list[int] = field(default_factory=list)

    def add(self, space: str, operation: str, size: int, ins: Instruction) -> int:
        strong = any(part in STRONG for part in ins.opcode) and operation != "atomic"
        is_release = "release" in ins.opcode or "acq_rel" in ins.opcode
        is_past_l1 = any(part in PAST_L1 for part in ins.opcode)
        orders_lanes = operation == "collective" and ins.opcode[0] in ("bar", "barrier")
        self.all.append(
            SiteInfo(
                space,
                operation,
                size,
                strong,
                ins.line,
                is_release,
                is_past_l1,
                is_volatile="volatile" in ins.opcode,
                orders_warps=_orders_warps(operation, ins),
                orders_lanes=orders_lanes,
            )
        )
        number = len(self.all) - 1
        if space in TRACED and operation in ("load", "store", "atomic", "fence"):
            self.here.append(number)
        return number


def _orders_warps(operation: str, ins: Instruction) -> bool:
    """Fences, acquires, releases, and barriers that not all threads of a block need to reach."""
    if operation == "barrier":
        return "arrive" in ins.opcode or len(ins.operands) - ("red" in ins.opcode) > 1
    return operation == "fence" or any(part in ("acquire", "release", "acq_rel") for part in ins.opcode)


@dataclass(frozen=True)
class Frame:
    """Where a kernel's variables lie: parameters in the launch's block of arguments, the rest in each lane's memory."""

    parameters: dict[str, int]
    local: dict[str, int]
    sizes: dict[str, int]  # bytes, of both

    def at(self, name: str, size: int, offset: int = 0) -> int:
        """Where bytes [offset, offset + size) of a variable in a lane's memory lie.

        Raises:
            PtxError: the variable has no such bytes.
        """
        if name not in self.local or not 0 <= offset <= self.sizes[name] - size:
            raise PtxError(f"bytes {offset} to {offset + size} of the parameter {name[:80]}")
        return self.local[name] + offset


def memory(ins: Instruction, scope: Scope, sites: Sites, frame: Frame) -> str | None:
    """The C statements of a memory instruction; None when the opcode is none."""
    name = ins.opcode[0]
    if name in ("ld", "ldu"):
        return _load(ins, scope, sites, frame)
    if name == "st":
        return _store(ins, scope, sites, frame)
    if name in ("atom", "red"):
        return _atomic(ins, scope, sites, frame)
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
    if name in ("membar", "fence"):
        return f"FENCE({sites.add('generic', 'fence', 0, ins)});"
    if name == "cp":
        return _async_copy(ins, scope, sites, frame)
    if name == "copyparam":
        to, source = (frame.at(o.name, int(ins.opcode[1])) for o in ins.operands if isinstance(o, Symbol))
        return f"memcpy(frame_ + {to}, frame_ + {source}, {ins.opcode[1]});"
    if name == "call":
        return _built_in_call(ins, sites, frame)
    return "" if name in NO_EFFECT else None


def space_of(ins: Instruction) -> str:
    for part in ins.opcode[1:]:
        base = part.split("::")[0]
        if base in SPACES:
            if part == "shared::cluster":
                return "generic"
            return base
        if base in ("tex", "surf"):
            raise Unsupported(ins.text, ins.line)
    return "generic"


def address_of(operand: Operand, scope: Scope, space: str, line: int) -> str:
    if isinstance(operand, Reg | Symbol):
        operand = Address(operand, 0)
    assert isinstance(operand, Address)
    if operand.base is None:
        return f"{operand.offset & (2**64 - 1)}ull"
    narrow = (
        space in ("shared", "local")
        and isinstance(operand.base, Reg)
        and scope.kinds.get(operand.base.name, "b64")[-2:] == "32"
    )
    base = scope.value(operand.base, "u32" if narrow else "u64", line)
    return f"({base} + ({'s32' if narrow else 's64'}){operand.offset})" if operand.offset else f"{base}"


def place(
    ins: Instruction, operand: Operand, operation: str, size: int, scope: Scope, sites: Sites, frame: Frame
) -> tuple[str, int]:
    """The C expression of the host pointer that an address operand leads to, and its site."""
    space = space_of(ins)
    if space == "param" and isinstance(operand, Address | Symbol):
        base = operand.base if isinstance(operand, Address) else operand
        offset = operand.offset if isinstance(operand, Address) else 0
        if isinstance(base, Symbol) and base.name in frame.local:
            return f"(frame_ + {frame.at(base.name, size, offset)})", -1
        if operation != "load":
            raise PtxError(f"a store to a kernel's own parameters, line {ins.line}")
        if isinstance(base, Symbol) and base.name in frame.parameters:
            if not 0 <= offset <= frame.sizes[base.name] - size:
                raise PtxError(f"bytes {offset} to {offset + size} of the parameter {base.name[:80]}")
            return f"(params + {frame.parameters[base.name] + offset})", -1
    site = sites.add(space, operation, size, ins)
    return f"{space.upper()}_AT({site}, {address_of(operand, scope, space, ins.line)}, {size})", site


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


def _atomic(ins: Instruction, scope: Scope, sites: Sites, frame: Frame) -> str:
    name = next((part for part in ins.opcode[1:] if part in ATOMIC_VALUE), "")
    kind = types_of(ins)[-1]
    operands = ins.operands[1:] if ins.opcode[0] == "atom" else ins.operands
    if not name or "async" in ins.opcode or isinstance(operands[1], Vector):
        raise Unsupported(ins.text, ins.line)
    c_type = C_TYPE[kind]
    pointer, _ = place(ins, operands[0], "atomic", bits(kind) // 8, scope, sites, frame)
    values = f"{c_type} b_ = {scope.value(operands[1], kind, ins.line)};"
    if name == "cas":
        values += f" {c_type} c_ = {scope.value(operands[2], kind, ins.line)};"
    new = ATOMIC_VALUE[name]
    if kind in ("f16", "bf16") and name == "add":
        new = f"{kind}_f32(f32_{kind}(old_) + f32_{kind}(b_))"
    elif kind in ("f16x2", "bf16x2"):
        small = kind[:-2]
        half = f"{small}_f32(f32_{small}((u16)(old_ >> {{0}})) + f32_{small}((u16)(b_ >> {{0}})))"
        new = f"pack16({half.format(0)}, {half.format(16)})"
    elif is_float(kind) and name in ("min", "max"):
        new = f"{name}_{kind}(old_, b_)"
    back = scope.assign(ins.operands[0], kind, "old_") if ins.opcode[0] == "atom" else ""
    return f"{{ u8 *p_ = {pointer}; {c_type} old_ = LOAD({c_type}, p_); {values} STORE({c_type}, p_, {new}); {back} }}"


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


def _async_copy(ins: Instruction, scope: Scope, sites: Sites, frame: Frame) -> str:
    """cp.async: copied at once. Groups have nothing left to wait for, so a missing wait goes unseen."""
    if ins.opcode[1] != "async" or "bulk" in ins.opcode or "mbarrier" in ins.opcode:
        raise Unsupported(ins.text, ins.line)
    if any(part in ins.opcode for part in ("commit_group", "wait_group", "wait_all")):
        return ""
    size = next(o.value for o in ins.operands[2:] if hasattr(o, "value"))
    if size not in (4, 8, 16):
        raise PtxError(f"an asynchronous copy of {size} bytes, line {ins.line}")
    read = Instruction(("ld", "global"), (), None, ins.line)
    write = Instruction(("st", "shared"), (), None, ins.line)
    source, _ = place(read, ins.operands[1], "load", size, scope, sites, frame)
    target, _ = place(write, ins.operands[0], "store", size, scope, sites, frame)
    count = (
        scope.value(ins.operands[3], "u32", ins.line)
        if len(ins.operands) > 3 and "L2::cache_hint" not in ins.opcode
        else str(size)
    )
    return (
        f"{{ u8 v_[16] = {{0}}; u32 n_ = {count}; if (n_ > {size}) n_ = {size};"
        f" if (n_) memcpy(v_, {source}, n_); memcpy({target}, v_, {size}); }}"
    )


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
