"""IR -> C that computes the same bits as the checked build with nothing watched, on all cores where loops allow it.

For sizes at which watching would take minutes. Only loops whose iterations the dependence analysis proves independent
run side by side, so every result is that of the sequential C. It prints; fast_build.py compiles, fast_run.py runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from cudaperf_magic.bench.reference import types
from cudaperf_magic.bench.reference.c import (
    Body,
    constants_of,
    head_of,
    struct_text,
    structs_in_order,
    table_text,
    tables_of,
)
from cudaperf_magic.bench.reference.expressions import SPELLED, Scope
from cudaperf_magic.compiler.analysis.dependence import Facts, Reduction, analyse
from cudaperf_magic.compiler.loops import Declare, Function, Loop, Parameter, loops_of, walk

RUNTIME = Path(__file__).with_name("fast_runtime.h")
LEAST_TRIPS, LEAST_OUTER_TRIPS = 8192, 32  # iterations worth waking the other cores for, without and with inner loops


def fast_c(function: Function, orders: Mapping[str, str], *, wide: bool, combines: bool = False) -> str:
    """The translation unit; its entry is `void cp_fast(void **data, const int64_t *extents, int threads)`.

    Args:
        orders: how index arrays are ordered, as `tasks.plain.orders_of` tells. wide: floating types one class wider.
        combines: sums and their kin are spread over cores as well, as a person would, and then round differently.
    """
    scope = Scope(function, wide, watched=False)
    facts = analyse(function, orders)
    parts = [f"#define CP_WIDE {int(wide)}", RUNTIME.read_text()]
    parts += [struct_text(struct) for struct in structs_in_order(function)]
    parts += [f"#define v_{name} ({scope.constant(kind, text)})" for name, kind, text in constants_of(function)]
    parts += [_global(parameter) for parameter in function.parameters if parameter.is_global]
    parts += [table_text(table, scope) for table in tables_of(function)]
    bodies = [_FastBody(scope, helper, analyse(helper), is_entry=False).text for helper in function.helpers]
    bodies.append(_FastBody(scope, function, facts, is_entry=True, combines=combines).text)
    parts += [f"static _Thread_local cp_slot cp_slot_{k};" for k in range(scope.slots)]
    parts += [f"{head_of(helper, is_entry=False)};" for helper in function.helpers]
    return "\n".join([*parts, *bodies, _entry(function)]) + "\n"


def has_parallel_loop(function: Function, orders: Mapping[str, str]) -> bool:
    """Whether any loop of the entry can run on several cores."""
    facts = analyse(function, orders)
    return any(_clauses(facts, loop, function) is not None for loop in loops_of(function.body))


def _spelled(parameter: Parameter) -> str:
    return SPELLED.get(parameter.type, "s_" + parameter.type)


def _extents(parameter: Parameter) -> list[str]:
    return [f"v_{parameter.name}__d{d}" for d in range(len(parameter.shape or ()))]


def _global(parameter: Parameter) -> str:
    """A global of the person's: helpers see it too, so it stays one."""
    star = "*" if parameter.is_array else ""
    extents = "".join(f" static int64_t {name};" for name in _extents(parameter))
    return f"static {_spelled(parameter)} {star}v_{parameter.name};{extents}"


def _entry(function: Function) -> str:
    lines = [
        "void cp_fast(void **data, const int64_t *extents, int threads) {",
        "    cp_threads = threads;",
    ]
    lines += [f"    cp_fill_{table.name}();" for table in tables_of(function)]
    passed, dimension = [], 0
    for place, parameter in enumerate(function.parameters):
        kind, extents = _spelled(parameter), _extents(parameter)
        value = f"data[{place}]" if parameter.is_array else f"*({kind} *)data[{place}]"
        sizes = [f"extents[{dimension + d}]" for d in range(len(extents))]
        dimension += len(extents)
        if parameter.is_global:
            lines += [f"    {name} = {size};" for name, size in zip(extents, sizes, strict=True)]
            lines.append(f"    v_{parameter.name} = {value};")
        else:
            passed += [value, *sizes]
    call = f"f_{function.name}({', '.join(passed)})"
    if function.return_type != "void":
        call = f"*({SPELLED[function.return_type]} *)data[{len(function.parameters)}] = {call}"
    lines.append(f"    {call};")
    for place, parameter in enumerate(function.parameters):
        if parameter.is_global and not parameter.is_array:
            lines.append(f"    *({_spelled(parameter)} *)data[{place}] = v_{parameter.name};")
    return "\n".join([*lines, "}"])


def _clauses(facts: Facts, loop: Loop, function: Function, combines: bool = False) -> str | None:
    """What OpenMP has to know of a loop's scalars; None where its iterations must not run side by side."""
    found = facts.loop(loop.label)
    is_combined = combines and found.kind == "reduction" and all(map(_is_clause, found.reductions))
    if not (found.is_parallel or is_combined) or found.private_arrays:
        return None
    inside = {s.name for s in walk(loop.body) if isinstance(s, Declare)} | {s.var for s in loops_of(loop.body)}
    outside = (found.private | found.last_values) - inside - {loop.var}
    arrays = {s.name for s in walk(function.body) if isinstance(s, Declare) and s.shape}
    if outside & arrays:
        return None
    private = sorted(outside - found.last_values)
    last = sorted(outside & found.last_values)
    text = "".join(f" reduction({r.operator}:v_{name})" for r in found.reductions for name in r.names)
    text += f" private({', '.join(f'v_{name}' for name in private)})" if private else ""
    return text + (f" lastprivate({', '.join(f'v_{name}' for name in last)})" if last else "")


def _is_clause(reduction: Reduction) -> bool:
    """Whether OpenMP has a word for it."""
    is_plain = reduction.store is None and not reduction.companions and not reduction.operator.startswith("arg")
    return reduction.scope == "scalar" and is_plain


class _FastBody(Body):
    """One function's statements, with a pragma before the outermost loops that may run on all cores."""

    def __init__(
        self, scope: Scope, function: Function, facts: Facts, *, is_entry: bool, combines: bool = False
    ) -> None:
        super().__init__(scope, function, is_entry=is_entry)
        self.facts = facts
        self.combines = combines
        self.is_inside = not is_entry  # of a loop that runs on all cores, as a helper may be

    @property
    def head(self) -> str:
        if not self.is_entry:
            return super().head
        parameters = []
        for parameter in self.function.parameters:
            if not parameter.is_global:
                star = "*restrict " if parameter.is_array else ""
                parameters.append(f"{_spelled(parameter)} {star}v_{parameter.name}")
                parameters += [f"const int64_t {name}" for name in _extents(parameter)]
        kind = SPELLED.get(self.function.return_type, "void")
        return f"static __attribute__((noinline)) {kind} f_{self.function.name}({', '.join(parameters) or 'void'})"

    def _declare(self, declare: Declare) -> Iterator[str]:
        if declare.shape or declare.init is not None:
            yield from super()._declare(declare)
        else:
            yield f"{SPELLED.get(declare.type, 's_' + declare.type)} v_{declare.name} = 0;"

    def _local_array(self, declare: Declare, kind: str, name: str) -> Iterator[str]:
        slot = f"cp_slot_{self.scope.new_slot()}"
        for d, extent in enumerate(declare.shape):
            yield f"const int64_t {name}__d{d} = {self.expressions.converted(extent, 'long')};"
        size = " * ".join(f"{name}__d{d}" for d in range(len(declare.shape)))
        yield f"cp_local(&{slot}, {size}, sizeof({kind})); {kind} *restrict {name} = {slot}.data;"
        if declare.table:
            yield f"memset({name}, 0, (size_t)({size}) * sizeof({kind}));"
            for k, element in enumerate(declare.table):
                yield f"{name}[{k}] = {self.expressions.converted(element, declare.type)};"

    def _loop(self, loop: Loop) -> Iterator[str]:
        clauses = None if self.is_inside else self._parallel(loop)
        if clauses is None:
            yield from super()._loop(loop)
            return
        self.is_inside = True
        self.temporaries += 1
        yield from self._on_all_cores(loop, clauses)
        self.expressions.counters.append(loop.var)
        yield from self._statements(loop.body)
        self.expressions.counters.pop()
        yield "} }"
        self.is_inside = False

    def _parallel(self, loop: Loop) -> str | None:
        """The clauses of a loop that can be put in the form which OpenMP asks for."""
        stop = types.promoted(self.expressions.type_of(loop.stop))
        if types.common(loop.type, stop) != loop.type or (loop.step < 0 and loop.type.startswith("unsigned")):
            return None
        return _clauses(self.facts, loop, self.function, self.combines)

    def _on_all_cores(self, loop: Loop, clauses: str) -> Iterator[str]:
        kind, var = SPELLED[loop.type], f"v_{loop.var}"
        first, stop = f"cp_first_{self.temporaries}", f"cp_stop_{self.temporaries}"
        least = LEAST_OUTER_TRIPS if loops_of(loop.body) else LEAST_TRIPS
        trips = f"(int64_t){stop} - {first}" if loop.step > 0 else f"(int64_t){first} - {stop}"
        conditions = [f"cp_threads > 1 && {trips} > {least * abs(loop.step)}"]
        conditions += [f"{self.expressions.text(e)} > 0" for e in self.facts.loop(loop.label).assumes]
        compared, change = ("<", f"+= {loop.step}") if loop.step > 0 else (">", f"-= {-loop.step}")
        yield f"{{ const {kind} {first} = {self.expressions.converted(loop.start, loop.type)};"
        yield f"const {kind} {stop} = {self.expressions.converted(loop.stop, loop.type)};"
        clauses = f"num_threads(cp_threads) schedule(guided) if({' && '.join(conditions)}){clauses}"
        yield f"#pragma omp parallel for {clauses}"
        yield f"for ({kind} {var} = {first}; {var} {compared} {stop}; {var} {change}) {{"
