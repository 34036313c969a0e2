"""A parsed C file at file scope: its types, functions, globals and constants, who calls whom, and which is the entry.

What one function uses of it is collected in `Uses`. It reads no function bodies into IR.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass, field

from pycparser import c_ast
from pycparser.c_parser import CParser

from cudaperf_magic.compiler.c import fold as c_fold
from cudaperf_magic.compiler.c.builtins import BUILTINS, RESULTS
from cudaperf_magic.compiler.c.syntax import where
from cudaperf_magic.compiler.c.types import (
    CType,
    FunctionType,
    Pointer,
    Scalar,
    TypeTable,
    literal,
    type_of,
)
from cudaperf_magic.compiler.c_printer import print_expression
from cudaperf_magic.compiler.loops import (
    Binary,
    Cast,
    Const,
    Expr,
    Function,
    Name,
    Parameter,
    Table,
    Unary,
    map_expression,
)
from cudaperf_magic.errors import TaskError, UsageError


@dataclass
class Uses:
    """What the function being read needs of the file."""

    constants: dict[str, None] = field(default_factory=dict)
    tables: dict[str, Table] = field(default_factory=dict)
    parameters: dict[str, Parameter] = field(default_factory=dict)  # globals
    structs: dict[str, None] = field(default_factory=dict)
    helpers: dict[str, Function] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)
    local_tables: dict[int, str] = field(default_factory=dict)  # static tables of helpers, by their declaration


@dataclass
class Program:
    types: TypeTable = field(default_factory=TypeTable)
    functions: dict[str, c_ast.FuncDef] = field(default_factory=dict)
    prototypes: set[str] = field(default_factory=set)
    globals: dict[str, c_ast.Decl] = field(default_factory=dict)
    constants: dict[str, tuple[str, str]] = field(default_factory=dict)  # name -> (type, text)
    constant_trees: dict[str, Expr] = field(default_factory=dict)  # as written, in terms of other constants
    constant_values: dict[str, Expr] = field(default_factory=dict)
    written: set[str] = field(default_factory=set)  # globals that some function may write
    uses: Uses = field(default_factory=Uses)
    declared_at: int = 0  # the last declaration's line
    _pure: dict[str, bool] = field(default_factory=dict)

    @classmethod
    def of(cls, tree: c_ast.FileAST, macros: dict[str, str]) -> Program:
        program = cls()
        program.types.constant = program._whole
        for name, text in macros.items():
            body = CParser().parse(f"int x = ({text});").ext[0].init
            program.add_constant(name, program.constant_expression(body), text)
        for item in tree.ext:
            program._add(item)
        program._add_enums()
        program._find_written()
        return program

    def add_constant(self, name: str, value: Expr, text: str = "", kind: str = "") -> None:
        natural = type_of(value, {n: t for n, (t, _) in self.constants.items()}, {})
        if not isinstance(value, Const) and text and not (text.startswith("(") and text.endswith(")")):
            text = f"({text})"
        self.constants[name] = (kind or natural, text)
        self.constant_trees[name] = value
        self.constant_values[name] = value if isinstance(value, Const) else Cast(natural, self._inlined(value))

    def _inlined(self, value: Expr) -> Expr:
        return map_expression(value, lambda e: self.constant_values.get(e.name, e) if isinstance(e, Name) else e)

    def constant_expression(self, node: c_ast.Node) -> Expr:
        """A file-scope constant expression as IR."""
        match node:
            case c_ast.Constant():
                return literal(node)
            case c_ast.ID() if node.name in self.constants:
                return Name(node.name)
            case c_ast.UnaryOp() if node.op in ("-", "~", "!"):
                return Unary(node.op, self.constant_expression(node.expr))
            case c_ast.UnaryOp() if node.op == "+":
                return self.constant_expression(node.expr)
            case c_ast.BinaryOp():
                return Binary(node.op, self.constant_expression(node.left), self.constant_expression(node.right))
            case c_ast.Cast():
                kind = self.types.resolve(node.to_type)
                if isinstance(kind, Scalar):
                    return Cast(kind.name, self.constant_expression(node.expr))
            case c_ast.UnaryOp() if node.op == "sizeof" and isinstance(node.expr, c_ast.Typename):
                size = self.types.size_of(self.types.resolve(node.expr), where(node).line)
                if size is not None:
                    return Const(f"{size}ul", "unsigned long")
        raise TaskError("a value at file scope must be a constant expression", where(node).line)

    def _whole(self, node: c_ast.Node) -> int | None:
        value = c_fold.evaluate(self.constant_expression(node), self.constant_values)
        return value if isinstance(value, int) else None

    # ---------------------------------------------------------------- reading

    def _add(self, item: c_ast.Node) -> None:
        match item:
            case c_ast.Typedef():
                self.types.typedefs[item.name] = self.types.resolve(item.type, item.name)
            case c_ast.FuncDef():
                if item.decl.name in self.functions:
                    raise TaskError(f"{item.decl.name} is defined twice", where(item.decl).line)
                self.functions[item.decl.name] = item
            case c_ast.Decl():
                self._add_declaration(item)

    def _add_declaration(self, item: c_ast.Decl) -> None:
        self.declared_at = where(item).line or self.declared_at
        if isinstance(item.type, c_ast.FuncDecl):
            self.prototypes.add(item.name)
        elif item.name is None:
            if isinstance(item.type, (c_ast.Struct, c_ast.Enum)):
                self.types.resolve(item.type)
        else:
            if isinstance(item.type, c_ast.TypeDecl) and isinstance(item.type.type, (c_ast.Struct, c_ast.Enum)):
                self.types.resolve(item.type, item.name)
            is_scalar = isinstance(item.type, c_ast.TypeDecl)
            if is_scalar and "const" in item.quals and item.init is not None and self._add_const_scalar(item):
                return
            if item.name not in self.globals or item.init is not None:
                self.globals[item.name] = item

    def _add_const_scalar(self, item: c_ast.Decl) -> bool:
        self._add_enums()
        kind = self.types.resolve(item.type)
        if not isinstance(kind, Scalar) or isinstance(item.init, c_ast.InitList):
            return False
        value = self.constant_expression(item.init)
        natural = type_of(value, {n: t for n, (t, _) in self.constants.items()}, {})
        if natural != kind.name:
            value = Cast(kind.name, value)
        self.add_constant(item.name, value, print_expression(value), kind.name)
        return True

    def _add_enums(self) -> None:
        for name, value in list(self.types.enums.items()):
            if name in self.constants:
                continue
            if isinstance(value, int):
                base = self.types.enum_base.get(name)
                number: int | float | None = value
                if base is not None:
                    number = (c_fold.evaluate(Name(base), self.constant_values) or 0) + 1
            else:
                number = c_fold.evaluate(self.constant_expression(value), self.constant_values)
            if not isinstance(number, int):
                raise TaskError(f"the value of {name} is not a constant")
            self.add_constant(name, Const(str(number)), f"({number})" if number < 0 else str(number))

    def _find_written(self) -> None:
        for function in self.functions.values():
            hidden = {n.name for n in walk_ast(function) if isinstance(n, c_ast.Decl)}
            for node, parent in walk_with_parent(function.body):
                if isinstance(node, c_ast.Assignment):
                    self.written |= {root_name(node.lvalue)} - hidden
                elif isinstance(node, c_ast.UnaryOp) and node.op in ("p++", "p--", "++", "--", "&"):
                    self.written |= {root_name(node.expr)} - hidden
                elif isinstance(node, c_ast.ID) and isinstance(parent, (c_ast.ExprList, c_ast.Decl, c_ast.Assignment)):
                    declared = self.globals.get(node.name)
                    if declared is not None and not isinstance(declared.type, c_ast.TypeDecl):
                        self.written |= {node.name} - hidden

    # ----------------------------------------------------------------- entry

    def entry(self, wanted: str | None) -> c_ast.FuncDef:
        """The function to read: the one that is named, else the only one that no other calls."""
        own = [name for name in self.functions if name != "main"]
        if wanted is not None:
            if wanted in self.functions:
                return self.functions[wanted]
            near = difflib.get_close_matches(wanted, own, 1)
            guess = f"; did you mean {near[0]}?" if near else ""
            listed = f"the functions here are {', '.join(own)}" if own else "there is no function here"
            raise UsageError(f"there is no function {wanted}; {listed}{guess}")
        if not own:
            raise TaskError("there is no function to translate here; write one with its body", self.declared_at or None)
        used = {name: self._mentions(name) for name in own}
        roots = [name for name in own if not any(name in used[other] for other in own if other != name)] or own
        public = [name for name in roots if "static" not in self.functions[name].decl.storage]
        roots = public if len(public) == 1 else roots
        if len(roots) > 1:
            raise TaskError(f"there are several functions ({', '.join(roots)}); choose one with --entry NAME")
        return self.functions[roots[0]]

    def _mentions(self, name: str) -> set[str]:
        """Functions that one calls or passes on."""
        return {n.name for n in walk_ast(self.functions[name].body) if isinstance(n, c_ast.ID)} & set(self.functions)

    def callees(self, name: str) -> list[str]:
        """Functions of this file that one calls, in order of first call."""
        found: dict[str, None] = {}
        for node in walk_ast(self.functions[name].body):
            if isinstance(node, c_ast.FuncCall) and isinstance(node.name, c_ast.ID):
                found[node.name.name] = None
        return [callee for callee in found if callee in self.functions]

    def refuse_recursion(self, entry: str) -> None:
        """Raise when the entry reaches a function that calls itself, directly or through others."""

        def visit(name: str, path: list[str]) -> None:
            if name in path:
                cycle = [*path[path.index(name) :], name]
                sentence = f"recursion ({' calls '.join(cycle)}) cannot be translated; write it as a loop"
                raise TaskError(sentence, where(self.functions[name].decl).line)
            if name in done:
                return
            for callee in self.callees(name):
                visit(callee, [*path, name])
            done.add(name)

        done: set[str] = set()
        visit(entry, [])

    def is_pure(self, name: str) -> bool:
        """Is a function one of scalars alone, without memory beyond its own locals?"""
        if name not in self._pure:
            self._pure[name] = self._find_pure(self.functions[name])
        return self._pure[name]

    def _find_pure(self, function: c_ast.FuncDef) -> bool:
        for _, kind, _ in parameters_of(function, self.types):
            if not isinstance(kind, Scalar):
                return False
        result = self.types.resolve(function.decl.type.type)
        if not isinstance(result, Scalar) or result.name == "void":
            return False
        local = {n.name for n in walk_ast(function) if isinstance(n, c_ast.Decl)}
        for node in walk_ast(function.body):
            if (isinstance(node, c_ast.Decl) and "static" in node.storage) or getattr(node, "type", "") == "string":
                return False  # a table of its own: inlined, so that the entry owns the table
            if isinstance(node, c_ast.ID) and node.name not in local and node.name in self.globals:
                return False
            if isinstance(node, c_ast.FuncCall):
                called = node.name.name if isinstance(node.name, c_ast.ID) else ""
                if called in self.functions and not self.is_pure(called):
                    return False
                if called not in self.functions and called not in BUILTINS:
                    return False
        return True

    def result_types(self) -> dict[str, str]:
        """Return types of every function that a Call can name."""
        own: dict[str, str] = {}
        for name, function in self.functions.items():
            kind = self.types.resolve(function.decl.type.type)
            own[name] = kind.name if isinstance(kind, Scalar) else "void"
        return {**RESULTS, **own}


# ----------------------------------------------------------------- tree walks


def walk_ast(node: c_ast.Node | None) -> Iterator[c_ast.Node]:
    if node is None:
        return
    yield node
    for _, child in node.children():
        yield from walk_ast(child)


def walk_with_parent(node: c_ast.Node) -> Iterator[tuple[c_ast.Node, c_ast.Node]]:
    for _, child in node.children():
        yield child, node
        yield from walk_with_parent(child)


def root_name(node: c_ast.Node) -> str:
    """The variable that a place belongs to: `p` in `p[i].x`, `*p`, `*(p + i)`."""
    while True:
        match node:
            case c_ast.ID():
                return str(node.name)
            case c_ast.ArrayRef() | c_ast.StructRef():
                node = node.name
            case c_ast.UnaryOp() | c_ast.Cast():
                node = node.expr
            case c_ast.BinaryOp():
                node = node.left
            case _:
                return ""


def parameters_of(function: c_ast.FuncDef, types: TypeTable) -> list[tuple[str, CType, c_ast.Decl]]:
    """(name, type, declaration) of each parameter."""
    found: list[tuple[str, CType, c_ast.Decl]] = []
    line = where(function.decl).line
    if function.param_decls:
        raise TaskError("write the parameters' types inside the parentheses (this is the style of 1978)", line)
    arguments = function.decl.type.args
    for parameter in arguments.params if arguments is not None else []:
        if isinstance(parameter, c_ast.EllipsisParam):
            raise TaskError("a function with '...' parameters cannot be translated; give it an array", line)
        if isinstance(parameter, c_ast.ID):
            raise TaskError(f"parameter {parameter.name} has no type", line)
        kind = types.resolve(parameter.type)
        if kind == Scalar("void"):
            continue
        if parameter.name is None:
            raise TaskError("a parameter has no name; give it one", where(parameter).line or line)
        if isinstance(kind, FunctionType) or (isinstance(kind, Pointer) and isinstance(kind.target, FunctionType)):
            sentence = f"{parameter.name} is a function pointer, which cannot be translated; call the function by name"
            raise TaskError(sentence, where(parameter).line or line)
        found.append((parameter.name, kind, parameter))
    return found


@dataclass(frozen=True)
class Changes:
    """Names that a function assigns, and pointers that it steps."""

    modified: frozenset[str]
    moving: frozenset[str]


def changes(node: c_ast.Node | None) -> Changes:
    modified: set[str] = set()
    moving: set[str] = set()
    for part in walk_ast(node):
        if isinstance(part, c_ast.UnaryOp) and part.op in ("p++", "p--", "++", "--", "&"):
            target, is_step = part.expr, part.op != "&"
        elif isinstance(part, c_ast.Assignment):
            target = part.lvalue
            is_step = part.op in ("+=", "-=") or any(
                isinstance(n, c_ast.ID) and isinstance(target, c_ast.ID) and n.name == target.name
                for n in walk_ast(part.rvalue)
            )
        else:
            continue
        while isinstance(target, c_ast.StructRef) and target.type == ".":
            target = target.name
        if isinstance(target, c_ast.ID):
            modified.add(target.name)
            if is_step:
                moving.add(target.name)
    return Changes(frozenset(modified), frozenset(moving))
