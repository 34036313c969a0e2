"""source -> Inspection: find what to run, make up what is missing, build, run watched, report. The order of it all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from numpy.typing import NDArray

from cudaperf_magic.bench.architectures import Architecture, architecture
from cudaperf_magic.bench.building import compile_in_child
from cudaperf_magic.bench.host.device_text import device_source
from cudaperf_magic.bench.host.macros import expand
from cudaperf_magic.bench.host.runtime import PlanError, RefusedLaunch
from cudaperf_magic.bench.host.source import read_program
from cudaperf_magic.bench.host.types import BFLOAT, NAMED_TYPES, Arithmetic, PointerType, Type
from cudaperf_magic.bench.inspecting import extents
from cudaperf_magic.bench.inspecting.default_launch import default_launch
from cudaperf_magic.bench.inspecting.doubts import doubts
from cudaperf_magic.bench.inspecting.entry import find_entry
from cudaperf_magic.bench.inspecting.extents import Extent, threads_of
from cudaperf_magic.bench.inspecting.inputs import Inputs, take
from cudaperf_magic.bench.inspecting.main_program import first_launch, launched_first
from cudaperf_magic.bench.inspecting.parameters import Parameter, dtype_of, element_words
from cudaperf_magic.bench.inspecting.program import Entry, kernels_of, listed
from cudaperf_magic.bench.inspecting.reporting import launch_reports, structure_of, workspaces
from cudaperf_magic.bench.inspecting.running import Arrays, Watched, watch
from cudaperf_magic.bench.inspecting.values import ORDERS, reals_of_bfloat
from cudaperf_magic.bench.launcher import plain_kernels, read_plan
from cudaperf_magic.bench.nvrtc import Compiled
from cudaperf_magic.bench.plan import Allocate, Copy, Fill, Free, Launch, LaunchPlan, Pointer, Step
from cudaperf_magic.errors import InputError, TaskError, UsageError
from cudaperf_magic.records import Build, Fault
from cudaperf_magic.records_inspection import ArrayMade, Inspection

DEFAULT_TARGET = "sm_90"
MOST_THREADS = 1 << 18  # of all launches, for a size that nobody gave
ANY_SIZE = 1 << 34  # bytes, of a pointer whose size is not known yet


@dataclass(frozen=True)
class Settings:
    """What a person may say beside the program; `inspect_program` explains each."""

    launch: str | None = None
    entry: str | None = None
    sizes: Mapping[str, str] = field(default_factory=dict)
    ranges: Mapping[str, str] = field(default_factory=dict)
    defines: tuple[str, ...] = ()
    arrays: Mapping[str, Any] = field(default_factory=dict)
    target: str = DEFAULT_TARGET
    check_global_races: bool = False
    seed: int = 0


@dataclass(frozen=True)
class Observation:
    """The record, and what the arrays held after the run, by the names of the parameters."""

    inspection: Inspection
    arrays: Arrays = field(default_factory=dict)


def inspect_program(source: str, settings: Settings) -> Observation:
    """Build and run a CUDA program once, watched.

    Args:
        source: any CUDA text with kernels.
        settings: `launch` is a launch line, `entry` a host function; `sizes` and `ranges` are the options of that name;
            `arrays` holds the notebook's variables; `target` is an architecture or a card.

    Raises:
        UsageError, TaskError: what is to be run cannot be found out; one sentence with the program's own line.
        Unsupported: the simulator lacks an instruction. ToolchainError: the machine lacks something.
    """
    arch = architecture(settings.target)
    try:
        return _Run(source, settings, arch).inspected()
    except RefusedLaunch as refused:
        compiled = _compile(source, plain_kernels(source), arch, settings)
        line = refused.line if (refused.line or 0) <= lines_of(source) else None
        faults = (Fault("launch", refused.message, line=line),) if compiled.build.ok else ()
        return Observation(_bare(source, arch, compiled.build, faults))
    except RecursionError:
        raise TaskError("the program is nested too deeply to be read; split its expressions") from None
    except (PlanError, InputError) as error:
        # A program that the device compiler refuses as well is told in the compiler's words.
        compiled = _compile(source, _kernels(source), arch, settings)
        if not compiled.build.ok:
            return Observation(_bare(source, arch, compiled.build))
        if isinstance(error, InputError):
            raise
        return _without_host_code(source, settings, arch, error)


def _without_host_code(source: str, settings: Settings, arch: Architecture, why: PlanError) -> Observation:
    """The kernel alone, where its host code is not followed and its own text says how it is to be launched.

    Raises:
        UsageError, TaskError: it does not.
    """
    called = launched_first(source, settings.defines) if settings.launch is None and settings.entry is None else ""
    try:
        if not called:
            raise why
        program = read_program(expand(source, settings.defines))
        line, _ = default_launch(program, called)
        found = _Run(source, replace(settings, launch=line), arch).inspected()
    except (PlanError, UsageError):
        raise _unreadable(why, source, settings) from None
    where = f" at line {why.line}" if why.line else ""
    others = [kernel.name for kernel in kernels_of(program) if kernel.name != called.partition("<")[0]]
    note = (
        f"host code is not followed{where} ({why.message.rstrip('.')}), so {called} is launched alone, as {line}: "
        f"--launch '...' gives another{f'; {listed(others)} did not run' if others else ''}"
    )
    return replace(found, inspection=replace(found.inspection, notes=(note, *found.inspection.notes)))


def _unreadable(error: PlanError, source: str, settings: Settings) -> InputError:
    """Host code that is not followed; a launch line does without it."""
    if settings.launch is not None and (error.line or 0) > lines_of(source):
        return UsageError(f"--launch: {error.message}")
    line = first_launch(source, settings.defines)
    way = f"; or do without host code: --launch '{line}'" if line else ""
    return TaskError(f"{error.message.rstrip('.')}{way}", error.line)


def lines_of(source: str) -> int:
    """How many lines the person wrote; what an option adds stands after them."""
    return source.count("\n") + 1


def _kernels(source: str) -> tuple[str, ...]:
    try:
        return plain_kernels(source)
    except PlanError:
        return ()


def _compile(source: str, names: tuple[str, ...], arch: Architecture, settings: Settings) -> Compiled:
    options = tuple(f"-D{define}" for define in settings.defines)
    return compile_in_child(device_source(source), _target(settings, arch), names, options)


def _target(settings: Settings, arch: Architecture) -> str:
    return settings.target if settings.target.startswith("sm_") else arch.name


def _bare(source: str, arch: Architecture, build: Build, faults: tuple[Fault, ...] = ()) -> Inspection:
    return Inspection(source, build.arch or arch.name, arch.device, build, faults=faults, is_complete=False)


class _Run:
    """One inspection under way."""

    def __init__(self, source: str, settings: Settings, arch: Architecture) -> None:
        self.source, self.settings, self.arch = source, settings, arch
        self.entry: Entry = find_entry(
            source,
            launch=settings.launch,
            entry=settings.entry,
            defines=settings.defines,
            type_of=lambda name: pointer_to(settings.arrays.get(name)),
        )
        self.own = {p.name for p in self.entry.filled}
        self.inputs = self.taken()
        if not self.own and self.is_large(self.rough_plan()):
            self.inputs = self.taken(is_small=True)
        if self.own:
            self.inputs = replace(self.inputs, extents=self.allocated())

    def taken(self, is_small: bool = False) -> Inputs:
        return take(
            (*self.entry.parameters, *self.entry.filled),
            read_program(self.entry.text),
            self.entry.called,
            sizes=self.settings.sizes,
            ranges=self.settings.ranges,
            named=self.settings.arrays,
            seed=self.settings.seed,
            is_small=is_small,
        )

    def rough_plan(self) -> LaunchPlan:
        """What is launched, whatever the arrays' sizes."""
        return self.plan({p.name: ANY_SIZE for p in self.inputs.pointers})

    def is_large(self, plan: LaunchPlan) -> bool:
        """Whether more threads run than a made-up size is worth: n * n of them, or n launches."""
        is_made_up = any(s.origin == "made up" and s.name in self.inputs.sizes for s in self.inputs.taken)
        return is_made_up and sum(threads_of(step) for step in plan.launches) > MOST_THREADS

    def allocated(self) -> dict[str, int]:
        """Elements of the arrays that the program allocates itself."""
        plan = read_plan(self.entry.text, self.entry.function, {}, {})
        sizes = {step.buffer: step.size_bytes for step in plan.steps if isinstance(step, Allocate)}
        return {p.name: sizes.get(p.name, 0) // dtype_of(p.element, p.name).itemsize for p in self.entry.filled}

    def inspected(self) -> Observation:
        held = self.inputs.arrays | {
            p.name: self.inputs.made(p, self.inputs.extents[p.name])
            for p in self.inputs.pointers
            if p.name in self.inputs.extents
        }
        unknown = [p for p in self.inputs.pointers if p.name not in held]
        plan = self.plan({p.name: held[p.name].nbytes if p.name in held else ANY_SIZE for p in self.inputs.pointers})
        compiled = _compile(self.source, plan.kernels, self.arch, self.settings)
        if not compiled.build.ok:
            return Observation(_bare(self.source, self.arch, compiled.build))
        if not unknown:
            return self.report(compiled, plan, self.watch(compiled, plan, held), held, {})
        return self.with_guesses(compiled, plan, held, unknown)

    def with_guesses(self, compiled: Compiled, plan: LaunchPlan, held: Arrays, unknown: list[Parameter]) -> Observation:
        """A trial with room enough tells how large the arrays are; a second run only where that makes a difference."""
        count = extents.room(self.inputs.sizes, plan)
        roomy = {p.name: self.inputs.made(p, count) for p in unknown}
        trial = self.watch(compiled, plan, {**held, **roomy})
        if trial.result is None:
            return self.report(compiled, plan, trial, held, {})
        guessed = {p.name: self.guess(p, trial.reached, plan) for p in unknown}
        arrays = {**held, **{p.name: self.inputs.made(p, guessed[p.name].elements) for p in unknown}}
        fits = all(_reached(p, trial.reached, plan) <= guessed[p.name].elements for p in unknown)
        strays = any(fault.kind == "out_of_bounds" for fault in trial.faults)
        is_ordered = any(limits.order in ORDERS for limits in self.inputs.ranges.values())
        plan = self.plan({name: array.nbytes for name, array in arrays.items()})
        if fits and not strays and not is_ordered:
            cut = {name: array[: len(arrays[name])] for name, array in trial.arrays.items()}
            return self.report(compiled, plan, replace(trial, arrays=cut), arrays, guessed)
        return self.report(compiled, plan, self.watch(compiled, plan, arrays), arrays, guessed)

    def guess(self, parameter: Parameter, reached: Mapping[str, int], plan: LaunchPlan) -> Extent:
        count = _reached(parameter, reached, plan)
        is_integer = isinstance(parameter.element, Arithmetic) and not parameter.element.is_float
        return extents.guess(count, is_integer=is_integer, sizes=self.inputs.sizes, plan=plan)

    def plan(self, buffers: dict[str, int]) -> LaunchPlan:
        ordered = {p.name: buffers[p.name] for p in self.inputs.pointers if p.name not in self.own}
        plan = read_plan(self.entry.text, self.entry.function, self.inputs.scalars, ordered)
        if not plan.launches:
            raise TaskError(f"{self.entry.called} launches no kernel with these sizes; give others: --size n=...")
        last = lines_of(self.source)
        steps = (s for s in plan.steps if not (isinstance(s, Allocate | Free) and s.buffer in self.own))
        return LaunchPlan(tuple(_in_source(step, last) for step in steps))

    def watch(self, compiled: Compiled, plan: LaunchPlan, arrays: Arrays) -> Watched:
        return watch(
            compiled,
            plan,
            arrays,
            check_global_races=self.settings.check_global_races,
            device=self.arch.device,
            seed=self.settings.seed,
        )

    def report(
        self, compiled: Compiled, plan: LaunchPlan, watched: Watched, arrays: Arrays, guessed: Mapping[str, Extent]
    ) -> Observation:
        result, resources = watched.result, compiled.resources
        is_whole = result is not None and result.is_complete
        pointers = self.inputs.pointers
        inspection = Inspection(
            source=self.source,
            arch=compiled.build.arch,
            device=self.arch.device,
            build=compiled.build,
            arrays=(*(self.made(p, arrays, guessed) for p in pointers if p.name in arrays), *workspaces(plan)),
            scalars=self.inputs.taken,
            launches=launch_reports(result, resources, self.arch) if result else (),
            structure=structure_of(result, resources, self.arch) if result and is_whole else None,
            faults=watched.faults,
            maps=result.worst if result else (),
            text=result.text if result else "",
            is_complete=is_whole,
            checks_global_races=self.settings.check_global_races,
            notes=(*self.entry.notes, *self.inputs.notes, *doubts(watched.faults, guessed, plan, self.inputs.sizes)),
        )
        return Observation(inspection, {p.name: self.output(p, watched.arrays) for p in pointers if watched.arrays})

    def made(self, parameter: Parameter, arrays: Arrays, guessed: Mapping[str, Extent]) -> ArrayMade:
        name = parameter.name
        is_own = name in self.inputs.arrays
        given = "cudaMalloc" if name in self.own else "given with --size"
        extent = guessed[name].why if name in guessed else "" if is_own else given
        origin = "notebook" if is_own else "made up"
        return ArrayMade(name, element_words(parameter.element), len(arrays[name]), origin, extent)  # type: ignore[arg-type]

    def output(self, parameter: Parameter, arrays: Arrays) -> NDArray[Any]:
        array = arrays[parameter.name]
        if parameter.element is BFLOAT:
            array = reals_of_bfloat(array)
        shape = next((getattr(self.settings.arrays[n], "shape", None) for n in parameter.names
                      if n in self.settings.arrays and parameter.name in self.inputs.arrays), None)  # fmt: skip
        return array.reshape(tuple(shape)) if shape is not None else array


def pointer_to(value: Any) -> Type | None:
    """The type that a template deduces from one of the notebook's arrays; None for anything else."""
    words = str(getattr(value, "dtype", "")).removeprefix("torch.")
    known = {"float32": "float", "float64": "double", "float16": "__half", "bfloat16": "__nv_bfloat16"}
    type_ = NAMED_TYPES.get(known.get(words, f"{words}_t")) if words else None
    return PointerType(type_) if type_ is not None else None


def _reached(parameter: Parameter, reached: Mapping[str, int], plan: LaunchPlan) -> int:
    """Elements in use, by kernels and by the plan's own fills and copies."""
    end = reached.get(parameter.name, 0)
    for step in plan.steps:
        for pointer in _touched(step):
            if pointer.buffer == parameter.name and isinstance(step, Fill | Copy):
                end = max(end, pointer.offset_bytes + step.size_bytes)
    return -(-end // dtype_of(parameter.element, parameter.name).itemsize)


def _touched(step: Step) -> tuple[Pointer, ...]:
    if isinstance(step, Copy):
        return step.target, step.source
    return (step.target,) if isinstance(step, Fill) else ()


def _in_source(step: Step, last: int) -> Step:
    """A launch that stands in no line of the person's text, but in an option, has line 0."""
    return replace(step, line=0) if isinstance(step, Launch) and step.line > last else step
