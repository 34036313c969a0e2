"""C text -> Task: entry, arguments with extents, roles and values, and the cases to try. Runs nothing.

The first case is the one that is measured, the rest verify. All are proposals: `bench.settle.settled` runs the C on
them, puts another in the place of one on which the C does something undefined, and refuses a task that has none.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from cudaperf_magic.compiler.analysis.extents import extents, roles, subscript_uses
from cudaperf_magic.compiler.c.reader import read
from cudaperf_magic.compiler.c_printer import print_expression
from cudaperf_magic.compiler.loops import Const, Expr, Function, Load, Name, Parameter, map_expression
from cudaperf_magic.errors import TaskError, UsageError
from cudaperf_magic.records import Argument, Case, Role, Task, ValueRange
from cudaperf_magic.tasks import sizes as size_proposals
from cudaperf_magic.tasks.cases import FAMILIES
from cudaperf_magic.tasks.expressions import Unknown, parse, unknown_names, value_of
from cudaperf_magic.tasks.sizes import SizeNames, is_integer_scalar, size_names
from cudaperf_magic.tasks.values import derived_ranges

Order = Literal["any", "ascending", "permutation"]

NUMPY_NAMES = {
    "bool": "bool", "char": "int8", "signed char": "int8", "unsigned char": "uint8", "short": "int16",
    "unsigned short": "uint16", "int": "int32", "unsigned int": "uint32", "long": "int64", "unsigned long": "uint64",
    "long long": "int64", "unsigned long long": "uint64", "float": "float32", "double": "float64",
}  # fmt: skip
ORDERS: dict[str, Order] = {"any": "any", "ascending": "ascending", "permutation": "permutation"}
GIVEN = "given with --range"
FAMILY_SIZES = 2  # each family other than nominal is tried on one of so many sets of sizes


def read_task(
    source: str,
    *,
    entry: str | None = None,
    sizes: Mapping[str, str] | None = None,
    ranges: Mapping[str, str] | None = None,
    seed: int = 0,
    defines: tuple[str, ...] = (),
    folders: tuple[str, ...] = (),
) -> tuple[Task, Function]:
    """The task, and the function's IR with every array's shape filled in.

    Args:
        source: C text. entry: which function, when there are several.
        sizes: {"n": "4096"} sets a scalar in the measured case; {"x": "n*m"} says how many elements a pointer has.
        ranges: {"col": "0:cols-1", "ptr": "0:nnz:ascending", "x": "0.1:10", "e.row": "0:rows-1"}, bounds inclusive.
        seed: of the inputs. defines: -D options. folders: where #include lines are looked up.

    Raises:
        TaskError: the C cannot become a task; with its line.
        UsageError: a size or a range is not understood.
    """
    function = read(source, entry, defines=defines, folders=folders)
    sizes, ranges = _in_our_names(function, sizes or {}), _in_our_names(function, ranges or {})
    _refuse_strangers(function, sizes, ranges)
    function, notes = _with_shapes(function, sizes)
    given = {name: _given_value(name, text, function) for name, text in sizes.items() if _is_scalar(function, name)}
    values = {
        **_indexed(function),
        **derived_ranges(function),
        **{key: parse_range(key, text, function) for key, text in ranges.items()},
    }
    pooled = frozenset(value.high for value in values.values() if value.order == "ascending" and value.high is not None)
    names = size_names(function, pooled)
    for name, value in given.items():
        if name not in names.kinds:
            values[name] = ValueRange(str(value), str(value), why="given with --size")
    arguments = _arguments(function, values)
    task = Task(
        name=function.name,
        language="c",
        source=source,
        entry=function.name,
        arguments=arguments,
        cases=_first_choices(case_places(function, names, given, values, seed)),
        notes=(*function.notes, *notes),
        defines=defines,
        folders=folders,
    )
    return task, function


def _in_our_names(function: Function, options: Mapping[str, str]) -> dict[str, str]:
    """Options that speak of parameters as the C does, for those whose name had to give way (`s0` to `s0_2`)."""
    ours = {p.given: p.name for p in function.parameters if p.given and p.given != p.name}
    if not ours:
        return dict(options)

    def renamed(text: str) -> str:
        return re.sub(r"[A-Za-z_]\w*", lambda word: ours.get(word.group(), word.group()), text)

    return {renamed(key): renamed(text) for key, text in options.items()}


def function_of(task: Task) -> Function:
    """The IR of a task that was read before, with the shapes that the task holds."""
    function = read(task.source, task.entry, defines=task.defines, folders=task.folders)
    shapes = {a.name: tuple(parse(extent) for extent in a.shape) for a in task.arguments}
    parameters = [p if p.shape is not None else replace(p, shape=shapes[p.name]) for p in function.parameters]
    return replace(function, parameters=tuple(parameters))


def case_places(
    function: Function, names: SizeNames, given: Mapping[str, int], values: Mapping[str, ValueRange], seed: int
) -> tuple[tuple[Case, ...], ...]:
    """For each place on the task's list of cases its alternatives, the best first; place 0 is measured."""
    bounds = _size_bounds(names, values)
    measured = size_proposals.measured(function, names, given)
    places = [tuple(Case(sizes, seed=seed) for sizes in measured)]
    small = size_proposals.verified(function, names, bounds)
    places += [tuple(Case(sizes, seed=seed + k) for sizes in place) for k, place in enumerate(small)]
    # The families, each on sizes that no tile divides; scalars only and fixed sizes have one set.
    odd = small[1 : 1 + FAMILY_SIZES] if len(small) > 1 else small
    for k, family in enumerate(FAMILIES[1:]):
        places.append(tuple(Case(sizes, family, seed + k) for sizes in odd[k % len(odd)]))
        if family == "offset":  # again, far off: one draw may cancel by luck
            places.append(tuple(Case(sizes, family, seed + k + 1) for sizes in odd[(k + 1) % len(odd)]))
    for k, place in enumerate(size_proposals.long(function, names, bounds)):
        places.append(tuple(Case(sizes, "structured", seed + k) for sizes in place))
    return tuple(places)


def places_of(task: Task, function: Function) -> tuple[tuple[Case, ...], ...]:
    """`case_places` of a task that was read. A measured case that the person chose has no alternative."""
    values = {a.name: a.values for a in task.arguments if a.values is not None}
    pooled = frozenset(v.high for v in values.values() if v.order == "ascending" and v.high is not None)
    names = size_names(function, pooled)
    seed = task.cases[0].seed
    places = case_places(function, names, {}, values, seed)
    return (places[0] if task.cases[0] in places[0] else (task.cases[0],), *places[1:])


def _first_choices(places: tuple[tuple[Case, ...], ...]) -> tuple[Case, ...]:
    return tuple(dict.fromkeys(place[0] for place in places))


def _indexed(function: Function) -> dict[str, ValueRange]:
    """What the dependence analysis knows of index arrays; values.py knows the plainer cases more exactly."""
    found = {}
    for name, use in subscript_uses(function).items():
        if use.extent is not None:
            last = "" if use.order == "ascending" else " - 1"
            high = f"({_folded_text(use.extent, function)}){last}"
            found[name] = ValueRange("0", high, use.order, f"it indexes {use.indexes}")
    return found


# ------------------------------------------------------------------ options


def _is_scalar(function: Function, name: str) -> bool:
    parameter = function.parameter(name)
    return parameter is not None and parameter.shape == ()


def _refuse_strangers(function: Function, sizes: Mapping[str, str], ranges: Mapping[str, str]) -> None:
    known = {p.name for p in function.parameters}
    for option, given in (("--size", sizes), ("--range", ranges)):
        for key in given:
            if key.partition(".")[0] not in known:
                listed = ", ".join(sorted(known)) or "none"
                raise UsageError(f"{option} {key}: {function.name} has no parameter {key}; it has {listed}")


def _given_value(name: str, text: str, function: Function) -> int:
    try:
        value = value_of(text, {})
    except Unknown as unknown:
        raise UsageError(f"--size {name}={text}: a scalar's size is a number; {unknown} is not known") from None
    if value != int(value) or value < 0:
        raise UsageError(f"--size {name}={text}: a size is a whole number that is not negative")
    kind = dtype_text(next(p.type for p in function.parameters if p.name == name), function)
    bits = int("".join(c for c in kind if c.isdigit()) or "1") - (not kind.startswith("u"))
    if "int" in kind and value >= 1 << bits:
        raise UsageError(f"--size {name}={text}: {name} holds {(1 << bits) - 1:,} at most")
    return int(value)


def parse_range(key: str, text: str, function: Function) -> ValueRange:
    """`low:high`, `low:high:ascending` or `low:high:permutation`; each bound a C expression over scalars, or nothing.

    Raises:
        UsageError: the text is not of this form, or names what is no scalar.
    """
    parts = [part.strip() for part in text.split(":")]
    order = parts[2] if len(parts) == 3 else "any"
    if len(parts) not in (2, 3) or order not in ORDERS:
        raise UsageError(f"--range {key}={text}: write low:high, low:high:ascending or low:high:permutation")
    scalars = frozenset(p.name for p in function.parameters if p.shape == ())
    constants = {name for name, _, _ in function.constants}
    for bound in parts[:2]:
        if bound and (strangers := unknown_names(parse(bound), scalars | constants)):
            raise UsageError(f"--range {key}={text}: {strangers[0]} is not a scalar parameter of {function.name}")
    low, high = (_folded_text(parse(bound), function) if bound else None for bound in parts[:2])
    if low and high and _is_above(low, high):
        raise UsageError(f"--range {key}={text}: its lower end is above its upper end; exchange them")
    return ValueRange(low, high, ORDERS[order], GIVEN)


def _is_above(low: str, high: str) -> bool:
    """Whether that is so whatever the scalars are."""
    try:
        return value_of(low, {}) > value_of(high, {})
    except Unknown:
        return False


def _size_bounds(names: SizeNames, values: Mapping[str, ValueRange]) -> dict[str, tuple[int, int]]:
    bounds = {}
    for name in names.kinds:
        if name in values:
            try:
                # Of a derived range only the lower end holds for a size: a divisor is not zero.
                high = values[name].high if values[name].why == GIVEN else None
                low = int(value_of(values[name].low or "0", {}))
                bounds[name] = (low, int(value_of(high or str(2**31 - 1), {})))
            except Unknown:
                continue
    return bounds


# ------------------------------------------------------------------ arguments


def _with_shapes(function: Function, sizes: Mapping[str, str]) -> tuple[Function, tuple[str, ...]]:
    """Every array's shape: from the signature, else from --size, else inferred from how it is read."""
    given: dict[str, tuple[Expr, ...]] = {}
    for parameter in function.parameters:
        if not parameter.is_array or parameter.name not in sizes:
            continue
        if parameter.shape is not None:
            raise UsageError(f"--size {parameter.name}: its size stands in the signature, {_shape_text(parameter)}")
        given[parameter.name] = (_given_extent(parameter, sizes[parameter.name], function),)
    inferred = extents(function, given)
    missing = [p for p in function.parameters if p.is_array and p.shape is None and not given.get(p.name)]
    missing = [p for p in missing if not inferred.get(p.name)]
    if missing:
        raise TaskError(_without_size([p.name for p in missing], function), missing[0].line or None)
    parameters, notes = [], []
    for parameter in function.parameters:
        if parameter.shape is not None:
            parameters.append(parameter)
            continue
        shape = given.get(parameter.name) or inferred.get(parameter.name)
        assert shape is not None
        if parameter.name not in given:
            text = " x ".join(print_expression(extent) for extent in shape)
            where = _first_use(function, parameter.name)
            notes.append(f"{parameter.name} has {text} elements, inferred from line {where}")
        parameters.append(replace(parameter, shape=shape))
    return replace(function, parameters=tuple(parameters)), tuple(notes)


def _without_size(names: list[str], function: Function) -> str:
    """What to do about arrays whose size nothing tells, in terms of parameters that are there."""
    name = names[0]
    known = [p.name for p in function.parameters if is_integer_scalar(p)]
    example = "n" if "n" in known else known[0] if known else "1024"
    words = f"parameter {name} has no size; write {name}[{example}], or add --size {name}={example}"
    if len(names) > 1:
        words = f"{words}; likewise {', '.join(names[1:])}"
    return words if known == [example] else f"{words}, with the number of its elements in the place of {example}"


def _given_extent(parameter: Parameter, text: str, function: Function) -> Expr:
    expression = parse(text)
    known = frozenset(p.name for p in function.parameters if is_integer_scalar(p))
    known |= {name for name, _, _ in function.constants}
    if strangers := unknown_names(expression, known):
        raise UsageError(
            f"--size {parameter.name}={text}: {strangers[0]} is not an integer parameter of {function.name}"
        )
    return expression


def _shape_text(parameter: Parameter) -> str:
    return parameter.name + "".join(f"[{print_expression(extent)}]" for extent in parameter.shape or ())


def _first_use(function: Function, array: str) -> int:
    from cudaperf_magic.compiler.loops import expressions, walk, walk_expression

    for statement in walk(function.body):
        for expression in expressions(statement):
            for part in walk_expression(expression):
                if isinstance(part, Load) and part.array == array:
                    return getattr(statement, "line", 0)
    return function.line


def _arguments(function: Function, values: Mapping[str, ValueRange]) -> tuple[Argument, ...]:
    known_roles = roles(function)
    arguments = [_argument(p, function, known_roles.get(p.name, "in"), values) for p in function.parameters]
    if function.return_type != "void":
        kind = function.return_type
        arguments.append(
            Argument(function.result_name, kind, NUMPY_NAMES[kind], (), "out", is_pointer=True, is_result=True)
        )
    return tuple(arguments)


def _argument(parameter: Parameter, function: Function, role: Role, values: Mapping[str, ValueRange]) -> Argument:
    shape = tuple(_folded_text(extent, function) for extent in parameter.shape or ())
    name = parameter.name
    fields = tuple((key.partition(".")[2], v) for key, v in values.items() if key.startswith(f"{name}."))
    return Argument(
        name=name,
        c_type=parameter.type,
        dtype=dtype_text(parameter.type, function),
        shape=shape,
        role=role,
        values=values.get(name),
        is_pointer=parameter.is_array or role != "in",
        field_values=fields,
    )


def dtype_text(kind: str, function: Function) -> str:
    """`float` -> "float32"; a struct -> "x:float32,pos.y:float64", its plain fields in order."""
    if kind in NUMPY_NAMES:
        return NUMPY_NAMES[kind]
    return ",".join(f"{path}:{NUMPY_NAMES[leaf]}" for path, leaf in _leaves(kind, function))


def _leaves(kind: str, function: Function) -> list[tuple[str, str]]:
    struct = next((s for s in function.structs if s.name == kind), None)
    if struct is None:
        return [("", kind)]
    return [
        (f"{name}.{path}" if path else name, leaf)
        for name, inner in struct.fields
        for path, leaf in _leaves(inner, function)
    ]


def _folded_text(expression: Expr, function: Function) -> str:
    """As text over scalar parameters alone: named constants give way to their values."""
    constants = {name: Const(text, kind) for name, kind, text in function.constants}

    def fold(part: Expr) -> Expr:
        return constants.get(part.name, part) if isinstance(part, Name) else part

    return print_expression(map_expression(expression, fold))
