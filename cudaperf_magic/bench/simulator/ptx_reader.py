"""PTX text -> Module: variables, functions, instructions with their source lines. Gives no meaning to any opcode."""

from __future__ import annotations

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
    PtxError,
    Real,
    Reg,
    Symbol,
    Variable,
    Vector,
    size_of,
)
from cudaperf_magic.bench.simulator.ptx_scopes import Scopes, labels_ahead
from cudaperf_magic.bench.simulator.ptx_tokens import integer, tokens_of

MOST_REGISTERS = 1_000_000  # of one function; ptxas itself gives up earlier
MOST_BYTES = 1 << 48  # of one variable: more than any address space holds
ALIGNMENTS = tuple(1 << i for i in range(13))
DEEPEST = 4  # of brackets within an operand


def parse(text: str, main_file: str = "kernel.cu") -> Module:
    """Reads a PTX module; lines of other files are mapped to where they were inlined in `main_file`.

    Raises:
        PtxError: at text that is not understood.
    """
    return _Parser(text, main_file).module()


class _Parser:
    def __init__(self, text: str, main_file: str) -> None:
        self.tokens = tokens_of(text)
        self.at = 0
        self.main = self._main_index(main_file)
        self.line = 0
        self.is_foreign = False
        self.scopes = Scopes()
        self.depth = 0
        self.function: Function | None = None
        self.result = Module()

    def _main_index(self, main_file: str) -> str:
        for group, text in self.tokens:
            words = text.split(None, 2)
            if group == "line" and words[0] == ".file" and len(words) == 3 and f'{main_file}"' in words[2]:
                return words[1]
        return "1"

    def peek(self) -> str:
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def next_token(self) -> tuple[str, str]:
        if self.at >= len(self.tokens):
            raise PtxError("its text ends too early")
        self.at += 1
        return self.tokens[self.at - 1]

    def take(self) -> str:
        return self.next_token()[1]

    def take_integer(self) -> int:
        return integer(self.take())

    def expect(self, text: str) -> None:
        found = self.take()
        if found != text:
            raise self.error(f"expected {text!r} but found {found[:40]!r}")

    def error(self, what: str) -> PtxError:
        return PtxError(f"{what} near line {self.line} of the kernel")

    def accept(self, text: str) -> bool:
        if self.peek() == text:
            self.at += 1
            return True
        return False

    def skip_to(self, end: str) -> None:
        while self.take() != end:
            pass

    def module(self) -> Module:
        while self.at < len(self.tokens):
            group, text = self.tokens[self.at]
            if group == "line":
                self.at += 1
            elif text == ".section":
                self.skip_to("{")
                self.skip_to("}")
            else:
                self.top()
        return self.result

    def top(self) -> None:
        is_extern = False
        while self.peek() in (".extern", ".visible", ".weak", ".common"):
            is_extern |= self.take() == ".extern"
        word = self.peek()
        if word in (".entry", ".func"):
            self.take()
            self.read_function(is_kernel=word == ".entry")
        elif word in (".global", ".const", ".shared"):
            for variable in self.read_variables(is_extern):
                self.result.variables[variable.name] = variable
        elif word in (".alias", ".pragma"):
            self.skip_to(";")
        else:
            raise PtxError(f"{word[:40]!r} at module level")

    def read_function(self, is_kernel: bool) -> None:
        results: tuple[Variable, ...] = ()
        while self.peek().startswith(".") and self.peek() != ".param":
            self.take()  # .noreturn and the like
        if self.peek() == "(":
            results = self.read_parameters()
        name = self.take()
        parameters = self.read_parameters() if self.peek() == "(" else ()
        function = Function(name, is_kernel, results, parameters)
        while self.peek() not in (";", "{"):
            word = self.take()  # .minnctapersm says nothing here
            if word == ".reqnctapercluster":
                function.cluster = self.read_extent()
            elif word == ".maxntid":
                function.most_threads = self.read_extent()
        if self.take() == "{":
            function.has_body = True
            self.function = function
            self.scopes = Scopes()
            self.read_body()
            self.function = None
        if function.has_body or name not in self.result.functions:
            self.result.functions[name] = function

    def read_extent(self) -> int:
        """The product of one to three numbers."""
        product = self.take_integer()
        while self.accept(","):
            product *= self.take_integer()
        return product

    def read_parameters(self) -> tuple[Variable, ...]:
        found: list[Variable] = []
        self.expect("(")
        while not self.accept(")"):
            self.expect(".param")
            found.append(self.read_declarator("param", False))
            self.accept(",")
        return tuple(found)

    def read_variables(self, is_extern: bool) -> list[Variable]:
        space = self.take()[1:]
        found = [self.read_declarator(space, is_extern)]
        while self.accept(","):
            found.append(self.read_declarator(space, is_extern))
        self.expect(";")
        return found

    def read_declarator(self, space: str, is_extern: bool) -> Variable:
        align, kind, lanes = 0, "", 1
        while self.peek().startswith("."):
            word = self.take()[1:]
            if word == "align":
                align = self.take_integer()
                if align not in ALIGNMENTS:
                    raise self.error(f".align {align}")
            elif word == "ptr":
                continue
            elif word in ("v2", "v4"):
                lanes = int(word[1])
            elif word in ("global", "shared", "const", "local"):
                continue
            elif word == "attribute":  # (.managed): the host's memory and the device's are one here
                self.skip_to(")")
            else:
                kind = word
        name = self.take()
        unit = size_of(kind or "b8")
        size = unit * lanes
        while self.accept("["):
            if self.accept("]"):
                size = 0
            else:
                size *= self.take_integer()
                self.expect("]")
        initial = self.read_initialiser(unit, kind) if self.accept("=") else ()
        held = initial[-1][0] + (1 if isinstance(initial[-1][1], int) else 8) if initial else 0
        if held > size or size > MOST_BYTES:
            raise self.error(f"{name[:80]} of {size} bytes with {held} bytes of values")
        return Variable(name, space, max(align, unit * lanes if not align else 1), size, is_extern, initial)

    def read_initialiser(self, unit: int, kind: str) -> tuple[tuple[int, int | tuple[str, int]], ...]:
        found: list[tuple[int, int | tuple[str, int]]] = []
        offset = 0
        depth = 0
        while True:
            if self.accept("{"):
                depth += 1
                continue
            if self.accept("}"):
                depth -= 1
            elif self.accept(","):
                continue
            else:
                offset = self.read_initial_value(found, offset, unit, kind)
            if depth == 0:
                return tuple(found)

    def read_initial_value(
        self, found: list[tuple[int, int | tuple[str, int]]], offset: int, unit: int, kind: str
    ) -> int:
        sign = -1 if self.accept("-") else 1
        group, text = self.next_token()
        if group == "number":
            value = sign * (int(text[2:], 16) if text[1:2] in "fFdD" and len(text) > 2 else integer(text))
            data = (value & ((1 << 8 * unit) - 1)).to_bytes(unit, "little")
            found.extend((offset + i, byte) for i, byte in enumerate(data))
            return offset + unit
        if text == "generic":
            self.expect("(")
            text = self.take()
            self.expect(")")
        addend = 0
        if self.peek() in ("+", "-"):
            sign = 1 if self.take() == "+" else -1
            addend = sign * self.take_integer()
        if unit != 8:
            raise self.error(f"the address of {text[:80]} in a table of .{kind}")
        found.append((offset, (text, addend)))
        return offset + unit

    def read_body(self) -> None:
        depth = 1
        while depth:
            group, text = self.next_token()
            if group == "line" and text.startswith(".loc"):
                self.read_location(text)
            elif text == "{":
                depth += 1
                self.scopes.enter(labels_ahead(self.tokens, self.at))
            elif text == "}":
                depth -= 1
                self.scopes.leave()
            elif text != ";" and group != "line":
                self.at -= 1
                self.read_statement()

    def read_location(self, text: str) -> None:
        """`.loc file line column, function_name ..., inlined_at file line column`."""
        head, _, inlined = text.partition("inlined_at")
        places = [head.split(",")[0].split()[1:3], inlined.split()[:2]]
        self.is_foreign = places[0][:1] != [self.main]
        for place in places:
            if len(place) == 2 and place[0] == self.main and place[1].isdecimal() and place[1] != "0":
                self.line = int(place[1])
                return

    def read_statement(self) -> None:
        function = self.function
        assert function is not None
        word = self.peek()
        following = self.tokens[self.at + 1][1] if self.at + 1 < len(self.tokens) else ""
        if following == ":":
            self.at += 2
            if self.peek() == ".branchtargets":
                self.take()
                function.tables[self.scopes.renamed(word)] = tuple(map(self.scopes.renamed, self.read_names()))
            elif self.peek() == ".callprototype":
                self.skip_to(";")
            else:
                function.body.append(Label(self.scopes.renamed(word)))
        elif word == ".reg":
            self.read_registers(function)
        elif word in (".local", ".shared", ".param", ".global", ".const"):
            for variable in self.read_variables(False):
                name = self.scopes.declare(variable.name)
                moved = Variable(name, variable.space, variable.align, variable.size, False, variable.initial)
                function.variables[name] = moved
        elif word.startswith(".pragma"):
            self.skip_to(";")
        else:
            function.body.append(self.read_instruction())

    def read_names(self) -> tuple[str, ...]:
        names: list[str] = []
        while not self.accept(";"):
            text = self.take()
            if text != ",":
                names.append(text)
        return tuple(names)

    def read_registers(self, function: Function) -> None:
        self.take()
        kind = self.take()[1:]
        while True:
            name = self.take()
            if self.accept("<"):
                count = self.take_integer()
                if count + len(function.registers) > MOST_REGISTERS:
                    raise self.error(f"{count} registers {name[:40]}")
                for i in range(count):
                    function.registers[self.scopes.declare(f"{name}{i}")] = kind
                self.expect(">")
            else:
                function.registers[self.scopes.declare(name)] = kind
            if not self.accept(","):
                break
        self.expect(";")

    def read_instruction(self) -> Instruction:
        guard = None
        if self.accept("@"):
            negated = self.accept("!")
            guard = (self.scopes.renamed(self.take()), negated)
            if self.function is None or self.function.registers.get(guard[0]) != "pred":
                raise self.error(f"the guard {guard[0][:40]}, which is no predicate,")
        opcode = tuple(self.take().split("."))
        line = self.line
        operands: list[Operand] = []
        while not self.accept(";"):
            operands.append(self.read_operand())
            if not self.accept(",") and self.peek() != ";":
                raise self.error(f"{self.peek()[:40]!r} among the operands of {'.'.join(opcode)[:80]}")
        return Instruction(opcode, tuple(operands), guard, line, self.is_foreign)

    def read_operand(self) -> Operand:
        first = self.read_simple()
        if self.accept("|"):
            return Pair(first, self.read_simple())
        return first

    def read_simple(self) -> Operand:
        if self.peek() in ("{", "("):
            return Vector(self.read_list("}")) if self.take() == "{" else Group(self.read_list(")"))
        if self.accept("["):
            return self.read_address()
        if self.accept("!"):
            return Negated(Reg(self.scopes.renamed(self.take())))
        if self.accept("-"):
            if self.peek()[:2] == "0D":
                return Real(int(self.take()[2:], 16) ^ 1 << 63, 8)
            return Integer(-self.take_integer())
        group, text = self.next_token()
        if group == "number":
            if text[1:2] in ("f", "F", "d", "D") and not text.lower().startswith("0x"):
                return Real(int(text[2:], 16), (len(text) - 2) // 2)
            return Integer(integer(text))
        if group != "word":
            raise self.error(f"the operand {text[:40]!r}")
        name = self.scopes.renamed(text)
        if text.startswith("%") or (self.function and name in self.function.registers):
            return Reg(name)
        if self.peek() == "+":
            self.take()
            return Address(Symbol(name), self.take_integer())
        return Symbol(name)

    def read_list(self, end: str) -> tuple[Operand, ...]:
        items: list[Operand] = []
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error("brackets within brackets")
        while not self.accept(end):
            items.append(self.read_operand())
            self.accept(",")
        self.depth -= 1
        return tuple(items)

    def read_address(self) -> Address:
        base: Reg | Symbol | None = None
        offset = 0
        sign = 1
        while not self.accept("]"):
            group, text = self.next_token()
            if group == "number":
                offset += sign * integer(text)
                sign = 1
            elif text in (",", "{", "}"):
                continue  # the coordinates of a texture: its opcode is refused later, by name
            elif text in ("+", "-"):
                sign = -sign if text == "-" else sign
            elif group == "word":
                name = self.scopes.renamed(text)
                is_register = text.startswith("%") or (self.function and name in self.function.registers)
                base = Reg(name) if is_register else Symbol(name)
            else:
                raise self.error(f"the address {text[:40]!r}")
        return Address(base, offset)
