"""C text -> IR: preprocess, parse, read the entry function, count its loops, tidy, and give names back.

Each step is a module of its own (c_*.py); this one puts them in order. What cannot be taken raises one TaskError.
"""

from __future__ import annotations

from dataclasses import replace

from pycparser import c_ast

from cudaperf_magic.compiler.c import declare as c_declare
from cudaperf_magic.compiler.c import expressions as c_expressions
from cudaperf_magic.compiler.c import fold as c_fold
from cudaperf_magic.compiler.c import inline as c_inline
from cudaperf_magic.compiler.c import names as c_names
from cudaperf_magic.compiler.c import program as c_program
from cudaperf_magic.compiler.c import statements as c_statements
from cudaperf_magic.compiler.c.cleanup import clean
from cudaperf_magic.compiler.c.comments import Comments, scan
from cudaperf_magic.compiler.c.counted import Counter
from cudaperf_magic.compiler.c.induction import Inductions
from cudaperf_magic.compiler.c.preprocess import preprocess
from cudaperf_magic.compiler.c.program import Program, Uses
from cudaperf_magic.compiler.c.raw import Body, all_expressions
from cudaperf_magic.compiler.c.scope import Grammar, Scopes, Value
from cudaperf_magic.compiler.c.syntax import deep_recursion, parse, where
from cudaperf_magic.compiler.c.types import Scalar, StructType
from cudaperf_magic.compiler.loops import Const, Expr, Function, Load, Name, Parameter, Struct, walk_expression
from cudaperf_magic.errors import TaskError


def read(
    source: str, entry: str | None = None, *, defines: tuple[str, ...] = (), folders: tuple[str, ...] = ()
) -> Function:
    """Read the function `entry` (or the only one that no other calls) of a C source.

    Args:
        source: C text; `#include` lines are looked up in `folders`, `defines` are as for cc -D.

    Raises:
        TaskError: the program cannot be taken; one sentence with the line in `source`.
        UsageError: there is no function of that name.
        ToolchainError: this machine has no C compiler.
    """
    comments = scan(source)
    if comments.unclosed is not None:
        raise TaskError("this comment is never closed; add */", comments.unclosed)
    preprocessed = preprocess(comments.code, defines, folders)
    tree = parse(preprocessed.text)
    with deep_recursion():
        program = Program.of(tree, preprocessed.constants)
        function = program.entry(entry)
        program.refuse_recursion(function.decl.name)
        return _read_function(program, comments, function)


def _grammar() -> Grammar:
    def inline(s: Scopes, function: c_ast.FuncDef, arguments: list[c_ast.Node], line: int | None) -> Value:
        return c_inline.inline(s, function, arguments, line, c_statements.read_compound)

    def helper(program: Program, comments: Comments, name: str) -> Function:
        outer = program.uses
        program.uses = Uses(constants=outer.constants, helpers=outer.helpers, notes=outer.notes)
        try:
            return replace(_read_function(program, comments, program.functions[name]), helpers=(), constants=())
        finally:
            program.uses = outer

    return Grammar(c_expressions.value, inline, helper)


def _read_function(program: Program, comments: Comments, function: c_ast.FuncDef) -> Function:
    s = Scopes(program, _grammar(), comments, program.result_types())
    changed = c_program.changes(function)
    s.modified |= changed.modified
    s.moving |= changed.moving
    line = where(function.decl).line or 0
    result = c_statements.returned_type(s, function)
    own = c_program.parameters_of(function, program.types)
    if any(isinstance(kind, Scalar) and "long" in kind.name for _, kind, _ in own):
        s.offset_type = "long"
    parameters = [c_declare.parameter(s, name, kind, node, line) for name, kind, node in own]
    c_statements.read_compound(s, function.body)
    body = _counted(s, tuple(s.out))
    parameters = [_with_scalar_shape(p, body) for p in parameters]
    parameters += program.uses.parameters.values()
    taken = {*program.constants, *program.functions, *program.uses.parameters, *program.globals}
    tables = list(program.uses.tables.values())
    final, named, named_tables = c_names.readable(body, parameters, tables, taken, s.types, str(function.decl.name))
    structs = tuple(Struct(name, _fields(program, name)) for name in program.uses.structs)
    expressions = [*all_expressions(final), *(e for p in named for e in p.shape or ())]
    return Function(
        str(function.decl.name), named, final, result, tuple(program.uses.helpers.values()), named_tables, structs,
        _constants(program, expressions, named), tuple(program.uses.notes), line,
    )  # fmt: skip


def _counted(s: Scopes, body: Body) -> Body:
    """Raw loops counted, induction variables resolved, what that leaves over removed."""
    constants = s.program.constant_values
    body = Counter(s.types, s.managed, constants, s.type_of, s.unique).convert(body)
    body = Inductions(s.types, s.managed, s.type_of, s.unique).rewrite(body)
    return clean(body, s.managed)


def _with_scalar_shape(parameter: Parameter, body: Body) -> Parameter:
    """A pointer of which only element 0 is used is a scalar passed by address."""
    if parameter.shape is not None:
        return parameter
    loads = [e for e in all_expressions(body) if isinstance(e, Load) and e.array == parameter.name]
    is_scalar = bool(loads) and all(e.subscripts == (c_fold.ZERO,) for e in loads)
    return replace(parameter, shape=(Const("1"),)) if is_scalar else parameter


def _fields(program: Program, name: str) -> tuple[tuple[str, str], ...]:
    """Fields in order; an array field is one field for each element, which has the same layout."""
    fields: list[tuple[str, str]] = []
    for field, kind in program.types.structs[name]:
        if isinstance(kind, StructType):
            fields.append((field, kind.name))
        else:
            fields += program.types.leaves(kind, None, field)
    return tuple(fields)


def _constants(
    program: Program, expressions: list[Expr], parameters: tuple[Parameter, ...]
) -> tuple[tuple[str, str, str], ...]:
    """The macros and enum constants that the function, its helpers and its tables use, and those they are made of."""
    wanted = set(program.uses.constants) | {e.name for e in expressions if isinstance(e, Name)}
    roots = [p.init for p in parameters if p.init is not None]
    wanted |= {e.name for root in roots for e in walk_expression(root) if isinstance(e, Name)}
    names = list(program.constants)
    for name in reversed(names):
        if name in wanted:
            tree = program.constant_trees.get(name)
            wanted |= {e.name for e in walk_expression(tree) if isinstance(e, Name)} if tree is not None else set()
    return tuple((name, *program.constants[name]) for name in names if name in wanted)
