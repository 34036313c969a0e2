"""A function without calls: every called body is copied in, its names made unique. Recursion is refused."""

from __future__ import annotations

from dataclasses import replace

from cudaperf_magic.bench.simulator.function_pointers import candidates, function_addresses
from cudaperf_magic.bench.simulator.ptx import (
    Address,
    Function,
    Group,
    Instruction,
    Integer,
    Label,
    Module,
    Negated,
    Operand,
    Pair,
    Reg,
    Symbol,
    Variable,
    Vector,
)
from cudaperf_magic.bench.symbols import written_name
from cudaperf_magic.errors import Unsupported

BUILT_IN = ("vprintf", "__assertfail", "malloc", "free")
INLINE_LIMIT = 200_000  # instructions; more means calls within calls within calls


class Inliner:
    """Copies function bodies into their callers, with the names of each copy made unique by a suffix."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.registers: dict[str, str] = {}
        self.variables: dict[str, Variable] = {}
        self.tables: dict[str, tuple[str, ...]] = {}
        self.copies = 0
        self.instructions = 0

    def expand(self, function: Function, suffix: str, stack: tuple[str, ...]) -> list[Instruction | Label]:
        if not suffix:
            self.registers.update(function.registers)
            self.variables.update(function.variables)
            self.tables.update(function.tables)
        else:
            self.adopt(function, suffix)
        result: list[Instruction | Label] = []
        for item in function.body:
            moved = self.rename(item, function, suffix)
            if isinstance(moved, Instruction) and moved.opcode[0] == "call":
                result += self.call(moved, stack)
            elif isinstance(moved, Instruction) and moved.opcode[0] == "ret" and suffix:
                result.append(Instruction(("bra",), (Symbol(f"$end{suffix}"),), moved.guard, moved.line))
            else:
                result.append(moved)
        if suffix:
            result.append(Label(f"$end{suffix}"))
        self.instructions += len(result)
        if self.instructions > INLINE_LIMIT:
            raise Unsupported(f"kernels of more than {INLINE_LIMIT} instructions")
        return result

    def adopt(self, function: Function, suffix: str) -> None:
        self.registers.update({name + suffix: kind for name, kind in function.registers.items()})
        for variable in (*function.variables.values(), *function.parameters, *function.results):
            shared_once = variable.space in ("shared", "global", "const")  # one for all calls
            name = variable.name if shared_once else variable.name + suffix
            self.variables[name] = replace(variable, name=name)
        for name, labels in function.tables.items():
            self.tables[name + suffix] = tuple(label + suffix for label in labels)

    def call(self, ins: Instruction, stack: tuple[str, ...]) -> list[Instruction | Label]:
        if any(isinstance(operand, Reg) for operand in ins.operands):
            return self.indirect_call(ins, stack)
        groups = [operand for operand in ins.operands if isinstance(operand, Group)]
        name = next((operand.name for operand in ins.operands if isinstance(operand, Symbol)), "")
        if name in BUILT_IN:
            return [ins]
        function = self.module.functions.get(name)
        if function is None or not function.has_body:
            raise Unsupported(f"calls of {written_name(name)}", ins.line)
        if name in stack:
            raise Unsupported(f"recursion ({written_name(name)} calls itself; write it as a loop)", ins.line)
        self.copies += 1
        suffix = f"~{self.copies}"
        has_result = bool(function.results)
        results = groups[0].items if has_result and groups else ()
        arguments = groups[-1].items if len(groups) > (1 if has_result else 0) else ()
        inside = self.expand(function, suffix, (*stack, name))
        before = [self.copy(p.name + suffix, a, p, ins) for p, a in zip(function.parameters, arguments, strict=False)]
        after = [self.copy(r, p.name + suffix, p, ins) for p, r in zip(function.results, results, strict=False)]
        if ins.guard:  # the whole call is skipped when the guard says so
            skip = f"$skip{suffix}"
            jump = Instruction(("bra",), (Symbol(skip),), (ins.guard[0], not ins.guard[1]), ins.line)
            return [jump, *before, *inside, *after, Label(skip)]
        return [*before, *inside, *after]

    def indirect_call(self, ins: Instruction, stack: tuple[str, ...]) -> list[Instruction | Label]:
        """A choice by address among the functions that the pointer may mean, without those that run already."""
        target = next(operand for operand in ins.operands if isinstance(operand, Reg))
        at = ins.operands.index(target)
        results = [o for o in ins.operands[:at] if isinstance(o, Group)]
        arguments = [o for o in ins.operands[at:] if isinstance(o, Group)]
        sizes = [[self.size_of(item) for group in groups for item in group.items] for groups in (results, arguments)]
        addresses = function_addresses(self.module)
        self.copies += 1
        suffix = f"?{self.copies}"
        code: list[Instruction | Label] = []
        if ins.guard:
            code.append(Instruction(("bra",), (Symbol(f"$over{suffix}"),), (ins.guard[0], not ins.guard[1]), ins.line))
        for i, function in enumerate(candidates(self.module, *sizes)):
            if function.name in stack:
                continue
            test, following = Reg(f"%other{suffix}.{i}"), f"$next{suffix}.{i}"
            self.registers[test.name] = "pred"
            is_other = (test, target, Integer(addresses[function.name]))
            code.append(Instruction(("setp", "ne", "u64"), is_other, None, ins.line))
            code.append(Instruction(("bra",), (Symbol(following),), (test.name, False), ins.line))
            direct = replace(ins, operands=(*results, Symbol(function.name), *arguments), guard=None)
            code += self.call(direct, stack)
            code.append(Instruction(("bra",), (Symbol(f"$over{suffix}"),), None, ins.line))
            code.append(Label(following))
        code.append(Instruction(("trap", "astray"), (), None, ins.line))
        return [*code, Label(f"$over{suffix}")]

    def size_of(self, operand: Operand) -> int:
        """The bytes of an argument's variable, 0 when it is none."""
        variable = self.variables.get(operand.name) if isinstance(operand, Symbol) else None
        return variable.size if variable else 0

    @staticmethod
    def copy(target: Operand | str, source: Operand | str, of: Variable, ins: Instruction) -> Instruction:
        """A pseudo-instruction that copies a parameter's bytes."""
        to = Symbol(target) if isinstance(target, str) else target
        given = Symbol(source) if isinstance(source, str) else source
        return Instruction(("copyparam", str(of.size)), (to, given), None, ins.line)

    def rename(self, item: Instruction | Label, function: Function, suffix: str) -> Instruction | Label:
        if not suffix:
            return item
        if isinstance(item, Label):
            return Label(item.name + suffix)
        own = {v.name for v in (*function.parameters, *function.results)}
        own |= {v.name for v in function.variables.values() if v.space in ("local", "param")}

        def moved(operand: Operand) -> Operand:
            if isinstance(operand, Reg):
                return Reg(operand.name + suffix) if operand.name in function.registers else operand
            if isinstance(operand, Negated):
                return Negated(Reg(operand.register.name + suffix))
            if isinstance(operand, Symbol):
                is_label = item.opcode[0] in ("bra", "brx")
                return Symbol(operand.name + suffix) if operand.name in own or is_label else operand
            if isinstance(operand, Address):
                base = moved(operand.base) if operand.base else None
                assert base is None or isinstance(base, Reg | Symbol)
                return Address(base, operand.offset)
            if isinstance(operand, Vector):
                return Vector(tuple(map(moved, operand.items)))
            if isinstance(operand, Group):
                return Group(tuple(map(moved, operand.items)))
            if isinstance(operand, Pair):
                return Pair(moved(operand.first), moved(operand.second))
            return operand

        guard = (item.guard[0] + suffix, item.guard[1]) if item.guard else None
        return replace(item, operands=tuple(map(moved, item.operands)), guard=guard)
