"""What a host function does to the device, as it is being read: buffers that live and die, and the steps of the
plan.

Every step is checked here as the CUDA runtime would check it, so that a mistake is a sentence with a line and not an
error code. Nothing is allocated, copied or launched.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from cudaperf_magic.bench.plan import Allocate, Copy, Dim3, Fill, Free, Launch, LaunchPlan, Pointer, Scalar, Step

MAX_BLOCK = (1024, 1024, 64)
MAX_THREADS = 1024
MAX_GRID = (2**31 - 1, 65535, 65535)
DEFAULT_SHARED_BYTES = 48 * 1024  # more needs cudaFuncSetAttribute
MAX_SHARED_BYTES = 227 * 1024  # compute capability 9.0
MAX_CLUSTER = 8  # blocks, portable
MAX_UPLOAD_BYTES = 4096  # host data becomes one fill for each run of equal bytes


class PlanError(Exception):
    """The host function cannot be read into a plan: the candidate's fault, told in one sentence.

    Args:
        message: what is wrong and what to do, without the line.
        line: 1-based line of the candidate's source, or None when no one line is to blame.
    """

    def __init__(self, message: str, line: int | None = None) -> None:
        self.message = message
        self.line = line
        super().__init__(message if line is None else f"line {line}: {message}")


class RefusedLaunch(PlanError):
    """A launch that CUDA itself would answer with an error: it was read without trouble."""


class TooLong(PlanError):
    """The plan has more turns or steps than are worth reading; for smaller sizes it may be right."""


@dataclass(slots=True, eq=False)
class Buffer:
    name: str
    size_bytes: int
    is_parameter: bool = False
    is_live: bool = True


class Place(NamedTuple):
    """A device address: a buffer (None for the null pointer) and an offset in bytes."""

    buffer: Buffer | None
    offset: int


class HostPlace(NamedTuple):
    """A host address: an element of the list that holds a variable, an array or a struct."""

    container: list[Any]
    position: int


NULL = Place(None, 0)


@dataclass(frozen=True)
class Limits:
    """How much reading may cost before it is called a runaway."""

    iterations: int = 2_000_000  # loop turns and calls together
    steps: int = 250_000
    allocations: int = 1_000
    workspace_bytes: int = 1 << 35


@dataclass
class Machine:
    limits: Limits
    globals: list[Any] = field(default_factory=list)  # variables of file scope and static ones
    steps: list[Step] = field(default_factory=list)
    iterations: int = 0
    held_bytes: int = 0
    names: dict[str, int] = field(default_factory=dict)  # of buffers, with how many asked for each
    allocations: int = 0
    shared_limits: dict[str, int] = field(default_factory=dict)  # by kernel, from cudaFuncSetAttribute
    pointers: dict[tuple[int, int], Pointer] = field(default_factory=dict)  # one object for one place, to stay light
    scalars: dict[tuple[str, str], Scalar] = field(default_factory=dict)
    graphs: list[tuple[Step, ...]] = field(default_factory=list)  # what each capture recorded
    capture_start: int | None = None  # of the steps, while a stream is being captured

    @property
    def plan(self) -> LaunchPlan:
        if self.capture_start is not None:
            raise PlanError("cudaStreamBeginCapture without cudaStreamEndCapture: what was recorded never runs")
        return LaunchPlan(tuple(self.steps))

    def tick(self, line: int) -> None:
        self.iterations += 1
        if self.iterations > self.limits.iterations:
            raise TooLong(
                f"the host function still loops after {self.limits.iterations:,} turns; check the loop's condition",
                line,
            )

    def parameter(self, name: str, size_bytes: int) -> Place:
        self.names[name] = 1
        return Place(Buffer(name, size_bytes, is_parameter=True), 0)

    def allocate(self, wanted: str, size_bytes: int, line: int) -> Place:
        if size_bytes == 0:
            return NULL  # as cudaMalloc does
        self.held_bytes += size_bytes
        if self.held_bytes > self.limits.workspace_bytes:
            raise PlanError(
                f"cudaMalloc of {size_bytes:,} bytes brings the workspace above {self.limits.workspace_bytes:,} bytes; "
                "check the size for a negative number or an overflow",
                line,
            )
        self.allocations += 1
        if self.allocations > self.limits.allocations:
            raise TooLong(f"more than {self.limits.allocations:,} cudaMalloc; allocate once, before the loop", line)
        name = self._unused(wanted)
        self._add(Allocate(name, size_bytes), line)
        return Place(Buffer(name, size_bytes), 0)

    def _unused(self, wanted: str) -> str:
        name = wanted
        while name in self.names:
            self.names[wanted] = self.names.get(wanted, 1) + 1
            name = f"{wanted}_{self.names[wanted]}"
        self.names[name] = 1
        return name

    def free(self, place: Place, line: int) -> None:
        buffer = place.buffer
        if buffer is None:
            return
        if buffer.is_parameter:
            raise PlanError(f"cudaFree of {buffer.name}, which belongs to the caller; leave it alone", line)
        if not buffer.is_live:
            raise PlanError(f"{buffer.name} is freed twice", line)
        if place.offset:
            raise PlanError(
                f"cudaFree of an address inside {buffer.name}; give it the pointer that cudaMalloc returned", line
            )
        buffer.is_live = False
        self.held_bytes -= buffer.size_bytes
        self._add(Free(buffer.name), line)

    def fill(self, place: Place, byte: int, size_bytes: int, line: int, what: str = "cudaMemset") -> None:
        if size_bytes:
            self._add(Fill(self._range(place, size_bytes, f"{what} writes", line), byte & 255, size_bytes), line)

    def copy(self, target: Place, source: Place, size_bytes: int, line: int) -> None:
        if size_bytes:
            to = self._range(target, size_bytes, "cudaMemcpy writes", line)
            start = self._range(source, size_bytes, "cudaMemcpy reads", line)
            overlap = to.buffer == start.buffer and abs(target.offset - source.offset) < size_bytes
            if overlap and target.offset != source.offset:
                raise PlanError(f"cudaMemcpy between overlapping parts of {to.buffer}, which is undefined", line)
            self._add(Copy(to, start, size_bytes), line)

    def upload(self, target: Place, data: bytes, line: int) -> None:
        """Host bytes to the device, as one fill for each run of equal bytes."""
        if len(data) > MAX_UPLOAD_BYTES:
            raise PlanError(f"cudaMemcpy of {len(data):,} bytes from the host; fill arrays in a kernel instead", line)
        start = 0
        for end in range(1, len(data) + 1):
            if end == len(data) or data[end] != data[start]:
                self.fill(Place(target.buffer, target.offset + start), data[start], end - start, line, "cudaMemcpy")
                start = end

    def launch(self, step: Launch) -> None:
        check_shape(step)
        if step.shared_bytes > max(DEFAULT_SHARED_BYTES, self.shared_limits.get(step.kernel, 0)):
            raise RefusedLaunch(
                f"{step.kernel} asks for {step.shared_bytes:,} bytes of shared memory; above {DEFAULT_SHARED_BYTES:,} "
                "call cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) first",
                step.line,
            )
        self._add(step, step.line)

    def begin_capture(self, line: int) -> None:
        if self.capture_start is not None:
            raise PlanError("a stream is captured while another is; a plan has one stream", line)
        self.capture_start = len(self.steps)

    def end_capture(self, line: int) -> int:
        """What was recorded since, as a graph that has not run; its number."""
        if self.capture_start is None:
            raise PlanError("cudaStreamEndCapture without cudaStreamBeginCapture", line)
        self.graphs.append(tuple(self.steps[self.capture_start :]))
        del self.steps[self.capture_start :]
        self.capture_start = None
        return len(self.graphs)

    def launch_graph(self, number: int, line: int) -> None:
        if not 1 <= number <= len(self.graphs):
            raise PlanError("cudaGraphLaunch of a graph that was not captured", line)
        for step in self.graphs[number - 1]:
            self._add(step, line)

    def pointer(self, place: Place, line: int) -> Pointer:
        """A kernel's pointer argument. It may lie outside its buffer: only an access there would be a fault."""
        buffer = place.buffer
        if buffer is None:
            return Pointer("", place.offset)
        if not buffer.is_live:
            raise RefusedLaunch(f"{buffer.name} is used after cudaFree", line)
        key = (id(buffer), place.offset)
        found = self.pointers.get(key)
        if found is None or found.buffer != buffer.name:
            found = self.pointers[key] = Pointer(buffer.name, place.offset)
        return found

    def scalar(self, c_type: str, value: int | float | bool) -> Scalar:
        key = (c_type, repr(value))
        found = self.scalars.get(key)
        if found is None:
            found = self.scalars[key] = Scalar(c_type, value)
        return found

    def _range(self, place: Place, size_bytes: int, what: str, line: int) -> Pointer:
        if place.buffer is None:
            raise PlanError(f"{what} through a null pointer; allocate it with cudaMalloc first", line)
        if place.offset < 0 or place.offset + size_bytes > place.buffer.size_bytes:
            where = f" from byte {place.offset:,} on" if place.offset else ""
            raise PlanError(
                f"{what} {size_bytes:,} bytes{where} of {place.buffer.name}, which holds {place.buffer.size_bytes:,}",
                line,
            )
        return self.pointer(place, line)

    def _add(self, step: Step, line: int) -> None:
        if len(self.steps) >= self.limits.steps:
            raise TooLong(f"more than {self.limits.steps:,} launches and copies; move the loop into a kernel", line)
        self.steps.append(step)


def _shape(dims: Iterable[int]) -> str:
    return "(" + ", ".join(str(d) for d in dims) + ")"


def check_shape(step: Launch) -> None:
    """Refuses what the CUDA runtime answers with an invalid configuration."""
    threads = step.block[0] * step.block[1] * step.block[2]
    if 0 in step.grid:
        raise RefusedLaunch(
            f"{step.kernel} is launched with a grid of {_shape(step.grid)}, which CUDA refuses; "
            "return before the launch when there is nothing to do",
            step.line,
        )
    if threads == 0:
        raise RefusedLaunch(f"{step.kernel} is launched with a block of {_shape(step.block)}: no threads", step.line)
    if threads > MAX_THREADS or _above(step.block, MAX_BLOCK):
        raise RefusedLaunch(
            f"{step.kernel} is launched with a block of {_shape(step.block)}, {threads:,} threads; "
            f"CUDA allows {MAX_THREADS} in all and at most {_shape(MAX_BLOCK)}",
            step.line,
        )
    if _above(step.grid, MAX_GRID):
        hint = "; a negative number became a large one" if max(step.grid) >= 2**31 else ""
        raise RefusedLaunch(
            f"{step.kernel} is launched with a grid of {_shape(step.grid)}, more than CUDA's {_shape(MAX_GRID)}{hint}",
            step.line,
        )
    if step.shared_bytes > MAX_SHARED_BYTES:
        raise RefusedLaunch(
            f"{step.kernel} asks for {step.shared_bytes:,} bytes of shared memory; a block has {MAX_SHARED_BYTES:,}",
            step.line,
        )
    if step.cluster is not None:
        _check_cluster(step, step.cluster)


def _check_cluster(step: Launch, cluster: Dim3) -> None:
    blocks = cluster[0] * cluster[1] * cluster[2]
    if not 1 <= blocks <= MAX_CLUSTER:
        raise RefusedLaunch(
            f"{step.kernel}: a cluster of {_shape(cluster)} blocks; CUDA allows 1 to {MAX_CLUSTER}", step.line
        )
    if any(g % c for g, c in zip(step.grid, cluster, strict=True)):
        raise RefusedLaunch(
            f"{step.kernel}: the grid {_shape(step.grid)} is not a multiple of the cluster {_shape(cluster)}", step.line
        )


def _above(dims: Dim3, limits: Dim3) -> bool:
    return any(d > limit for d, limit in zip(dims, limits, strict=True))
