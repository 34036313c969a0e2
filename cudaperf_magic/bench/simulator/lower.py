"""A kernel's PTX -> one C function that runs a warp, with what the runtime must know about it. Compiles nothing.

The frame of the code is here: segments, branches, registers in memory between segments. What instructions mean stands
in arithmetic.py, conversion.py, memory_ops.py and warp_ops.py.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from cudaperf_magic.bench.simulator.access import Frame, SiteInfo, Sites
from cudaperf_magic.bench.simulator.arithmetic import arithmetic, flops
from cudaperf_magic.bench.simulator.combining import uniform_registers
from cudaperf_magic.bench.simulator.flow import Flow, Segment, flow_of
from cudaperf_magic.bench.simulator.function_pointers import function_addresses
from cudaperf_magic.bench.simulator.liveness import registers_read, registers_written
from cudaperf_magic.bench.simulator.memory_ops import memory
from cudaperf_magic.bench.simulator.nans import computed_registers
from cudaperf_magic.bench.simulator.opcodes import must_run
from cudaperf_magic.bench.simulator.operands import Scope
from cudaperf_magic.bench.simulator.ptx import Instruction, Module, PtxError, Variable
from cudaperf_magic.bench.simulator.warp_ops import barrier_result, meeting
from cudaperf_magic.errors import Unsupported

CARRY_IN = ("addc", "subc", "madc")
MOST_LOCAL, MOST_GIVEN = 512 << 10, 32764  # bytes: of a thread's local memory, and of a kernel's arguments
GAP_BYTES = 128  # between two shared arrays: one row of the 32 banks
C_SIZE = {"u8": 1, "u16": 2, "u32": 4, "u64": 8, "f32": 4, "f64": 8, "u128": 16}
# What the tables of opcodes do with operands or types that no compiler would write.
MALFORMED = (LookupError, ValueError, StopIteration, TypeError, AttributeError, AssertionError)
HEAD = """#include "arith.h"
#include "warp.h"
#include "faults.h"
extern f64 rt_directed_f64(int operation, f64 a, f64 b, f64 c, int mode);
"""
PROLOGUE = """int run_warp(Warp *w) {
    struct Regs *const R = w->regs;
    Block *const block = w->block; Launch *const launch = w->launch;
    const u8 *const params = launch->params;
    const u64 arena = (u64)w->sim->arena, arena_span = w->sim->arena_bytes;
    u8 *const shared = block->shared; const u64 shared_bytes = launch->shared_bytes, local_bytes = w->local_bytes;
    u32 mask; s32 other;
dispatch:
    { int pc = rt_pick(w, &mask, &other); if (pc < 0) return pc; goto *targets[pc]; }
"""


@dataclass(frozen=True)
class SegmentInfo:
    """What one execution of a segment stands for: instructions by source line, and floating-point operations."""

    instructions: int
    lines: tuple[tuple[int, int], ...]
    flops: int
    barrier_line: int = 0  # of the block barrier that this segment is


@dataclass(frozen=True)
class Lowered:
    name: str
    c_source: str
    sites: tuple[SiteInfo, ...]
    segments: tuple[SegmentInfo, ...]
    parameters: tuple[Variable, ...]
    most_threads: int  # of a block, by __launch_bounds__; 0: any
    register_bytes: int
    local_bytes: int
    static_shared_bytes: int
    shared_room: int  # the same with a gap between every two arrays, so that a stray index meets none of them
    shared_gaps: tuple[tuple[int, int], ...]  # where each begins and ends
    shared_arrays: tuple[tuple[str, int, int], ...]  # name, start, bytes; the dynamic one, if any, last and of 0 bytes
    symbols: tuple[str, ...]  # module variables, in the order of launch->symbols
    uses_narrow_shared: bool
    uses_narrow_global: bool

    @property
    def gap_bytes(self) -> int:
        return self.shared_room - self.static_shared_bytes


def lower(module: Module, name: str) -> Lowered:
    """Translates kernel `name` of `module`.

    Raises:
        Unsupported: naming the instruction and its line.
    """
    if name not in module.functions:
        raise PtxError(f"no kernel {name[:80]}")
    if module.functions[name].cluster > 1:
        raise Unsupported("clusters of more than one block")
    flow = flow_of(module, name)
    for segment in flow.segments:
        for ins in segment.body:
            must_run(ins)
    return _Lowering(module, flow).result()


def parameter_offsets(parameters: tuple[Variable, ...]) -> dict[str, int]:
    return _layout([(p.name, p.size, p.align) for p in parameters])[0]


def _layout(items: list[tuple[str, int, int]]) -> tuple[dict[str, int], int]:
    """Offsets of items (name, size, alignment) one after the other, and the total."""
    offsets: dict[str, int] = {}
    at = 0
    for name, size, align in items:
        at = -(-at // max(align, 1)) * max(align, 1)
        offsets[name] = at
        at += size
    return offsets, at


def _apart(arrays: list[tuple[str, int, int]]) -> tuple[dict[str, int], tuple[tuple[int, int], ...], int]:
    """Offsets of shared arrays with gaps between them, the gaps, and the end of the last array.

    On the hardware they lie side by side in an order of the compiler's choice, and an index that is one too far meets
    another array unseen. Gaps of whole rows of banks leave every bank conflict as it is.
    """
    offsets, _ = _layout([(name, size + GAP_BYTES, max(align, GAP_BYTES)) for name, size, align in arrays])
    ends = [offsets[name] + size for name, size, _ in arrays]
    gaps = tuple(zip(ends[:-1], list(offsets.values())[1:], strict=True))
    return offsets, gaps, ends[-1] if ends else 0


class _Lowering:
    def __init__(self, module: Module, flow: Flow) -> None:
        self.module = module
        self.flow = flow
        self.sites = Sites(uniform=uniform_registers(ins for s in flow.segments for ins in s.body))
        self.symbols = tuple(v.name for v in module.variables.values() if v.space in ("global", "const"))
        self.static_globals(flow)
        self.frame, self.local_bytes = self.frame_of()
        symbol_text, self.shared_bytes = self.symbol_addresses()
        names = {
            name: f"r{i}_" + "".join(c if c.isalnum() else "_" for c in name) for i, name in enumerate(flow.registers)
        }
        computed = computed_registers(ins for segment in flow.segments for ins in segment.body)
        self.scope = Scope(flow.registers, names, symbol_text, computed)
        self.in_memory = replace(self.scope, c_names={name: f"R->{c}[lane]" for name, c in names.items()})
        self.kept = self.registers_in_memory()

    def static_globals(self, flow: Flow) -> None:
        inner = [v for v in flow.variables.values() if v.space in ("global", "const")]
        for variable in inner:
            self.module.variables.setdefault(variable.name, variable)
        self.symbols = tuple(v.name for v in self.module.variables.values() if v.space in ("global", "const"))

    def frame_of(self) -> tuple[Frame, int]:
        own = [v for v in self.flow.variables.values() if v.space in ("local", "param")]
        local, total = _layout([(v.name, v.size, max(v.align, 8)) for v in own])
        sizes = {v.name: v.size for v in (*own, *self.flow.parameters)}
        given = _layout([(p.name, p.size, p.align) for p in self.flow.parameters])
        for bytes_, most, what in ((total, MOST_LOCAL, "local arrays"), (given[1], MOST_GIVEN, "arguments")):
            if bytes_ > most:
                raise Unsupported(f"{bytes_:,} bytes of {what} (a GPU has room for {most:,})")
        return Frame(given[0], local, sizes), -(-total // 16) * 16

    def symbol_addresses(self) -> tuple[dict[str, str], int]:
        """Each symbol's address in C, and the bytes of static shared memory; the dynamic follows it."""
        text = {name: f"launch->symbols[{i}]" for i, name in enumerate(self.symbols)}
        text |= {name: f"{at}ull" for name, at in function_addresses(self.module).items()}
        text |= {name: f"{at}ull" for name, at in self.frame.local.items()}
        text |= {name: f"{at}ull" for name, at in self.frame.parameters.items()}
        shared = [v for v in (*self.module.variables.values(), *self.flow.variables.values()) if v.space == "shared"]
        static = [(v.name, v.size, v.align) for v in shared if not v.is_extern]
        total = _layout(static)[1]
        if any(v.is_extern for v in shared):
            total = -(-total // 16) * 16
            static.append(("", 0, 16))
        offsets, self.shared_gaps, self.shared_room = _apart(static)
        text |= {name: f"{at}u" for name, at in offsets.items()}
        text |= {v.name: f"{offsets['']}u" for v in shared if v.is_extern}
        self.shared_arrays = tuple((name, offsets[name], size) for name, size, _ in static if name)
        self.shared_arrays += tuple((v.name, offsets[""], 0) for v in shared if v.is_extern)
        return text, total

    def registers_in_memory(self) -> list[str]:
        kept: set[str] = set()
        for segment in self.flow.segments:
            kept |= segment.live_in
            if segment.is_meeting:
                kept |= registers_read(segment.body[0]) | registers_written(segment.body[0])
        return [name for name in self.flow.registers if name in kept]

    def result(self) -> Lowered:
        code: list[str] = []
        infos: list[SegmentInfo] = []
        for segment in self.flow.segments:
            code.append(self.segment(segment))
            infos.append(_info(segment))
        ordered = sorted(self.kept, key=lambda n: -C_SIZE[self.scope.register_type(n)])
        fields = "".join(f"    {self.scope.register_type(n)} {self.scope.c_names[n]}[32];\n" for n in ordered)
        targets = ", ".join(f"&&S_{s.number}" for s in self.flow.segments)
        body = PROLOGUE.replace("dispatch:\n", f"    static void *const targets[] = {{ {targets} }};\ndispatch:\n")
        gaps = " || ".join(f"(u32)((a) - {start}u) < {end - start}u" for start, end in self.shared_gaps)
        head = f"{HEAD}#define IN_GAP(a) ({gaps or 0})\n#define STATIC_SHARED {self.shared_bytes}u\n"
        source = f"{head}struct Regs {{\n{fields}    u8 end;\n}};\n{body}{''.join(code)}}}\n"
        size = sum(32 * C_SIZE[self.scope.register_type(n)] for n in self.kept)
        accesses = [s for s in self.sites.all if s.operation in ("load", "store", "atomic")]
        return Lowered(
            name=self.flow.name,
            c_source=source,
            sites=tuple(self.sites.all),
            segments=tuple(infos),
            parameters=self.flow.parameters,
            most_threads=self.module.functions[self.flow.name].most_threads,
            register_bytes=-(-(size + 64) // 64) * 64,
            local_bytes=self.local_bytes,
            static_shared_bytes=self.shared_bytes,
            shared_room=self.shared_room,
            shared_gaps=self.shared_gaps,
            shared_arrays=self.shared_arrays,
            symbols=self.symbols,
            uses_narrow_shared=any(s.size < 4 and s.space in ("shared", "generic") for s in accesses),
            uses_narrow_global=any(s.size < 4 and s.space in ("global", "generic") for s in accesses),
        )

    def segment(self, segment: Segment) -> str:
        number = segment.number
        if segment.is_meeting:
            code = self.meeting(segment)
            head, _, rest = code.partition("\n")
            enter = f"ENTER({number});"
            # Counted once the lanes are together, not each time some of them arrive.
            code = f"{head}\n{enter} {rest}" if "rt_collect" in head else f"{enter} {code}"
            ending = (
                "" if "goto dispatch;" in code.splitlines()[-1] and not rest else self.go(number, segment.successors[0])
            )
            return f"S_{number}: {{ {code}\n {ending} }}\n"
        return self.plain_segment(segment)

    def go(self, here: int, there: int) -> str:
        return f"GO({here}, {there});"

    def meeting(self, segment: Segment) -> str:
        ins = segment.body[0]
        try:
            return meeting(ins, self.in_memory, self.sites, segment.number, segment.successors[0])
        except MALFORMED as error:
            raise PtxError(f"the operands of {ins.text[:80]}, line {ins.line}") from error

    def plain_segment(self, segment: Segment) -> str:
        self.sites.here = []
        statements: list[str] = []
        ending = self.ending(segment)
        control = ("bra", "brx", "ret", "exit", "trap")
        for ins in segment.body:
            if ins.opcode[0] not in control:
                statements.append(self.statement(ins))
        condition = ""
        last = segment.body[-1] if segment.body else None
        if last is not None and last.opcode[0] == "bra" and last.guard:
            negation = "!" if last.guard[1] else ""
            condition = f"taken_ |= (u32)({negation}{self.scope.c_names[last.guard[0]]} != 0) << lane;"
            if last.guard[1]:
                condition = f"taken_ |= (u32)({self.scope.c_names[last.guard[0]]} == 0) << lane;"
        elif last is not None and last.opcode[0] == "brx":
            condition = f"to_[lane] = {self.scope.value(last.operands[0], 'u32')};"
        loads, stores = self.traffic(segment)
        lane_body = " ".join([*loads, *statements, condition, *stores]).strip()
        if "frame_" in lane_body:
            lane_body = f"u8 *frame_ = w->local + (u64)lane * local_bytes; {lane_body}"
        if any("cc" in part.opcode or part.opcode[0] in CARRY_IN for part in segment.body):
            lane_body = f"u8 cc = 0; {lane_body}"
        declared = " ".join(f"SITE({k});" for k in self.sites.here)
        reported = " ".join(f"REPORT({k});" for k in self.sites.here)
        loop = f"FOR_LANES(mask) {{ {lane_body} }}" if lane_body else ""
        extra = "u32 taken_ = 0;" if "taken_" in condition else "u32 to_[32];" if "to_" in condition else ""
        return (
            f"S_{segment.number}: {{ ENTER({segment.number}); {declared} {extra}\n  {loop}\n  {reported} {ending} }}\n"
        )

    def traffic(self, segment: Segment) -> tuple[list[str], list[str]]:
        """Declarations that load what lives on entry, and the stores of what was written and lives on exit."""
        used: dict[str, None] = {}
        written: set[str] = set()
        for ins in segment.body:
            used |= dict.fromkeys(sorted(registers_read(ins) | registers_written(ins)))
            written |= registers_written(ins)
        loads, stores = [], []
        for name in used:
            if name not in self.flow.registers:
                continue
            c_name, c_type = self.scope.c_names[name], self.scope.register_type(name)
            start = f" = R->{c_name}[lane]" if name in segment.live_in else " = 0" if name in written else ""
            loads.append(f"{c_type} {c_name}{start};")
            if name in written and name in segment.live_out:
                stores.append(f"R->{c_name}[lane] = {c_name};")
        return loads, stores

    def statement(self, ins: Instruction) -> str:
        try:
            return self.meaning(ins)
        except MALFORMED as error:
            raise PtxError(f"the operands of {ins.text[:80]}, line {ins.line}") from error

    def meaning(self, ins: Instruction) -> str:
        if ins.opcode[0] == "barresult":
            text: str | None = barrier_result(ins, self.scope)
        else:
            text = arithmetic(ins, self.scope)
        if text is None:
            text = memory(ins, self.scope, self.sites, self.frame)
        if text is None:
            raise Unsupported(ins.text, ins.line)
        if ins.guard and text:
            test = f"{'!' if ins.guard[1] else ''}{self.scope.c_names[ins.guard[0]]}"
            text = f"if ({test}) {{ {text} }}"
        return text

    def ending(self, segment: Segment) -> str:
        number, last = segment.number, segment.body[-1] if segment.body else None
        if last is None:
            return self.go(number, segment.successors[0])
        name = last.opcode[0]
        if name in ("ret", "exit"):
            return "rt_exit(w, mask); goto dispatch;"
        if name == "trap":
            site = self.sites.add("generic", "other", 0, last)
            kind = "FAULT_ASTRAY" if "astray" in last.opcode else "FAULT_TRAP"
            return f"rt_trap(w, mask, {site}, {kind}); return SIM_STOP;"
        if name == "brx":
            table = ", ".join(map(str, segment.successors))
            count = len(segment.successors)
            return (
                f"{{ static const u32 table_[] = {{ {table} }};  "
                f" FOR_LANES(mask) w->pc[lane] = table_[to_[lane] < {count} ? to_[lane] : {count - 1}];"
                " goto dispatch; }"
            )
        if name == "bra" and last.guard and segment.successors[0] != segment.successors[1]:
            taken, passed = segment.successors
            return (
                f"if (taken_ == mask) {self.go(number, taken)} if (!taken_) {self.go(number, passed)}"
                f" PARK(mask & taken_, {taken}); PARK(mask & ~taken_, {passed});"
                f" {_tick(number, taken, passed)} goto dispatch;"
            )
        return self.go(number, segment.successors[0])


def _tick(here: int, taken: int, passed: int) -> str:
    """A diverging branch backwards spends the warp's quantum as GO does."""
    return "if (--w->quantum < 0) return SIM_YIELD;" if min(taken, passed) <= here else ""


def _info(segment: Segment) -> SegmentInfo:
    real = [ins for ins in segment.body if ins.opcode[0] not in ("copyparam", "barresult")]
    lines = Counter(ins.line for ins in real)
    barrier = next((i.line for i in real if i.opcode[0] in ("bar", "barrier") and "warp" not in i.opcode), 0)
    return SegmentInfo(len(real), tuple(sorted(lines.items())), sum(flops(ins) for ins in real), barrier)
